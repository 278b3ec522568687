"""Lines of text about a proof in the making."""

from __future__ import annotations

from collections.abc import Callable

Tell = Callable[[str], None]


def gap_line(lower: float, upper: float, seconds: float) -> str:
    """What is known at some time, in words."""
    return f"no value is below {lower!r}, some is at most {upper!r}, gap {upper - lower:.1e} ({seconds:.0f} s)"
