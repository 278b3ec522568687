"""Certificates as theorems of Coq."""
