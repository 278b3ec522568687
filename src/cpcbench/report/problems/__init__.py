"""Tables about problems."""
