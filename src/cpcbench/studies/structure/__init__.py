"""What the expression says of itself: which variables act together, and where it is interrupted."""
