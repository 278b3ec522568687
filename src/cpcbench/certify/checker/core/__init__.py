"""The core of the checker: plain-ended intervals, ranges, mean-value leaves, splits, faces, points, Krawczyk boxes."""
