"""CPC-SE, the authors' two systems of equations, from `systems.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources


@cache
def systems() -> dict[str, tuple[str, ...]]:
    """The equations of each by id, as texts."""
    text = resources.files("cpcbench.problems.collections").joinpath("systems.toml").read_text(encoding="utf-8")
    return {id_: tuple(entry["equations"]) for id_, entry in tomllib.loads(text).items()}
