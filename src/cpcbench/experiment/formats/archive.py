"""A study as a folder that can be deposited: its runs in a form that any program reads, and all that explains them.

The folder holds `runs.parquet` or `runs.csv`, `study.json` (the settings), `schema.json` (what each column is),
`about.json` (versions, machine, command), `README.md`, and `SHA256SUMS`, by which `sha256sum --check` sees whether
anything changed. `cpcbench import` makes the study of it again, to the last bit.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import platform
import secrets
import shutil
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.formats.export import write_runs
from cpcbench.experiment.store.record import installed_versions
from cpcbench.experiment.store.store import COLUMNS, FLOATS, KEY, NAMED, WHOLE, Store
from cpcbench.files import write_bytes, write_text

FORMAT, VERSION = "cpcbench archive", 1
DATA = {"parquet": "runs.parquet", "csv": "runs.csv"}
TEXTS = ("study.json", "schema.json", "about.json", "README.md")
SUMS = "SHA256SUMS"

SHAPES = {
    "x": "point", "optima": "points", "trajectory": "curve", "in_box": "flag",
    **dict.fromkeys(NAMED, "named"), **dict.fromkeys(WHOLE, "whole"), **dict.fromkeys(FLOATS, "number"),
}  # fmt: skip
"""What a column holds; text where nothing is said."""

FORMS = {
    "text": "text",
    "whole": "a whole number; empty or null where there is none",
    "number": "a double, in CSV with all its digits; nan is a value, empty or null is none",
    "flag": "true or false, in CSV True or False",
    "point": "coordinates: a list, in CSV with blanks between; null or empty where nothing was found",
    "points": "a list of points, in CSV as JSON",
    "curve": "a list of (evaluations, best value so far), in CSV as JSON",
    "named": "an object of JSON, as text",
}
COLUMN = {
    "problem": "the id of the problem", "n": "its number of variables", "rule": "its rule of admissibility",
    "solver": "the solver's name", "run": "the number of the run, from 1", "seed": "what its generator was made from",
    "parameters": "the solver's settings", "budget": "the most evaluations", "seconds_limit": "the most seconds",
    "status": "how the run ended", "message": "what was said of that", "x": "the point that was returned",
    "reported": "the value that the solver stated", "fast": "the value in compiled doubles",
    "reference": "the value with every operation correctly rounded",
    "real_lower": "a proven lower bound of the real value", "real_upper": "a proven upper bound of the real value",
    "domain": "the point's place over the reals", "kind": "what the value in doubles is worth",
    "in_box": "whether the point is in the box", "evaluations": "evaluations that were made",
    "undefined": "those of them without a value", "seconds": "the time that the run took",
    "trajectory": "every improvement", "versions": "of Python and of packages, when the run was made",
    "solver_source": "the file or package of the solver, with its hash or version",
    "problem_source": "the same of a problem that is a function, or its box",
    "optima": "further points returned as optima",
}  # fmt: skip


def write_archive(
    study: str | Path, folder: str | Path, *, form: str | None = None, command: Sequence[str] = ()
) -> int:
    """Writes a study as an archive to a new folder, whole or not at all; returns the number of its runs.

    `form` is "parquet" or "csv"; unless given, Parquet where pyarrow is installed. `command` are the words that
    asked for it.
    """
    target = Path(folder)
    if form is not None and form not in DATA:
        raise CpcbenchError(f"an archive holds its runs as {' or '.join(DATA)}, not {form!r}")
    chosen = form or ("parquet" if importlib.util.find_spec("pyarrow") else "csv")
    if target.is_symlink() or (target.exists() and not (target.is_dir() and not any(target.iterdir()))):
        raise CpcbenchError(f"{target} is there already: an archive is a new folder")
    if not target.absolute().parent.is_dir():
        raise CpcbenchError(f"{target} cannot be made: there is no folder {target.absolute().parent}")
    part = target.absolute().with_name(f".{target.name}.{secrets.token_hex(8)}.part")
    part.mkdir()
    try:
        with Store(study) as source:
            count = _fill(source, part, chosen, command)
        if target.exists():
            target.rmdir()
        os.replace(part, target)
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(part)
    return count


def _fill(source: Store, part: Path, chosen: str, command: Sequence[str]) -> int:
    with (part / DATA[chosen]).open("w+b") as stream:
        count = write_runs(source.records(), chosen, stream, exact=True)
    if not count:
        raise CpcbenchError(f"{source.path} holds no runs yet")
    counts = {name: _counted(source, name) for name in ("problem", "solver", "rule", "status")}
    about = {
        "format": FORMAT, "version": VERSION, "runs": count, "data": DATA[chosen], "study": source.path.name,
        "written": datetime.now(UTC).isoformat(timespec="seconds"), "command": list(command),
        "versions": dict(installed_versions()), "machine": machine(), "counts": counts,
    }  # fmt: skip
    _json(part / "about.json", about)
    _json(part / "study.json", source.settings())
    _json(part / "schema.json", schema())
    write_text(part / "README.md", _words(about))
    lines = [f"{digest(part / name)}  {name}\n" for name in sorted((DATA[chosen], *TEXTS))]
    write_text(part / SUMS, "".join(lines))
    return count


def schema() -> dict[str, Any]:
    """What each column of the runs is."""
    columns = [
        {"name": name, "holds": COLUMN[name], "type": SHAPES.get(name, "text"), "form": FORMS[SHAPES.get(name, "text")]}
        for name in COLUMNS
    ]
    return {"format": FORMAT, "version": VERSION, "key": list(KEY), "columns": columns}


def machine() -> dict[str, Any]:
    """Where the archive is written; runs of a cluster were made elsewhere."""
    return {
        "system": platform.system(), "release": platform.release(), "architecture": platform.machine(),
        "processor": _processor(), "cores": os.cpu_count(), "python": platform.python_implementation(),
    }  # fmt: skip


def _processor() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _counted(source: Store, column: str) -> dict[str, int]:
    return dict(Counter(value for (value,) in source.columns(column)))


def _json(path: Path, content: object) -> None:
    write_bytes(path, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def _words(about: dict[str, Any]) -> str:
    solvers, problems = about["counts"]["solver"], about["counts"]["problem"]
    return f"""# Runs of a study of cpcbench

{about["runs"]:,} runs of {len(solvers)} solvers on {len(problems)} problems, written {about["written"]}.

- `{about["data"]}`: a row a run; `schema.json` says what the columns are
- `study.json`: the settings of the study: seed, solvers, problems
- `about.json`: versions, machine, command, counts
- `SHA256SUMS`: `sha256sum --check SHA256SUMS` sees whether anything changed

`cpcbench import FOLDER --store study.db` makes the study again; `cpcbench report study.db` prints its tables, and
`cpcbench run --store study.db --solvers mine.py:search` adds a solver to it (with the same seed, budget and rule).
"""
