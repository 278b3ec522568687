"""Proofs of lower bounds."""
