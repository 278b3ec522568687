"""A search that goes on after a kill: what was evaluated is kept in a file, and the search is made again from it.

The search asks for the same points again, as it is deterministic, and is told what the file says until that is at its
end. So nothing of the search itself is kept, and the result is that of a search that was never interrupted.
"""

from __future__ import annotations

import hashlib
import json
import pickle
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cpcbench import __version__
from cpcbench.errors import CpcbenchError
from cpcbench.files import Name, beginning, destination
from cpcbench.points import Points
from cpcbench.rng import Rng, generator_of
from cpcbench.solvers.functions.answers import Answer
from cpcbench.solvers.functions.log import Log, columns, read_lines
from cpcbench.solvers.sources import IDENTITY, function_source
from cpcbench.solvers.starts import Known

FORMAT, VERSION = "cpcbench-search-state", 1
LONGEST_HEAD = 1 << 20
DRAWN = "drawn seed"
"""Of a search for which nobody gave one: it is taken from the file."""


class State:
    """The evaluations of one search in a file: those that were there are `recalled`, others are added.

    `about` says which search it is, in JSON's kinds; a file about another one is refused.
    """

    def __init__(self, path: Name, dim: int, about: dict[str, Any]) -> None:
        self._path, self._about = path, {"format": FORMAT, "version": VERSION, **about}
        self._recorded: deque[tuple[Points, Answer]] = deque()
        self.recalls, self._over = 0, False
        self._log = Log(path, f"{json.dumps(self._about)}\n{columns(dim)}", self._accept, alone=True)

    def _accept(self, content: bytes) -> None:
        head = _head(self._path, content)
        others = [name for name, mine in self._about.items() if head.get(name) != mine and name != DRAWN]
        if others:
            raise CpcbenchError(
                f"{self._path} belongs to another search: {' and '.join(others)} differ. What was evaluated can be used"
                f" all the same: known=cpcbench.read_log({str(self._path)!r})"
            )
        self._recorded.extend(read_lines(self._path, content))

    def recalled(self, points: Sequence[Points] | Points) -> Iterator[tuple[int, Answer]]:
        """Of points asked for together, those that the file has answers for: place and answer, in the file's order."""
        places: dict[bytes, list[int]] = {}
        for place, point in enumerate(points):
            places.setdefault(point.tobytes(), []).append(place)
        open_points = len(points)
        while self._recorded and open_points:
            point, answer = self._recorded[0]
            asked = places.get(point.tobytes())
            if not asked:
                raise CpcbenchError(
                    f"{self._path} does not go with this search, which asks for other points: what was evaluated can be"
                    f" used with known=cpcbench.read_log({str(self._path)!r})"
                )
            self._recorded.popleft()
            open_points -= 1
            self.recalls += 1
            yield asked.pop(0), answer

    def add(self, point: Points, answer: Answer) -> None:
        if not self._over:
            self._log.add(point, answer)

    def leave(self) -> None:
        """What is evaluated from now on is not kept: a search that is made again does not ask for it here."""
        self._over = True
        self._recorded.clear()

    def close(self) -> None:
        self._log.close()


def resumed_rng(path: Name | None, rng: Rng, seed: Rng) -> tuple[np.random.Generator, int | None]:
    """The generator, and its seed if nobody gave one and it is kept in the file: the one kept there, or a new one."""
    if path is None or rng is not None or seed is not None:
        return generator_of(rng, seed), None
    target = destination(path)
    begins = b"" if target is None else beginning(target, LONGEST_HEAD)
    drawn = _head(path, begins).get(DRAWN) if begins else None
    if not isinstance(drawn, int) or drawn < 0:
        drawn = int(np.random.default_rng().integers(2**63))
    return np.random.default_rng(drawn), drawn


def about_search(
    function: Any, args: Sequence[Any], box: tuple[Points, Points], rng: np.random.Generator, drawn: int | None,
    known: Known,
) -> dict[str, Any]:  # fmt: skip
    """What the course of a search depends on, by the names that a user knows."""
    source = function_source(function)
    return {
        "cpcbench": __version__,
        "fun": {name: source[name] for name in IDENTITY if name in source}
        | {"name": str(getattr(function, "__qualname__", type(function).__qualname__))},
        "args": _digest(args),
        "bounds": np.transpose(box).tolist(),
        "rng": _digest(rng.bit_generator.state),
        DRAWN: drawn,
        "x0": _digest(known.starts.tolist()),
        "known": _digest([known.points.tolist(), known.values.tolist()]),
    }


def _head(path: Name, content: bytes) -> dict[str, Any]:
    try:
        head = json.loads(content.split(b"\n", 1)[0])
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise CpcbenchError(f"{path} is there already, and is no state of a search")
    return head


def _digest(value: Any) -> str:
    """Of plain values and of what can be pickled; of anything else only its kind."""
    try:
        text = repr(value).encode() if _is_plain(value) else pickle.dumps(value, protocol=4)
    except Exception:  # pickling calls the objects' own code
        text = repr([type(item).__qualname__ for item in value]).encode()
    return hashlib.sha256(text).hexdigest()[:16]


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return value is None or isinstance(value, (bool, int, float, str))
