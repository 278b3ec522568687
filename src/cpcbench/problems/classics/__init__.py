"""Functions of the literature: formulas by letter, and what collections list as their minima, as data."""
