"""Proofs of how low a formula can be: certificates, and the program that makes them (`making`).

What the checker does too is written here again, on purpose: the two are to find each other's mistakes. The prover may
ask the checker, as where a family tends to; the checker knows nothing of the prover.
"""
