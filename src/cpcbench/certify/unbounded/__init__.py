"""Proofs that there is no lower bound."""
