"""Commands that study a problem."""
