"""Proofs of how low a formula can be: certificates, and the program that makes them (`making`)."""
