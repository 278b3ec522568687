"""The connected parts with one or two variables, by cells: what is proven, and what points drawn in the rest join."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from cpcbench.points import Floats, Places
from cpcbench.problems.problem import Problem
from cpcbench.sampling.points import known_points
from cpcbench.studies.modality.linking import groups, way_is_admissible
from cpcbench.studies.modality.parts import Components, Part, Progress, parts_of
from cpcbench.studies.modality.tree import Cells, cut
from cpcbench.studies.modality.unseen import unseen

SAMPLES = 400_000
FEWEST_A_CELL, MOST_A_CELL, KEPT_A_CELL = 4, 256, 3
PROBES = 8
TRIES = 5
"""Points of a region that are looked at for one that is in the domain over the reals, too."""


def by_cells(problem: Problem, most: int, rng: np.random.Generator, progress: Progress) -> Components:
    tree = cut(problem, most, progress)
    sample = _drawn(tree, rng)
    left, right = tree.touching()
    group = _joined(tree, sample, left, right, progress)
    parts = _parts_of_cells(tree, sample, group)
    return Components(
        problem=problem.id,
        rule=problem.rule,
        method="cells",
        found=len(parts),
        at_least=_proven(tree, sample, groups(len(tree.certain), left, right)),
        solid=sum(p.certain_share > 0 for p in parts),
        solid_groups=_solid_groups(tree, left, right),
        parts=parts,
        share=float(sum(p.share for p in parts)),
        open_share=float(tree.shares[~tree.certain].sum()),
        level=tree.deepest,
        evaluations=sample.evaluations,
        even=True,
        unseen=unseen(p.points for p in parts),
    )


@dataclass(frozen=True, eq=False)
class _Sample:
    """Admissible points, the cell of each and the share of the box that it stands for."""

    points: Floats
    cell: Places
    share: Floats
    evaluations: int


def _drawn(tree: Cells, rng: np.random.Generator) -> _Sample:
    """A few admissible points of each undecided cell, each with its part of the share found admissible."""
    lower, upper = tree.corners()
    open_ = np.flatnonzero(~tree.certain)
    each = int(np.clip(SAMPLES // max(len(open_), 1), FEWEST_A_CELL, MOST_A_CELL))
    low, high = lower[open_][:, None], upper[open_][:, None]
    drawn = low + rng.random((len(open_), each, tree.problem.dim)) * (high - low)
    good = np.asarray(tree.problem.admissible(drawn)).reshape(len(open_), each)
    keep = good & (np.cumsum(good, axis=1) <= KEPT_A_CELL)
    row, column = np.nonzero(keep)
    weight = tree.shares[open_] * good.mean(axis=1) / np.maximum(keep.sum(axis=1), 1)
    known, at = _known(tree, open_, lower, upper)
    return _Sample(
        points=np.concatenate([drawn[row, column], known]),
        cell=np.concatenate([open_[row], at]).astype(np.int64),
        share=np.concatenate([weight[row], np.zeros(len(at))]),
        evaluations=good.size,
    )


def _known(tree: Cells, open_: Places, lower: Floats, upper: Floats) -> tuple[Floats, Places]:
    """The best-known points and the undecided cells they lie in: thin parts that draws may miss."""
    pairs = [
        (x, open_[inside[0]])
        for x in known_points(tree.problem)
        if len(inside := np.flatnonzero(((lower[open_] <= x) & (x <= upper[open_])).all(axis=1)))
    ]
    places = np.array([cell for _, cell in pairs], dtype=np.int64)
    return np.array([x for x, _ in pairs]).reshape(-1, tree.problem.dim), places


def _proven(tree: Cells, sample: _Sample, region: Places) -> int:
    """Regions of cells that touch no other and hold a point proven to be in the domain over the reals.

    Between regions the formula is undefined throughout, so each holds a part of its own.
    """
    solid = set(region[tree.certain].tolist())
    proven, tries = set(solid), Counter[int]()
    for x, place in zip(sample.points, region[sample.cell].tolist(), strict=True):
        if place not in proven and tries[place] < TRIES:
            tries[place] += 1
            if tree.problem.enclosure(x).defined:
                proven.add(place)
    return len(proven)


def _solid_groups(tree: Cells, left: Places, right: Places) -> int:
    """Groups of cells proven admissible that touch."""
    both = tree.certain[left] & tree.certain[right]
    return len(np.unique(groups(len(tree.certain), left[both], right[both])[tree.certain]))


def _joined(tree: Cells, sample: _Sample, left: Places, right: Places, progress: Progress) -> Places:
    """The group of each cell and then of each sampled point; undecided cells themselves join nothing."""
    count = len(tree.certain)
    progress(f"joining {int(tree.certain.sum()):,} certain cells and {len(sample.points):,} points")
    both = tree.certain[left] & tree.certain[right]
    links = [(left[both], right[both]), *_links_to_cells(tree, sample, left, right), _links(tree, sample, left, right)]
    a, b = (np.concatenate(side) for side in zip(*links, strict=True))
    return groups(count + len(sample.points), a, b)


def _links_to_cells(tree: Cells, sample: _Sample, left: Places, right: Places) -> list[tuple[Places, Places]]:
    """Sampled points with the certain cells beside theirs, by the straight way to the nearest point of it."""
    lower, upper = tree.corners()
    found = []
    for mine, other in ((left, right), (right, left)):
        chosen = ~tree.certain[mine] & tree.certain[other]
        point, cell = _members(sample.cell, mine[chosen], other[chosen])
        start = sample.points[point]
        end = np.clip(start, lower[cell], upper[cell])
        free = way_is_admissible(tree.problem, start, end, PROBES)
        found.append((point[free] + len(tree.certain), cell[free]))
    return found


def _links(tree: Cells, sample: _Sample, left: Places, right: Places) -> tuple[Places, Places]:
    """Sampled points of the same undecided cell or of two that touch."""
    open_ = np.flatnonzero(~tree.certain)
    chosen = ~tree.certain[left] & ~tree.certain[right]
    mine, other = np.concatenate([left[chosen], open_]), np.concatenate([right[chosen], open_])
    first, cell = _members(sample.cell, mine, other)
    index, second = _members(sample.cell, cell, np.arange(len(cell)), swap=True)
    a, b = first[index], second
    a, b = a[a != b], b[a != b]
    free = way_is_admissible(tree.problem, sample.points[a], sample.points[b], PROBES)
    return a[free] + len(tree.certain), b[free] + len(tree.certain)


def _members(cell_of: Places, cells: Places, carried: Places, swap: bool = False) -> tuple[Places, Places]:
    """Every point of each of `cells`, with what is `carried` along; the other way round if `swap`."""
    order = np.argsort(cell_of, kind="stable")
    start = np.searchsorted(cell_of[order], cells, side="left")
    size = np.searchsorted(cell_of[order], cells, side="right") - start
    within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    point = order[np.repeat(start, size) + within]
    taken = np.repeat(carried, size)
    return (taken, point) if swap else (point, taken)


def _parts_of_cells(tree: Cells, sample: _Sample, group: Places) -> tuple[Part, ...]:
    count = len(tree.certain)
    solid = np.flatnonzero(tree.certain)
    lower, upper = tree.corners()
    points = np.concatenate([lower[solid] / 2 + upper[solid] / 2, sample.points])
    member = np.concatenate([group[solid], group[count:]])
    proven = np.concatenate([tree.shares[solid], np.zeros(len(sample.points))])
    share = np.concatenate([tree.shares[solid], sample.share])
    return parts_of(tree.problem, points, member, share, proven)
