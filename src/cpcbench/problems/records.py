"""The lowest points known of each kind, faithful, thin and artefact, kept in `records.jsonl`, one a line.

A record says what its value is by the readings, where it is, and which command found it. A better point of
its kind takes its place; nothing else is ever dropped.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cpcbench.errors import CpcbenchError
from cpcbench.files import write_text
from cpcbench.points import Points
from cpcbench.problems.facts import BestKnown, Facts, Published, with_signs
from cpcbench.problems.kinds import FAITHFUL, Kind, close
from cpcbench.problems.proven import Proven, proven_of
from cpcbench.rules import RULES

KINDS: tuple[Kind, ...] = ("faithful", "thin", "artefact")

SAME_PLACE = 1e-3
"""Points within this share of the box's width in every coordinate are one place."""

Point = tuple[float, ...]


@dataclass(frozen=True)
class Record:
    """One line: the lowest point of its kind, first of `where`; the others there have the same value.

    `value` is the verdict in correctly rounded doubles, `real` encloses the real value (None: it has none).
    `rule` is the narrowest rule the points are admissible under, and the signs of the coordinates in `flip`
    (numbered from 1) are free.
    """

    problem: str
    kind: Kind
    rule: str
    value: float
    real: tuple[float, float] | None
    where: tuple[Point, ...]
    flip: tuple[int, ...]
    command: str
    version: str
    date: str

    @property
    def x(self) -> Point:
        """The point itself."""
        return self.where[0]

    @property
    def points(self) -> NDArray[np.float64]:
        """All the points, one a row, the record's own first."""
        return with_signs([list(x) for x in self.where], list(self.flip))

    @property
    def key(self) -> tuple[str, int, str]:
        """What there is one record of: a problem, a size and a kind."""
        return self.problem, len(self.x), self.kind

    def beats(self, other: Record) -> bool:
        """Whether it takes the other's place: lower, or as low at more points."""
        return self.value < other.value or (self.value == other.value and len(self.points) > len(other.points))


@dataclass(frozen=True)
class Records:
    """The records of one problem; None where no point of that kind is known."""

    faithful: Record | None = None
    thin: Record | None = None
    artefact: Record | None = None


class Known:
    """What is known about a problem: the part of it that looks things up."""

    id: str
    dim: int
    lower: Points
    upper: Points
    rule: str
    smallest_dim: int | None
    facts: Facts | None

    @property
    def title(self) -> str:
        """A few words that describe the formula; the id for a problem of the user's own."""
        return self.facts.title if self.facts else self.id

    @property
    def scalable(self) -> bool:
        """Whether the formula is written for other sizes too."""
        return self.smallest_dim is not None

    @property
    def separable(self) -> bool | None:
        """Whether it is published as separable; None if not stated."""
        return self.facts.separable if self.facts else None

    @property
    def category(self) -> str | None:
        """Where its discontinuity comes from: domain-induced, piecewise, stepwise or numerical."""
        return self.facts.category if self.facts else None

    @property
    def published(self) -> Published | None:
        """The published record; None at other than the published size."""
        return self.facts.published_at(self.dim) if self.facts else None

    @property
    def records(self) -> Records:
        """The lowest faithful, thin and artefact points known, under the problem's rule."""
        return records_of(self.facts.id, self.dim, self.rule) if self.facts else Records()

    @property
    def proven(self) -> tuple[Proven, ...]:
        """What certificates of the package prove of it; nothing on another box than the suite's."""
        here = self.facts is not None and self.facts.on_box(self.lower, self.upper)
        return proven_of(self.facts.id, self.dim) if self.facts and here else ()


def own_file() -> Path:
    """The file of the package."""
    return Path(str(resources.files("cpcbench.problems").joinpath("records.jsonl")))


def read_records(path: Path | None = None) -> list[Record]:
    """All records of a file, the package's own if none is named."""
    source = own_file() if path is None else path
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise CpcbenchError(f"{source} is no file of records: it is not text") from None
    return [_record(line, f"{source}, line {i}") for i, line in enumerate(lines, start=1) if line.strip()]


def write_records(records: Iterable[Record], path: Path) -> None:
    """Writes all of them or, if something fails, nothing."""
    text = "".join(json.dumps(asdict(record), allow_nan=False) + "\n" for record in records)
    try:
        write_text(path, text)
    except OSError as error:
        raise _not_written(path, error) from None


def merged(old: Iterable[Record], new: Iterable[Record]) -> list[Record]:
    """The best of each problem, size and kind, in the order they came; of equals the older one."""
    best: dict[tuple[str, int, str], Record] = {}
    for record in (*old, *new):
        if record.key not in best or record.beats(best[record.key]):
            best[record.key] = record
    return list(best.values())


def records_of(problem: str, n: int, rule: str = "ieee") -> Records:
    """The package's records of a problem at this size, those that are admissible under the rule."""
    found = {kind: _all().get((problem, n, kind)) for kind in KINDS}
    return Records(**{kind: r if r and (r.rule == "strict" or rule == "ieee") else None for kind, r in found.items()})


def best_of(
    published: BestKnown | None, faithful: Record | None, width: NDArray[np.float64], proof: Proven | None = None
) -> BestKnown | None:
    """The best-known solution: the proven infimum, else the lower of the faithful record and the published one.

    The points of the record and the published ones belong to it as far as their values are the same, as faithful
    values tell; of those at the same places, as shares of the box's width, the record's stay. A proof without such
    points is at its own.
    """
    known = [(record.value, record.points) for record in (faithful, published) if record is not None]
    if proof is None or proof.upper is None:
        if faithful is None or (published is not None and published.value <= faithful.value):
            return published
        value, rule, kind = faithful.value, faithful.rule, "faithful"
        source = f"cpcbench {faithful.version}, {faithful.date}: {faithful.command}"
    else:
        value, rule, kind = proof.upper, "strict", "proven"
        source = f"certificate {proof.file}: {proof.command}"
        known.append((proof.upper, np.array([proof.x])))
    points = np.empty((0, len(width)))
    for at, where in known:
        if close(at, value, FAITHFUL):
            apart = np.abs(where[:, None, :] - points[None, :, :])
            elsewhere = ~np.any(np.all(apart <= SAME_PLACE * width, axis=2), axis=1)
            points = np.concatenate([points, where[elsewhere]])
    return BestKnown(value, points, rule, source, kind)


@cache
def _all() -> dict[tuple[str, int, str], Record]:
    return {record.key: record for record in read_records()}


def _not_written(path: Path, error: OSError) -> CpcbenchError:
    return CpcbenchError(
        f"{path} cannot be written ({error.strerror or error}): give a file that can be with --output FILE"
    )


def _record(line: str, place: str) -> Record:
    try:
        entry = json.loads(line)
    except ValueError:
        raise CpcbenchError(f"{place}: a record is a JSON object, not {line[:60]!r}") from None
    wanted = [field.name for field in fields(Record)]
    if not isinstance(entry, dict) or sorted(entry) != sorted(wanted):
        raise CpcbenchError(f"{place}: a record has the fields {', '.join(wanted)}")
    try:
        return _checked(entry)
    except (TypeError, ValueError) as error:
        raise CpcbenchError(f"{place}: {error}") from None


def _checked(entry: dict[str, Any]) -> Record:
    """The record, if every field is what it should be; ValueError or TypeError if not."""
    for name, accepted in (("kind", KINDS), ("rule", RULES)):
        if entry[name] not in accepted:
            raise ValueError(f"{name} is one of {', '.join(accepted)}, not {entry[name]!r}")
    for name in ("problem", "command", "version", "date"):
        if not isinstance(entry[name], str):
            raise ValueError(f"{name} is text, not {entry[name]!r}")
    where = tuple(_numbers("where", x) for x in entry["where"])
    n = len(where[0]) if where else 0
    if not n or any(len(x) != n for x in where):
        raise ValueError("where holds one point or more, all of the same length")
    real = None if entry["real"] is None else _numbers("real", entry["real"])
    if real is not None and len(real) != 2:
        raise ValueError(f"real holds two bounds, not {len(real)} numbers")
    flip = tuple(entry["flip"])
    if len(set(flip)) != len(flip) or not all(isinstance(i, int) and 1 <= i <= n for i in flip):
        raise ValueError(f"flip holds different whole numbers from 1 to {n}, not {entry['flip']!r}")
    (value,) = _numbers("value", [entry["value"]])
    return Record(**{**entry, "where": where, "real": real, "flip": flip, "value": value})


def _numbers(name: str, values: object) -> tuple[float, ...]:
    if not isinstance(values, list) or not all(type(v) in (int, float) and math.isfinite(v) for v in values):
        raise ValueError(f"{name} holds finite numbers, not {values!r}")
    return tuple(float(v) for v in values)
