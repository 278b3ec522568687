"""`python -m benchmarks.gpu.proof FOLDER --n 6` makes a certificate with the trees that a card has grown; with
`--leaves` the bounds of all their leaves are computed again by the processor, which needs no file.

FOLDER is what `boxes_there.py` wrote.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import cpcbench as cpc
from benchmarks.gpu.links import Link, links_of
from cpcbench.certify import making
from cpcbench.certify.lower.tree.grown import Tree, closing
from cpcbench.certify.lower.tree.planted import boxes_of, planted
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.intervals.boxes import lower_bounds
from cpcbench.intervals.gpu.growing import Levels
from cpcbench.intervals.tape import Tape

AT_ONCE = 1_000_000
PATIENT = 2.0
"""Seconds for each box that is left: where rounding is larger than what is aimed at, more would not help."""


def levels_of(folder: Path, name: str, variable: int) -> Levels | None:
    """The tree of a link, from its bits."""
    file = folder / f"{name}.link{variable}.npz"
    if not file.exists():
        return None
    with np.load(file) as kept:
        sizes = kept["sizes"].tolist()
        halved = np.unpackbits(kept["bits"], count=sum(sizes[:-1])).astype(np.int8) - 1
        axes = [*np.split(halved, np.cumsum(sizes[:-1])[:-1]), kept["last"]]
        return Levels([level.astype(np.int8) for level in axes], int(kept["boxes"]))


def certified(folder: Path, name: str, n: int, seconds: float, tolerance: float, output: Path) -> None:
    """A certificate whose links begin with the card's trees where the processor is not done soon."""
    facts = {fact["variable"]: fact for fact in json.loads((folder / "boxes.json").read_text())["links"]}

    def first(tape: Tape, lower: Sequence[float], upper: Sequence[float], target: float) -> Tree | None:
        levels = levels_of(folder, name, tape.variables[0]) if tape.dim == 1 else None
        print(f"x{tape.variables[0] + 1}: {'no tree' if levels is None else f'{levels.nodes:,} boxes'} of the card's")
        return None if levels is None else planted(tape, lower, upper, target, levels)

    vars(making)["on_card"] = first  # what a card would do here
    point = [facts[v]["x"] for v in range(n)]
    start = time.monotonic()
    asked: dict[str, Any] = {"seconds": seconds, "tolerance": tolerance, "workers": 1, "gpu": True}
    made = cpc.certify(cpc.problem(name, n=n), points=[point], progress=print, **asked)
    print(f"{made.lower!r} to {made.upper!r} in {time.monotonic() - start:.0f} s; checked: {made.checked}", flush=True)
    made.save(output)


def confirmed(folder: Path, name: str, n: int) -> None:
    """Each link's tree, leaf by leaf: bounds on the processor, and the prover where they fall short."""
    facts = {fact["variable"]: fact for fact in json.loads((folder / "boxes.json").read_text())["links"]}
    total = known = 0.0
    for link in links_of(cpc.problem(name, n=n)):
        target = facts[link.variable]["target"]
        levels = levels_of(folder, name, link.variable)
        start = time.monotonic()
        leaves, short = (1, [(link.low, link.high)]) if levels is None else _short(link, target, levels)
        trees = [prove(link.tape, [a], [b], target, seconds=PATIENT) for a, b in short]
        bound = min([target, *(tree.bound for tree in trees)])
        total += bound
        known += facts[link.variable]["value"]
        print(
            f"x{link.variable + 1}: {leaves:,} leaves, {len(short):,} left to the prover, all at least {bound!r}, "
            f"{target - bound:.1e} below the aim ({time.monotonic() - start:.0f} s)",
            flush=True,
        )
    print(f"the sum is at least {total!r}, and {known!r} is reached: apart by {known - total:.1e}")


def _short(link: Link, target: float, levels: Levels) -> tuple[int, list[tuple[float, float]]]:
    """How many leaves there are, and those whose bound on the processor does not reach the target."""
    leaves, short = 0, []
    for axes, low, high in boxes_of(1, [link.low], [link.high], levels):
        ends = axes < 0
        a, b = low[ends], high[ends]
        leaves += len(a)
        for i in range(0, len(a), AT_ONCE):
            part = slice(i, i + AT_ONCE)
            bound, _ = lower_bounds(link.tape, a[part], b[part], slopes=False)
            missed = ~(bound >= closing(target))
            short += list(zip(a[part][missed, 0].tolist(), b[part][missed, 0].tolist(), strict=True))
    return leaves, short


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--problem", default="CPC-DF7")
    parser.add_argument("--n", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--tolerance", type=float, default=1e-9)
    parser.add_argument("--leaves", action="store_true")
    parser.add_argument("--output", type=Path, default=Path("certificate.json.gz"))
    given = parser.parse_args()
    if given.leaves:
        confirmed(given.folder, given.problem, given.n)
    else:
        certified(given.folder, given.problem, given.n, given.seconds, given.tolerance, given.output)
