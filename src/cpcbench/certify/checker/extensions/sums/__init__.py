"""Sums proven by their terms."""
