"""A CSV file of claimed solutions, verified row by row; a bad row does not lose the others."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cpcbench as cpc
from cpcbench.cli.words import read_number, read_numbers
from cpcbench.errors import CpcbenchError, PointError, shortened
from cpcbench.experiment.verify.types import type_rule
from cpcbench.experiment.verify.verification import Verdict, checked_tolerance, verify
from cpcbench.rules import check_rule

OTHER_NAMES = {"point": "x", "algorithm": "solver", "value": "reported"}
LONGEST_FIELD = 10_000_000
"""A point of 10,000 coordinates is longer than the csv module's own limit."""


@dataclass
class ClaimFile:
    """All rows of a file by their lines: verified, with the solver's name, not verifiable, or without a point."""

    claims: list[tuple[int, str, Verdict]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    skipped: int = 0

    @property
    def confirmed(self) -> int:
        return sum(verdict.confirmed for _, _, verdict in self.claims)


def verify_file(file: Path, rule: str, tolerance: float, types: str = "paper") -> ClaimFile:
    """Verifies every row of the file that states a point."""
    check_rule(rule)
    type_rule(types)
    checked_tolerance(tolerance)
    found = ClaimFile()
    for line, row in _rows(file):
        if not row["x"]:
            found.skipped += 1
            continue
        solver = row.get("solver", "")
        try:
            found.claims.append((line, solver, _verdict(row, rule, tolerance, types)))
        except CpcbenchError as error:
            problem = shortened(row["problem"])
            found.errors.append({"line": line, "problem": problem, "solver": solver, "error": str(error)})
    return found


def _verdict(row: dict[str, str], rule: str, tolerance: float, types: str) -> Verdict:
    point = read_numbers([row["x"]])
    rule = row.get("rule") or rule  # as in the runs of a study: they were made under a rule of their own
    p = cpc.problem(shortened(row["problem"]), rule=rule)
    if p.scalable:
        p = cpc.problem(p.id, n=len(point), rule=rule)
    if len(point) != p.dim:
        raise PointError(f"{p.id} has {p.dim} variables, the point has {len(point)} coordinates")
    reported = row.get("reported", "")
    return verify(p, point, read_number(reported) if reported else None, tolerance=tolerance, types=types)


def _rows(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row under the names used here, with the line it ends on."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        reader = csv.reader(io.StringIO(_text(file), newline=""))
        given = [cell.strip().lower() for cell in next(reader, [])]
        names = [OTHER_NAMES.get(name, name) for name in given]
        missing = [name for name in ("problem", "x") if name not in names]
        if missing:
            raise CpcbenchError(
                f"{file} has no column {' and no column '.join(missing)}: the columns are problem, x (coordinates "
                f"with blanks between) and reported, in any order; its first line is {shortened(','.join(names))!r}"
            )
        for cells in reader:
            if cells:
                padded = [cell.strip() for cell in cells] + [""] * (len(names) - len(cells))
                yield reader.line_num, dict(zip(names, padded, strict=False))
    except csv.Error as error:
        raise CpcbenchError(f"{file} is not a CSV file: line {reader.line_num}: {error}") from None
    finally:
        csv.field_size_limit(before)


def _text(file: Path) -> str:
    """The file's text: UTF-8, or any encoding that extends ASCII, since ids and numbers are ASCII."""
    content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    if b"\0" in content:
        raise CpcbenchError(f"{file} is not a CSV file in UTF-8: it holds zero bytes, as binary files and UTF-16 do")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
