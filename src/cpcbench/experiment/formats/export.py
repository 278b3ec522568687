"""Runs of a study for other programs: CSV, Parquet where pyarrow is installed, IOHprofiler's files."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from cpcbench.errors import CpcbenchError, MissingExtraError
from cpcbench.experiment.formats.ioh import export_ioh
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import COLUMNS, FLOATS, NAMED, WHOLE
from cpcbench.files import replacing

FORMATS = {".csv": "CSV", ".parquet": "Parquet"}
NAMES = ("csv", "parquet", "ioh")

AT_ONCE = 5000
"""Runs held in memory while a Parquet file is written."""


def export_runs(records: Iterable[RunRecord], path: str | Path, format: str | None = None) -> int:  # noqa: A002
    """Writes the runs to a file, or to a new folder for the format "ioh"; returns how many.

    Without a format the file's ending says how. An existing file is replaced at the end.
    """
    target = Path(path)
    chosen = format_of(target, format)
    if chosen == "ioh":
        return export_ioh(records, target)
    with replacing(target) as stream:
        return write_runs(records, chosen, stream)


def packed_runs(records: Iterable[RunRecord], format: str) -> bytes:  # noqa: A002
    """The bytes of a file of runs, as CSV or Parquet."""
    stream = io.BytesIO()
    write_runs(records, format, stream)
    return stream.getvalue()


def write_runs(records: Iterable[RunRecord], chosen: str, stream: BinaryIO, *, exact: bool = False) -> int:
    """Writes the runs as CSV or Parquet; `exact`, a reported NaN is one in Parquet too, and no null."""
    return _csv(records, stream) if chosen == "csv" else _parquet(records, stream, exact)


def format_of(target: Path, given: str | None) -> str:
    """The format that was asked for, by its name or by the file's ending."""
    if given is not None and given not in NAMES:
        raise CpcbenchError(f"unknown format {given!r} for runs: there are {', '.join(NAMES)}")
    if given is not None:
        return given
    if target.suffix.lower() not in FORMATS:
        raise CpcbenchError(
            f"runs can be written to a file ending in {' or '.join(FORMATS)}, or to a folder with the format ioh, "
            f"not {target.name!r}"
        )
    return target.suffix.lower()[1:]


def _csv(records: Iterable[RunRecord], stream: BinaryIO) -> int:
    """Coordinates are separated by blanks, as `cpcbench verify --csv` reads them; doubles keep their bits."""
    count, text = 0, io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for record in records:
        writer.writerow([_text(name, getattr(record, name)) for name in COLUMNS])
        count += 1
    text.detach()  # whoever opened the stream closes it
    return count


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name == "x":
        return " ".join(map(repr, value))
    if name in (*NAMED, "trajectory", "optima"):
        return json.dumps(value)
    return repr(value) if isinstance(value, float) else str(value)


def _parquet(records: Iterable[RunRecord], stream: BinaryIO, exact: bool) -> int:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError('Parquet needs pyarrow: pip install "cpcbench[parquet]"') from None
    kinds = {
        "x": pyarrow.list_(pyarrow.float64()),
        "optima": pyarrow.list_(pyarrow.list_(pyarrow.float64())),
        "trajectory": pyarrow.list_(pyarrow.struct([("evaluations", pyarrow.int64()), ("value", pyarrow.float64())])),
        **dict.fromkeys(WHOLE, pyarrow.int64()),
        **dict.fromkeys(FLOATS, pyarrow.float64()),
        "in_box": pyarrow.bool_(),
    }
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in COLUMNS])
    count = 0
    with pyarrow.parquet.ParquetWriter(stream, schema) as writer:
        rows_left = map(partial(_row, exact=exact), records)
        while rows := list(islice(rows_left, AT_ONCE)):
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def _row(record: RunRecord, exact: bool) -> dict[str, Any]:
    row = {name: getattr(record, name) for name in COLUMNS}
    row["x"] = None if record.x is None else list(record.x)
    row["optima"] = list(map(list, record.optima))
    row["trajectory"] = [{"evaluations": n, "value": v} for n, v in record.trajectory]
    for name in NAMED:
        row[name] = json.dumps(row[name])
    if not exact and record.reported is not None and math.isnan(record.reported):
        row["reported"] = None
    return row
