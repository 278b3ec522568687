"""Studies for other programs."""
