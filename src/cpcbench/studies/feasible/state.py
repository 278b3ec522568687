"""What a stopped study of feasible ratios has done so far: a small file, replaced whole."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.files import write_text
from cpcbench.problems.problem import Problem

FORMAT = "cpcbench feasible ratios, 1"
EVERY = 1.0
"""Seconds between two writings of the file; at most so much work is lost by a kill."""


@dataclass
class Done:
    """Of one problem: blocks finished and hits found in each repeat, and the estimates of finished splitting runs."""

    blocks: list[int] = field(default_factory=list)
    hits: list[int] = field(default_factory=list)
    splitting: list[float] = field(default_factory=list)


class StateFile:
    """The state of any number of problems under any settings; without a path it is only kept in memory."""

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._done = {} if self.path is None else _read(self.path)
        self._written = time.monotonic()

    def of(self, problem: Problem, **settings: Any) -> Done:
        """What is done of this problem with these settings; change it and call `save`."""
        return self._done.setdefault(_key(problem, settings), Done())

    def save(self, now: bool = False) -> None:
        """Writes the file, at most once a second unless told `now`."""
        if self.path is None or (not now and time.monotonic() - self._written < EVERY):
            return
        content = {"format": FORMAT, "done": {key: asdict(done) for key, done in self._done.items()}}
        write_text(self.path, json.dumps(content, indent=1))
        self._written = time.monotonic()


def _key(problem: Problem, settings: dict[str, Any]) -> str:
    """Readable, and different for another formula, box or setting."""
    what = [problem.formula, problem.bounds, sorted(settings.items())]
    digest = hashlib.sha256(repr(what).encode()).hexdigest()[:16]
    return f"{problem.id} n={problem.dim} {problem.rule} {digest}"


def _read(path: Path) -> dict[str, Done]:
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError
        found = {str(key): Done(**entry) for key, entry in content["done"].items()}
        for done in found.values():
            _check(done)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise CpcbenchError(f"{path} is no state file of `cpcbench feasible`: give another name or remove it") from None
    return found


def _check(done: Done) -> None:
    whole = [*done.blocks, *done.hits]
    if len(done.blocks) != len(done.hits) or not all(type(n) is int and n >= 0 for n in whole):
        raise ValueError
    if not all(type(share) in (int, float) and 0.0 <= share <= 1.0 for share in done.splitting):
        raise ValueError
