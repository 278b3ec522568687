"""A black-box search for objectives that are undefined on most of their box."""
