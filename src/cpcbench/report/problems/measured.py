"""Tables that take hours to measure: kept as data, with the command that made them."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from cpcbench.report.table import Table


@cache
def _kept() -> dict[str, Any]:
    text = resources.files("cpcbench.report.problems").joinpath("measured.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def measured_names() -> tuple[str, ...]:
    return tuple(_kept())


def measured_table(name: str) -> Table:
    """The table, with where it comes from as its last note."""
    found = _kept()[name]
    made = f"Made by: {found['command']}. {found['document']} says more."
    return Table(f"measured-{name}", found["title"], found["columns"], found["rows"], (*found["notes"], made))
