"""The checker itself: everything a certificate claims is proven again from what is in it, or it is rejected."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from cpcbench.certify.checker.core.link import Box
from cpcbench.certify.checker.core.numbers import ARITHMETICS, in_use, of_double, precision
from cpcbench.certify.checker.core.numbers import arithmetic as within
from cpcbench.certify.checker.core.numbers import shown as shown_end
from cpcbench.certify.checker.core.subject import Subject, open_pair, parsed
from cpcbench.certify.checker.core.task import Task, nothing_at_all, whole_formula
from cpcbench.certify.checker.core.trees import Watch
from cpcbench.certify.checker.core.witness import check_witness
from cpcbench.certify.checker.extensions import parts, squares
from cpcbench.certify.checker.extensions.attained.deciding import Bounds, Guarded, check_attained, read_attained
from cpcbench.certify.checker.extensions.balls import NAME as BALLS
from cpcbench.certify.checker.extensions.balls import Balls
from cpcbench.certify.checker.extensions.carried import read_carried
from cpcbench.certify.checker.extensions.cases import case_tasks
from cpcbench.certify.checker.extensions.convex import NAME as CONVEX
from cpcbench.certify.checker.extensions.convex import Convex
from cpcbench.certify.checker.extensions.fillers.all import FILLERS
from cpcbench.certify.checker.extensions.paths.families import check_family
from cpcbench.certify.checker.extensions.paths.paths import check_path_falls
from cpcbench.certify.checker.extensions.reach import check_outside
from cpcbench.certify.checker.extensions.sums.links import Proven, lower_end, read_sum
from cpcbench.certify.checker.extensions.thin import check_thin_witness, thin_tasks
from cpcbench.certify.checker.files.workers import check_tasks
from cpcbench.certify.checker.ground.clock import until
from cpcbench.certify.checker.ground.fields import box, field, listed, only, plain, read_double, shown
from cpcbench.certify.checker.ground.verdict import NotCheckedError, RejectedError, Verdict

FORMAT, VERSIONS = "cpcbench-certificate", (1, 2, 3, 4, 5)
TREE_BITS = 64
ENTRIES = {"format", "version", "problem", "part", "claim", "lower", "upper", "optima", "made"}
SINCE_2 = {"attained"}
"""Entries of the file, and of the claim, that version 1 did not have."""
SINCE_3 = {"reach"}
"""Entries of the file that version 2 did not have."""
SINCE_4 = {"carried"}
"""Entries of the file that version 3 did not have."""
SINCE_5 = {parts.NAME, squares.NAME}
"""Extensions that version 4 did not have."""

About = Mapping[str, Any] | tuple[str, Sequence[Sequence[float]]]
Proof = tuple[float, float, bool | None]
"""What is proven: the bounds, and whether the infimum is attained."""


def check(
    data: object,
    *,
    problem: About | None = None,
    workers: int = 1,
    arithmetic: str = "arb",
    seconds: float = math.inf,
) -> Verdict:
    """Whether a certificate is a proof of its claim; whatever is wrong with it, it is rejected with a reason.

    With `problem`, (formula, bounds) or an object with these entries, it must also be about that problem.
    `workers` is the number of processes; `arithmetic` is `arb` or `mpfr`; after so many `seconds` the verdict is that
    it was not checked.
    """
    if arithmetic not in ARITHMETICS:
        raise RejectedError(f"the arithmetic is {arithmetic!r}, neither 'arb' nor 'mpfr'")
    start = time.perf_counter()
    case = _Case(workers)
    said: dict[str, Any] = {}
    try:
        with within(arithmetic, TREE_BITS, seconds), until(start + seconds):
            lower, upper, said["attained"] = case.check(plain(data), problem)
        said |= {"accepted": True, "reason": _claimed(lower, upper, said["attained"]), "lower": lower, "upper": upper}
    except RejectedError as trouble:
        said |= {"accepted": False, "reason": str(trouble)}
    except (NotCheckedError, MemoryError) as trouble:
        said |= {"accepted": False, "checked": False, "reason": str(trouble) or "the memory ran out"}
    except Exception as trouble:  # data can be malformed in any way, and then nothing is proven
        reason = f"it could not be checked: {type(trouble).__name__}: {str(trouble)[:200]}"
        said |= {"accepted": False, "reason": reason}
    said |= {"about": case.about, "rests_on": case.rests_on, "arithmetic": arithmetic}
    return Verdict(**said, leaves=case.leaves, seconds=time.perf_counter() - start)


def _claimed(lower: float, upper: float, attained: bool | None) -> str:
    if lower == math.inf:
        return "proven: there is no admissible point"
    if upper == -math.inf:
        return "proven: no lower bound exists"
    said = "" if attained is None else f" and is {'' if attained else 'not '}attained"
    return f"proven: the infimum lies in [{lower!r}, {upper!r}]{said}"


class _Case:
    """One certificate before the checker."""

    def __init__(self, workers: int) -> None:
        self.data: Any = None
        self.problem: Any = None
        self.workers = workers
        self.subject: Subject | None = None
        self.leaves = 0

    @property
    def about(self) -> dict[str, Any]:
        if self.subject is None:
            return {}
        problem = self.problem
        return {
            "formula": problem["formula"], "bounds": problem["bounds"],
            "rule": self.subject.rule, "part": self.subject.part, "name": self.subject.name,
        }  # fmt: skip

    @property
    def rests_on(self) -> tuple[str, ...]:
        return tuple(sorted(self.subject.rests_on)) if self.subject is not None else ()

    def check(self, data: Any, problem: About | None) -> Proof:
        version = _version(data)
        proof = self._proof(version, data, problem)
        newer = sorted(SINCE_5.intersection(self.rests_on)) if version < 5 else []
        if newer:
            raise RejectedError(f"version {version} has no proofs by {newer[0]}")
        return proof

    def _proof(self, version: int, data: Any, problem: About | None) -> Proof:
        added = SINCE_2 if version >= 2 else set()
        only(data, ENTRIES | added | (SINCE_3 if version >= 3 else set()) | (SINCE_4 if version >= 4 else set()))
        carried = None
        self.problem = field(data, "problem")
        if data.get("carried") is not None:
            carried, data = read_carried(data)
        self.data = data
        reach = data.get("reach")
        subject = self.subject = Subject.read(data) if carried is None else carried.inner
        if problem is not None:
            check_about(subject if carried is None else carried.outer, problem)
        if carried is not None:
            carried.check_claim(data)
        claim = field(data, "claim")
        kind = field(claim, "kind")
        if kind == "infimum":
            only(claim, {"kind", "lower", "upper"} | added)
            proof = self._infimum(subject, claim)
            self._check_outside(reach, proof[1])
            return proof
        if kind not in ("unbounded", "empty"):
            raise RejectedError(f"the claim is {shown(kind)}, none of 'infimum', 'unbounded' and 'empty'")
        only(claim, {"kind"})
        if subject.part == "thin":
            raise RejectedError(f"a claim that the function is {kind} is not about the part 'thin'")
        other = {"unbounded": "lower", "empty": "upper"}[kind]
        if field(data, other) is not None or any(data.get(name) is not None for name in ("optima", "attained")):
            raise RejectedError(f"a claim that the function is {kind} comes with more than its proof")
        if kind == "unbounded":
            if reach is not None:  # what falls on a part falls
                only(reach, {"box"})
                subject.rests_on.add("reach")
            proof = field(data, "upper")
            (check_path_falls if field(proof, "by") == "path" else check_family)(subject, proof)
            return -math.inf, -math.inf, None
        tasks = tasks_of(subject, data)[0]
        self.leaves = self._check_tasks(subject, tasks, [None] * len(tasks))
        self._check_outside(reach, None)
        return math.inf, math.inf, None

    def _check_outside(self, reach: object, upper: float | None) -> None:
        """Where the proof is about a part of the box: that there is nothing as low outside it."""
        if reach is not None and self.subject is not None:
            precision(TREE_BITS)
            self.leaves += check_outside(self.subject, reach, upper)

    def _infimum(self, subject: Subject, claim: Any) -> Proof:
        bounds = Bounds(read_double(field(claim, "lower")), read_double(field(claim, "upper")))
        if not bounds.lower <= bounds.upper:
            raise RejectedError(f"the lower bound {bounds.lower!r} is above the upper bound {bounds.upper!r}")
        by = read_attained(claim, self.data.get("attained"))
        try:
            witness = field(self.data, "upper")
            if subject.part == "thin":
                check_thin_witness(subject, witness, bounds.upper)
            else:
                check_witness(subject, witness, bounds.upper)
        except RejectedError as trouble:
            raise RejectedError(f"upper bound: {trouble}") from None
        self.leaves = self._check_lower(subject, bounds, by)
        return *bounds, claim.get("attained")

    def _check_lower(self, subject: Subject, bounds: Bounds, by: str | None) -> int:
        """The number of leaves of a lower bound that holds."""
        precision(TREE_BITS)
        data, proof = self.data, field(self.data, "lower")
        tasks, proven = tasks_of(subject, data)
        boxes = None
        if data.get("optima") is not None:
            if field(proof, "by") != "tree":
                raise RejectedError("boxes of the optima can only be shown by one tree on the whole formula")
            boxes = [tuple(box(part, subject.bounds)) for part in listed(data["optima"])]
        _check_reach(subject, field(proof, "by"), tasks, proven, bounds.lower)
        try:
            guards = check_attained(by, subject, data, bounds, tasks, proven)
        except RejectedError as trouble:
            raise RejectedError(f"attained: {trouble}") from None
        precision(TREE_BITS)
        watches = [watch_of(guard, boxes, Fraction(bounds.upper)) for guard in guards]
        return self._check_tasks(subject, tasks, watches)

    def _check_tasks(self, subject: Subject, tasks: list[Task], watches: list[Watch | None]) -> int:
        """The number of leaves of trees that all hold."""
        found = check_tasks(tasks, self.data, watches, self.workers)
        if any(task.link.quick is not None and task.link.quick.used for task in tasks):
            subject.rests_on.add(BALLS)
        return found


def _check_reach(subject: Subject, by: str, tasks: list[Task], proven: list[Proven], lower: float) -> None:
    """Rejects unless what the trees prove, once they hold, is as much as the claim."""
    if by == parts.NAME:  # seen when they were read
        return
    if by != "sums":
        for task in tasks:
            if task.link.threshold < lower:
                raise RejectedError(
                    f"{task.link.name} proves {task.link.threshold!r}, which does not reach the claim {lower!r}"
                )
        return
    found = lower_end(subject, proven, FILLERS)
    if found is not None and not found >= of_double(lower):
        raise RejectedError(
            f"the proven sums give the lower bound {shown_end(found)}, which does not reach the claim {lower!r}"
        )


def _version(data: object) -> int:
    """The file's version, if it is one that is known."""
    if field(data, "format") != FORMAT:
        raise RejectedError(f"the format is {shown(field(data, 'format'))}, not {FORMAT!r}")
    version = field(data, "version")
    if type(version) is not int or version not in VERSIONS:
        raise RejectedError(f"the version is {shown(version)}; this checker knows {VERSIONS[0]} to {VERSIONS[-1]}")
    if version == 1 and field(data, "part") == "thin":
        raise RejectedError("version 1 has no part 'thin'")
    return version


def check_about(subject: Subject, problem: About) -> None:
    """Rejects unless the formula and the bounds are those of the problem."""
    if isinstance(problem, Mapping):
        formula, bounds = field(dict(problem), "formula"), field(dict(problem), "bounds")
    else:
        formula, bounds = problem
    pairs = [open_pair([str(end) if end in (-math.inf, math.inf) else end for end in pair]) for pair in bounds]
    if pairs != list(subject.whole):
        raise RejectedError("it is about other bounds than those of the problem")
    if parsed(formula, len(pairs)) is not subject.root:
        raise RejectedError("it is about another formula than that of the problem")


def watch_of(guards: Guarded | None, boxes: list[Box] | None, upper: Fraction) -> Watch | None:
    """What the leaves of a tree have to show besides their bounds."""
    if guards is None:
        return None if boxes is None else Watch(upper, boxes)
    return Watch(guards.limit, boxes, guards)


def tasks_of(subject: Subject, data: object) -> tuple[list[Task], list[Proven]]:
    """The trees of a certificate's lower bound, and what its sums are proven to be once they hold."""
    tasks, proven = _tasks_of(subject, data)
    for task in tasks:
        task.link.rules["c"] = Convex(task.link)
        task.link.quick = Balls(task.link) if in_use() == "arb" else None
        task.link.rules[squares.LETTER] = squares.Squares(task.link)
        if any(token.startswith("c") for token in task.tokens):
            subject.rests_on.add(CONVEX)
        if any(token.startswith(squares.LETTER) for token in task.tokens):
            subject.rests_on.add(squares.NAME)
    return tasks, proven


def _tasks_of(subject: Subject, data: object) -> tuple[list[Task], list[Proven]]:
    proof = field(data, "lower")
    by = field(proof, "by")
    empty = field(field(data, "claim"), "kind") == "empty"
    if by == "cases" and subject.part != "thin":
        only(proof, {"by", "cases"})
        return case_tasks(subject, field(proof, "cases"), FILLERS, empty), []
    if empty:
        if by != "tree":
            raise RejectedError("that there is no admissible point is shown by a tree, or by cases with one each")
        return [nothing_at_all(subject, proof, FILLERS)], []
    if (by == "thin") != (subject.part == "thin"):
        raise RejectedError("a lower bound by 'thin' goes with the part 'thin', and no other does")
    if by == "thin":
        only(proof, {"by", "sets"})
        return thin_tasks(subject, listed(field(proof, "sets")), FILLERS), []
    if by == "tree":
        return [whole_formula(subject, proof, FILLERS)], []
    if by == parts.NAME:
        claimed = read_double(field(field(data, "claim"), "lower"))
        return parts.part_tasks(subject, proof, claimed, FILLERS), []
    if by != "sums":
        raise RejectedError(f"the lower bound is by {shown(by)}, none of 'tree', 'sums', 'cases' and 'parts'")
    only(proof, {"by", "sums"})
    tasks: list[Task] = []
    proven: list[Proven] = []
    for place, part in enumerate(listed(field(proof, "sums"))):
        sum_, links = read_sum(subject, part, place, FILLERS)
        proven.append(sum_)
        tasks += links
    return tasks, proven
