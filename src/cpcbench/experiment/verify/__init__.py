"""What a claimed solution is."""
