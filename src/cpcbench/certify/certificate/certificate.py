"""A certificate: what is claimed of a formula's infimum, and the proof of it, in a file that others can check."""

from __future__ import annotations

import gzip
import json
import math
import os
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cpcbench.errors import CpcbenchError
from cpcbench.files import write_bytes

if TYPE_CHECKING:
    from cpcbench.certify.checker.core.verdict import Verdict

FORMAT, VERSION = "cpcbench-certificate", 2
READABLE = (1, 2)
"""Version 1 did not say whether the infimum is attained."""

MOST_BYTES = 1 << 30
"""A longer text, once unpacked, is not read."""


@dataclass(frozen=True)
class Certificate:
    """The claim and its proof; `data` is what is written to a file, as docs/certificates.md describes it."""

    data: dict[str, Any]
    checked: Verdict | None = field(default=None, compare=False)
    """What the checker said to it when it was made; None if that was not asked, or its time ran out."""

    @property
    def name(self) -> str:
        """What the problem is called."""
        return str(self.data["problem"]["name"])

    @property
    def part(self) -> str:
        """`regular`, `thin` for the points with a negative base and a whole varying exponent, or `all` for both."""
        return str(self.data["part"])

    @property
    def unbounded(self) -> bool:
        """Whether it is a proof that there is no lower bound."""
        return bool(self.data["claim"]["kind"] == "unbounded")

    @property
    def empty(self) -> bool:
        """Whether it is a proof that there is no admissible point."""
        return bool(self.data["claim"]["kind"] == "empty")

    @property
    def bounded(self) -> bool:
        """Whether there is an infimum, which the two bounds enclose."""
        return not self.unbounded and not self.empty

    @property
    def lower(self) -> float:
        """No real value is below this; inf if there is none at all."""
        return float(self.data["claim"]["lower"]) if self.bounded else math.inf if self.empty else -math.inf

    @property
    def upper(self) -> float:
        """Some real value is at most this; inf if there is none at all."""
        return float(self.data["claim"]["upper"]) if self.bounded else math.inf if self.empty else -math.inf

    @property
    def gap(self) -> float:
        """How far apart the two bounds are; 0 for an unbounded function and for an empty domain."""
        return self.upper - self.lower if self.bounded else 0.0

    @property
    def relative_gap(self) -> float:
        """The gap relative to the value, absolute below 1."""
        return self.gap / max(1.0, abs(self.upper)) if math.isfinite(self.upper) else self.gap

    @property
    def attained(self) -> bool | None:
        """Whether some point has the infimum as its value; None if that is not known, or if there is no infimum."""
        return self.data["claim"].get("attained")  # type: ignore[no-any-return]

    @property
    def x(self) -> list[float] | None:
        """The witness: a point with a value of at most `upper`, or the middle of the box that is proven to hold one."""
        witness = self.data["upper"] or {}
        witness = witness.get("witness", witness)
        if self.unbounded or not witness:
            return None
        sides = witness.get("box") or [[value, value] for value in witness["x"]]
        return [low + (high - low) / 2 for low, high in sides]

    @property
    def optima(self) -> list[list[list[float]]] | None:
        """Boxes, as [lower, upper] for each variable, that hold every point as low as `upper`; None if not known."""
        boxes: list[list[list[float]]] | None = self.data.get("optima")
        return boxes

    @property
    def steps(self) -> int:
        """How many steps the proof of the lower bound has."""
        lower = self.data.get("lower") or {}
        sets = [*lower.get("sets", ()), *lower.get("cases", ())]
        trees = [lower.get("tree", ""), *(part["lower"]["tree"] for part in sets)]
        trees += [link["tree"] for part in lower.get("sums", ()) for link in part["links"]]
        return sum(len(tree.split()) for tree in trees)

    def check(self, jobs: int = 1) -> Verdict:
        """What the independent checker says to it."""
        from cpcbench.certify.checker import check

        return check(self.data, jobs=jobs)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the file, whole or not at all; the same certificate gives the same bytes."""
        write_bytes(path, self.packed())
        return Path(path)

    def packed(self) -> bytes:
        """The bytes of its file."""
        text = json.dumps(self.data, separators=(",", ":"), allow_nan=False).encode()
        return gzip.compress(text, mtime=0)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Certificate:
        """Reads a file; that it can be read says nothing about whether the proof holds: `check` does."""
        try:
            with gzip.open(path, "rb") as file:
                text = file.read(MOST_BYTES + 1)
            if len(text) > MOST_BYTES:
                raise ValueError(f"it holds more than {MOST_BYTES:,} bytes")
            data = json.loads(text)
        except (OSError, EOFError, ValueError, RecursionError, zlib.error) as error:
            if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
                raise
            raise CpcbenchError(f"{os.fspath(path)} is no certificate: {error}") from None
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise CpcbenchError(f"{os.fspath(path)} is no certificate of cpcbench")
        if data.get("version") not in READABLE:
            raise CpcbenchError(f"{os.fspath(path)} has version {data.get('version')!r}; this program reads 1 and 2")
        return cls(data)

    def __str__(self) -> str:
        where = {"all": "", "thin": ", on its thin sets"}.get(self.part, ", on the regular part of its domain")
        if self.unbounded:
            return f"{self.name}: proven to be unbounded below{where}"
        if self.empty:
            return f"{self.name}: there is no admissible point{where}"
        enclosure = f"the infimum lies in [{self.lower!r}, {self.upper!r}]{said_of(self.attained)}"
        return f"{self.name}: {enclosure}{where}"


def said_of(attained: bool | None) -> str:
    """What is known of whether an infimum is attained, to be said after its bounds."""
    return "" if attained is None else " and is attained" if attained else " and is not attained"
