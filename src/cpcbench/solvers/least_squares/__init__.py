"""Sums of squares: a search over many scales that solves for the parameters that enter linearly."""
