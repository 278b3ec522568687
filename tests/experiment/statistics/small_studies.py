"""Small studies whose statistics can be worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from cpcbench.experiment.statistics.runs import RunArrays, gather
from cpcbench.experiment.store.record import RunRecord
from cpcbench.report.study.statistics import statistics_tables
from cpcbench.report.table import Table


def made(
    trajectory: tuple[tuple[int, float], ...] = ((1, 1.0),), *, kind: str = "faithful", **changes: Any
) -> RunRecord:
    """A run on CPC-DF1, whose best-known value is 0; its verified value is the last one it saw."""
    value = trajectory[-1][1] if trajectory and kind != "none" else math.nan
    found = not math.isnan(value)
    record = RunRecord(
        problem="CPC-DF1", n=2, rule="ieee", solver="GA", run=1, seed="0", parameters={}, budget=100,
        seconds_limit=None, status="finished", message="", x=(1.0, 1.0) if found else None,
        reported=value if found else None, fast=value, reference=value, real_lower=value, real_upper=value,
        domain="inside" if found else "none", kind=kind, in_box=found, evaluations=100, undefined=0, seconds=0.5,
        trajectory=trajectory, versions={},
    )  # fmt: skip
    return replace(record, **changes)


def only(records: list[RunRecord], **settings: Any) -> RunArrays:
    (runs,) = gather(records, **settings)
    return runs


THREE = [
    made(((1, 5.0), (10, 0.1), (40, 1e-9)), run=1),
    made(((30, 0.05), (50, 0.04)), run=2),
    made((), kind="none", run=3, status="budget"),
]
"""Reach 1e-1 at 10 and at 30, and 1e-8 at 40; the third nothing."""


def tables(records: list[RunRecord], **options: bool) -> dict[str, Table]:
    return {table.key: table for table in statistics_tables(records, **options)}
