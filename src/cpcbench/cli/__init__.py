"""The command line: `cpcbench` and `python -m cpcbench`."""

from cpcbench.cli.app import main

__all__ = ["main"]
