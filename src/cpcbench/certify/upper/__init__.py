"""Proofs of upper bounds: points, and boxes proven to hold one."""
