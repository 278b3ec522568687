"""Making a certificate: a point for the upper bound, then the cheapest proof of a lower bound that is close enough."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from cpcbench.certify.certificate.certificate import FORMAT, VERSION, Certificate
from cpcbench.certify.certificate.state import ProofState
from cpcbench.certify.confirming import Data, confirmed, verdict_on
from cpcbench.certify.lower.bounds import NATURAL, Lower, lower_by_tree, natural_bound
from cpcbench.certify.telling import Tell, gap_line
from cpcbench.certify.threads import workers_or_cores
from cpcbench.certify.upper.proofs import Witness
from cpcbench.certify.upper.witness import witnesses
from cpcbench.clock import OutOfTimeError, time_limit, time_limit_lifted
from cpcbench.errors import CpcbenchError, NotProvenError
from cpcbench.expr.nodes import Expr, var
from cpcbench.expr.walk import constants, postorder
from cpcbench.intervals.boxes import Boxes
from cpcbench.limits import LONGEST
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import parse
from cpcbench.readings.text import formula
from cpcbench.solvers.white_box.start import compile_searches, prepare

SEARCH, SHORT_SEARCH, WITNESS = 0.3, 0.1, 0.5
"""When the search for points (the short one beside points given) and the upper bound end, as shares of the time."""

ATTAINED, CHECKING, LATE = 0.5, 1.0, 0.1
"""Beyond the time, as shares of it: how long it is tried to prove whether the infimum is attained, how long the checker
may take, and how late a step may end."""

LATE_SECONDS = 2.0
"""What is added to all of these: a step of a large formula, and the start of the checker."""

WRITTEN = 60_000
"""Nodes of a tree for each second that is left: more cannot be written out in the time."""

QUICK, QUICK_NODES = 0.5, 2000
"""Seconds and boxes to see at once that there is no admissible point, before any are looked for."""

PATHS, MOST_PATHS = 0.1, 3.0
"""The share of the time, and the seconds at most, to look for a straight path along which there is no lower bound."""

RETURNS, LOWEST = 2, 6
"""How often a search that was led astray is corrected by where the tree is lowest, at how many of its boxes."""

MANY = 8
"""From so many variables on a chain's own structure finds a better point than a general search."""


def certify(
    problem: Problem | str,
    bounds: Any = None,
    *,
    tolerance: float = 1e-9,
    seconds: float = 60.0,
    seed: int = 0,
    points: Sequence[Sequence[float]] = (),
    part: str = "regular",
    state: str | Path | None = None,
    workers: int | None = None,
    progress: Tell | None = None,
) -> Certificate:
    """A rigorous enclosure of the infimum of a problem, or of a formula over `bounds`, over the reals, with its proof.

    The proof ends when the gap is within the tolerance (relative, absolute below 1) or the time is
    spent; the certificate then has the bounds reached. After that the independent checker reads it, for at most as long
    again, and whether the infimum is attained is decided, in at most half as long: `checked` of the certificate is what
    the checker says, None if its time ran out. What it rejects is not handed out; the best that it takes is.
    All ends within 2.6 times the seconds, and 2 more, from when the formula's kernels are compiled.

    `points` are tried for the upper bound beside those that a search finds. `part` is
    `regular` or `thin`: the latter is about the points that are admissible only because a varying exponent is a
    whole number. `state` names a file in which the proof is kept as it grows, if it is stopped or killed: with the
    same file the next call goes on with it. `workers` is the number of threads, unless given that of the cores.
    `progress` is called with a line of text now and then.
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
    work = _Work(problem.with_rule("ieee" if part == "thin" else "strict"), tolerance, progress or _silence)
    work.state, work.workers = ProofState(state, problem.formula, work.bounds), workers_or_cores(workers)
    with np.errstate(all="ignore"):  # infinities and NaN are looked for and dealt with, however NumPy is set
        work.start(seconds)
        try:
            with time_limit(work.late()):
                empty = None if part == "thin" else work.empty(QUICK, QUICK_NODES)
                if empty is not None:
                    return empty
                found = work.points(points, seed)
                return work.thin(found) if part == "thin" else work.regular(found)
        except OutOfTimeError:
            raise NotProvenError(f"no bounds of {problem.id} were proven in {seconds:g} s") from None


def _silence(_line: str) -> None:
    pass


class _Work:
    """One certificate in the making."""

    def __init__(self, problem: Problem, tolerance: float, tell: Tell) -> None:
        self.problem, self.tolerance, self.tell = problem, tolerance, tell
        self.root, self.bounds = problem.expression, [(float(a), float(b)) for a, b in problem.bounds]
        self.seconds = self.deadline = 0.0
        self.state = ProofState(None, problem.formula, self.bounds)
        self.workers = 1

    def start(self, seconds: float) -> None:
        """The time begins once the prover and the search's kernels for this formula are compiled."""
        from cpcbench.certify.lower.sums.link_search import search
        from cpcbench.certify.lower.tree.proving import prove
        from cpcbench.intervals.tape import Tape

        self.tell("compiling")
        prove(Tape.of_formula(var(0), 1), [0.0], [1.0], 0.5, seconds=0.0)
        search()
        prepare(self.problem)
        compile_searches()
        self.seconds, self.deadline = seconds, time.monotonic() + seconds

    def left(self, until: float = 1.0) -> float:
        """Seconds until this share of the time is over, at least a tenth of a second."""
        return max(self.deadline - (1.0 - until) * self.seconds - time.monotonic(), 0.1)

    def late(self, until: float = 1.0) -> float:
        """Seconds until a step that does not end by itself at this share of the time is given up."""
        return self.left(until) + LATE * self.seconds + 0.5 * LATE_SECONDS

    def spent(self) -> float:
        """Seconds since the time began."""
        return time.monotonic() - self.deadline + self.seconds

    def points(self, given: Sequence[Sequence[float]], seed: int) -> list[Points]:
        from cpcbench.certify.lower.sums.proving import path_point
        from cpcbench.certify.upper.candidates import best_points, sampled_points

        self.tell("looking for low points")
        known = [np.asarray(x, dtype=np.float64) for x in [*given, *(self.state.note("points") or [])]]
        with time_limit(self.late(SEARCH)), suppress(OutOfTimeError):
            if self.problem.dim >= MANY and not known:
                path = path_point(self.root, self.bounds, self.workers)
                known += [] if path is None else [path]
            known += best_points(self.problem, self.left(SHORT_SEARCH if known else SEARCH), seed=seed)
        return known or sampled_points(self.problem, seed) or sampled_points(self.problem, seed, sides=True)

    def regular(self, points: list[Points]) -> Certificate:
        from cpcbench.certify.unbounded.families import families
        from cpcbench.certify.unbounded.paths import find_falling_path
        from cpcbench.certify.upper.candidates import sampled_points

        natural = self._natural()
        if natural == -math.inf:
            path = find_falling_path(self.root, self.bounds, points, min(PATHS * self.seconds, MOST_PATHS))
            family = None if path is None else self._accepted([path], self._part())
            if family is not None:
                return family
            starts = [*points, *sampled_points(self.problem)]
            family = self._accepted(families(self.root, self.bounds, "strict", starts, self.left(WITNESS)), "regular")
            if family is not None:
                return family
        seconds = max(self.left(WITNESS), 0.5 * LATE_SECONDS)  # without a point nothing is proven
        found = witnesses(self.root, self.bounds, points, rule="strict", seconds=seconds)
        if not found:
            return self._nothing(natural)
        found = self._all_seen(found)
        lowers = self._lowers(natural, found[0])
        for _ in range(RETURNS):
            lower_points = self._where_lower(lowers, found[0])
            if not lower_points:
                break
            found = self._all_seen([*lower_points, *found])
            lowers = self._lowers(natural, found[0])
        best = found[0]
        if not lowers:
            raise NotProvenError(
                f"no lower bound of {self.problem.id} was proven in {self.seconds:g} s; some value is at most "
                f"{best.upper!r}"
            )
        return self._confirmed(self._candidates(lowers, found))

    def _all_seen(self, found: list[Witness]) -> list[Witness]:
        """The upper bounds that the checker does not refuse; all, if it refuses all."""
        seen = [witness for witness in found if self._is_seen(witness)] or found
        self.tell(f"some value is at most {seen[0].upper!r}")
        self.state.put("points", [seen[0].x.tolist()])
        return seen

    def _where_lower(self, lowers: list[Lower], best: Witness) -> list[Witness]:
        """Better witnesses near the boxes where a tree is lowest.

        A search in doubles may be led astray: where `(exp(x1) - 1)/x1` loses all digits it seems to be 0.
        """
        tree = lowers[0].tree if lowers else None
        room = self.tolerance * max(1.0, abs(best.upper))
        if tree is None or best.upper - lowers[0].bound <= room or self.left() <= min(0.5, 0.1 * self.seconds):
            return []
        near = tree.lowest_points(LOWEST)
        found = witnesses(self.root, self.bounds, near, rule="strict", seconds=0.5 * self.left())
        return [witness for witness in found if witness.upper < best.upper - 0.1 * room]

    def thin(self, points: list[Points]) -> Certificate:
        from cpcbench.certify.checker.core.numbers import arithmetic
        from cpcbench.certify.checker.core.subject import Subject
        from cpcbench.certify.checker.extensions.thin import BITS
        from cpcbench.certify.thin.proofs import ThinWork
        from cpcbench.certify.thin.sets import thin_parts
        from cpcbench.certify.unbounded.families import families

        if not has_varying_power(self.root):
            raise CpcbenchError(f"{self.problem.id} has no exponent that varies, and so no thin sets")
        known = families(self.root, self.bounds, "ieee", points, seconds=self.left(SEARCH + 0.1))
        family = self._accepted(known, "all")
        if family is None:
            parts = thin_parts(self.root, self.bounds, self.left(WITNESS))
            family = self._accepted((part.family for part in parts if part.family is not None), "all")
        if family is not None:
            return family
        subject = Subject(self.problem.id, self.root, self.bounds, "thin")
        claims = ThinWork(subject, self.tolerance, self.left(), self.tell).claims()
        with arithmetic("arb", BITS):  # the checker's functions change it
            first = next(claims)
        return self._confirmed(self._data(claim, "thin", low, up) for claim, low, up in chain([first], claims))

    def _accepted(self, families: Iterable[dict[str, Any]], part: str) -> Certificate | None:
        """The first proof that there is no lower bound which the checker takes."""
        for family in families:
            made = self._data({"kind": "unbounded"}, part, None, family)
            verdict = verdict_on(made, self.seconds)
            if verdict is None or verdict.accepted:
                return Certificate(made, verdict)
        return None

    def _confirmed(self, candidates: Iterable[Data]) -> Certificate:
        """The first certificate that the checker takes, or for which it has no time left."""
        self.tell("checking, and whether the infimum is attained")
        reason, end = "", time.monotonic() + CHECKING * self.seconds
        more = ATTAINED * self.seconds
        with time_limit_lifted():
            for data in candidates:
                made = confirmed(Certificate(data), max(end - time.monotonic(), 0.0), more)
                if made.checked is None or made.checked.accepted:
                    return made
                reason = reason or made.checked.reason
                self.tell(f"the checker does not take it ({made.checked.reason}): a weaker claim")
                more = 0.0
        raise NotProvenError(f"no bounds of {self.problem.id} were proven that the checker takes: {reason}")

    def _candidates(self, lowers: list[Lower], uppers: list[Witness]) -> Iterator[Data]:
        """What may be claimed, the closest enclosure first."""
        for upper in uppers:
            for low in lowers:
                for weaker in low.weaker(upper.upper):
                    claim = {"kind": "infimum", "lower": weaker.bound, "upper": upper.upper}
                    yield self._data(claim, weaker.part or self._part(), weaker.proof, upper.proof, weaker.optima)

    def empty(self, seconds: float, most: int = 2_000_000) -> Certificate | None:
        """A proof that no point is admissible, if there is one so soon and the checker takes it."""
        from cpcbench.certify.lower.cases import prove_empty

        at_once = self._is_empty({"by": "tree", "tree": "."})  # the checker rounds less, and may see it so
        if at_once is not None:
            return at_once
        found = prove_empty(self.root, self.bounds, seconds, self.workers, most)
        return None if found is None else self._is_empty(found)

    def _is_empty(self, proof: dict[str, Any]) -> Certificate | None:
        made = self._data({"kind": "empty"}, self._part(), proof, None)
        verdict = verdict_on(made, self.seconds)
        return Certificate(made, verdict) if verdict is not None and verdict.accepted else None

    def _nothing(self, natural: float) -> Certificate:
        """No value at all is proven: perhaps there is none, or at least the lower bound is."""
        self.tell("whether any point is admissible")
        empty = self.empty(self.left())
        if empty is not None:
            return empty
        known = "the formula is defined nowhere on its box" if natural == math.inf else f"no value is below {natural!r}"
        raise NotProvenError(
            f"no admissible point of {self.problem.id} was found over the reals; all that is known is that {known}"
        )

    def _lowers(self, natural: float, best: Witness) -> list[Lower]:
        """Proofs of lower bounds, the best first; the cheapest are tried first, until one is good enough."""
        upper, x = best.upper, best.x
        room = self.tolerance * max(1.0, abs(upper))
        found = [] if natural == -math.inf else self._seen(natural, best)
        for way in (self._by_structure, self._by_cases, self._by_tree):
            low = found[0].bound if found else -math.inf
            if upper - low <= room or self.left() <= min(0.5, 0.1 * self.seconds):
                break
            with time_limit(self.late()), suppress(OutOfTimeError):
                proof = way(upper, x)
                found += [] if proof is None or not math.isfinite(proof.bound) else [proof]
            found.sort(key=lambda lower: -lower.bound)
            self.tell(gap_line(found[0].bound if found else -math.inf, upper, self.spent()))
            self.state.save()
        return found

    def _natural(self) -> float:
        """The lower end of the formula's range over its box, as the ranges of its parts give it."""
        lower, upper = np.array([self.bounds]).transpose(2, 0, 1)
        found, _, _ = Boxes(self.root, "strict")(lower, upper)
        return float(found[0])

    def _is_seen(self, witness: Witness) -> bool:
        """Whether the checker does not refuse an upper bound, whatever the lower one."""
        claim = {"kind": "infimum", "lower": min(-sys.float_info.max, witness.upper), "upper": witness.upper}
        verdict = verdict_on(self._data(claim, self._part(), NATURAL, witness.proof), self.left())
        return verdict is None or not verdict.reason.startswith("upper bound")

    def _seen(self, natural: float, best: Witness) -> list[Lower]:
        """The natural bound, as far as the checker sees it."""

        def accepts(bound: float, part: str) -> bool:
            claim = {"kind": "infimum", "lower": bound, "upper": best.upper}
            verdict = verdict_on(self._data(claim, part, NATURAL, best.proof), self.left())
            return verdict is not None and verdict.accepted

        parts = ["all", "regular"] if has_varying_power(self.root) else ["all"]
        found = natural_bound(natural, best.upper, parts, accepts)
        return [] if found is None else [Lower(*found)]

    def _by_structure(self, upper: float, x: Points) -> Lower | None:
        from cpcbench.certify.lower.sums.structure import lower_by_structure

        found = lower_by_structure(
            self.root, self.bounds, upper, x, self.tolerance, self.left(), self.tell, self.workers, self.state
        )
        return None if found is None else Lower(found[0], proof=found[1])

    def _by_cases(self, upper: float, _x: Points) -> Lower | None:
        from cpcbench.certify.lower.cases import lower_by_cases

        target = upper - 0.5 * self.tolerance * max(1.0, abs(upper))
        found = lower_by_cases(self.root, self.bounds, target, self.left(), self.workers)
        return None if found is None else Lower(found[0], proof=found[1])

    def _by_tree(self, upper: float, _x: Points) -> Lower | None:
        from cpcbench.certify.lower.tree.grown import from_arrays
        from cpcbench.certify.lower.tree.proving import prove
        from cpcbench.intervals.tape import Tape

        tape = Tape.of_formula(self.root, self.problem.dim)
        target = upper - 0.5 * self.tolerance * max(1.0, abs(upper))
        low, high = self.problem.lower, self.problem.upper
        kept = self.state.arrays("tree")
        tree = prove(
            tape, low, high, target, seconds=self.left(), workers=self.workers,
            max_nodes=int(min(2_000_000, max(WRITTEN * self.left(), 10_000))),
            progress=lambda bound, boxes, _: self._see(bound, upper, boxes),
            state=None if kept is None else from_arrays(tape, kept, "the state"),
            keep=self.state.keeper("tree"),
        )  # fmt: skip
        self.state.put("tree", arrays=tree.arrays())
        return lower_by_tree(tree, upper) if math.isfinite(tree.bound) else None

    def _see(self, bound: float, upper: float, boxes: int) -> None:
        if bound < math.inf:  # no box is left open: what was proven comes with the tree
            self.tell(f"{gap_line(bound, upper, self.spent())}, {boxes:,} boxes")

    def _part(self) -> str:
        """What a lower bound holds for: without varying exponents there are no thin sets."""
        return "regular" if has_varying_power(self.root) else "all"

    def _data(
        self,
        claim: dict[str, Any],
        part: str,
        lower: dict[str, Any] | None,
        upper: dict[str, Any] | None,
        optima: list[list[list[float]]] | None = None,
    ) -> Data:
        """What is written to a file; the formula with the variables x1 to xn, whatever the user calls them."""
        from cpcbench import __version__

        sides = [list(pair) for pair in self.bounds]
        data: Data = {
            "format": FORMAT,
            "version": VERSION,
            "problem": {"name": self.problem.id, "formula": formula(self.root), "bounds": sides},
            "part": part,
            "claim": claim,
            "lower": lower,
            "upper": upper,
            "made": {"version": __version__},
        }
        return data if optima is None else {**data, "optima": optima}


def has_varying_power(root: Expr) -> bool:
    """Whether some exponent depends on a variable."""
    free = constants(root)
    return any(node.op == "pow" and id(node.args[1]) not in free for node in postorder(root))
