"""How a value changes next to a point, and how far the edge of the domain is."""
