"""The tables of a study: best solutions, solution types, and how often each solver succeeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.plan.problems import CLASSICS, CPC, known_problem
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.verify.types import TYPES, held_against, type_rule
from cpcbench.problems.facts import facts
from cpcbench.report.problems.close_ups import df3_conditions, df3_neighbours, df15_sensitivity
from cpcbench.report.study import solutions as best
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.solutions import Solution, at_published_size, held_line, share, solver_names
from cpcbench.report.table import Cell, Row, Table

COMPARED = ("CPC-DF2", "CPC-DF16", "CPC-DF19", *CLASSICS)
"""The functions of the published comparison with functions from elsewhere."""

GROUP_LIMIT = 1.0
"""Percent of published feasible ratio that parts the two groups."""


def study_tables(records: Iterable[RunRecord], types: str = "paper") -> list[Table]:
    """Every table of a study, rule by rule; results under different rules are never mixed."""
    return [*_by_rule(records, types, _all), df3_neighbours(), df3_conditions(), df15_sensitivity()]


def summary_tables(records: Iterable[RunRecord], types: str = "paper") -> list[Table]:
    """The tables that show a whole study at a glance: types, and runs of Type I."""
    return list(_by_rule(records, types, lambda found: [types_found(found), success_counts(found)]))


def _by_rule(
    records: Iterable[RunRecord], types: str, tables: Callable[[list[Solution]], Iterable[Table]]
) -> Iterator[Table]:
    seen = Circumstances()
    found = best.solutions(seen.watching(records), types)
    if not found:
        raise CpcbenchError("there are no runs to report: run a study first")
    for rule in sorted({s.record.rule for s in found}):
        mine = [s for s in found if s.record.rule == rule]
        yield from seen.stated(tables(mine), rule, *standard_lines(mine, types))


def standard_lines(found: Iterable[Solution], types: str) -> tuple[str, str]:
    """What the types of solutions rest on: the rule for the types, and what each function is held against."""
    return type_rule(types).text, held_line({s.label: s.held for s in found})


def _all(found: list[Solution]) -> Iterator[Table]:
    """The tables of the runs under one rule."""
    yield types_found(found)
    yield success_counts(found)
    if at_published_size(found, CPC):
        yield type_distribution(found)
        yield feasible_ratio_groups(found)
    if at_published_size(found, COMPARED):
        yield comparison(found)
    yield from function_tables(found)
    if at_published_size(found, ("CPC-DF3",)):
        yield reevaluation(found, "CPC-DF3")


def _table(
    found: Sequence[Solution], key: str, title: str, columns: Iterable[str], rows: Iterable[Row], notes: Iterable[str]
) -> Table:
    rule = ", ".join(sorted({s.record.rule for s in found})) or "none"
    return Table(f"{key}-{rule}", f"{title} (rule {rule})", columns, rows, notes)


def function_tables(found: Sequence[Solution]) -> list[Table]:
    """One table a problem: each solver's best run."""
    keys = dict.fromkeys(s.record.key[:3] for s in found)
    return [_function_table([s for s in found if s.record.key[:3] == key]) for key in keys]


def _function_table(found: list[Solution]) -> Table:
    record = found[0].record
    known = known_problem(*record.key[:3])
    notes = [
        "Of several runs the one with the lowest verified value is shown, whatever was reported; thin points and "
        "artefacts below the value that they are held against are kept apart as records."
    ]
    rows: list[Row] = []
    on_record = [] if known is None else [known.published, known.best_known]
    for lowest in (entry for entry in on_record if entry is not None):
        what = held_against(lowest)
        if what not in (row[0] for row in rows):
            rows.append((what, tuple(lowest.points[0].tolist()), None, lowest.value, None, None, None, None))
            notes.append(f"{what.capitalize()}: {lowest.source}, rule {lowest.rule}; {len(lowest.points)} point(s).")
    by_name = {s.record.solver: s for s in found}
    for s in (by_name[name] for name in solver_names(found)):
        r, verified = s.record, None if s.record.x is None else s.record.verified
        rows.append((r.solver, r.x, r.reported, verified, r.kind, s.assessment.text, s.flag or None, s.success))
    return _table(
        found, f"solutions-{record.problem}-n{record.n}", f"Best solutions on {record.problem}, n = {record.n}",
        ("solver", "x", "reported", "verified", "kind", "types", "record", "Type I runs"), rows, notes,
    )  # fmt: skip


def type_distribution(found: Sequence[Solution]) -> Table:
    """For each solver the share of the 25 functions on which its best solution is of each type."""
    cpc = at_published_size(found, CPC)
    groups = {name: [s for s in cpc if s.record.solver == name] for name in solver_names(cpc)}
    short = [
        f"{name}: {len(group)} of {len(CPC)} functions." for name, group in groups.items() if len(group) < len(CPC)
    ]
    return _table(
        found, "type-distribution", "Solution types on the CPC functions, in percent of the functions", ("", *groups),
        ((f"Type {type_} (%)", *(share(_types(group), type_) for group in groups.values())) for type_ in TYPES),
        (_IV_NOTE, *short, *_flags(cpc)),
    )  # fmt: skip


def feasible_ratio_groups(found: Sequence[Solution]) -> Table:
    """The types on functions with much and with little admissible space, all solvers together."""
    cpc = at_published_size(found, CPC)
    rows = []
    for sign in "><":
        group = [s for s in cpc if (facts(s.record.problem).published.feasible_ratio > GROUP_LIMIT) is (sign == ">")]
        rows.append((f"FR {sign} {GROUP_LIMIT:g} %", *(share(_types(group), type_) for type_ in TYPES), len(group)))
    return _table(
        found, "feasible-ratio-groups", "Solution types by published feasible ratio",
        ("functions", *(f"Type {type_} (%)" for type_ in TYPES), "solutions"), rows,
        (_IV_NOTE, f"Solvers: {', '.join(solver_names(cpc))}."),
    )  # fmt: skip


def comparison(found: Sequence[Solution]) -> Table:
    """Types on three CPC functions and on three well-known discontinuous ones."""
    shown = at_published_size(found, COMPARED)
    title = "CPC functions beside known discontinuous functions"
    return _grid(shown, "comparison", title, lambda s: s.assessment.text)


def types_found(found: Sequence[Solution]) -> Table:
    """The types of every solver's best solution on every function."""
    notes = (*(f"* {text}" for text in _flags(found)), *_functions(found), *_failures(found))
    return _grid(
        found, "types", "Types of the best solutions", lambda s: s.assessment.text + (" *" if s.flag else ""), notes
    )


def success_counts(found: Sequence[Solution]) -> Table:
    """How many of the runs were of Type I."""
    return _grid(found, "success", "Runs of Type I, of all runs", lambda s: s.success)


def reevaluation(found: Sequence[Solution], id_: str) -> Table:
    """Reported and verified value of the solutions of Type IV on one function."""
    rows: list[Row] = []
    for s in at_published_size(found, (id_,)):
        if "IV" in s.assessment.types:
            rows.append((f"{s.record.solver} (reported)", s.record.x, s.record.reported))
            rows.append((f"{s.record.solver} (re-evaluated)", s.record.x, s.record.verified))
    return _table(
        found, f"reevaluation-{id_}", f"Solutions of Type IV on {id_}, evaluated again", ("solver", "x", "value"), rows,
        () if rows else ("No solver's best solution is of Type IV.",),
    )  # fmt: skip


def _types(group: Iterable[Solution]) -> list[tuple[str, ...]]:
    return [s.assessment.types for s in group]


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
            where = f"{first.problem} run {first.run}: {best.shortened(first.message)}"
            notes.append(f"{name}: {failed} of {total} runs FAILED, the first of them {where}")
    return notes


def _grid(
    found: Sequence[Solution], key: str, title: str, cell: Callable[[Solution], Cell], notes: Iterable[str] = ()
) -> Table:
    """Functions down, solvers across."""
    names = solver_names(found)
    cells = {(s.label, s.record.solver): cell(s) for s in found}
    rows = ((label, *(cells.get((label, name)) for name in names)) for label in dict.fromkeys(s.label for s in found))
    return _table(found, key, title, ("function", *names), rows, notes)
