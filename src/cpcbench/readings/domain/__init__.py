"""Where a formula is defined."""
