"""Lower bounds by a tree of boxes."""
