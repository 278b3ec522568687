"""Whole vectors of points held against the tests of a formula: what is certainly undefined is left out."""
