"""The suite as it is and in disguise."""
