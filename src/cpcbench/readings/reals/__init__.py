"""The formula in real numbers, and the correctly rounded verdict."""
