"""Adapters: other libraries' solvers, one file a library, each with how it wants undefined values."""
