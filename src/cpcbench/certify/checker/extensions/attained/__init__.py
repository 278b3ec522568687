"""Whether an infimum is attained."""
