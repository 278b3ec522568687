"""Results of other programs, from a CSV file into a study: verified, typed and reported as any run.

A file is read strictly: a row that cannot be read is named by its line, and then nothing is stored.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from cpcbench.errors import CpcbenchError, PointError, shortened
from cpcbench.experiment.plan.plan import Task
from cpcbench.experiment.store.record import IMPORTED, RunRecord
from cpcbench.experiment.store.store import Store, same_setting
from cpcbench.experiment.workers.execution import recorded
from cpcbench.limits import MOST_RUNS
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import problem
from cpcbench.rules import check_rule
from cpcbench.solvers.registry import Solver
from cpcbench.solvers.run import Outcome

OTHER_NAMES = {"x": "point", "algorithm": "solver", "value": "reported"}
NEEDED = ("solver", "problem", "point")
OPTIONAL = ("reported", "run", "rule", "evaluations", "seconds")
LONGEST_FIELD = 10_000_000
LONGEST_NAME = 100
MOST_SHOWN = 5
"""Errors of a file that are named; the others are counted."""
SETTING = {"imported": True}
"""What a study notes of a solver whose runs were not made here: never mixed with runs of ours of the same name."""

Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class Result:
    """One row of a file: what a program says it found; `point` is None if it found nothing."""

    line: int
    solver: str
    problem: Problem
    point: tuple[float, ...] | None
    reported: float | None
    run: int
    evaluations: int
    seconds: float


def import_results(file: str | Path, store: str | Path, *, rule: str = "ieee") -> list[RunRecord]:
    """Stores the results of a CSV file as runs of a study, all of them or none, and returns them.

    Its columns are solver, problem, point (coordinates with blanks between; empty: nothing was found) and, if
    wanted, reported, run, rule, evaluations and seconds, in any order. Without run the rows of a solver on a
    problem are numbered from 1 on; `rule` is for rows that state none.
    """
    content = Path(file).read_bytes()
    results = read_results(_decoded(content, str(file)), str(file), rule)
    source = {"path": Path(file).name, "sha256": hashlib.sha256(content).hexdigest()}
    with Store(store, writing=True) as study:
        _check_new(study, results)
        records = [_record(result, source) for result in results]
        solvers = {**study.settings().get("solvers", {}), **{result.solver: SETTING for result in results}}
        study.note(solvers=solvers)
        study.add(records)
    return records


def read_results(text: str, name: str, rule: str = "ieee") -> list[Result]:
    """The rows of a CSV text; `name` is what errors call the file."""
    check_rule(rule)
    found: list[Result] = []
    errors: list[str] = []
    numbered: Counter[tuple[str, str, int, str]] = Counter()
    for line, row in _rows(text, name):
        try:
            found.append(_result(line, row, rule, numbered))
        except CpcbenchError as error:
            errors.append(f"line {line}: {error}")
        if len(found) > MOST_RUNS:
            raise CpcbenchError(f"{name} has more than {MOST_RUNS:,} results: make several studies of it")
    first: dict[object, int] = {}
    errors += [
        f"line {result.line}: run {result.run} of {result.solver} is in line {before} already"
        for result in found
        if (before := first.setdefault(_key(result), result.line)) != result.line
    ]
    if errors:
        left = len(errors) - MOST_SHOWN
        more = f"; and {left} more" if left > 0 else ""
        raise CpcbenchError(f"{name}: {'; '.join(errors[:MOST_SHOWN])}{more}; nothing was imported")
    if not found:
        raise CpcbenchError(f"{name} holds no results")
    return found


def _rows(text: str, name: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row by the names of its columns, with the line it ends on."""
    before = csv.field_size_limit(LONGEST_FIELD)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        names = [OTHER_NAMES.get(cell, cell) for cell in (c.strip().lower() for c in next(reader, []))]
        missing = [word for word in NEEDED if word not in names]
        unknown = [word for word in names if word not in (*NEEDED, *OPTIONAL)]
        twice = [word for word, count in Counter(names).items() if count > 1]
        if missing or unknown or twice:
            wrong = [*(f"no column {w}" for w in missing), *(f"an unknown column {shortened(w)!r}" for w in unknown)]
            wrong += [f"the column {w} twice" for w in twice]
            raise CpcbenchError(
                f"{name} has {', '.join(wrong)}: the columns are {', '.join(NEEDED)} and, if wanted, "
                f"{', '.join(OPTIONAL)}"
            )
        for cells in reader:
            if len(cells) == len(names):
                yield reader.line_num, dict(zip(names, (cell.strip() for cell in cells), strict=True))
            elif cells:
                raise CpcbenchError(f"{name}: line {reader.line_num} has {len(cells)} cells, the first {len(names)}")
    except csv.Error as error:
        raise CpcbenchError(f"{name} is not a CSV file: line {reader.line_num}: {error}") from None
    finally:
        csv.field_size_limit(before)


def _decoded(content: bytes, name: str) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CpcbenchError(f"{name} is not a text file in UTF-8") from None
    if "\0" in text:
        raise CpcbenchError(f"{name} is not a CSV file in UTF-8: it holds zero bytes")
    return text


def _result(line: int, row: dict[str, str], rule: str, numbered: Counter[tuple[str, str, int, str]]) -> Result:
    solver = row["solver"]
    if not solver or len(solver) > LONGEST_NAME or not solver.isprintable():
        raise CpcbenchError(f"a solver has a name of 1 to {LONGEST_NAME} characters, not {shortened(solver)!r}")
    rule = check_rule(row.get("rule") or rule)
    point = tuple(_number(word, "point", float) for word in row["point"].replace(";", " ").split()) or None
    p = problem(shortened(row["problem"]), rule=rule)
    if point and p.scalable:
        p = problem(p.id, n=len(point), rule=rule)
    if point and len(point) != p.dim:
        raise PointError(f"{p.id} has {p.dim} variables, the point has {len(point)} coordinates")
    reported = _number(row["reported"], "reported", float) if row.get("reported") else None
    cell = solver, p.id, p.dim, rule
    numbered[cell] += 1
    run = _number(row["run"], "run", int, 1) if row.get("run") else numbered[cell]
    evaluations = _number(row["evaluations"], "evaluations", int) if row.get("evaluations") else 0
    seconds = _number(row["seconds"], "seconds", float) if row.get("seconds") else math.nan
    return Result(line, solver, p, point, reported, run, evaluations, seconds)


def _number(word: str, what: str, kind: type[Number], least: int | None = None) -> Number:
    wanted = "a finite number" if kind is float else f"a whole number from {least or 0} on"
    wrong = CpcbenchError(f"{what} takes {wanted}, not {shortened(word)!r}")
    try:
        value = kind(word)
    except ValueError:
        raise wrong from None
    if not math.isfinite(value) or (kind is int and not (least or 0) <= value < 2**53):
        raise wrong
    return value


def _key(result: Result) -> tuple[str, int, str, str, int]:
    return result.problem.id, result.problem.dim, result.problem.rule, result.solver, result.run


def _check_new(study: Store, results: list[Result]) -> None:
    """What would be lost in, or mixed up with, what the study holds is refused."""
    there = study.keys()
    settings = study.settings().get("solvers", {})
    for name in {result.solver for result in results} & {key[3] for key in there}:
        if not same_setting(settings.get(name), SETTING):
            raise CpcbenchError(f"{study.path} holds runs of {name} that were made here: choose another store")
    for result in results:
        if _key(result) in there:
            raise CpcbenchError(
                f"line {result.line}: {study.path} holds run {result.run} of {result.solver} on {result.problem.id} "
                "already; nothing was imported"
            )


def _record(result: Result, source: dict[str, str]) -> RunRecord:
    outcome = Outcome(IMPORTED, result.point, result.reported, result.evaluations, 0, result.seconds, ())
    method = Solver(result.solver, _no_method)
    made = recorded(Task(result.problem, method, result.solver, result.run, 0), method, outcome)
    return replace(made, seed="", solver_source=source)


def _no_method(*_: Any) -> None:
    raise CpcbenchError("an imported result is on record, its run cannot be repeated")
