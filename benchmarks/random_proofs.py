"""`python -m benchmarks.random_proofs`: certificates of random formulas, and everything that went wrong with them."""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter

from rich.console import Console
from rich.table import Table
from tests.material.random_proofs import Outcome, attempts, longest

SLOWEST = 5


def run(console: Console, count: int = 100, seconds: float = 3.0, first: int = 0, listed: bool = False) -> bool:
    """Prints what became of the formulas; whether nothing went wrong."""
    found: list[Outcome] = []
    for outcome in attempts(range(first, first + count), seconds):
        found.append(outcome)
        for trouble in outcome.wrong:
            console.print(f"WRONG: {_name(outcome)}: {trouble}", highlight=False, soft_wrap=True)
        if listed and (outcome.made is None or outcome.kind == "wider gap"):
            console.print(f"{_name(outcome)}: {outcome.said or outcome.made}", highlight=False, soft_wrap=True)
        if outcome.took > longest(seconds):
            console.print(f"LATE: {_name(outcome)}: {outcome.took:.1f} s", highlight=False, soft_wrap=True)
    table = Table(title=f"{count} random formulas from seed {first} on, {seconds:g} s each")
    table.add_column("what became of them")
    table.add_column("formulas", justify="right")
    for kind, many in Counter(f"{o.part}: {o.kind}" for o in found).most_common():
        table.add_row(kind, str(many))
    for said, many in Counter(_reason(o) for o in found if o.said).most_common():
        table.add_row(f"  {said}", str(many))
    unchecked = sum(o.made is not None and o.made.checked is None for o in found)
    table.add_row("not checked: the time ran out", str(unchecked))
    table.add_row("wrong", str(sum(bool(o.wrong) for o in found)))
    table.add_row(f"later than {longest(seconds):g} s", str(sum(o.took > longest(seconds) for o in found)))
    console.print(table)
    for outcome in sorted(found, key=lambda o: -o.took)[:SLOWEST]:
        console.print(f"{outcome.took:.1f} s: {_name(outcome)}", highlight=False, soft_wrap=True)
    return not any(o.wrong for o in found)


def _name(outcome: Outcome) -> str:
    return f"seed {outcome.seed} ({outcome.part}): {outcome.problem.formula} on {outcome.problem.bounds}"


def _reason(outcome: Outcome) -> str:
    """An error without what differs from formula to formula."""
    return re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?|-?inf", "#", outcome.said)[:150]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--list", action="store_true", help="the formulas without a useful bound")
    asked = parser.parse_args()
    sys.exit(0 if run(Console(width=120), asked.count, asked.seconds, asked.first, asked.list) else 1)
