"""The formula in doubles: kernels and arrays."""
