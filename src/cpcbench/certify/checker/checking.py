"""The checker itself: everything a certificate claims is proven again from what is in it, or it is rejected."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import flint

from cpcbench.certify.checker.attained import Bounds, check_attained, read_attained
from cpcbench.certify.checker.exact import precision
from cpcbench.certify.checker.family import check_family
from cpcbench.certify.checker.guards import Guards
from cpcbench.certify.checker.intervals import exact
from cpcbench.certify.checker.link import Box
from cpcbench.certify.checker.reading import box, double, field, listed, only, shown
from cpcbench.certify.checker.subject import Subject, bounds_pair, parsed
from cpcbench.certify.checker.sums import Proven, Task, read_sum, whole_formula
from cpcbench.certify.checker.thin import Exponents, read_exponents, thin_sets
from cpcbench.certify.checker.trees import Watch
from cpcbench.certify.checker.verdict import RejectedError, Verdict
from cpcbench.certify.checker.whole import lower_end
from cpcbench.certify.checker.witness import check_witness
from cpcbench.certify.checker.workers import check_tasks

FORMAT, VERSIONS = "cpcbench-certificate", (1, 2)
TREE_BITS = 64
ENTRIES = {"format", "version", "problem", "part", "claim", "lower", "upper", "optima", "made"}
SINCE_2 = {"attained"}
"""Entries of the file, and of the claim, that version 1 did not have."""

Progress = Callable[[int, int], None]
About = Mapping[str, Any] | tuple[str, Sequence[Sequence[float]]]


def check(data: object, *, problem: About | None = None, jobs: int = 1, progress: Progress | None = None) -> Verdict:
    """Whether a certificate is a proof of its claim; whatever is wrong with it, it is rejected with a reason.

    With `problem`, (formula, bounds) or an object with these entries, it must also be about that problem.
    `jobs` is the number of processes; `progress` is told how many of the tokens of trees are done.
    """
    start, before = time.perf_counter(), flint.ctx.prec
    leaves = [0]
    try:
        lower, upper, attained = _check(data, problem, jobs, progress, leaves)
    except RejectedError as trouble:
        return Verdict(False, str(trouble), leaves=leaves[0], seconds=time.perf_counter() - start)
    except Exception as trouble:  # data can be malformed in any way, and then nothing is proven
        reason = f"it could not be checked: {type(trouble).__name__}: {str(trouble)[:200]}"
        return Verdict(False, reason, leaves=leaves[0], seconds=time.perf_counter() - start)
    finally:
        precision(before)
    claim = "no lower bound exists" if lower == -float("inf") else f"the infimum lies in [{lower!r}, {upper!r}]"
    claim += "" if attained is None else f" and is {'' if attained else 'not '}attained"
    return Verdict(True, f"proven: {claim}", lower, upper, leaves[0], time.perf_counter() - start, attained)


def _check(
    data: object, problem: About | None, jobs: int, progress: Progress | None, leaves: list[int]
) -> tuple[float, float, bool | None]:
    added = _added(data)
    only(data, ENTRIES | added)
    subject = Subject.read(data)
    if problem is not None:
        _check_about(subject, problem)
    claim = field(data, "claim")
    kind = field(claim, "kind")
    if kind == "unbounded":
        only(claim, {"kind"})
        if subject.part == "thin":
            raise RejectedError("a family of points on thin sets is about the part 'all'")
        extra = ("lower", "optima", "attained")
        if isinstance(data, dict) and any(data.get(name) is not None for name in extra):
            raise RejectedError("a claim that there is no lower bound comes with one, or with optima")
        field(data, "lower")
        check_family(subject, field(data, "upper"))
        return -float("inf"), -float("inf"), None
    if kind != "infimum":
        raise RejectedError(f"the claim is {shown(kind)}, neither 'infimum' nor 'unbounded'")
    only(claim, {"kind", "lower", "upper"} | added)
    bounds = Bounds(double(field(claim, "lower")), double(field(claim, "upper")))
    if not bounds.lower <= bounds.upper:
        raise RejectedError(f"the lower bound {bounds.lower!r} is above the upper bound {bounds.upper!r}")
    by = read_attained(claim, data.get("attained") if isinstance(data, dict) else None)
    try:
        check_witness(subject, field(data, "upper"), bounds.upper)
    except RejectedError as trouble:
        raise RejectedError(f"upper bound: {trouble}") from None
    leaves[0] = _check_lower(subject, data, bounds, by, jobs, progress)
    return *bounds, claim.get("attained")


def _added(data: object) -> set[str]:
    """What the file's version has that the first one had not."""
    if field(data, "format") != FORMAT:
        raise RejectedError(f"the format is {shown(field(data, 'format'))}, not {FORMAT!r}")
    version = field(data, "version")
    if isinstance(version, bool) or version not in VERSIONS:
        raise RejectedError(f"the version is {shown(version)}; this checker knows {VERSIONS[0]} to {VERSIONS[-1]}")
    if version == 1 and field(data, "part") == "thin":
        raise RejectedError("version 1 has no part 'thin'")
    return SINCE_2 if version == 2 else set()


def _check_about(subject: Subject, problem: About) -> None:
    if isinstance(problem, Mapping):
        formula, bounds = field(dict(problem), "formula"), field(dict(problem), "bounds")
    else:
        formula, bounds = problem
    pairs = [bounds_pair(list(pair)) for pair in bounds]
    if pairs != subject.bounds:
        raise RejectedError("it is about other bounds than those of the problem")
    if parsed(formula, len(pairs)) is not subject.root:
        raise RejectedError("it is about another formula than that of the problem")


def _check_lower(
    subject: Subject, data: Any, bounds: Bounds, by: str | None, jobs: int, progress: Progress | None
) -> int:
    """The number of leaves of a lower bound that holds."""
    precision(TREE_BITS)
    lower, upper = bounds
    proof = field(data, "lower")
    tasks, proven = lower_tasks(subject, proof)
    boxes = None
    if data.get("optima") is not None:
        if field(proof, "by") != "tree":
            raise RejectedError("boxes of the optima can only be shown by one tree on the whole formula")
        boxes = [tuple(box(part, subject.bounds)) for part in listed(data["optima"])]
    if field(proof, "by") != "sums":
        for task in tasks:
            shown_by = task.link.threshold
            if shown_by < lower:
                raise RejectedError(f"{task.link.name} proves {shown_by!r}, which does not reach the claim {lower!r}")
    if field(proof, "by") == "sums":
        found = lower_end(subject, proven)
        if found is not None and not found >= exact(lower):
            reach = repr(float(found)) if found.is_finite() else "-inf"
            raise RejectedError(
                f"the proven sums give the lower bound {reach}, which does not reach the claim {lower!r}"
            )
    try:
        guards = check_attained(by, subject, data, bounds, tasks, proven)
    except RejectedError as trouble:
        raise RejectedError(f"attained: {trouble}") from None
    precision(TREE_BITS)
    return check_tasks(tasks, data, [watch_of(guard, boxes, upper) for guard in guards], jobs, progress)


def watch_of(guards: Guards | None, boxes: list[Box] | None, upper: float) -> Watch | None:
    """What the leaves of a tree have to show besides their bounds."""
    if guards is None:
        return None if boxes is None else Watch(upper, boxes)
    return Watch(guards.limit, boxes, guards)


def lower_tasks(subject: Subject, proof: object) -> tuple[list[Task], list[Proven]]:
    """The trees of a lower bound, and what its sums are proven to be once they hold."""
    by = field(proof, "by")
    if (by == "thin") != (subject.part == "thin"):
        raise RejectedError("a lower bound by 'thin' goes with the part 'thin', and no other does")
    if by == "thin":
        only(proof, {"by", "sets"})
        return thin_tasks(subject, listed(field(proof, "sets"))), []
    if by == "tree":
        return [whole_formula(subject, proof)], []
    if by != "sums":
        raise RejectedError(f"the lower bound is by {shown(by)}, neither 'tree' nor 'sums'")
    only(proof, {"by", "sums"})
    tasks: list[Task] = []
    proven: list[Proven] = []
    for place, data in enumerate(listed(field(proof, "sums"))):
        sum_, parts = read_sum(subject, data, place)
        proven.append(sum_)
        tasks += parts
    return tasks, proven


def thin_tasks(subject: Subject, data: list[Any]) -> list[Task]:
    """A tree for each thin set that there may be."""
    expected = thin_sets(subject)
    tasks: dict[Exponents, Task] = {}
    for part in data:
        only(part, {"exponents", "lower"})
        exponents = read_exponents(field(part, "exponents"))
        if exponents not in expected or exponents in tasks:
            raise RejectedError(f"{shown(str(exponents))} are the exponents of no thin set, or of one listed before")
        lower = field(part, "lower")
        if field(lower, "by") != "tree":
            raise RejectedError("the lower bound on a thin set is by a tree")
        task = replace(whole_formula(expected[exponents].subject, lower), strict=expected[exponents].edges)
        task.link.name = f"the tree of the thin set {exponents}"
        tasks[exponents] = task
    missing = [exponents for exponents in expected if exponents not in tasks]
    if missing or not expected:
        raise RejectedError(f"{len(missing)} thin sets have no lower bound, {missing[:1]} among them")
    return list(tasks.values())
