"""`cpc.read`: a model file as a problem, by how its name ends."""

from __future__ import annotations

from pathlib import Path

from cpcbench.entrance.models.minibex import read_minibex
from cpcbench.entrance.models.nl import read_nl
from cpcbench.errors import CpcbenchError
from cpcbench.files import Name
from cpcbench.problems.problem import Problem
from cpcbench.readings.domain.constraints import TOLERANCE

ENDINGS = {".nl": "AMPL's .nl", ".mbx": "Minibex", ".bch": "Minibex"}

MOST_BYTES = 1 << 24
"""A larger file is not read."""


def read(path: Name, *, rule: str = "ieee", tolerance: float = TOLERANCE) -> Problem:
    """The problem that a model file states.

    What is maximised is negated. The names of the variables of a .nl file are those of the .col file beside it, if
    there is one.

    Parameters
    ----------
    path : str or path
        AMPL's .nl (its text form) or Minibex (.mbx, .bch).
    rule : {"ieee", "strict"}
        The rule of admissibility for powers.
    tolerance : float
        How far the sides of an equation among the constraints may be apart.

    Returns
    -------
    Problem

    Raises
    ------
    CpcbenchError
        If the file is none of these, or holds what cannot be read.
    """
    file = Path(path)
    if file.suffix.lower() not in ENDINGS:
        known = ", ".join(f"{ending} ({name})" for ending, name in ENDINGS.items())
        raise CpcbenchError(f"{file.name} is no model that can be read here: known are {known}")
    text = _text(file)
    if file.suffix.lower() != ".nl":
        return read_minibex(text, file.stem).problem(rule, tolerance)
    names = file.with_suffix(".col")
    return read_nl(text, file.stem, _text(names).split() if names.is_file() else None).problem(rule, tolerance)


def _text(file: Path) -> str:
    with file.open("rb") as stream:
        content = stream.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise CpcbenchError(f"{file.name} is too large to be read: {MOST_BYTES:,} bytes at most")
    return content.decode("utf-8", "replace")
