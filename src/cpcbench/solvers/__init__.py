"""Methods: one file each, readable beside its paper, and how they are found by name."""
