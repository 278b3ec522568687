"""The store: one SQLite file a study, one row a run, written by one process at a time.

A run is written whole or not at all, and only once; a study that was killed goes on from its rows.
"""

from __future__ import annotations

import contextlib
import json
import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import lru_cache, partial
from pathlib import Path
from types import TracebackType
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store import study_file
from cpcbench.experiment.store.record import RunKey, RunRecord
from cpcbench.solvers.sources import same_source

VERSION = 3
"""Of the schema; a store of a newer version is refused, an older one is read as it is and brought up to date when it
is next written to. 1 had no sources, 2 no further optima."""

APPLICATION = 0x43504342  # "CPCB": tells our files from other SQLite files

KEY = ("problem", "n", "rule", "solver", "run")
COLUMNS = tuple(f.name for f in fields(RunRecord))
NAMED = ("parameters", "versions", "solver_source", "problem_source")
"""Columns of names with values, which the runs of a solver share."""
_JSON = frozenset({*NAMED, "x", "trajectory", "optima"})
WHOLE = frozenset({"n", "run", "budget", "evaluations", "undefined"})
FLOATS = frozenset({"reported", "fast", "reference", "real_lower", "real_upper", "seconds", "seconds_limit"})

_SCHEMA = f"""
CREATE TABLE study (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE runs ({", ".join(COLUMNS)}, PRIMARY KEY ({", ".join(KEY)}));
"""

_ODD = "SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'"
"""What would be computed when a study is read; a study holds only what was written."""


class Store:
    """A study's file. Use it in a `with` statement; `writing` takes the file for this process alone.

    A study that fails before its first run, and was not there before, leaves no file.
    """

    def __init__(self, path: str | Path, *, writing: bool = False) -> None:
        self.path = Path(path)
        if str(path) == ":memory:":
            raise CpcbenchError("a study is a file: what is kept in ':memory:' would be lost at the end")
        if self.path.is_dir():
            raise CpcbenchError(f"{self.path} is a folder, not a study's file")
        if not writing and not self.path.exists():
            raise CpcbenchError(f"there is no study {self.path}")
        self._fresh = self._unused = self._logs = False
        self._there = frozenset(COLUMNS)
        with contextlib.ExitStack() as stack:
            if writing:
                stack.enter_context(study_file.locked(self.path))
                self._fresh = self._unused = not self.path.exists()
            stack.callback(self._remove_unused)
            with self._explained():
                self._db = study_file.for_writing(self.path) if writing else study_file.for_reading(self.path)
            stack.callback(self._db.close)
            self._open(writing)
            self._unused = False
            self._closing = stack.pop_all()

    def _open(self, writing: bool) -> None:
        with self._explained():
            tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            odd = self._db.execute(_ODD).fetchone()[0]
            (application,) = self._db.execute("PRAGMA application_id").fetchone()
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if tables and application != APPLICATION:
            raise CpcbenchError(f"{self.path} is a SQLite file, but not a study of cpcbench")
        if odd:
            raise CpcbenchError(f"{self.path} has views, triggers or virtual tables, as no study of cpcbench does")
        if version > VERSION:
            raise CpcbenchError(
                f"{self.path} was written by a newer cpcbench (store version {version}, this one reads up to {VERSION})"
            )
        if not tables:
            if not writing:
                raise CpcbenchError(f"{self.path} is empty: no study was begun in it")
            self._create()
        elif version < VERSION:
            with self._explained():
                self._there = frozenset(row[1] for row in self._db.execute("PRAGMA table_info(runs)"))

    def _upgrade(self) -> None:
        """Adds the columns that an older version did not have; within a transaction."""
        for name in COLUMNS:
            if name not in self._there:
                self._db.execute(f"ALTER TABLE runs ADD COLUMN {name}")
        self._db.execute(f"PRAGMA user_version = {VERSION}")

    def _create(self) -> None:
        with self._explained():
            self._begin_log()
            self._db.executescript(
                f"BEGIN; {_SCHEMA} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; COMMIT;"
            )

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._unused = kind is not None and self._fresh and self._is_empty()
        self.close()

    def close(self) -> None:
        if self._logs:
            study_file.end_log(self._db)
            self._logs = False
        self._closing.close()

    def _remove_unused(self) -> None:
        if self._unused:
            study_file.remove(self.path)

    def _begin_log(self) -> None:
        """Only when something is to be written: a file that turns out to be damaged stays as it is."""
        if not self._logs:
            study_file.begin_log(self._db)
            self._logs = True

    def _is_empty(self) -> bool:
        try:
            return len(self) == 0
        except CpcbenchError:
            return False

    def settings(self) -> dict[str, Any]:
        """What the study as a whole was begun with."""
        with self._explained():
            return {name: json.loads(value) for name, value in self._db.execute("SELECT name, value FROM study")}

    def note(self, **settings: Any) -> None:
        rows = [(name, json.dumps(value)) for name, value in settings.items()]
        with self._transaction():
            self._db.executemany("INSERT OR REPLACE INTO study VALUES (?, ?)", rows)

    def add(self, records: Iterable[RunRecord]) -> int:
        """Writes the runs in one transaction; those that are there already stay. Returns how many are new."""
        rows = [[_encoded(name, getattr(record, name)) for name in COLUMNS] for record in records]
        marks = ", ".join("?" * len(COLUMNS))
        with self._transaction():
            before = self._db.total_changes
            into = f"INSERT OR IGNORE INTO runs ({', '.join(COLUMNS)}) VALUES ({marks})"  # noqa: S608 - our own column names
            self._db.executemany(into, rows)
        return self._db.total_changes - before

    def keys(self) -> set[RunKey]:
        """Which runs are there."""
        with self._explained():
            return set(self._db.execute(f"SELECT {', '.join(KEY)} FROM runs"))  # noqa: S608 - our own column names

    def __len__(self) -> int:
        with self._explained():
            return int(self._db.execute("SELECT count(*) FROM runs").fetchone()[0])

    def records(self, *, trajectories: bool = True, only: Sequence[str] | None = None) -> Iterator[RunRecord]:
        """The runs, ordered by problem, solver and run, one at a time; what the runs of a solver share is held once.

        `only` names the columns that are wanted: the records have no others, and are read the faster for it.
        """
        names = only or [name for name in COLUMNS if trajectories or name != "trajectory"]
        for values in self.columns(*names):
            record = object.__new__(RunRecord)  # what was written was checked when it was made
            record.__dict__.update(zip(names, values, strict=True))
            yield record

    def columns(self, *names: str) -> Iterator[tuple[Any, ...]]:
        """Some columns of every run, ordered as `records`, one run at a time: for studies too large to hold."""
        unknown = [name for name in names if name not in COLUMNS]
        if unknown or not names:
            raise CpcbenchError(f"a run has the columns {', '.join(COLUMNS)}, not {', '.join(unknown) or 'none'}")
        query = f"SELECT {', '.join(map(self._kept, names))} FROM runs ORDER BY {', '.join(KEY)}"  # noqa: S608 - our own column names
        decoders = [(_decoder(name), float if name in FLOATS else int if name in WHOLE else None) for name in names]
        with self._explained():
            for row in self._db.execute(query):
                pairs = zip(decoders, row, strict=True)
                yield tuple(
                    [v if decode is None or v.__class__ is plain else decode(v) for (decode, plain), v in pairs]
                )

    def _kept(self, column: str) -> str:
        """A column, or what stands for it in a study of a version that did not have it."""
        return column if column in self._there else "NULL"

    def merge(self, other: Store) -> int:
        """Takes over the runs of another study; the same run with another outcome is refused, nothing is written."""
        mine = self.keys()
        settings = _joined(self.settings(), other.settings(), other.path)
        if apart := sorted(name for name, boxes in self._boxes(other).items() if len(boxes) > 1):
            raise CpcbenchError(
                f"{other.path} holds runs on other boxes of {', '.join(apart)}; nothing of it was merged"
            )
        new, clash = [], []
        known = {r.key: r for r in self.records()} if mine else {}
        for record in other.records():
            if record.key not in mine:
                new.append(record)
            elif not same_run(known[record.key], record):
                clash.append(record.key)
        if clash:
            shown = ", ".join(f"{k[0]} {k[3]} run {k[4]}" for k in clash[:3])
            raise CpcbenchError(
                f"{len(clash)} runs are in both {self.path} and {other.path} with different outcomes: {shown}; "
                f"nothing of {other.path} was merged"
            )
        self.note(**settings)
        return self.add(new)

    def _boxes(self, other: Store) -> dict[str, set[str]]:
        """Of every problem of two studies the boxes it was searched on; the empty word for its own."""
        found: dict[str, set[str]] = {}
        for study in (self, other):
            for name, source in study.columns("problem", "problem_source"):
                found.setdefault(name, set()).add(source.get("box", ""))
        return found

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._explained():
            self._begin_log()
            self._db.execute("BEGIN IMMEDIATE")
            try:
                if self._there != frozenset(COLUMNS):
                    self._upgrade()
                yield
                self._db.execute("COMMIT")
                self._there = frozenset(COLUMNS)
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            reason = "the disk is full" if "full" in str(error) else str(error)
            raise CpcbenchError(f"{self.path}: {reason}; what was written before is kept") from error
        except (sqlite3.DatabaseError, ValueError, TypeError) as error:  # the latter two from broken text in a column
            raise CpcbenchError(f"{self.path} is not a readable study: {error}") from error


def _joined(mine: dict[str, Any], others: dict[str, Any], path: Path) -> dict[str, Any]:
    """The settings of two studies that may be merged: what both have set must be the same."""
    joined = dict(mine)
    for name, value in others.items():
        have = joined.setdefault(name, value)
        pairs = have.items() if isinstance(have, dict) and isinstance(value, dict) else [(name, have)]
        given = value if isinstance(value, dict) else {name: value}
        clash = [key for key, before in pairs if not same_setting(given.get(key, before), before)]
        if clash:
            raise CpcbenchError(
                f"{path} was made with other settings: {', '.join(sorted(clash))}; nothing of it was merged"
            )
        if isinstance(have, dict):
            joined[name] = {**given, **have}
    return joined


def same_run(a: RunRecord, b: RunRecord) -> bool:
    """Whether two records tell the same, times and package versions aside; a source that was not kept may be any."""
    skip = {"seconds", "versions", "solver_source", "problem_source"}
    pairs = ((a.solver_source, b.solver_source), (a.problem_source, b.problem_source))
    return all(same_source(one, other) for one, other in pairs if one and other) and all(
        _encoded(n, getattr(a, n)) == _encoded(n, getattr(b, n)) for n in COLUMNS if n not in skip
    )


def same_setting(before: Any, now: Any) -> bool:
    """Whether two settings of a study are the same: sources by what they are, wherever they lie.

    Studies of the first version kept the hash of a user's formula only.
    """
    if isinstance(before, str) or isinstance(now, str):
        pair = [one.get("sha256") if isinstance(one, dict) else one for one in (before, now)]
        return bool(pair[0] == pair[1])
    if not isinstance(before, dict) or not isinstance(now, dict):
        return bool(before == now)
    rest = [{k: v for k, v in one.items() if k not in ("source", "function")} for one in (before, now)]
    return rest[0] == rest[1] and same_source(before.get("source"), now.get("source"))


def _encoded(name: str, value: Any) -> Any:
    """Doubles keep their bits; SQLite would make NULL of NaN, so it is written as text."""
    if name in _JSON:
        return json.dumps(value)
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return int(value) if isinstance(value, bool) else value


def _decoder(name: str) -> Callable[[Any], Any] | None:
    """What turns a column's cells into values, None where they are values already. Texts that the runs of a
    solver share are read once, and the runs share what was read."""
    if name in NAMED:  # None was written before there was such a column
        return lru_cache(maxsize=1024)(lambda text: {} if text is None else json.loads(text))
    if name == "trajectory":
        return lambda text: tuple((int(n), float(v)) for n, v in json.loads(text))
    if name == "x":
        return lambda text: None if (found := json.loads(text)) is None else tuple(map(float, found))
    if name == "optima":
        return lambda text: () if text in (None, "[]") else tuple(tuple(map(float, x)) for x in json.loads(text))
    if name in FLOATS:
        return lambda value: None if value is None else float(value)
    return partial(_whole, name) if name in WHOLE else bool if name == "in_box" else None


def _whole(name: str, value: Any) -> int | None:
    if value is not None and type(value) is not int:
        raise ValueError(f"{name} is {str(value)[:40]!r}, and no whole number")
    return value
