"""What the checker knows beyond its core: one theorem a file, each stated and proven in the docs."""
