"""Systems of equations: their real solutions in a box, each proven, and their number where it can be proven."""
