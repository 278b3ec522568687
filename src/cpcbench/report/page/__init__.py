"""The page: a suite and a study as one HTML file that needs nothing else."""
