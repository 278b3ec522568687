"""What the white-box search does side by side, each with its share of the work."""
