"""Speed, as ratios against NumPy, hand-written C and other packages in one run."""
