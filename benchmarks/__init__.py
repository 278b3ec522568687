"""Speed, always as ratios against something else in the same run: `make bench`."""
