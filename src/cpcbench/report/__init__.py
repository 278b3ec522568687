"""A study's results as tables, and the published ones beside them."""
