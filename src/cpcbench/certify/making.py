"""Making a certificate: what is asked for is looked at, everything compiled, and then the work done in its time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.schema import About
from cpcbench.certify.certificate.state import ProofState
from cpcbench.certify.lower.sums.link_search import search
from cpcbench.certify.lower.tree.planted import on_card
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.certify.means import Means, Tell
from cpcbench.certify.reach import reach_of, whole_of
from cpcbench.certify.threads import workers_or_cores
from cpcbench.certify.times import QUICK, QUICK_NODES, Times
from cpcbench.certify.work import Work
from cpcbench.clock import OutOfTimeError, time_limit
from cpcbench.errors import CpcbenchError, NotProvenError
from cpcbench.expr.nodes import var
from cpcbench.intervals.tape import Tape
from cpcbench.limits import LONGEST
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import parse
from cpcbench.progress import silent
from cpcbench.rng import Rng, generator_of, seed_of
from cpcbench.solvers.white_box.start import compile_searches, prepare


def certify(
    problem: Problem | str,
    bounds: Any = None,
    *,
    tolerance: float = 1e-9,
    seconds: float = 60.0,
    rng: Rng = 0,
    points: Sequence[Sequence[float]] = (),
    part: str = "regular",
    state: str | Path | None = None,
    workers: int | None = None,
    progress: Tell | None = None,
    seed: Rng = None,
    gpu: bool = False,
) -> Certificate:
    """A rigorous enclosure of the infimum of a problem over the real numbers, with its proof.

    The independent checker reads what is handed out, and what it rejects is not handed out; the best that it takes is.
    Where a variable has no bound, a box is looked for first, in at most half the time, outside of which every value is
    proven to be higher.

    Parameters
    ----------
    problem : Problem or str
        A problem or a formula.
    bounds : sequence of pairs, optional
        (lower, upper) of each variable of a formula.
    tolerance : float
        The gap at which the proof ends, relative above 1 and absolute below.
    seconds : float
        The time for the proof; all ends within 2.6 times as much, and 2 s, from when the formula's kernels are
        compiled.
    rng : int or numpy.random.Generator
        The seed of the search for points, or a generator to draw one from.
    points : sequence of points
        Tried for the upper bound beside those that a search finds.
    part : {"regular", "thin"}
        The latter is about the points that are admissible only because a varying exponent is a whole number.
    state : str or path, optional
        A file in which the proof is kept as it grows; with the same file the next call goes on with it.
    workers : int, optional
        The number of threads, unless given that of the cores.
    progress : callable, optional
        Called with a line of text now and then.
    seed : int or numpy.random.Generator, optional
        Another name for `rng`.
    gpu : bool
        Whether the parts of a sum in one variable that do not close soon are halved on a graphics card; the processor
        computes all bounds again, and goes on from there.

    Returns
    -------
    Certificate
        `lower` and `upper` bounds and their `gap`, whether the infimum is `attained`, what the checker says (`checked`,
        None if its time ran out), `save` and `check`.

    Raises
    ------
    NotProvenError
        If no proof was found.
    CpcbenchError
        For wrong input.

    Examples
    --------
    >>> import cpcbench as cpc
    >>> proof = cpc.certify("x1 + sqrt(1 - x1^2)", [(-1, 1)], seconds=10)
    >>> round(proof.lower, 6), proof.check().accepted
    (-1.0, True)
    """
    if isinstance(problem, str):
        problem = parse(problem, bounds)
    elif bounds is not None:
        raise CpcbenchError("bounds go with a formula as text; a problem has a box of its own")
    if not isinstance(problem, Problem):
        raise CpcbenchError(
            "certify takes a problem, such as cpcbench.problem('CPC-DF6'), or a formula with bounds, such as "
            f"certify('x1 - ln(x1)', [(0, 2)]), not {problem!r}"
        )
    if not 0.0 < tolerance < 1.0 or not 0.0 < seconds <= LONGEST or part not in ("regular", "thin"):
        raise CpcbenchError(
            f"certify takes a tolerance between 0 and 1, seconds from above 0 to {LONGEST:,.0f} and part 'regular' or "
            f"'thin', not tolerance={tolerance!r}, seconds={seconds!r}, part={part!r}"
        )
    if not problem.bounded:
        if part == "thin":
            problem.needs_box("a proof about thin sets")
        asked = {"tolerance": tolerance, "rng": seed_of(rng, seed), "state": state, "workers": workers, "gpu": gpu}
        return _without_ends(problem, seconds, points, {**asked, "progress": progress})
    ruled, drawn = problem.with_rule("ieee" if part == "thin" else "strict"), seed_of(rng, seed)
    kept = ProofState(state, *About.of(problem).meant)
    means = Means(workers_or_cores(workers), kept, progress or silent, on_card if gpu else None)
    with np.errstate(all="ignore"):  # infinities and NaN are looked for and dealt with, however NumPy is set
        means.tell("compiling")
        _compile(ruled)
        work = Work(ruled, tolerance, Times(seconds), means)
        try:
            with time_limit(work.times.late()):
                empty = None if part == "thin" else work.empty(QUICK, QUICK_NODES)
                if empty is not None:
                    return empty
                known = work.known(points)
                if part == "thin":
                    return work.thin(work.points(known, drawn))
                return work.at_once(known, drawn) or work.regular(work.points(known, drawn))
        except OutOfTimeError:
            raise NotProvenError(f"no bounds of {problem.id} were proven in {seconds:g} s") from None


def _compile(problem: Problem) -> None:
    """The prover and the search's kernels for this formula, before the time begins."""
    prove(Tape.of_formula(var(0), 1), [0.0], [1.0], 0.5, seconds=0.0)
    search()
    prepare(problem)
    compile_searches()


def _without_ends(
    problem: Problem, seconds: float, points: Sequence[Sequence[float]], asked: dict[str, Any]
) -> Certificate:
    """A box with all its ends outside of which every value is too high, and the certificate on it; the checker reads
    the two together."""
    ruled, tell = problem.with_rule("strict"), asked["progress"] or silent
    with np.errstate(all="ignore"):
        tell("looking for a box that holds all low points")
        found = reach_of(ruled, seconds, points, generator_of(asked["rng"], None))
    inner = certify(found.part_of(problem), seconds=seconds, points=found.points, **asked)
    if found.missing and not inner.unbounded:
        raise NotProvenError(found.missing)
    return whole_of(inner, problem, found, seconds)
