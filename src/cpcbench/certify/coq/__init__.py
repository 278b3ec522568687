"""Certificates as theorems of Coq, whose kernel checks them."""
