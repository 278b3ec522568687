"""The suite: 25 functions with hidden domains and three classics, with their published facts."""
