"""Where and how runs are made, so that they cannot harm the study."""
