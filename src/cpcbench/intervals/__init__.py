"""The one compiled box arithmetic: ranges, definedness, cuts and slopes of a formula over boxes."""
