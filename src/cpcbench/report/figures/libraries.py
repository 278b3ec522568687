"""Optional drawing libraries."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from cpcbench.errors import MissingExtraError


def library(name: str) -> Any:
    """An optional drawing library, or the words to install it with."""
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise MissingExtraError(f'figures need {package}: pip install "cpcbench[figures]"') from None
