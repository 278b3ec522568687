"""Making a certificate: a point for the upper bound, then the cheapest proof of a lower bound that is close enough."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cpcbench.certify.attaining import with_attained
from cpcbench.certify.certificate import FORMAT, VERSION, Certificate
from cpcbench.certify.proof_state import ProofState
from cpcbench.certify.telling import Tell, gap_line
from cpcbench.certify.threads import workers_or_cores
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr, var
from cpcbench.expr.walk import constants, postorder
from cpcbench.points import Points
from cpcbench.problems.problem import Problem
from cpcbench.readings.boxes import Boxes
from cpcbench.solvers.white_box.solver import solve_expression

SEARCH, SHORT_SEARCH, WITNESS = 0.3, 0.1, 0.5
"""When the search for points (the short one beside points given) and the upper bound end, as shares of the time."""


ATTAINED = 0.5
"""How long, beyond the time, it is tried to prove whether the infimum is attained."""

QUICK, QUICK_NODES = 0.5, 2000
"""Seconds and boxes to see at once that there is no admissible point, before any are looked for."""

PATHS, MOST_PATHS = 0.1, 3.0
"""The share of the time, and the seconds at most, to look for a straight path along which there is no lower bound."""

MANY = 8
"""From so many variables on a chain's own structure finds a better point than a general search."""

TINY = 1e-300
"""A lower bound this near to 0 is 0, but for rounding."""


def certify(
    problem: Problem,
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
    """A rigorous enclosure of the infimum of a problem's formula over the reals, with its proof.

    The proof ends when the gap is within the tolerance (relative, absolute below 1) or the time is
    spent; the certificate then has the bounds reached. Whether the infimum is attained is decided after that, in at
    most half as long again. `points` are tried for the upper bound beside those that a search finds. `part` is
    `regular` or `thin`: the latter is about the points that are admissible only because a varying exponent is a
    whole number. `state` names a file in which the proof is kept as it grows, if it is stopped or killed: with the
    same file the next call goes on with it. `workers` is the number of threads, unless given that of the cores.
    `progress` is called with a line of text now and then.
    """
    if not isinstance(problem, Problem):
        raise CpcbenchError(f"certify takes a problem, such as cpcbench.problem('CPC-DF6'), not {problem!r}")
    if not 0.0 < tolerance < 1.0 or not seconds > 0.0 or part not in ("regular", "thin"):
        raise CpcbenchError(
            "certify takes a tolerance between 0 and 1, seconds > 0 and part 'regular' or 'thin', not "
            f"tolerance={tolerance!r}, seconds={seconds!r}, part={part!r}"
        )
    work = _Work(problem.with_rule("ieee" if part == "thin" else "strict"), tolerance, progress or _silence)
    work.state, work.workers = ProofState(state, problem.formula, work.bounds), workers_or_cores(workers)
    work.start(seconds)
    empty = None if part == "thin" else work.empty(QUICK, QUICK_NODES)
    if empty is not None:
        return empty
    found = work.points(points, seed)
    made = work.thin(found) if part == "thin" else work.regular(found)
    work.tell("whether the infimum is attained")
    return with_attained(made, seconds=ATTAINED * seconds)


def _silence(_line: str) -> None:
    pass


@dataclass
class _Lower:
    """A proven lower bound: the object of the file, and the boxes where the optima are if the proof tells."""

    bound: float
    proof: dict[str, Any]
    optima: list[list[list[float]]] | None = None


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
        from cpcbench.certify.link_search import search
        from cpcbench.certify.tape import Tape
        from cpcbench.certify.tree import prove

        self.tell("compiling")
        prove(Tape.of_formula(var(0), 1), [0.0], [1.0], 0.5, seconds=0.0)
        search()
        solve_expression(self.problem, np.random.default_rng(0), seconds=0.01, budget=1)
        self.seconds, self.deadline = seconds, time.monotonic() + seconds

    def left(self, until: float = 1.0) -> float:
        """Seconds until this share of the time is over, at least a tenth of a second."""
        return max(self.deadline - (1.0 - until) * self.seconds - time.monotonic(), 0.1)

    def spent(self) -> float:
        """Seconds since the time began."""
        return time.monotonic() - self.deadline + self.seconds

    def points(self, given: Sequence[Sequence[float]], seed: int) -> list[Points]:
        from cpcbench.certify.candidates import best_points
        from cpcbench.certify.sums import path_point

        self.tell("looking for low points")
        known = [np.asarray(x, dtype=np.float64) for x in [*given, *(self.state.note("points") or [])]]
        if self.problem.dim >= MANY and not known:
            path = path_point(self.root, self.bounds, self.workers)
            known += [] if path is None else [path]
        return [*known, *best_points(self.problem, self.left(SHORT_SEARCH if known else SEARCH), seed=seed)]

    def regular(self, points: list[Points]) -> Certificate:
        from cpcbench.certify.candidates import sampled_points
        from cpcbench.certify.paths import find_falling_path
        from cpcbench.certify.unbounded import find_family
        from cpcbench.certify.witness import best_witness

        low = self._natural()
        if low.bound == -math.inf:
            path = find_falling_path(self.root, self.bounds, points, min(PATHS * self.seconds, MOST_PATHS))
            if path is not None:
                part = "regular" if has_varying_power(self.root) else "all"
                return self._certificate({"kind": "unbounded"}, part, None, path)
            family = find_family(self.root, self.bounds, "strict", [*points, *sampled_points(self.problem)])
            if family is not None:
                return self._certificate({"kind": "unbounded"}, "regular", None, family)
        witness = best_witness(self.root, self.bounds, points, rule="strict", seconds=self.left(WITNESS))
        if witness is None:
            return self._nothing(low)
        self.tell(f"some value is at most {witness.upper!r}")
        self.state.put("points", [witness.x.tolist()])
        low = self._lower(low, witness.upper, witness.x)
        if low.bound == -math.inf:
            raise CpcbenchError(
                f"no lower bound of {self.problem.id} was proven in {self.seconds:g} s; some value is at most "
                f"{witness.upper!r}"
            )
        claim = {"kind": "infimum", "lower": low.bound, "upper": witness.upper}
        return self._certificate(claim, self._part(low), low, witness.proof)

    def thin(self, points: list[Points]) -> Certificate:
        from cpcbench.certify.checker.core.numbers import arithmetic
        from cpcbench.certify.checker.core.subject import Subject
        from cpcbench.certify.checker.extensions.thin import BITS
        from cpcbench.certify.thin_proofs import ThinWork
        from cpcbench.certify.thin_sets import thin_parts
        from cpcbench.certify.unbounded import find_family

        if not has_varying_power(self.root):
            raise CpcbenchError(f"{self.problem.id} has no exponent that varies, and so no thin sets")
        family = find_family(self.root, self.bounds, "ieee", points, seconds=self.left(SEARCH + 0.1))
        if family is None:
            parts = thin_parts(self.root, self.bounds, self.left(WITNESS))
            family = next((part.family for part in parts if part.family is not None), None)
        if family is not None:
            return self._certificate({"kind": "unbounded"}, "all", None, family)
        subject = Subject(self.problem.id, self.root, self.bounds, "thin")
        with arithmetic("arb", BITS):  # the checker's functions change it
            claim, lower, upper = ThinWork(subject, self.tolerance, self.left(), self.tell).claim()
        return self._certificate(claim, "thin", _Lower(claim["lower"], lower), upper)

    def empty(self, seconds: float, most: int = 2_000_000) -> Certificate | None:
        """A proof that no point is admissible, if there is one so soon."""
        from cpcbench.certify.cases import prove_empty

        found = prove_empty(self.root, self.bounds, seconds, self.workers, most)
        if found is None:
            return None
        part = "regular" if has_varying_power(self.root) else "all"
        return self._certificate({"kind": "empty"}, part, _Lower(math.inf, found), None)

    def _nothing(self, low: _Lower) -> Certificate:
        """No value at all is proven: perhaps there is none, or at least the lower bound is."""
        self.tell("whether any point is admissible")
        empty = self.empty(self.left())
        if empty is not None:
            return empty
        raise CpcbenchError(
            f"no admissible point of {self.problem.id} was found over the reals; all that is known is that no value "
            f"is below {low.bound!r}"
        )

    def _lower(self, low: _Lower, upper: float, x: Points) -> _Lower:
        """The best of the proofs, the cheapest first."""
        room = self.tolerance * max(1.0, abs(upper))
        for way in (self._by_structure, self._by_cases, self._by_tree):
            if upper - low.bound <= room or self.left() <= 0.5:
                break
            found = way(upper, x)
            if found is not None and found.bound > low.bound:
                low = found
            self.tell(gap_line(low.bound, upper, self.spent()))
            self.state.save()
        return low

    def _natural(self) -> _Lower:
        lower, upper = np.array([self.bounds]).transpose(2, 0, 1)
        found, _, _ = Boxes(self.root, "strict")(lower, upper)
        bound = float(found[0])
        proof: dict[str, Any] = {"by": "sums", "sums": []}
        exact = 0.0 if abs(bound) < TINY else bound
        return _Lower(exact if self._is_reached(exact, "regular") else _rounded(bound), proof)

    def _is_reached(self, bound: float, part: str) -> bool:
        """Whether the checker, which rounds less, sees this lower bound at once."""
        from cpcbench.certify.checker.core.numbers import arithmetic, of_double
        from cpcbench.certify.checker.core.subject import Subject
        from cpcbench.certify.checker.extensions.fillers import FILLERS
        from cpcbench.certify.checker.extensions.sums import lower_end

        if not math.isfinite(bound):
            return False
        with arithmetic("arb", 64):
            found = lower_end(Subject(self.problem.id, self.root, self.bounds, part), [], FILLERS)
            return found is None or bool(found >= of_double(bound))

    def _by_structure(self, upper: float, x: Points) -> _Lower | None:
        from cpcbench.certify.structure import lower_by_structure

        found = lower_by_structure(
            self.root, self.bounds, upper, x, self.tolerance, self.left(), self.tell, self.workers, self.state
        )
        return None if found is None else _Lower(*found)

    def _by_cases(self, upper: float, _x: Points) -> _Lower | None:
        from cpcbench.certify.cases import lower_by_cases

        target = upper - 0.5 * self.tolerance * max(1.0, abs(upper))
        found = lower_by_cases(self.root, self.bounds, target, self.left(), self.workers)
        return None if found is None else _Lower(*found)

    def _by_tree(self, upper: float, _x: Points) -> _Lower | None:
        from cpcbench.certify.grown_tree import from_arrays
        from cpcbench.certify.tape import Tape
        from cpcbench.certify.tree import prove

        tape = Tape.of_formula(self.root, self.problem.dim)
        target = upper - 0.5 * self.tolerance * max(1.0, abs(upper))
        low, high = self.problem.lower, self.problem.upper
        kept = self.state.arrays("tree")
        tree = prove(
            tape, low, high, target, seconds=self.left(), workers=self.workers,
            progress=lambda bound, boxes, _: self._see(bound, upper, boxes),
            state=None if kept is None else from_arrays(tape, kept, "the state"),
            keep=self.state.keeper("tree"),
        )  # fmt: skip
        self.state.put("tree", arrays=tree.arrays())
        if not math.isfinite(tree.bound):
            return None
        bound = min(tree.bound, target)
        return _Lower(bound, {"by": "tree", "threshold": bound, "tree": tree.text(bound)}, tree.optima(upper))

    def _see(self, bound: float, upper: float, boxes: int) -> None:
        self.tell(f"{gap_line(bound, upper, self.spent())}, {boxes:,} boxes")

    def _part(self, low: _Lower) -> str:
        """What the lower bound holds for: without varying exponents there are no thin sets."""
        if not has_varying_power(self.root):
            return "all"
        if low.proof == {"by": "sums", "sums": []} and self._is_reached(low.bound, "all"):
            return "all"
        return "regular"

    def _certificate(
        self, claim: dict[str, Any], part: str, low: _Lower | None, upper: dict[str, Any] | None
    ) -> Certificate:
        from cpcbench import __version__

        sides = [list(pair) for pair in self.bounds]
        data: dict[str, Any] = {
            "format": FORMAT,
            "version": VERSION,
            "problem": {"name": self.problem.id, "formula": self.problem.formula, "bounds": sides},
            "part": part,
            "claim": claim,
            "lower": None if low is None else low.proof,
            "upper": upper,
            "made": {"version": __version__},
        }
        if low is not None and low.optima is not None:
            data["optima"] = low.optima
        return Certificate(data)


def _rounded(bound: float) -> float:
    """A little lower, so that another program's rounding cannot matter."""
    return bound - 1e-13 * (1.0 + abs(bound)) if math.isfinite(bound) and bound != 0.0 else bound


def has_varying_power(root: Expr) -> bool:
    """Whether some exponent depends on a variable."""
    free = constants(root)
    return any(node.op == "pow" and id(node.args[1]) not in free for node in postorder(root))
