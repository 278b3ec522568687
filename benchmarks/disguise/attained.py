"""Whether a published value is left in disguise: `python -m benchmarks.disguise.attained CPC-DF14`.

Some are attained only at particular doubles. Here the pairs of doubles about the images of a problem's published points
are evaluated, as it is and in several disguises. Where none of them comes as low, the value may still be attained
elsewhere, by another accident of rounding.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

import cpcbench as cpc
from benchmarks.disguise.__main__ import disguise, enough
from cpcbench.points import Floats
from cpcbench.problems.instances.move import Move
from cpcbench.report.render import render
from cpcbench.report.table import Cell, Table

IDS = ("CPC-DF3", "CPC-DF10", "CPC-DF14")


def about(x: Floats, move: Move | None, reach: int) -> Floats:
    """Pairs of doubles about the image of a point, as far apart as those of the old variables or the new ones are."""
    if move is None:
        centre, apart = x, np.spacing(np.abs(x))
    else:
        centre = move.back(x[None])[0]
        apart = np.abs(move.back((x + np.spacing(np.abs(x)))[None])[0] - centre)
        apart = np.maximum(apart, np.spacing(np.abs(centre)))
    steps = np.arange(-reach, reach + 1)
    return np.stack(np.meshgrid(*(c + steps * d for c, d in zip(centre, apart, strict=True))), axis=-1).reshape(-1, 2)


def attained(problem: cpc.Problem, move: Move | None, reach: int) -> int:
    """How many of the pairs about all published points come as low as the published value."""
    assert problem.published is not None  # noqa: S101 - each of the 25 has one
    there = problem if move is None else move.of(problem, "hidden")
    values = there(np.concatenate([about(x, move, reach) for x in problem.published.points]))
    return int(np.sum(values <= enough(problem), where=np.isfinite(values)))


def main(arguments: Sequence[str] | None = None) -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    words.add_argument("ids", nargs="*", default=IDS, help="problems of two variables")
    words.add_argument("--reach", type=int, default=300, help="doubles to each side")
    words.add_argument("--seeds", type=int, default=20, help="disguises")
    words.add_argument("--first-seed", type=int, default=9000)
    given = words.parse_args(arguments)
    rows: list[tuple[Cell, ...]] = []
    for name in given.ids:
        p = cpc.problem(name)
        if p.dim != 2:
            words.error(f"{name} has {p.dim} variables, and pairs of doubles are looked at")
        seeds = range(given.first_seed, given.first_seed + given.seeds)
        hidden = [attained(p, disguise(p, seed), given.reach) for seed in seeds]
        rows.append(
            (
                name,
                f"{attained(p, None, given.reach)}",
                f"{sum(n > 0 for n in hidden)} of {given.seeds}",
                f"{np.median(hidden):g}",
            )
        )
    title = f"pairs among {(2 * given.reach + 1) ** 2:,} about each published point that come as low"
    heads = ("problem", "pairs as it is", "disguises with any", "pairs there, median")
    print(render([Table("attained", title, heads, tuple(rows))], "markdown"))


if __name__ == "__main__":
    main()
