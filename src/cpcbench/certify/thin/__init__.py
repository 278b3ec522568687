"""Bounds on thin sets."""
