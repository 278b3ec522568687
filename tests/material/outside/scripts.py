"""The scripts that the Makefile uses, as modules: they are no part of the package."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[3]


def script(name: str) -> ModuleType:
    """`script("site/build")` is `.ci/site/build.py`."""
    spec = importlib.util.spec_from_file_location(name.replace("/", "_"), ROOT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
