"""A certificate: what is claimed of a formula's infimum, and the proof of it, in a file that others can check."""

from __future__ import annotations

import gzip
import json
import math
import os
import zlib
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cpcbench.certify.certificate.form import from_json, to_json
from cpcbench.certify.certificate.schema import (
    About,
    Box,
    ByPinnedBox,
    ByPoint,
    ByThinPoint,
    Carried,
    Statement,
    UpperProof,
)
from cpcbench.errors import CpcbenchError, shortened
from cpcbench.files import write_bytes
from cpcbench.problems.proven import said_of
from cpcbench.readings.text.notebook import facts_html, point_text

if TYPE_CHECKING:
    from cpcbench.certify.checker.ground.verdict import Verdict

MOST_BYTES = 1 << 30
"""A longer text, once unpacked, is not read."""


@dataclass(frozen=True)
class Certificate:
    """The claim and its proof; `data` is what is written to a file, as docs/certificates.md describes it."""

    said: Statement
    checked: Verdict | None = field(default=None, compare=False)
    """What the checker said to it when it was made; None if that was not asked, or its time ran out."""

    @classmethod
    def of(cls, data: object) -> Certificate:
        """The certificate that an object of JSON is."""
        return cls(from_json(data))

    @cached_property
    def data(self) -> dict[str, Any]:
        return to_json(self.said)

    @property
    def name(self) -> str:
        """What the problem is called."""
        return self.said.problem.name

    @property
    def part(self) -> str:
        """`regular`, `thin` for the points with a negative base and a whole varying exponent, or `all` for both."""
        return self.said.part

    @property
    def unbounded(self) -> bool:
        """Whether it is a proof that there is no lower bound."""
        return self.said.claim.kind == "unbounded"

    @property
    def empty(self) -> bool:
        """Whether it is a proof that there is no admissible point."""
        return self.said.claim.kind == "empty"

    @property
    def bounded(self) -> bool:
        """Whether there is an infimum, which the two bounds enclose."""
        return self.said.claim.kind == "infimum"

    @property
    def lower(self) -> float:
        """No real value is below this; inf if there is none at all."""
        return self._bound(self.said.claim.lower)

    @property
    def upper(self) -> float:
        """Some real value is at most this; inf if there is none at all."""
        return self._bound(self.said.claim.upper)

    def _bound(self, said: float | None) -> float:
        return math.inf if self.empty else -math.inf if said is None else float(said)

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
        return self.said.claim.attained

    @property
    def x(self) -> list[float] | None:
        """The witness: a point with a value of at most `upper`, or the middle of the box that is proven to hold one."""
        found = middle_of(self.said.upper)
        carried = self.said.carried
        return found if found is None or carried is None else _moved(self.said.problem, carried, found)

    @property
    def optima(self) -> list[Box] | None:
        """Boxes, as [lower, upper] for each variable, that hold every point as low as `upper`; None if not known."""
        return self.said.optima

    @property
    def steps(self) -> int:
        """How many steps the proof of the lower bound has."""
        return sum(len(tree.split()) for tree in self.said.trees)

    def check(self, workers: int = 1) -> Verdict:
        """What the independent checker says to it."""
        from cpcbench.certify.checker import check

        return check(self.data, workers=workers)

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
        try:
            return cls.of(data)
        except CpcbenchError as error:
            raise CpcbenchError(f"{os.fspath(path)} cannot be read as a certificate: {error}") from None

    def _repr_html_(self) -> str:
        checked = "not checked yet" if self.checked is None else str(self.checked)
        facts: list[tuple[str, object]] = [("formula", shortened(self.said.problem.formula, 300)), ("checker", checked)]
        if self.bounded:
            facts += [("infimum from", repr(self.lower)), ("to", repr(self.upper)), ("gap", f"{self.gap:.3g}")]
        if self.x is not None:
            facts.append(("witness", point_text(self.x)))
        return facts_html(str(self), [*facts, ("steps of the lower bound", f"{self.steps:,}")])

    def _repr_latex_(self) -> str | None:
        return f"$\\inf f \\in [{self.lower!r},\\ {self.upper!r}]$" if self.bounded else None

    def __str__(self) -> str:
        where = {"all": "", "thin": ", on its thin sets"}.get(self.part, ", on the regular part of its domain")
        if self.unbounded:
            return f"{self.name}: proven to be unbounded below{where}"
        if self.empty:
            return f"{self.name}: there is no admissible point{where}"
        enclosure = f"the infimum lies in [{self.lower!r}, {self.upper!r}]{said_of(self.attained)}"
        return f"{self.name}: {enclosure}{where}"


def _moved(about: About, carried: Carried, x: list[float]) -> list[float]:
    """The point of another problem, which the proof is about, as one of the certificate's own."""
    from cpcbench.certify.checker.extensions.carried import ALONE, inverse_of, read_forms
    from cpcbench.certify.checker.ground.verdict import RejectedError

    try:
        back = inverse_of(read_forms(carried.x, len(x)))
    except RejectedError as error:
        raise CpcbenchError(f"{about.name} has no point: {error}") from None
    exact = [Fraction(1), *map(Fraction, x)]
    return [float(sum(factor * exact[key - ALONE] for key, factor in row.items())) for row in back]


def middle_of(proof: UpperProof | None) -> list[float] | None:
    """The point of a witness, or the middle of its box; None of what is no witness."""
    witness = proof.witness if isinstance(proof, ByThinPoint) else proof
    if isinstance(witness, ByPoint):
        return list(witness.x)
    return [low + (high - low) / 2 for low, high in witness.box] if isinstance(witness, ByPinnedBox) else None
