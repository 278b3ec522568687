"""What the checker knows of the functions of the language."""
