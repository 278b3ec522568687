"""Lower bounds of sums whose terms share few variables."""
