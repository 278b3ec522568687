"""Attempts to break the checker: low-precision checks against true values, and certificates of false claims."""
