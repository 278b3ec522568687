"""The classics held against the collections that list them."""
