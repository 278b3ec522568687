"""What follows from how many evaluations there are."""

from __future__ import annotations

from cpcbench.solvers.search.state import CLIMBERS


def climbers_for(budget: float) -> int:
    """How many climbers share a budget: with few evaluations fewer of them get somewhere."""
    return int(min(max(budget / 50_000, 2), CLIMBERS))


FEW = 30_000
CLIMBING = {
    "sample_share": 0.1,
    "hop_share": 0.25,
    "fresh_share": 0.25,
    "first_rung": 25.0,
    "rung_per_dim": 8.0,
    "keep": 0.4,
    "cma_share": 0.5,
    "niche": 0.05,
    "patience": 15.0,
    "outlook": 3.0,
    "slide_share": 0.35,
    "polish_share": 0.15,
    "scan_share": 0.15,
    "whole_share": 0.3,
    "late_share": 0.1,
    "dive_share": 0.0,
    "line_outlook": 1e9,
}
"""With few evaluations: more climbing, fewer hops and slides."""


def for_budget(budget: float) -> dict[str, float]:
    """The settings that follow from how many evaluations there are."""
    entry_share = 0.2 * min(budget / 1_000_000, 1.0)  # looking for rare islands pays only in a long search
    shares = CLIMBING if budget < FEW else {}
    return {**shares, "at_once": climbers_for(budget), "budget": budget, "entry_share": entry_share}
