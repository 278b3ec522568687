"""What the search may do next, and what it learns from it."""
