"""Boxes on a graphics card: a tape as CUDA with directed rounding, and trees of boxes grown level by level."""
