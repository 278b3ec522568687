"""Solvers with few evaluations on functions that nobody here wrote, defined everywhere or in a third of the box."""
