"""What is known of a proof so far, in a file: a proof that was stopped, or killed, goes on from there."""

from __future__ import annotations

import hashlib
import json
import threading
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cpcbench.errors import CpcbenchError
from cpcbench.files import replacing

FORMAT, VERSION = "cpcbench-proof-state", 1
PAUSE, SHARE = 5.0, 20.0
"""Seconds between two writings that are not the last, and how much longer than a writing they are apart at least."""

MOST_BYTES = 1 << 32
"""A state that is larger, once unpacked, is not read."""

Arrays = Mapping[str, npt.NDArray[Any]]


class ProofState:
    """Arrays and notes by name, for one formula on one box; without a file they are only remembered."""

    def __init__(self, path: str | Path | None, formula: str, bounds: Sequence[tuple[float, float]]) -> None:
        self._path = None if path is None else Path(path)
        self._mark = hashlib.sha256(json.dumps([formula, [list(pair) for pair in bounds]]).encode()).hexdigest()
        self._notes: dict[str, Any] = {}
        self._arrays: dict[str, Arrays] = {}
        self._lock = threading.Lock()
        self._written, self._took = 0.0, 0.0
        if self._path is not None and self._path.exists():
            self._read(self._path)

    def _read(self, path: Path) -> None:
        try:
            with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                if sum(part.file_size for part in file.zip.infolist()) > MOST_BYTES:
                    raise ValueError(f"it holds more than {MOST_BYTES:,} bytes")
                head = json.loads(bytes(file["head"]).decode())
                arrays = {name: file[name] for name in file.files if name != "head"}
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise CpcbenchError(f"{path} is no saved state of a proof: {error}") from None
        if not isinstance(head, dict) or head.get("format") != FORMAT or head.get("version") != VERSION:
            raise CpcbenchError(f"{path} is no state of a proof that this version of the program can read")
        if head["mark"] != self._mark:
            raise CpcbenchError(f"{path} is the state of a proof about another formula or another box")
        self._notes = head["notes"]
        for name, part in arrays.items():
            group, _, field = name.rpartition("/")
            self._arrays[group] = {**self._arrays.get(group, {}), field: part}

    def note(self, name: str) -> Any:
        """What was noted under a name; None if nothing was."""
        return self._notes.get(name)

    def arrays(self, name: str) -> Arrays | None:
        return self._arrays.get(name)

    def put(self, name: str, note: Any = None, arrays: Arrays | None = None) -> None:
        """Keeps a note (of JSON's kinds) or arrays, or both, and writes the file if it is time to."""
        with self._lock:
            if note is not None:
                self._notes[name] = note
            if arrays is not None:
                self._arrays[name] = arrays
            if self.is_due():
                self._write()

    def is_due(self) -> bool:
        """Whether something put now would be written."""
        return self._path is not None and time.monotonic() - self._written > max(PAUSE, SHARE * self._took)

    def save(self) -> None:
        """Writes the file now."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        """The file is replaced by a whole new one, or stays as it was."""
        if self._path is None:
            return
        started = time.monotonic()
        head = {"format": FORMAT, "version": VERSION, "mark": self._mark, "notes": self._notes}
        named: dict[str, Any] = {"head": np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)}
        named |= {f"{name}/{field}": part for name, group in self._arrays.items() for field, part in group.items()}
        with replacing(self._path) as file:
            np.savez_compressed(file, **named)
        self._written = time.monotonic()
        self._took = self._written - started
