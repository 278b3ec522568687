"""One certificate in the making: a point for the upper bound, then the cheapest proof of a lower bound close enough."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.form import VERSION, versioned
from cpcbench.certify.certificate.schema import (
    About,
    Box,
    ByTree,
    Claim,
    FallProof,
    LowerProof,
    Part,
    Statement,
    UpperProof,
)
from cpcbench.certify.checker.core.numbers import arithmetic
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.thin import BITS
from cpcbench.certify.confirming import confirmed, verdict_on
from cpcbench.certify.lower.bounds import NATURAL, Lower, natural_bound, natural_end, room_at
from cpcbench.certify.lower.cases import prove_empty
from cpcbench.certify.lower.sums.low_points import low_point
from cpcbench.certify.lower.tree.grown import MOST_NODES
from cpcbench.certify.lower.ways import Ways
from cpcbench.certify.means import Means
from cpcbench.certify.thin.proofs import ThinWork
from cpcbench.certify.times import (
    ATTAINED,
    CHECKING,
    LATE_SECONDS,
    MOST_PATHS,
    PATHS,
    SEARCH,
    SHORT_SEARCH,
    WITNESS,
    Deadline,
    Times,
)
from cpcbench.certify.unbounded.families import families
from cpcbench.certify.unbounded.paths import find_falling_path
from cpcbench.certify.upper.candidates import best_points, sampled_points
from cpcbench.certify.upper.proofs import Witness
from cpcbench.certify.upper.witness import witnesses
from cpcbench.clock import OutOfTimeError, time_limit, time_limit_lifted
from cpcbench.errors import CpcbenchError, NotProvenError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import constants, postorder
from cpcbench.points import Points
from cpcbench.problems.problem import Problem

RETURNS, LOWEST = 2, 6
"""How often a search that was led astray is corrected by where the tree is lowest, at how many of its boxes."""

MANY = 8
"""From so many variables on a sum's chains find a better point than a general search; single variables always do."""


@dataclass
class Work:
    """One certificate in the making."""

    problem: Problem
    tolerance: float
    times: Times
    means: Means

    def __post_init__(self) -> None:
        self.tell = self.means.tell
        self.root, self.bounds = self.problem.expression, [(float(a), float(b)) for a, b in self.problem.bounds]
        self.varies = has_varying_power(self.root)
        self.part: Part = "regular" if self.varies else "all"  # without varying exponents there are no thin sets

    def known(self, given: Sequence[Sequence[float]] | Sequence[Points]) -> list[Points]:
        """The points given, and those that the state has from before."""
        return [np.asarray(x, dtype=np.float64) for x in [*given, *(self.means.state.note("points") or [])]]

    def at_once(self, known: list[Points], seed: int) -> Certificate | None:
        """The certificate, if the points of a short search and a short proof are good enough for it."""
        times = self.times.first_try()
        if times is None:
            return None
        attempt = replace(self, times=times)
        with time_limit(times.late()), suppress(OutOfTimeError, NotProvenError):
            return attempt.regular(attempt.points(known, seed))
        return None

    def points(self, known: list[Points], seed: int) -> list[Points]:
        """Low points: those known before, those that a first try has kept, and those that a search finds."""
        self.tell("looking for low points")
        found = self.known(known)
        with time_limit(self.times.late(SEARCH)), suppress(OutOfTimeError):
            if not known:
                point = low_point(self.root, self.bounds, self.means.workers, chains=self.problem.dim >= MANY)
                known = [] if point is None else [point]
                found += known
            found += best_points(self.problem, self.times.until(SHORT_SEARCH if known else SEARCH), seed=seed)
        return found or sampled_points(self.problem, seed) or sampled_points(self.problem, seed, sides=True)

    def regular(self, points: list[Points]) -> Certificate:
        natural = natural_end(self.root, self.bounds, "strict")
        if natural == -math.inf:
            family = self._falls(points)
            if family is not None:
                return family
        seconds = max(self.times.until(WITNESS), 0.5 * LATE_SECONDS)  # without a point nothing is proven
        found = witnesses(self.root, self.bounds, points, rule="strict", seconds=seconds)
        if not found:
            return self._nothing(natural)
        found = self._all_seen(found)
        lowers = self._lowers(natural, found[0])
        for turn in range(1, RETURNS + 1):
            shown = bool(self.means.shown)
            lower_points = self._where_lower(lowers, found[0])
            if not lower_points:
                lowers = self._lowers(natural, found[0], returns=False) if shown else lowers
                break
            found = self._all_seen([*lower_points, *found])
            lowers = self._lowers(natural, found[0], returns=turn < RETURNS)
        if self.times.is_a_try and not (lowers and self._is_close(lowers[0], found[0])):
            raise NotProvenError(f"no bounds of {self.problem.id} so soon")
        if not lowers:
            raise NotProvenError(
                f"no lower bound of {self.problem.id} was proven in {self.times.seconds:g} s; some value is at most "
                f"{found[0].upper!r}"
            )
        return self._confirmed(self._candidates(lowers, found))

    def thin(self, points: list[Points]) -> Certificate:
        if not self.varies:
            raise CpcbenchError(f"{self.problem.id} has no exponent that varies, and so no thin sets")
        known = families(self.root, self.bounds, "ieee", points, seconds=self.times.until(SEARCH + 0.1))
        family = self._accepted(known, "all")
        if family is not None:
            return family
        subject = Subject(self.problem.id, self.root, self.bounds, "thin")
        sets = ThinWork(subject, self.tolerance, self.times.until(), self.tell)
        claims = sets.claims()
        with arithmetic("arb", BITS):  # the checker's functions change it
            family = self._accepted(sets.families(self.times.until(WITNESS)), "all")
            if family is not None:
                return family
            first = next(claims)
        return self._confirmed(self._stated(claim, "thin", low, up) for claim, low, up in chain([first], claims))

    def empty(self, seconds: float, most: int = MOST_NODES) -> Certificate | None:
        """A proof that no point is admissible, if there is one so soon and the checker takes it."""
        at_once = self._is_empty(ByTree(None, "."))  # the checker rounds less, and may see it so
        if at_once is not None:
            return at_once
        found = prove_empty(self.root, self.bounds, seconds, self.means.workers, most)
        return None if found is None else self._is_empty(found)

    def _is_empty(self, proof: LowerProof) -> Certificate | None:
        made = self._stated(Claim("empty"), self.part, proof, None)
        verdict = verdict_on(made, self.times.seconds)
        return Certificate(made, verdict) if verdict is not None and verdict.accepted else None

    def _nothing(self, natural: float) -> Certificate:
        """No value at all is proven: perhaps there is none, or at least the lower bound is."""
        self.tell("whether any point is admissible")
        empty = self.empty(self.times.until())
        if empty is not None:
            return empty
        known = "the formula is defined nowhere on its box" if natural == math.inf else f"no value is below {natural!r}"
        raise NotProvenError(
            f"no admissible point of {self.problem.id} was found over the reals; all that is known is that {known}"
        )

    def _falls(self, points: list[Points]) -> Certificate | None:
        """That there is no lower bound, if a path or a family shows it."""
        path = find_falling_path(self.root, self.bounds, points, min(PATHS * self.times.seconds, MOST_PATHS))
        family = None if path is None else self._accepted([path], self.part)
        if family is not None:
            return family
        starts = [*points, *sampled_points(self.problem)]
        found = families(self.root, self.bounds, "strict", starts, self.times.until(WITNESS))
        return self._accepted(found, "regular")

    def _accepted(self, proofs: Iterable[FallProof], part: Part) -> Certificate | None:
        """The first proof that there is no lower bound which the checker takes."""
        for proof in proofs:
            made = self._stated(Claim("unbounded"), part, None, proof)
            verdict = verdict_on(made, self.times.seconds)
            if verdict is None or verdict.accepted:
                return Certificate(made, verdict)
        return None

    def _all_seen(self, found: list[Witness]) -> list[Witness]:
        """The upper bounds that the checker does not refuse; all, if it refuses all."""
        seen = [witness for witness in found if self._is_seen(witness)] or found
        self.tell(f"some value is at most {seen[0].upper!r}")
        self.means.state.put("points", [seen[0].x.tolist()])
        return seen

    def _is_seen(self, witness: Witness) -> bool:
        """Whether the checker does not refuse an upper bound, whatever the lower one."""
        claim = Claim("infimum", min(-sys.float_info.max, witness.upper), witness.upper)
        verdict = verdict_on(self._stated(claim, self.part, NATURAL, witness.proof), self.times.until())
        return verdict is None or not verdict.reason.startswith("upper bound")

    def _is_close(self, lower: Lower, best: Witness) -> bool:
        return best.upper - lower.bound <= room_at(self.tolerance, best.upper)

    def _where_lower(self, lowers: list[Lower], best: Witness) -> list[Witness]:
        """Better witnesses along the best paths of chains, and near the boxes where a tree is lowest.

        A search in doubles may be led astray: where `(exp(x1) - 1)/x1` loses all digits it seems to be 0.
        """
        near, room = [*self.means.shown], room_at(self.tolerance, best.upper)
        self.means.shown.clear()
        if (lowers and self._is_close(lowers[0], best)) or self.times.is_nearly_over():
            return []
        tree = lowers[0].tree if lowers else None
        near += [] if tree is None else tree.lowest_points(LOWEST)
        if not near:
            return []
        found = witnesses(self.root, self.bounds, near, rule="strict", seconds=0.5 * self.times.until())
        return [witness for witness in found if witness.upper < best.upper - 0.1 * room]

    def _lowers(self, natural: float, best: Witness, returns: bool = True) -> list[Lower]:
        """Proofs of lower bounds, the best first."""
        ways = Ways(self.root, self.bounds, self.tolerance, self.times, self.means, returns)
        return ways.lowers([] if natural == -math.inf else self._seen(natural, best), best)

    def _seen(self, natural: float, best: Witness) -> list[Lower]:
        """The natural bound, as far as the checker sees it."""

        def accepts(bound: float, part: Part) -> bool:
            claim = Claim("infimum", bound, best.upper)
            verdict = verdict_on(self._stated(claim, part, NATURAL, best.proof), self.times.until())
            return verdict is not None and verdict.accepted

        found = natural_bound(natural, best.upper, ["all", "regular"] if self.varies else ["all"], accepts)
        return [] if found is None else [Lower(*found)]

    def _candidates(self, lowers: list[Lower], uppers: list[Witness]) -> Iterator[Statement]:
        """What may be claimed, the closest enclosure first."""
        for upper in uppers:
            for low in lowers:
                for weaker in low.weaker(upper.upper):
                    claim = Claim("infimum", weaker.bound, upper.upper)
                    yield self._stated(claim, weaker.part or self.part, weaker.proof, upper.proof, weaker.optima)

    def _confirmed(self, candidates: Iterable[Statement]) -> Certificate:
        """The first certificate that the checker takes, or for which it has no time left."""
        self.tell("checking, and whether the infimum is attained")
        reason, checking = "", Deadline(CHECKING * self.times.whole)
        more = ATTAINED * self.times.whole
        with time_limit_lifted():
            for said in candidates:
                made = confirmed(said, checking.left(), more, self.means.workers)
                if made.checked is None or made.checked.accepted:
                    return made
                reason = reason or made.checked.reason
                self.tell(f"the checker does not take it ({made.checked.reason}): a weaker claim")
                more = 0.0
        raise NotProvenError(f"no bounds of {self.problem.id} were proven that the checker takes: {reason}")

    def _stated(
        self,
        claim: Claim,
        part: Part,
        lower: LowerProof | None,
        upper: UpperProof | None,
        optima: list[Box] | None = None,
    ) -> Statement:
        """What is written to a file; the formula with the variables x1 to xn, whatever the user calls them."""
        from cpcbench import __version__

        made = {"version": __version__}
        return versioned(Statement(VERSION, About.of(self.problem), part, claim, lower, upper, made, optima))


def has_varying_power(root: Expr) -> bool:
    """Whether some exponent depends on a variable."""
    free = constants(root)
    return any(node.op == "pow" and id(node.args[1]) not in free for node in postorder(root))
