"""Problems in disguise: shifted, scaled, rotated, on a box that is cut unevenly, by a seed."""
