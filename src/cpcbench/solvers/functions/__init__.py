"""A user's function, called safely."""
