"""Functions of other people, read and watched."""
