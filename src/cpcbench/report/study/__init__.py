"""Tables of a study."""
