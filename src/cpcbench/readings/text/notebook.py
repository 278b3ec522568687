"""How things show themselves in a notebook: a heading, a formula, and a few facts, as HTML."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from cpcbench.errors import NoFormulaError

LONGEST = 4000
"""Letters of a formula that is shown; a longer one fills screens."""

SIDES = 4
"""Sides of a box, and coordinates, that are named one by one."""


def facts_html(title: str, facts: Iterable[tuple[str, object]], formula: str = "") -> str:
    """The facts as a table below the title; texts are escaped, the formula is MathML already."""
    rows = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(str(value))}</td></tr>'
        for name, value in facts
    )
    shown = f'<div style="overflow-x:auto;margin:.5em 0">{formula}</div>' if formula else ""
    return f"<div><b>{escape(title)}</b>{shown}<table>{rows}</table></div>"


def point_text(x: Iterable[float]) -> str:
    """A point, cut short where it has many coordinates."""
    values = [repr(float(v)) for v in x]
    return f"({', '.join(values)})" if len(values) <= SIDES else f"({', '.join(values[:SIDES])}, ...)"


class InNotebooks:
    """What a problem shows: its formula, its box, and what is known of it; of a function without a formula the rest."""

    def _repr_latex_(self: Any) -> str | None:
        try:
            return f"$\\displaystyle {self.latex}$" if len(self.formula) <= LONGEST else None
        except NoFormulaError:
            return None

    def _repr_html_(self: Any) -> str:
        sides = list(dict.fromkeys(f"[{a:g}, {b:g}]" for a, b in self.bounds))
        box = f"{sides[0]} for each" if len(sides) == 1 else " x ".join(sides[:SIDES]) + " ..." * (len(sides) > SIDES)
        facts = [("variables", self.dim), ("box", box), ("rule", self.rule)]
        try:
            formula = self.mathml if len(self.formula) <= LONGEST else ""
            facts.append(("hidden conditions", len(self.conditions)))
        except NoFormulaError:
            formula = ""
        known = self.best_known
        if known is not None and len(known.points):
            facts += [("best known", f"{float(known.value)!r} at {point_text(known.points[0])}"), ("by", known.source)]
        return facts_html(self.id if self.title in ("", self.id) else f"{self.id}: {self.title}", facts, formula)
