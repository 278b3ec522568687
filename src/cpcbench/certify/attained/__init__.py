"""Whether some point has the infimum as its value."""
