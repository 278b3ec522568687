"""The published results beside a study's own, cell by cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from cpcbench.experiment.plan.problems import CLASSICS, CPC
from cpcbench.experiment.plan.reproduction import ANSWERS, RUNS
from cpcbench.experiment.plan.scripts import SOURCE, other_boxes
from cpcbench.experiment.store.record import ELSEWHERE, RunRecord, plain
from cpcbench.experiment.verify.types import TYPES
from cpcbench.problems.checked import shown_box
from cpcbench.problems.facts import facts
from cpcbench.problems.published import PublishedResult, published_results
from cpcbench.report.paper.calibration import INCONSISTENT, MISFITS, calibration_table
from cpcbench.report.paper.cells import measured_cells
from cpcbench.report.paper.claims import claims_table
from cpcbench.report.paper.known_errors import known_errors
from cpcbench.report.paper.overviews import CLOSED
from cpcbench.report.paper.printed import RULE, printed_names, printed_table
from cpcbench.report.paper.tolerances import tolerances_table
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.solutions import ALGORITHMS, Solution, at_published_size, share, solutions
from cpcbench.report.study.tables import standard_lines
from cpcbench.report.table import Cell, Row, Table
from cpcbench.solvers.registry import PAPERS, solver

Measured = dict[tuple[str, str], Solution]
"""A study's solutions by problem and solver."""

OTHERWISE = ", other settings"
"""Added to a verdict where the algorithm was not run as published."""

ANSWERED = "answered by"
"""How a verdict begins where a closed program's published result stands beside our own solver's."""


def paper_tables(records: Iterable[RunRecord] = (), types: str = "paper") -> list[Table]:
    """The printed tables, what is wrong with them, and a study's results beside them if there are any."""
    rows = list(records)
    made = [claims_table(measured_cells(rows, types)), *(printed_table(name) for name in printed_names())]
    made += [collection_distribution(), known_errors(), calibration_table(), tolerances_table()]
    if rows:
        rule, found = measured(rows, types)
        tables = [side_by_side(rule, found), differences(rule, found)]
        lines = standard_lines(found.values(), types)
        made += Circumstances(r for r in rows if r.rule == rule).stated(tables, rule, *lines)
    return made


def collection_distribution() -> Table:
    """The printed distribution of types, counted again from the rows of the authors' collection."""
    groups = {a: [r.types for r in published_results() if r.problem in CPC and r.algorithm == a] for a in ALGORITHMS}
    return Table(
        key="collection-distribution",
        title="Solution types on the 25 CPC functions in percent, counted from the published collection",
        columns=("", *ALGORITHMS),
        rows=((f"Type {t} (%)", *(share(groups[a], t) for a in ALGORITHMS)) for t in TYPES),
        notes=("Types as published, not by a rule of ours.",),
    )


def side_by_side(rule: str, found: Measured) -> Table:
    """Published and measured types for every function and algorithm of the paper."""
    rows = [_cell_row(row, _answer(found, row)) for row in _published()]
    verdicts = Counter(str(row[4]) for row in rows)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    return Table(
        key="side-by-side",
        title=f"Published and measured solution types (measured under the rule {rule}, published under {RULE})",
        columns=("function", "solver", "published", "measured", "verdict", "remark", "measured by"),
        rows=rows,
        notes=(
            f"{len(rows)} cells: {counts}.",
            *(f"{name} is closed: {answer} is {CLOSED}." for name, answer in ANSWERS.items()),
            f"Boxes of published runs: {SOURCE}.",
            *_other_settings(found),
        ),
    )


def differences(rule: str, found: Measured) -> Table:
    """For each algorithm how far Type I and Type III are from the published shares, in percentage points."""
    printed = printed_table("type_distribution")
    rows = []
    for name in ALGORITHMS:
        cells = [r for r in _published() if r.algorithm == name]
        pairs = [(r, s) for r in cells if (s := _answer(found, r)) is not None]
        cpc = [(r, s) for r, s in pairs if r.problem in CPC]
        same = sum(r.types == s.assessment.types for r, s in pairs)
        shares: list[Cell] = []
        for type_ in ("I", "III"):
            shares += [
                printed.column(name)[TYPES.index(type_)],
                *_shares(cpc, type_),
            ]
        here = ", ".join(dict.fromkeys(s.record.solver for _, s in pairs)) or None
        rows.append((name, *shares, len(pairs), same, len(pairs) - same, here))
    heads = [f"{t} {what}" for t in ("I", "III") for what in ("printed %", "collection %", "measured %", "points")]
    return Table(
        key="differences",
        title=f"Measured solution types beside the published ones (measured under the rule {rule})",
        columns=("solver", *heads, "cells", "same", "different", "measured by"),
        rows=rows,
        notes=(
            "Shares are of the CPC functions that were run, printed ones of all 25; points: measured minus collection.",
            *(f"{name} is closed: {answer} is {CLOSED}." for name, answer in ANSWERS.items()),
            "Cells, same and different count the three functions from elsewhere too.",
            *_other_settings(found),
        ),
    )


def otherwise(record: RunRecord) -> list[str]:
    """How a run of one of the paper's algorithms was made differently from the published ones, in words."""
    if record.solver not in PAPERS or record.status in ELSEWHERE:
        return []
    method = solver(record.solver)
    found = []
    for name, ours, theirs in (("budget", record.budget, method.budget), ("s", record.seconds_limit, method.seconds)):
        if ours != theirs:
            pair = [("none" if v is None else f"{v:,g}") for v in (ours, theirs)]
            found.append(f"{name} {pair[0]} instead of {pair[1]}")
    settings = {str(k): plain(v) for k, v in method.parameters.items()}
    found += [f"{k} {v}" for k, v in record.parameters.items() if settings.get(k, object()) != v]
    return found


def _other_settings(found: Measured) -> list[str]:
    """The algorithms that were not run as published: a difference then says nothing of them."""
    words = {name: otherwise(s.record) for (_, name), s in found.items()}
    told = "; ".join(f"{name} ({', '.join(how)})" for name, how in words.items() if how)
    many = [s for (_, name), s in found.items() if name in PAPERS and not solver(name).deterministic]
    runs = sorted({s.runs for s in many if s.record.status not in ELSEWHERE} - {RUNS})
    notes = [f"Not the published settings, so that a difference says little: {told}."] if told else []
    if runs:
        made = " to ".join(map(str, sorted({runs[0], runs[-1]})))
        notes.append(f"The published results are the best of {RUNS} runs, these of {made}.")
    return notes


def measured(records: Iterable[RunRecord], types: str = "paper") -> tuple[str, Measured]:
    """The rule that is compared, and the study's solutions under it by problem and solver.

    Types are given by the rule named, as in every other table of a report. The rule of admissibility is the
    published one if the study has runs under it.
    """
    rows = list(records)
    rules = sorted({row.rule for row in rows})
    rule = RULE if RULE in rules or not rules else rules[0]
    found = solutions((row for row in rows if row.rule == rule), types)
    known = at_published_size(found, (*CPC, *CLASSICS))
    return rule, {(s.record.problem, s.record.solver): s for s in known}


def _answer(found: Measured, row: PublishedResult) -> Solution | None:
    """What stands beside a published result: the algorithm's own runs, else those of our answer to a closed program."""
    own = found.get((row.problem, row.algorithm))
    return own or found.get((row.problem, ANSWERS.get(row.algorithm, "")))


def _published() -> list[PublishedResult]:
    ids = (*CPC, *CLASSICS)
    return sorted(published_results(), key=lambda r: (ids.index(r.problem), ALGORITHMS.index(r.algorithm)))


def _cell_row(row: PublishedResult, s: Solution | None) -> Row:
    measured = s.assessment.text if s else None
    if s is None:
        verdict = "not run"
    else:
        verdict = "same" if s.assessment.types == row.types else "different"
        verdict += OTHERWISE if otherwise(s.record) else ""
        verdict = verdict if s.record.solver == row.algorithm else f"{ANSWERED} {s.record.solver}, {verdict}"
    key = row.problem, row.algorithm
    doubt = INCONSISTENT.get(key) or MISFITS.get(key)
    remarks = [f"published: {doubt}" if doubt else "", f"measured: {s.flag}" if s and s.flag else "", _boxes(row, s)]
    return (
        row.problem, row.algorithm, ", ".join(row.types), measured, verdict,
        "; ".join(filter(None, remarks)) or None, s.record.solver if s else None,
    )  # fmt: skip


def _boxes(row: PublishedResult, s: Solution | None) -> str:
    """Where the published run searched another box than the paper prints, which one, and ours."""
    if row.problem not in other_boxes():
        return ""
    theirs, printed = (_box(row.problem, box) for box in (other_boxes()[row.problem], facts(row.problem).box[0]))
    ours = s.record.problem_source.get("box", printed) if s and s.record.status not in ELSEWHERE else None
    return f"boxes: printed {printed}, of the published run {theirs}" + (f", measured {ours}" if ours else "")


def _box(id_: str, box: tuple[float, float]) -> str:
    return shown_box(*(np.full(facts(id_).n, side) for side in box))


def _shares(pairs: Sequence[tuple[PublishedResult, Solution]], type_: str) -> Row:
    """Published, measured, and how far apart."""
    if not pairs:
        return None, None, None
    types = [(r.types, s.assessment.types) for r, s in pairs]
    published, ours = (
        100.0 * sum(type_ in each for each in column) / len(pairs) for column in zip(*types, strict=True)
    )
    return round(published, 1), round(ours, 1), round(ours - published, 1)
