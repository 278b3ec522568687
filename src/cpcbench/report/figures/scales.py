"""How values become colours and heights: which range is shown, on which scale, and what is cut off.

Values of one problem may span hundreds of orders of magnitude. Both drawing libraries use the same scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cpcbench.errors import CpcbenchError
from cpcbench.points import Floats

SCALES = ("auto", "linear", "log", "symlog")
CUT = 2.0
"""Percent of the values beyond which outliers are cut off, if they would flatten the rest."""


@dataclass(frozen=True)
class Scale:
    """Values from `low` to `high`, `linear`, `log` or `symlog` (linear within `unit` of 0, logarithmic beyond)."""

    kind: str
    low: float
    high: float
    unit: float = 1.0
    cut_low: bool = False
    cut_high: bool = False

    def __call__(self, values: npt.ArrayLike) -> Floats:
        """Heights for drawing, cut to the range; NaN stays NaN."""
        return self.forward(np.clip(np.asarray(values, dtype=np.float64), self.low, self.high))

    def forward(self, values: npt.ArrayLike) -> Floats:
        v = np.asarray(values, dtype=np.float64)
        if self.kind == "log":
            return np.asarray(np.log10(np.maximum(v, self.low * 1e-3)))
        if self.kind == "symlog":
            return np.asarray(np.arcsinh(v / (2 * self.unit)) / math.log(10))
        return v

    def inverse(self, heights: npt.ArrayLike) -> Floats:
        h = np.asarray(heights, dtype=np.float64)
        if self.kind == "log":
            return np.asarray(10.0**h)
        return np.asarray(2 * self.unit * np.sinh(h * math.log(10))) if self.kind == "symlog" else h

    @property
    def note(self) -> str:
        """What a reader of the colour bar must know; empty if nothing."""
        words = [] if self.kind == "linear" else [f"{self.kind} scale"]
        if self.cut_low or self.cut_high:
            sides = "both ends" if self.cut_low and self.cut_high else "the top" if self.cut_high else "the bottom"
            words.append(f"{CUT:g} % cut off at {sides}")
        return ", ".join(words)

    def named(self, what: str) -> str:
        """What the values are, with that note."""
        return f"{what} ({self.note})" if self.note else what

    @property
    def marks(self) -> tuple[list[float], list[str]]:
        """The marks of an axis or a colour bar: heights, and the values there in words."""
        ticks = self.ticks()
        return self(ticks).tolist(), [tick_text(t) for t in ticks]

    def ticks(self) -> list[float]:
        """Values for the marks of an axis or a colour bar."""
        if self.kind == "linear":
            return _round_numbers(self.low, self.high)
        top = math.floor(math.log10(max(abs(self.low), abs(self.high))))
        if self.kind == "log":
            return [10.0**e for e in _exponents(math.ceil(math.log10(self.low) - 1e-9), top)]
        powers = [10.0**e for e in _exponents(math.ceil(math.log10(self.unit)), top)]
        return [t for t in (*(-p for p in reversed(powers)), 0.0, *powers) if self.low <= t <= self.high]


def tick_text(value: float) -> str:
    """A mark's number, short: 1e5 rather than 100000."""
    if value != 0 and not 1e-3 <= abs(value) < 1e5:
        mantissa, _, exponent = f"{value:.3g}".partition("e")
        return f"{mantissa}e{int(exponent)}" if exponent else f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    return f"{value:.10g}"


def scale_of(values: Floats, kind: str = "auto", limits: tuple[float, float] | None = None) -> Scale:
    """A scale on which these values (NaN left out) can be told apart."""
    if kind not in SCALES:
        raise CpcbenchError(f"a scale is {', '.join(SCALES[:-1])} or {SCALES[-1]}, not {kind!r}")
    v = values[np.isfinite(values)]
    if limits is not None:
        return _within(v, "linear" if kind == "auto" else kind, limits)
    if v.size == 0:
        return Scale("linear", 0.0, 1.0)
    low, inner_low, inner_high, high = (float(q) for q in np.percentile(v, [0, CUT, 100 - CUT, 100]))
    if kind == "auto":
        kind = _fitting(v, low, high, inner_low, inner_high)
    if kind == "log" and low <= 0:
        raise CpcbenchError(f"a log scale needs positive values, the lowest here is {low:g}: use symlog")
    if kind != "linear":
        return Scale(kind, low, _above(low, high), _unit(v))
    spread = inner_high - inner_low
    cut_low, cut_high = inner_low - low > spread, high - inner_high > spread
    low, high = inner_low if cut_low else low, inner_high if cut_high else high
    return Scale("linear", low, _above(low, high), cut_low=cut_low, cut_high=cut_high)


def _fitting(v: Floats, low: float, high: float, inner_low: float, inner_high: float) -> str:
    if low > 0 and inner_high / inner_low > 1e3:
        return "log"
    sizes = np.percentile(np.abs(v), [20, 98])
    if high - low > 1e3 * max(float(sizes[0]), 1e-300) and sizes[1] > 1e3 * max(float(sizes[0]), 1e-300) and low < 0:
        return "symlog"
    return "linear"


def _within(v: Floats, kind: str, limits: tuple[float, float]) -> Scale:
    low, high = limits
    if not (math.isfinite(low) and math.isfinite(high) and low < high) or (kind == "log" and low <= 0):
        raise CpcbenchError(f"limits are (lower, upper), lower below upper, above 0 for a log scale, not {limits!r}")
    return Scale(kind, low, high, _unit(v))


def _unit(v: Floats) -> float:
    sizes = np.abs(v[v != 0])
    return float(10.0 ** np.floor(np.log10(np.percentile(sizes, 20)))) if sizes.size else 1.0


def _above(low: float, high: float) -> float:
    """An upper end above the lower one, for values that are all the same."""
    return high if high > low else low + max(1e-9, abs(low) * 1e-9)


def _exponents(first: int, last: int) -> list[int]:
    """At most six whole exponents, evenly spaced."""
    step = max(1, math.ceil((last - first + 1) / 6))
    return list(range(first, last + 1, step)) or [last]


def _round_numbers(low: float, high: float) -> list[float]:
    raw = (high - low) / 5
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * m for m in (1.0, 2.0, 2.5, 5.0, 10.0) if size * m >= raw * 0.999)
    return [
        round(k * step, 12 - math.floor(math.log10(step)))
        for k in range(math.ceil(low / step), math.floor(high / step) + 1)
    ]
