"""A function with undefined values of several kinds, and what is compared of searches for its minimum."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from scipy.optimize import OptimizeResult

BOX = [(-1.0, 1.0), (-1.0, 1.0)]


class Noted:
    """A function with undefined values of several kinds, which keeps what it was asked and what it gave."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[float], float]] = []

    def __call__(self, x: Any) -> Any:
        value = self.value(x)
        self.calls.append((x.tolist(), value if isinstance(value, float) and math.isfinite(value) else math.nan))
        return value

    def value(self, x: Any) -> Any:
        if x[0] > 0.9:
            self.calls.append((x.tolist(), math.nan))
            raise ValueError(f'a "quoted", text\nof two lines: {x[0]}')
        return None if x[0] < -0.9 else math.inf if x[1] > 0.9 else float(x[0] ** 2 + (x[1] - 0.3) ** 2)


def bits(found: OptimizeResult) -> tuple[Any, ...]:
    """All that a search says of what it found and did."""
    kinds = [(failure.kind, failure.count, failure.x.tolist()) for failure in found.failures]
    ends = found.defined.lower.tolist(), found.defined.upper.tolist(), found.defined.share
    return found.x.tolist(), found.fun, found.nfev, found.nit, found.nundefined, found.nfailed, kinds, ends


def lines_of(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.is_file() else 0
