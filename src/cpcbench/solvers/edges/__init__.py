"""Edges of the domain, learned from defined and undefined points, and descents on where they meet."""
