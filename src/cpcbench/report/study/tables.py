"""The tables of a study: best solutions, solution types, and how often each solver succeeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.verify.types import DEFAULT, TYPES, Tolerances
from cpcbench.problems.facts import facts
from cpcbench.report.problems.close_ups import df3_conditions, df3_neighbours, df15_sensitivity
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.solutions import (
    CLASSICS,
    CPC,
    Solution,
    at_published_size,
    problem_of,
    solutions,
    solver_names,
)
from cpcbench.report.table import Cell, Table

COMPARED = ("CPC-DF2", "CPC-DF16", "CPC-DF19", *CLASSICS)
"""The functions of the published comparison with functions from elsewhere."""

GROUP_LIMIT = 1.0
"""Percent of published feasible ratio that parts the two groups."""


def study_tables(records: Iterable[RunRecord], tolerances: Tolerances = DEFAULT) -> list[Table]:
    """Every table of a study, rule by rule; results under different rules are never mixed."""
    made: list[Table] = []
    seen = Circumstances()
    for found in _by_rule(seen.watching(records), tolerances):
        made += seen.stated(_summaries(found) + function_tables(found) + _df3(found), _rule(found))
    return [*made, df3_neighbours(), df3_conditions(), df15_sensitivity()]


def summary_tables(records: Iterable[RunRecord], tolerances: Tolerances = DEFAULT) -> list[Table]:
    """The tables that show a whole study at a glance: types, and runs of Type I."""
    seen = Circumstances()
    parts = _by_rule(seen.watching(records), tolerances)
    return [t for found in parts for t in seen.stated([types_found(found), success_counts(found)], _rule(found))]


def _by_rule(records: Iterable[RunRecord], tolerances: Tolerances) -> list[list[Solution]]:
    found = solutions(records, tolerances=tolerances)
    if not found:
        raise CpcbenchError("there are no runs to report: run a study first")
    rules = sorted({s.record.rule for s in found})
    return [[s for s in found if s.record.rule == rule] for rule in rules]


def _summaries(found: list[Solution]) -> list[Table]:
    made = [types_found(found), success_counts(found)]
    if at_published_size(found, CPC):
        made += [type_distribution(found), feasible_ratio_groups(found)]
    if at_published_size(found, COMPARED):
        made.append(comparison(found))
    return made


def _df3(found: list[Solution]) -> list[Table]:
    return [reevaluation(found, "CPC-DF3")] if at_published_size(found, ("CPC-DF3",)) else []


def function_tables(found: Sequence[Solution]) -> list[Table]:
    """One table a problem: each solver's best run."""
    keys = dict.fromkeys((s.record.problem, s.record.n, s.record.rule) for s in found)
    return [_function_table([s for s in found if (s.record.problem, s.record.n, s.record.rule) == key]) for key in keys]


def _function_table(found: list[Solution]) -> Table:
    record = found[0].record
    known = problem_of(record)
    best = known.best_known if known else None
    notes = [
        "Of several runs the one with the lowest verified value is shown, whatever was reported; thin points and "
        "artefacts below the best-known value are kept apart as records."
    ]
    rows: list[tuple[Cell, ...]] = []
    if best is not None:
        rows.append(("best known", tuple(best.points[0].tolist()), None, best.value, None, None, None, None))
        notes.append(f"Best known: {best.source}, rule {best.rule}; {len(best.points)} point(s).")
    by_name = {s.record.solver: s for s in found}
    rows += [_function_row(by_name[name]) for name in solver_names(found)]
    return Table(
        key=f"solutions-{record.problem}-n{record.n}-{record.rule}",
        title=f"Best solutions on {record.problem}, n = {record.n} (rule {record.rule})",
        columns=("solver", "x", "reported", "verified", "kind", "types", "record", "Type I runs"),
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _function_row(s: Solution) -> tuple[Cell, ...]:
    r = s.record
    return (
        r.solver,
        r.x,
        r.reported,
        None if r.x is None else r.verified,
        r.kind,
        s.assessment.text,
        s.flag or None,
        s.success,
    )


def type_distribution(found: Sequence[Solution]) -> Table:
    """For each solver the share of the 25 functions on which its best solution is of each type."""
    cpc = at_published_size(found, CPC)
    names = solver_names(cpc)
    groups = {name: [s for s in cpc if s.record.solver == name] for name in names}
    rows = tuple((f"Type {type_} (%)", *(share(groups[name], type_) for name in names)) for type_ in TYPES)
    short = [
        f"{name}: {len(group)} of {len(CPC)} functions." for name, group in groups.items() if len(group) < len(CPC)
    ]
    return Table(
        key=f"type-distribution-{_rule(found)}",
        title=f"Solution types on the CPC functions, in percent of the functions (rule {_rule(found)})",
        columns=("", *names),
        rows=rows,
        notes=(_IV_NOTE, *short, *_flags(cpc)),
    )


def feasible_ratio_groups(found: Sequence[Solution]) -> Table:
    """The types on functions with much and with little admissible space, all solvers together."""
    cpc = at_published_size(found, CPC)
    groups: dict[str, Callable[[float], bool]] = {
        f"FR > {GROUP_LIMIT:g} %": lambda ratio: ratio > GROUP_LIMIT,
        f"FR < {GROUP_LIMIT:g} %": lambda ratio: ratio <= GROUP_LIMIT,
    }
    rows = []
    for name, belongs in groups.items():
        group = [s for s in cpc if belongs(facts(s.record.problem).published.feasible_ratio)]
        rows.append((name, *(share(group, type_) for type_ in TYPES), len(group)))
    return Table(
        key=f"feasible-ratio-groups-{_rule(found)}",
        title=f"Solution types by published feasible ratio (rule {_rule(found)})",
        columns=("functions", *(f"Type {type_} (%)" for type_ in TYPES), "solutions"),
        rows=tuple(rows),
        notes=(_IV_NOTE, f"Solvers: {', '.join(solver_names(cpc))}."),
    )


def comparison(found: Sequence[Solution]) -> Table:
    """Types on three CPC functions and on three well-known discontinuous ones."""
    shown = at_published_size(found, COMPARED)
    return _grid(
        shown,
        key=f"comparison-{_rule(found)}",
        title=f"CPC functions beside known discontinuous functions (rule {_rule(found)})",
        cell=lambda s: s.assessment.text,
    )


def types_found(found: Sequence[Solution]) -> Table:
    """The types of every solver's best solution on every function."""
    return replace(
        _grid(
            found,
            key=f"types-{_rule(found)}",
            title=f"Types of the best solutions (rule {_rule(found)})",
            cell=lambda s: s.assessment.text + (" *" if s.flag else ""),
        ),
        notes=(*(f"* {text}" for text in _flags(found)), *_functions(found), *_failures(found)),
    )


def success_counts(found: Sequence[Solution]) -> Table:
    """How many of the runs were of Type I."""
    return _grid(
        found,
        key=f"success-{_rule(found)}",
        title=f"Runs of Type I, of all runs (rule {_rule(found)})",
        cell=lambda s: s.success,
    )


def reevaluation(found: Sequence[Solution], id_: str) -> Table:
    """Reported and verified value of the solutions of Type IV on one function."""
    rows: list[tuple[Cell, ...]] = []
    for s in at_published_size(found, (id_,)):
        if "IV" in s.assessment.types:
            rows.append((f"{s.record.solver} (reported)", s.record.x, s.record.reported))
            rows.append((f"{s.record.solver} (re-evaluated)", s.record.x, s.record.verified))
    return Table(
        key=f"reevaluation-{id_}-{_rule(found)}",
        title=f"Solutions of Type IV on {id_}, evaluated again (rule {_rule(found)})",
        columns=("solver", "x", "value"),
        rows=tuple(rows),
        notes=() if rows else ("No solver's best solution is of Type IV.",),
    )


def share(group: Sequence[Solution], type_: str) -> float | None:
    """Percent of the solutions that are of a type, to one decimal; None if there are none."""
    return round(100.0 * sum(type_ in s.assessment.types for s in group) / len(group), 1) if group else None


_IV_NOTE = "Type IV comes on top of I and II, or alone for an inadmissible point; the types need not add up to 100."


def _flags(found: Iterable[Solution]) -> list[str]:
    return [f"{s.record.problem}, {s.record.solver}: {s.flag}." for s in found if s.flag]


def _functions(found: Sequence[Solution]) -> list[str]:
    """Problems of which less can be said than of the others."""
    names = dict.fromkeys(s.record.problem for s in found if s.record.kind == "re-evaluated")
    if not names:
        return []
    return [
        f"Functions without a formula, whose values were evaluated again and that is all: {', '.join(names)}. "
        "Faithful, thin and artefact need a formula, Types I and II a best-known solution."
    ]


def _failures(found: Sequence[Solution]) -> list[str]:
    """A solver that raises finds nothing either, but that is another thing than Type III."""
    notes = []
    for name in solver_names(found):
        mine = [s for s in found if s.record.solver == name]
        first = next((s.first_failed for s in mine if s.first_failed is not None), None)
        if first is not None:
            failed, total = sum(s.failed for s in mine), sum(s.runs for s in mine)
            where = f"{first.problem} run {first.run}: {shortened(first.message)}"
            notes.append(f"{name}: {failed} of {total} runs FAILED, the first of them {where}")
    return notes


def shortened(message: str, longest: int = 200) -> str:
    return message if len(message) <= longest else f"{message[: longest - 3]}..."


def _grid(found: Sequence[Solution], *, key: str, title: str, cell: Callable[[Solution], Cell]) -> Table:
    """Functions down, solvers across."""
    names = solver_names(found)
    labels = dict.fromkeys(_label(s) for s in found)
    cells = {(_label(s), s.record.solver): cell(s) for s in found}
    rows = tuple((label, *(cells.get((label, name)) for name in names)) for label in labels)
    return Table(key=key, title=title, columns=("function", *names), rows=rows)


def _label(s: Solution) -> str:
    """The problem's id, with its size where that is not the published one."""
    r = s.record
    return r.problem if at_published_size([s], (*CPC, *CLASSICS)) else f"{r.problem} (n = {r.n})"


def _rule(found: Sequence[Solution]) -> str:
    return ", ".join(sorted({s.record.rule for s in found})) or "none"
