"""The formula as CUDA: source text made from the plan of the kernels, run on a card, or compiled for the host."""
