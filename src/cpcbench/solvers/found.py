"""What `minimize` returns: SciPy's OptimizeResult, which also shows itself in a notebook."""

from __future__ import annotations

from scipy.optimize import OptimizeResult

from cpcbench.readings.text.notebook import facts_html, point_text

FIRST = ("nfev", "nundefined", "nread", "nwatched", "nconstraint", "nit", "status")
"""Numbers that are shown, as far as they are there."""


class Found(OptimizeResult):  # type: ignore[misc]
    """The same fields by name and by key."""

    def _repr_html_(self) -> str:
        facts = [] if self.get("x") is None else [("x", point_text(self.x)), ("fun", repr(float(self.fun)))]
        facts += [(name, f"{self[name]:,}") for name in FIRST if isinstance(self.get(name), int)]
        return facts_html(str(self.get("message", "")), facts)
