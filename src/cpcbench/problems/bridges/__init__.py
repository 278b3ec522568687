"""Bridges: a problem as the object another library optimises, one file a library.

The library is imported when its bridge is first asked for.
"""

from __future__ import annotations

import importlib
from typing import Any

from cpcbench.errors import MissingExtraError

LIBRARIES = ("ioh", "nevergrad", "optuna", "pygmo", "pymoo")


def bridged(problem: object, library: str, undefined: str) -> Any:
    """The problem as an object of the library; `undefined` says what it gets for an undefined value."""
    try:
        module = importlib.import_module(f"cpcbench.problems.bridges.{library}")
    except ImportError as error:
        if (error.name or "").partition(".")[0] != library:
            raise
        words = f'as_{library} needs a library that is missing: pip install "cpcbench[{library}]"'
        raise MissingExtraError(words) from error
    return module.build(problem, undefined)
