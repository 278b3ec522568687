"""What an expression means: kernels, verdicts, enclosures, conditions, text."""
