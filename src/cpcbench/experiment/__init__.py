"""From a claimed solution to a verdict."""
