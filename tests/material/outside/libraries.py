"""Optional libraries in tests: a test of one that is missing is skipped, and says by name what to install."""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import pytest

from cpcbench.solvers.registry import LIBRARIES, OUTSIDE

EXTRAS = {
    "distributed": "cluster", "iohinspector": "trials", "matplotlib": "figures", "playwright": "trials",
    "plotly": "figures", "ipykernel": "notebooks", "nbclient": "notebooks", "nbformat": "notebooks",
    "pandas": "trials", "pyarrow": "parquet",
    **{library: adapter for adapter, library in LIBRARIES.items()},
}  # fmt: skip
"""The extras of pyproject.toml that are not called as the library they bring."""


def why(library: str) -> str:
    name = library.partition(".")[0]
    return f'{name} is missing: pip install ".[{EXTRAS.get(name, name)}]"'


def there(library: str) -> bool:
    return importlib.util.find_spec(library.partition(".")[0]) is not None


def needs(*libraries: str) -> pytest.MarkDecorator:
    """A mark for tests of these libraries."""
    missing = [library for library in libraries if not there(library)]
    return pytest.mark.skipif(bool(missing), reason="; ".join(map(why, missing)))


def needed_by(solver: str) -> pytest.MarkDecorator:
    """A mark for tests of a solver, which may be one of an outside library."""
    adapter = OUTSIDE.get(solver)
    return needs() if adapter is None else needs(LIBRARIES.get(adapter, adapter))


def library(name: str) -> Any:
    """The library, whatever it warns of when it is imported; the test is skipped without it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=why(name), exc_type=ImportError)
