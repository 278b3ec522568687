"""Studies of a problem's structure, for the suite's problems and a user's own."""
