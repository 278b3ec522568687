"""What the white-box search does in doubles."""
