"""The feasible ratio: which share of a problem's box is admissible, with its confidence interval.

Even draws are counted in compiled blocks, on all cores; where they find too few admissible points,
multilevel splitting estimates the ratio as well. Nothing depends on the number of workers.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cpcbench.errors import CpcbenchError, UnknownNameError
from cpcbench.limits import checked_whole
from cpcbench.problems.problem import Problem
from cpcbench.progress import Line, Tell, silent
from cpcbench.readings.doubles.fast import MOST_THREADS
from cpcbench.rng import Rng, seed_of
from cpcbench.studies.feasible.draws import state_of, stream
from cpcbench.studies.feasible.intervals import Interval, count_interval, mean_interval, relative_error
from cpcbench.studies.feasible.ordered import in_order
from cpcbench.studies.feasible.splitting import Effort, ladder, splitting_run
from cpcbench.studies.feasible.state import Done, StateFile

SAMPLES = 5_000_000
REPEATS = 5
"""The paper's protocol: five times five million even draws."""
BLOCK, CARD_BLOCK = 250_000, 2**32
"""Points counted in one go, by a thread or a graphics card; part of what a state file means."""
MOST_SAMPLES = 10**15
ENOUGH_HITS = 100
"""With fewer, the interval of a count is wider than a fifth of the ratio either way: splitting is tried."""
RUNS = 20
DEFAULT_EFFORT = Effort()
METHODS = ("auto", "sample", "splitting")

_whole = partial(checked_whole, floats=True)


@dataclass(frozen=True)
class Counted:
    """Even draws: how many of `samples` points were admissible in each repeat."""

    samples: int
    hits: tuple[int, ...]

    @property
    def total(self) -> int:
        return self.samples * len(self.hits)

    @property
    def ratio(self) -> float:
        """The mean over the repeats, which is the pooled share."""
        return sum(self.hits) / self.total

    @property
    def interval(self) -> Interval:
        return count_interval(sum(self.hits), self.total)


@dataclass(frozen=True)
class Split:
    """Multilevel splitting: the estimate of each run of so many points; none if no way into the domain was found."""

    levels: int
    estimates: tuple[float, ...]
    points: int = 0

    @property
    def found(self) -> bool:
        return any(self.estimates)

    @property
    def ratio(self) -> float:
        return math.fsum(self.estimates) / len(self.estimates) if self.estimates else 0.0

    @property
    def interval(self) -> Interval:
        if self.levels == 1 and self.points:  # nothing was split: a count, and all runs may agree on it by chance
            hits = round(math.fsum(self.estimates) * self.points)
            return count_interval(hits, self.points * len(self.estimates))
        return mean_interval(self.estimates) if self.estimates else Interval(0.0, 1.0)

    @property
    def relative_error(self) -> float:
        return relative_error(self.estimates) if self.estimates else math.inf


@dataclass(frozen=True)
class FeasibleRatio:
    """The estimate for one problem; `method` says whose ratio and interval are the ones reported.

    Ratios are shares from 0 to 1. `published` is the printed figure, `published_interval` what its
    own draws leave open; None at other than the published size.
    """

    problem: str
    dim: int
    rule: str
    seed: int
    method: str
    counted: Counted | None
    split: Split | None
    published: float | None
    published_is_bound: bool

    @property
    def _reported(self) -> Counted | Split:
        chosen = self.split if self.method == "splitting" else self.counted
        if chosen is None:
            raise CpcbenchError(f"no estimate of {self.problem} by the method {self.method!r}")
        return chosen

    @property
    def ratio(self) -> float:
        return self._reported.ratio

    @property
    def interval(self) -> Interval:
        """95 % confidence."""
        return self._reported.interval

    @property
    def published_interval(self) -> Interval | None:
        """What the published count, of the paper's number of draws, leaves open at 95 %."""
        if self.published is None:
            return None
        if self.published_is_bound:
            return Interval(0.0, self.published)
        return count_interval(round(self.published * SAMPLES * REPEATS), SAMPLES * REPEATS)

    @property
    def confirmed(self) -> bool | None:
        """Whether the published figure and ours can be the same ratio: their intervals meet.

        A published bound is confirmed by an interval that lies within it; None while it is open, and
        where nothing is published.
        """
        ours, theirs = self.interval, self.published_interval
        if theirs is None:
            return None
        if self.published_is_bound and ours.low <= theirs.high < ours.high:
            return None
        return ours.meets(theirs)


def feasible_ratio(
    problem: Problem,
    samples: float = SAMPLES,
    repeats: int = REPEATS,
    *,
    rng: Rng = 0,
    workers: int | None = None,
    method: str = "auto",
    runs: int = RUNS,
    effort: Effort = DEFAULT_EFFORT,
    state: str | Path | StateFile | None = None,
    progress: Tell | None = None,
    seed: Rng = None,
    gpu: bool = False,
) -> FeasibleRatio:
    """The share of admissible points of the problem's box.

    `samples` even draws (1e10 will do), `repeats` times. With the method "auto" fewer than `ENOUGH_HITS` hits call
    for `runs` runs of splitting, whose result is then the one reported. `state` is a file to go on
    from after a stop: the result is that of an uninterrupted study, whatever the number of `workers`. `rng` is the seed
    of all draws, or a generator to draw one from; `seed` is another name for it. With `gpu` a graphics card draws and
    counts, other points by another generator.
    """
    problem.needs_box("a feasible ratio")
    points = _whole(samples, "samples", 1, MOST_SAMPLES)
    repeats, runs = _whole(repeats, "repeats", 1, 10_000), _whole(runs, "runs", 2, 100_000)
    threads = min(_whole(os.cpu_count() or 1 if workers is None else workers, "workers", 1), MOST_THREADS)
    _whole(effort.points, "the points of a level", 10, 10_000_000)
    _whole(effort.moves, "the moves between levels", 1, 1_000_000)
    if method not in METHODS:
        raise UnknownNameError(f"unknown method {method!r}: there are {', '.join(METHODS)}")
    drawn = seed_of(rng, seed)
    file = state if isinstance(state, StateFile) else StateFile(state)
    counting = _Counting(problem, drawn, gpu)
    block = counting.block
    done = file.of(problem, seed=drawn, samples=points, repeats=repeats, block=block, runs=runs, effort=repr(effort))
    if any(hits > min(points, blocks * block) for hits, blocks in zip(done.hits, done.blocks, strict=True)):
        raise CpcbenchError(f"{file.path} holds more hits than points of {problem.id}: remove it, or give another name")
    work = _Work(problem, drawn, threads, file, done, progress or silent, counting)
    try:
        counted = None if method == "splitting" else work.count(points, repeats)
        rare = method == "splitting" or (method == "auto" and counted is not None and sum(counted.hits) < ENOUGH_HITS)
        split = work.split(runs, effort) if rare else None
    finally:
        file.save(now=True)
    reported = "splitting" if split is not None and (split.found or counted is None) else "sample"
    known = problem.published
    return FeasibleRatio(
        problem.id, problem.dim, problem.rule, drawn, reported, counted, split,
        None if known is None else known.feasible_ratio / 100.0,
        known is not None and known.feasible_ratio_is_bound,
    )  # fmt: skip


@dataclass(frozen=True)
class _Counting:
    """Who draws and counts: threads, or a graphics card."""

    problem: Problem
    seed: int
    gpu: bool

    @property
    def block(self) -> int:
        return CARD_BLOCK if self.gpu else BLOCK

    def kernel(self, repeats: int, points: int) -> Callable[[int, int, int], int]:
        """A function of a repeat, its first point and the number of points: how many of them are admissible.

        `points` are to be counted in all.
        """
        starts = [stream(self.problem, self.seed, repeat) for repeat in range(repeats)]
        if self.gpu:
            draws = self.problem.gpu.draws()
            return lambda repeat, first, count: draws.count(first, count, starts[repeat])
        from cpcbench.studies.feasible.counting import counted

        kernel = counted(self.problem, points)
        places = partial(state_of, dim=self.problem.dim)
        return lambda repeat, first, count: kernel(*places(starts[repeat], first), count)


@dataclass
class _Work:
    """One problem's study under way."""

    problem: Problem
    seed: int
    workers: int
    file: StateFile
    done: Done
    progress: Tell
    counting: _Counting

    def count(self, samples: int, repeats: int) -> Counted:
        block = self.counting.block
        blocks = -(-samples // block)
        self.done.blocks += [0] * (repeats - len(self.done.blocks))
        self.done.hits += [0] * (repeats - len(self.done.hits))
        count = self.counting.kernel(repeats, samples * repeats)

        def hits(place: tuple[int, int]) -> int:
            repeat, number = place
            return count(repeat, number * block, min(block, samples - number * block))

        places = ((r, b) for r in range(repeats) for b in range(self.done.blocks[r], blocks))
        for (repeat, number), found in in_order(hits, places, 1 if self.counting.gpu else self.workers):
            self.done.hits[repeat] += found
            self.done.blocks[repeat] = number + 1
            self.file.save()
            points = repeat * samples + min(samples, (number + 1) * block)
            self._tell("points", points, samples * repeats)
        return Counted(samples, tuple(self.done.hits))

    def _tell(self, what: str, done: int, total: int) -> None:
        self.progress(Line(f"{self.problem.id}: {done:,} of {total:,} {what}", done, total))

    def split(self, runs: int, effort: Effort) -> Split:
        steps = ladder(self.problem, self.seed, effort)
        if steps is None:
            return Split(0, ())

        def estimate(run: int) -> float:
            return splitting_run(self.problem, self.seed, run, steps, effort)

        for run, share in in_order(estimate, range(len(self.done.splitting), runs), self.workers):
            self.done.splitting.append(share)
            self.file.save()
            self._tell("splitting runs", run + 1, runs)
        return Split(len(steps.levels) + 1, tuple(self.done.splitting), effort.points)
