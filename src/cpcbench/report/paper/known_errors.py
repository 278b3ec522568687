"""Where the published record disagrees with itself or with a recomputation; all that can be is recomputed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import cast

from cpcbench.experiment.plan.problems import CPC
from cpcbench.experiment.verify.types import DEFAULT, TYPES
from cpcbench.problems.facts import facts
from cpcbench.problems.published import PublishedResult, published_results
from cpcbench.problems.registry import problem
from cpcbench.report.paper.overviews import feasible_ratios
from cpcbench.report.paper.printed import RULE, printed_figure, printed_table
from cpcbench.report.problems.records import really_lower
from cpcbench.report.study.solutions import ALGORITHMS, share
from cpcbench.report.table import Row, Table
from cpcbench.studies.structure.interplay import structure
from cpcbench.studies.symmetry.optima_count import optima
from cpcbench.studies.symmetry.symmetries import symmetries

PRINTED_DIGITS = 1e-12
"""A recomputed value that agrees with a printed one to this relative accuracy is the same."""


@cache
def known_errors() -> Table:
    """Every disagreement, with what is printed and what comes out."""
    parts = (
        _text,
        _distribution,
        _groups,
        _comparison,
        _df3,
        _values,
        _beaten,
        _results,
        _feasible_ratios,
        _structures,
        _other,
    )
    return Table(
        key="known-errors",
        title="Where the published record disagrees with itself or with a recomputation",
        columns=("where", "printed", "recomputed", "remark"),
        rows=chain.from_iterable(part() for part in parts),
        notes=(f"Values are those of the reference reading under the rule {RULE}.",),
    )


def _text() -> Iterator[Row]:
    below = cast(float, printed_table("feasible_ratio_groups").column("Type III (%)")[1])
    said = printed_figure("type_iii_below_one_percent")
    if said != below:
        yield "text: Type III below FR 1 %, percent", said, below, "its own table of feasible-ratio groups"
    gpso = [cast(float, v) for v in printed_table("type_distribution").column("GPSO")]
    said, total = printed_figure("gpso_type_ii_or_iii"), float(gpso[1] + gpso[2])
    if said != total:
        yield "text: GPSO of Type II or III, percent", said, total, "its own table of solution types"


def _distribution() -> Iterator[Row]:
    """The printed shares of each algorithm against a count of the collection's rows."""
    printed = printed_table("type_distribution")
    for name in ALGORITHMS:
        said = [float(cast(float, v)) for v in printed.column(name)]
        counted = [share([r.types for r in _cpc_rows() if r.algorithm == name], t) for t in TYPES]
        if said != counted:
            yield f"types of {name}: I, II, III, IV, percent", _list(said), _list(counted), "rows of the collection"


def _groups() -> Iterator[Row]:
    printed = printed_table("feasible_ratio_groups")
    sizes = []
    for row, above in zip(printed.rows, (True, False), strict=True):
        group = [r.types for r in _cpc_rows() if (facts(r.problem).published.feasible_ratio > 1.0) is above]
        sizes.append(len(group))
        said, counted = [float(cast(float, v)) for v in row[1:]], [share(group, t) for t in TYPES]
        if said != counted:
            yield f"types, {row[0]}: I, II, III, IV, percent", _list(said), _list(counted), "rows of the collection"
        for value in said:
            nearest = round(100.0 * round(value * len(group) / 100.0) / len(group), 1)
            if nearest != value:
                yield f"types, {row[0]}", value, nearest, f"no share of {len(group)} cells; this is the nearest"
    yield from _groups_against_distribution(sizes)


def _groups_against_distribution(sizes: list[int]) -> Iterator[Row]:
    """Both printed tables count the same 150 cells."""
    groups, by_name = printed_table("feasible_ratio_groups"), printed_table("type_distribution")
    for index, type_ in enumerate(TYPES):
        parts = [cast(float, row[index + 1]) for row in groups.rows]
        from_groups = sum(round(p * n / 100.0) for p, n in zip(parts, sizes, strict=True))
        from_names = round(sum(cast(float, v) for v in by_name.rows[index][1:]) * len(CPC) / 100.0)
        if from_groups != from_names:
            where = f"cells of Type {type_} of 150, from the two printed tables"
            yield where, from_names, from_groups, "by algorithm, by feasible ratio"


def _comparison() -> Iterator[Row]:
    printed = printed_table("comparison")
    listed = {(r.problem, r.algorithm): ", ".join(r.types) for r in published_results()}
    for row in printed.rows:
        for name, said in zip(printed.columns[1:], row[1:], strict=True):
            if said != listed[str(row[0]), name]:
                yield f"comparison: {row[0]}, {name}", said, listed[str(row[0]), name], "row of the collection"


def _df3() -> Iterator[Row]:
    listed = {r.algorithm: r for r in published_results() if r.problem == "CPC-DF3"}
    for name, x, _, types in printed_table("df3_solutions").rows[1:]:
        row = listed[str(name)]
        if x != row.point:
            yield f"CPC-DF3 solutions: {name}, x", x, row.point, "row of the collection"
        if types != ", ".join(row.types):
            yield f"CPC-DF3 solutions: {name}, types", types, ", ".join(row.types), "row of the collection"
    for name, x, value in printed_table("df3_neighbours").rows:
        computed = _value("CPC-DF3", cast("tuple[float, ...]", x))
        if not _same(cast(float, value), computed):
            yield f"CPC-DF3 neighbours: {name}", value, computed, "the printed values are one row off"
    points = {str(row[0])[0]: cast("tuple[float, ...]", row[1]) for row in printed_table("df3_neighbours").rows}
    conditions = problem("CPC-DF3", rule=RULE).conditions
    for name, number, value, _ in printed_table("df3_conditions").rows:
        computed = conditions[cast(int, number) - 1].value(points[str(name)])
        if not _same(cast(float, value), computed, 0.0):
            yield f"CPC-DF3 conditions: {name}, no. {number}", value, computed, "printed for C are the values at A"


def _values() -> Iterator[Row]:
    """Best-known points: their printed values, and what the real numbers say."""
    for id_ in CPC:
        p, known = problem(id_, rule=RULE), facts(id_).published
        point = tuple(known.points[0].tolist())
        computed, real = _value(id_, point), p.enclosure(point)
        if not _same(known.value, computed):
            yield f"{id_}: best-known value", known.value, computed, "the value in doubles at the printed point"
        if real.defined is False:
            yield f"{id_}: best-known value", known.value, math.nan, "over the reals the point is inadmissible"
        elif abs(real.midpoint - computed) > 1e-3 * max(1.0, abs(computed)):
            remark = "over the reals; the printed one is an artefact"
            yield f"{id_}: best-known value", known.value, real.midpoint, remark


def _beaten() -> Iterator[Row]:
    """Best-known points that are not optimal: a lower faithful point is on record."""
    for id_ in CPC:
        p, known = problem(id_, rule=RULE), facts(id_).published
        ours, real = p.records.faithful, p.enclosure(known.points[0])
        limit = known.value - DEFAULT.equal * abs(known.value)
        if ours is not None and ours.value < limit and really_lower(ours, real):
            yield f"{id_}: best-known solution", known.value, ours.value, "a lower faithful point is on record"


def _results() -> Iterator[Row]:
    """Single rows of the collection."""
    for r in published_results():
        where = f"{r.problem}, {r.algorithm}: value"
        if r.matches is False:
            yield where, r.verified, r.recomputed, "belongs to an older definition of the function"
        elif r.matches and "IV" not in r.types and not _same(cast(float, r.reported), cast(float, r.verified), 1e-6):
            yield where, r.reported, r.verified, "re-evaluated by the authors, yet not called Type IV"
        elif r.point and r.problem == "F37":
            yield where, r.reported, None, "five coordinates for a function of four"
        elif r.point and r.problem in ("F138", "F170") and "I" in r.types:
            computed = _value(r.problem, r.point)
            if abs(computed - facts(r.problem).published.value) > 0.5:
                yield where, r.reported, computed, f"called Type I; the minimum is {facts(r.problem).published.value:g}"
    rows = {r.problem: r for r in published_results() if r.algorithm == "GPSO"}
    if rows["CPC-DF20"].point == rows["CPC-DF21"].point:
        yield "CPC-DF21, GPSO: x", rows["CPC-DF21"].point, None, "the row of CPC-DF20, printed twice"


def _feasible_ratios() -> Iterator[Row]:
    """Printed shares of admissible points that a count of as many draws does not confirm."""
    for id_ in CPC:
        ratio = feasible_ratios()[id_]
        if ratio["confirmed"] == "no":
            between = f"counted, 95 % from {ratio['95 % from (%)']} to {ratio['95 % to (%)']}: cpcbench feasible"
            yield f"{id_}: feasible ratio, percent", float(ratio["published (%)"]), float(ratio["ratio (%)"]), between


def _structures() -> Iterator[Row]:
    """Printed numbers of optima and separability that the formulas contradict."""
    for id_ in CPC:
        p, known = problem(id_, rule=RULE), facts(id_)
        base, _, power = known.published.optima.partition("^")
        said, counted = int(base) ** int(power or 1), optima(p)
        if said < counted.at_least or (counted.at_most is not None and said > counted.at_most):
            yield f"{id_}: number of optima", known.published.optima, counted.text, counted.how
        if known.separable != structure(p).separable:
            words = ["separable" if word else "not separable" for word in (known.separable, structure(p).separable)]
            yield f"{id_}: separability", *words, f"{structure(p).kind}: read off the formula"
    mirrors = [s.text for s in symmetries(problem("CPC-DF12", rule=RULE)).found if s.kind == "mirror"]
    if mirrors:
        remark = f"proven: {', '.join(mirrors)}; its own notation {facts('CPC-DF12').published.optima} says so too"
        yield "CPC-DF12: its optima, in the text", "asymmetric", "symmetric", remark


def _other() -> Iterator[Row]:
    starts, scripts = printed_figure("bfgs_starts"), printed_figure("bfgs_starts_in_public_scripts")
    yield "BFGS+MS: starts a run", int(starts), int(scripts), "the public scripts; nothing to recompute"


def _cpc_rows() -> list[PublishedResult]:
    return [r for r in published_results() if r.problem in CPC]


def _value(id_: str, x: tuple[float, ...]) -> float:
    return float(problem(id_, rule=RULE).reference(x))


def _same(a: float, b: float, tolerance: float = PRINTED_DIGITS) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return abs(a - b) <= tolerance * max(1.0, abs(b))


def _list(values: Sequence[float | None]) -> str:
    return ", ".join(f"{value:g}" for value in values)
