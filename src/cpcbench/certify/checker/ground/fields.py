"""Fields of a certificate, read strictly: anything that is not as it should be is a reason to reject."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

from cpcbench.certify.checker.ground.verdict import RejectedError

MOST_SHOWN, MOST_LISTED, DEEPEST = 40, 5_000_000, 30
_RATIONAL = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")


def plain(data: object, depth: int = 0) -> Any:
    """A copy made of nothing but Python's own objects, lists and values: what is read once is what is checked.

    Anything else, or anything deeper than certificates are, is a reason to reject.
    """
    if depth > DEEPEST:
        raise RejectedError(f"it has lists more than {DEEPEST} deep in lists")
    if type(data) is dict:
        return {plain(key, depth + 1): plain(value, depth + 1) for key, value in data.items()}
    if type(data) in (list, tuple):
        return [plain(part, depth + 1) for part in data]  # type: ignore[attr-defined]
    if data is None or type(data) in (str, int, float, bool):
        return data
    if isinstance(data, float):  # such as NumPy's
        return float.__pos__(data)
    raise RejectedError(f"it holds an object of the type {type(data).__name__[:40]}")


def shown(value: object) -> str:
    """A value in a message, cut short."""
    text = repr(value) if isinstance(value, str | int | float | bool | None) else type(value).__name__
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "..."


def field(data: object, name: str) -> Any:
    """An entry that has to be there."""
    if not isinstance(data, dict):
        raise RejectedError(f"{shown(data)} should be an object with the entry {name!r}")
    if name not in data:
        raise RejectedError(f"the entry {name!r} is missing")
    return data[name]


def only(data: object, names: set[str]) -> None:
    """No entries but these: one that is not known could mean anything."""
    if not isinstance(data, dict):
        raise RejectedError(f"{shown(data)} should be an object")
    extra = sorted(str(name) for name in set(data) - names)
    if extra:
        raise RejectedError(f"the entry {shown(extra[0])} is not known")


def listed(value: object, length: int | None = None, most: int = MOST_LISTED) -> list[Any]:
    """A list, of a certain length if one is given."""
    if not isinstance(value, list | tuple):
        raise RejectedError(f"{shown(value)} should be a list")
    if len(value) > most:
        raise RejectedError(f"a list of {len(value):,} is longer than {most:,}")
    if length is not None and len(value) != length:
        raise RejectedError(f"a list of {length} is needed, not of {len(value)}")
    return list(value)


def text(value: object) -> str:
    if not isinstance(value, str):
        raise RejectedError(f"{shown(value)} should be text")
    return value


def read_double(value: object) -> float:
    """A finite double; a whole number that is one is taken as well."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RejectedError(f"{shown(value)} should be a number")
    try:
        number = float.__pos__(value) if isinstance(value, float) else int.__truediv__(value, 1)
    except OverflowError:
        raise RejectedError("a number is too large for a double") from None
    if not math.isfinite(number) or number != value:
        raise RejectedError(f"{shown(value)} is no finite double")
    return number


def doubles(value: object, length: int | None = None) -> list[float]:
    return [read_double(part) for part in listed(value, length)]


def whole(value: object, below: int) -> int:
    """A whole number from 0 to one below a limit."""
    if type(value) is not int or not 0 <= value < below:
        raise RejectedError(f"{shown(value)} should be a whole number from 0 to {below - 1}")
    return value


def wholes(value: object, below: int) -> list[int]:
    """Different whole numbers."""
    found = [whole(part, below) for part in listed(value)]
    if len(set(found)) != len(found):
        raise RejectedError("a number is listed twice")
    return found


def box(value: object, bounds: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """An interval for each variable, inside its bounds."""
    pairs = [doubles(pair, 2) for pair in listed(value, len(bounds))]
    for place, ((low, high), (least, most)) in enumerate(zip(pairs, bounds, strict=True)):
        if not least <= low <= high <= most:
            raise RejectedError(f"[{low!r}, {high!r}] is no interval inside the bounds of variable {place}")
    return [(low, high) for low, high in pairs]


def fraction(text: object) -> Fraction:
    """A rational number written as `p` or `p/q`."""
    if not isinstance(text, str) or not _RATIONAL.fullmatch(text):
        raise RejectedError(f"{str(text)[:40]!r} is no rational number p or p/q")
    top, _, bottom = text.partition("/")
    if bottom and int(bottom) == 0:
        raise RejectedError(f"{text[:40]!r} divides by 0")
    return Fraction(int(top), int(bottom or "1"))
