"""What is run: problems, solvers, seeds."""
