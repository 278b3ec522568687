"""Models of other systems, read as problems: one file a format or a library."""
