"""The connected parts of the domain and the local minima, counted."""
