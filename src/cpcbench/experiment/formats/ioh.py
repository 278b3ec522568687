"""Runs of a study in IOHprofiler's format, as IOHanalyzer and iohinspector read it.

One folder a rule, in it one a solver, in that a JSON file and a folder of `.dat` files a problem. What the format
cannot say is turned into what it can: see `UNDEFINED` and `_finite`.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, groupby
from pathlib import Path

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store.record import RunRecord
from cpcbench.problems.registry import SUITE
from cpcbench.problems.undefined import PENALTY

VERSION = "0.3.22"
"""Of ioh, whose files these imitate; readers ask for 0.3.3 or later."""

UNDEFINED = (PENALTY, math.nextafter(PENALTY, math.inf))
"""Stand in for evaluation 1 where it is undefined: readers want a value there, and none that reaches a target. Runs
take them in turn: iohinspector leaves out a run that begins with the value at which the one before it ended."""

LARGEST = sys.float_info.max

RULE_OFFSETS = {"ieee": 0, "strict": 100}
OWN_FROM = 1001
"""Ids of functions: 1 to 28 in the suite's order under `ieee`, 100 more under `strict`, then users' problems."""

Key = tuple[str, str, str]
"""Rule, solver, problem: what makes a JSON file."""


@dataclass
class _File:
    """A JSON file in the making: the runs it lists, by dimension, each with the text of its entry."""

    function_id: int
    stem: str
    runs: dict[int, list[str]] = field(default_factory=dict)


def export_ioh(records: Iterable[RunRecord], folder: str | Path) -> int:
    """Writes the runs into a new folder; returns how many. It appears when all is written, or not at all."""
    target = Path(folder)
    if target.exists():
        raise CpcbenchError(f"{target} is there already: runs in IOHprofiler's format go into a new folder")
    try:
        scratch = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
    except OSError as error:
        raise CpcbenchError(f"cannot write a folder {target}: {error.strerror or error}") from error
    try:
        made = scratch / "runs"
        made.mkdir()
        count = _Writer(made).write(records)
        if not count:
            raise CpcbenchError("there are no runs to write: run a study first")
        made.rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return count


class _Writer:
    """Takes the runs one by one: lines of `.dat` files are written at once, JSON files at the end."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[Key, _File] = {}
        self._folders: dict[tuple[str, str], Path] = {}
        self._ids: dict[tuple[str, str], int] = {}

    def write(self, records: Iterable[RunRecord]) -> int:
        """Runs come in groups, so that each file is opened once, or once for each of its groups."""
        count = 0
        for (problem, n, rule, solver), group in groupby(records, key=lambda record: record.key[:4]):
            file = self._file(rule, solver, problem)
            path = self._folder(rule, solver) / _data_path(file, n)
            path.parent.mkdir(parents=True, exist_ok=True)
            entries = file.runs.setdefault(n, [])
            with path.open("a", encoding="utf-8", newline="\n") as stream:
                for record in group:
                    rows = list(rows_of(record, UNDEFINED[len(entries) % 2]))
                    stream.write("evaluations raw_y\n")
                    stream.writelines(f"{evaluation} {value!r}\n" for evaluation, value in rows)
                    entries.append(_run_entry(record, rows[-1][1]))
                    count += 1
        for key, file in self._files.items():
            path = self._folder(key[0], key[1]) / f"IOHprofiler_{file.stem}.json"
            path.write_text(_json(key, file), encoding="utf-8")
        return count

    def _file(self, rule: str, solver: str, problem: str) -> _File:
        if (rule, solver, problem) not in self._files:
            id_ = self._function_id(problem, rule)
            self._files[rule, solver, problem] = _File(id_, f"f{id_}_{_safe(problem)}")
        return self._files[rule, solver, problem]

    def _folder(self, rule: str, solver: str) -> Path:
        """The folder of a solver; names that differ only in characters a path cannot hold are numbered."""
        if (rule, solver) not in self._folders:
            taken = {str(path).lower() for path in self._folders.values()}
            self._folders[rule, solver] = next(
                path for path in _numbered(self._root / rule, _safe(solver)) if str(path).lower() not in taken
            )
        return self._folders[rule, solver]

    def _function_id(self, problem: str, rule: str) -> int:
        """The same function under another rule is another function: readers must not mix them."""
        if problem in SUITE:
            return list(SUITE).index(problem) + 1 + RULE_OFFSETS[rule]
        return self._ids.setdefault((problem, rule), OWN_FROM + len(self._ids))


def rows_of(record: RunRecord, undefined: float = UNDEFINED[0]) -> Iterator[tuple[int, float]]:
    """The lines of a run: evaluation 1, every improvement, and the last evaluation with the best value so far."""
    trajectory = record.trajectory
    last, best = 1, math.nan
    if not trajectory or trajectory[0][0] > 1:
        best = undefined if not trajectory or trajectory[0][1] < undefined else LARGEST
        yield 1, best
    for evaluation, value in trajectory:
        last, best = evaluation, _finite(value)
        yield last, best
    if record.evaluations > last:
        yield record.evaluations, best


def _run_entry(record: RunRecord, best: float) -> str:
    """`x` is the returned point if its value is the best the solver saw; the points of others are not kept."""
    evaluation, x = 1, record.x
    if record.trajectory:
        evaluation = record.trajectory[-1][0]
    if x is None or not record.trajectory or record.fast != record.trajectory[-1][1] or not all(map(math.isfinite, x)):
        x = ()
    solution = {"evals": evaluation, "y": best, "x": list(x)}
    return json.dumps({"instance": 1, "evals": max(1, record.evaluations), "best": solution}, allow_nan=False)


def _json(key: Key, file: _File) -> str:
    """In the layout of ioh's own files."""
    rule, solver, problem = key
    head = {
        "version": VERSION,
        "suite": f"cpcbench-{rule}",
        "function_id": file.function_id,
        "function_name": problem,
        "maximization": False,
        "algorithm": {"name": solver, "info": f"cpcbench, rule {rule}"},
        "attributes": ["evaluations", "raw_y"],
    }
    lines = [f"\t{json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    scenarios = [
        f'\t\t{{"dimension": {n},\n\t\t"path": {json.dumps(_data_path(file, n))},\n\t\t"runs": [\n\t\t\t'
        + ",\n\t\t\t".join(entries)
        + "\n\t\t]}"
        for n, entries in sorted(file.runs.items())
    ]
    return "{\n" + "\n".join(lines) + '\n\t"scenarios": [\n' + ",\n".join(scenarios) + "\n\t]\n}\n"


def _data_path(file: _File, n: int) -> str:
    return f"data_{file.stem}/IOHprofiler_f{file.function_id}_DIM{n}.dat"


def _finite(value: float) -> float:
    """The format has no infinities: the largest doubles stand in for them."""
    return value if math.isfinite(value) else math.copysign(LARGEST, value)


def _safe(name: str) -> str:
    """A name that is a file name everywhere."""
    return re.sub(r"[^A-Za-z0-9._+-]", "_", name).strip(".") or "_"


def _numbered(folder: Path, name: str) -> Iterator[Path]:
    yield folder / name
    yield from (folder / f"{name}_{number}" for number in count(2))
