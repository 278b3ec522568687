"""An archive made a study again. It may be a stranger's: nothing in it is run, names of files are ours, sizes are
limited before anything is read, and what is not as the format has it is refused by name, with nothing stored."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import stat
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from cpcbench.errors import CpcbenchError, MissingExtraError, shortened
from cpcbench.experiment.formats.archive import DATA, FORMAT, SHAPES, SUMS, TEXTS, VERSION, digest
from cpcbench.experiment.store.record import KINDS, RunRecord
from cpcbench.experiment.store.store import COLUMNS, Store
from cpcbench.limits import MOST_RUNS
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import problem
from cpcbench.rules import RULES

MOST_BYTES = 2**31
"""Of a file of runs."""
MOST_TEXT = 2**26
"""Of each of the other files."""
LONGEST_CELL = 10_000_000
AT_ONCE = 1000
LONGEST_NAME = 1000
FREE = frozenset({"budget", "seconds_limit", "reported", "x"})
"""Columns that may have no value."""


def import_archive(folder: str | Path, store: str | Path) -> tuple[int, int]:
    """Adds the runs of an archive to a study, all of them or none; returns how many it holds and how many were new.

    The study may be new, or one made with the same settings: what would be mixed up is refused.
    """
    place = Path(folder)
    about = opened(place)
    with tempfile.TemporaryDirectory() as private:
        copy = Path(private) / place.resolve().name
        with Store(copy, writing=True) as study:
            study.note(**_settings(place))
            found = _stored(study, place, about)
        if found != about["runs"]:
            raise _wrong(place, f"it says that it holds {about['runs']:,} runs, and holds {found:,}")
        with Store(copy) as source, Store(store, writing=True) as target:
            return found, target.merge(source)


def _stored(study: Store, place: Path, about: dict[str, Any]) -> int:
    count, rows = 0, records_of(place, about)
    while some := list(islice(rows, AT_ONCE)):
        if study.add(some) != len(some):
            raise _wrong(place, "it holds a run twice")
        count += len(some)
    return count


def opened(place: Path) -> dict[str, Any]:
    """What the archive says of itself, after its files were counted, measured and held against their checksums."""
    if not place.is_dir():
        raise CpcbenchError(f"there is no archive {place}: it is a folder, as `cpcbench archive` writes it")
    sums = _sums(place)
    data = [name for name in DATA.values() if name in sums]
    if len(data) != 1 or set(sums) != {*data, *TEXTS}:
        raise _wrong(place, f"{SUMS} has to name {', '.join(TEXTS)} and one of {', '.join(DATA.values())}")
    for name, expected in sums.items():
        if digest(_file(place, name)) != expected:
            raise _wrong(place, f"{name} is not what {SUMS} says: it was changed or cut off")
    about, schema = _object(place, "about.json"), _object(place, "schema.json")
    for part in (about, schema):
        if part.get("format") != FORMAT or type(part.get("version")) is not int:
            raise _wrong(place, f"it does not say that it is a {FORMAT}")
        if part["version"] > VERSION:
            raise _wrong(place, f"its format has version {part['version']}, this cpcbench reads up to {VERSION}")
    if about.get("data") != data[0] or type(about.get("runs")) is not int or not 0 < about["runs"] <= MOST_RUNS:
        raise _wrong(place, f"about.json has to name the file of runs, and from 1 to {MOST_RUNS:,} of them")
    return about


def records_of(place: Path, about: dict[str, Any]) -> Iterator[RunRecord]:
    """The runs, one at a time, each checked; an error names the row."""
    read = _csv_rows if about["data"] == DATA["csv"] else _parquet_rows
    for number, row in enumerate(read(place, about["data"]), start=1):
        try:
            yield _record(row)
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            raise _wrong(place, f"row {number}: {shortened(str(error), 200)}") from None


def _record(row: dict[str, Any]) -> RunRecord:
    values = {name: _read(name, row[name]) for name in COLUMNS}
    checks = {
        "kind": values["kind"] in KINDS,
        "rule": values["rule"] in RULES,
        "n": values["n"] >= 1 and (values["x"] is None or len(values["x"]) == values["n"]),
        "run": values["run"] >= 1,
        "optima": all(len(point) == values["n"] for point in values["optima"]),
        **{name: 0 < len(values[name]) <= LONGEST_NAME for name in ("problem", "solver")},
    }
    for name, fine in checks.items():
        if not fine:
            raise ValueError(f"{name} cannot be {shortened(repr(row[name]))}")
    return RunRecord(**values)


def _read(name: str, cell: Any) -> Any:
    if cell is None or (cell == "" and SHAPES.get(name, "text") != "text"):
        if name in FREE:
            return None
        raise ValueError(f"{name} is missing")
    try:
        return READERS[SHAPES.get(name, "text")](cell)
    except (ValueError, TypeError, OverflowError, RecursionError):
        raise ValueError(f"{name} cannot be {shortened(repr(cell))}") from None


def _text(cell: Any) -> str:
    if not isinstance(cell, str) or "\0" in cell:
        raise ValueError
    return cell


def _whole(cell: Any) -> int:
    if isinstance(cell, str) and re.fullmatch(r"-?\d{1,19}", cell, re.ASCII):
        cell = int(cell)
    if type(cell) is not int or not -(2**63) <= cell < 2**63:
        raise ValueError
    return cell


def _number(cell: Any) -> float:
    if isinstance(cell, bool) or not isinstance(cell, (int, float, str)):
        raise ValueError
    return float(cell)


def _flag(cell: Any) -> bool:
    if cell not in (True, False, "True", "False"):
        raise ValueError
    return cell in (True, "True")


def _point(cell: Any) -> tuple[float, ...]:
    point = tuple(map(_number, cell.split() if isinstance(cell, str) else _list(cell)))
    if not point or not all(map(math.isfinite, point)):
        raise ValueError
    return point


def _list(cell: Any) -> list[Any]:
    found = json.loads(cell) if isinstance(cell, str) else cell
    if not isinstance(found, list):
        raise ValueError
    return found


def _points(cell: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(_point(point) for point in _list(cell))


def _curve(cell: Any) -> tuple[tuple[int, float], ...]:
    pairs = (step.values() if isinstance(step, dict) else step for step in _list(cell))
    return tuple((_whole(n), _number(value)) for n, value in pairs)


def _named(cell: Any) -> dict[str, Any]:
    found = json.loads(_text(cell))
    if not isinstance(found, dict):
        raise ValueError
    return found


READERS: dict[str, Callable[[Any], Any]] = {
    "text": _text, "whole": _whole, "number": _number, "flag": _flag, "point": _point, "points": _points,
    "curve": _curve, "named": _named,
}  # fmt: skip


def _csv_rows(place: Path, name: str) -> Iterator[dict[str, Any]]:
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        with _file(place, name).open(encoding="utf-8", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            if tuple(next(reader, ())) != COLUMNS:
                raise _wrong(place, f"the columns of {name} are not those of schema.json")
            for cells in reader:
                if len(cells) != len(COLUMNS):
                    raise _wrong(place, f"line {reader.line_num} of {name} has {len(cells)} cells, not {len(COLUMNS)}")
                yield dict(zip(COLUMNS, cells, strict=True))
    except (csv.Error, UnicodeDecodeError) as error:
        raise _wrong(place, f"{name} cannot be read: {error}") from None
    finally:
        csv.field_size_limit(before)


def _parquet_rows(place: Path, name: str) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise MissingExtraError('an archive in Parquet needs pyarrow: pip install "cpcbench[parquet]"') from None
    try:
        with ParquetFile(io.BytesIO(_file(place, name).read_bytes())) as file:
            groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
            if file.metadata.num_rows > MOST_RUNS or sum(group.total_byte_size for group in groups) > 4 * MOST_BYTES:
                raise _wrong(place, f"{name} holds more than {MOST_RUNS:,} runs, or more bytes than are read")
            if tuple(file.schema_arrow.names) != COLUMNS:
                raise _wrong(place, f"the columns of {name} are not those of schema.json")
            for batch in file.iter_batches(batch_size=AT_ONCE):
                yield from batch.to_pylist()
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _wrong(place, f"{name} cannot be read: {shortened(str(error), 200)}") from None


def _settings(place: Path) -> dict[str, Any]:
    found = _object(place, "study.json")
    for name in ("solvers", "problems"):
        if not isinstance(found.get(name, {}), dict):
            raise _wrong(place, f"study.json has no object {name}")
    return found


def _sums(place: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _file(place, SUMS, 10_000).read_text(encoding="utf-8", errors="replace").splitlines():
        parts = re.fullmatch(r"([0-9a-f]{64})  ([\w.]{1,100})", line, re.ASCII)
        if parts is None or parts[2] in found:
            raise _wrong(place, f"{SUMS} has a line that is no checksum of a file: {shortened(line)!r}")
        found[parts[2]] = parts[1]
    return found


def _object(place: Path, name: str) -> dict[str, Any]:
    try:
        found = json.loads(_file(place, name).read_bytes())
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise _wrong(place, f"{name} is not an object of JSON")
    return found


def _file(place: Path, name: str, most: int | None = None) -> Path:
    """A file of the archive, which is one and not too large; a link could lead anywhere."""
    path = place / name
    most = most or (MOST_BYTES if name in DATA.values() else MOST_TEXT)
    try:
        found = path.lstat()
    except OSError:
        raise _wrong(place, f"there is no {name} in it") from None
    if not stat.S_ISREG(found.st_mode):
        raise _wrong(place, f"{name} is no plain file")
    if found.st_size > most:
        raise _wrong(place, f"{name} has {found.st_size:,} bytes, and {most:,} are read at most")
    return path


def _wrong(place: Path, why: str) -> CpcbenchError:
    return CpcbenchError(f"{place} is no archive that can be read: {why}; nothing was imported")


def other_values(study: Store) -> Iterator[str]:
    """The runs whose point has another value here than the archive says, for problems that this cpcbench knows."""
    names = ("problem", "n", "rule", "solver", "run", "x", "reference", "problem_source")
    for id_, n, rule, solver, run, x, value, source in study.columns(*names):
        p = None if x is None or source else _known(id_, n, rule)
        if p is not None and p.in_box(x) and repr(p.reference(x)) != repr(value):
            yield f"{id_} {solver} run {run}: {value!r} in the archive, {p.reference(x)!r} here"


@cache
def _known(name: str, n: int, rule: str) -> Problem | None:
    try:
        p = problem(name, rule=rule)
        p = problem(name, n=n, rule=rule) if p.scalable and p.dim != n else p
    except CpcbenchError:
        return None
    return p if p.dim == n else None
