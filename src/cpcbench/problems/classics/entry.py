"""One entry of the files of facts: a classic, and the minima that collections list for it, read strictly."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Any

from cpcbench.errors import CpcbenchError

COLLECTIONS = {
    "scipy": "SciPy's benchmark functions",
    "opfunu": "opfunu",
    "smoof": "smoof",
    "survey": "Jamil and Yang (2013)",
}
"""Who lists minima, by the word of the files."""

NEEDED = {"title": str, "n": int, "box": list, "source": str, "listed": list}
LEFT_OUT = {"also": list, "notes": list}

Pair = tuple[float, float]
Point = tuple[float, ...]


@dataclass(frozen=True)
class Listed:
    """A minimum as a collection states it: the number as it is printed there, and the points, none if none are given.

    Unless it is `met`, the formula has another value at these points.
    """

    by: str
    printed: str
    at: tuple[Point, ...]
    met: bool = True

    @property
    def value(self) -> float:
        return float(self.printed)

    @property
    def unit(self) -> float:
        """One unit of the last digit that is printed; 0 where the number counts as exact."""
        return unit_of(self.printed)

    @property
    def whom(self) -> str:
        """The collection, in words."""
        return COLLECTIONS[self.by]


@dataclass(frozen=True)
class Classic:
    """A function of the literature: the size and box it is listed at, who proposed it, other names, listed minima.

    `box` has one pair of bounds for all variables, or one for each.
    """

    id: str
    title: str
    n: int
    box: tuple[Pair, ...]
    source: str
    also: tuple[str, ...]
    listed: tuple[Listed, ...]
    notes: tuple[str, ...]


WHOLE = 100
"""A whole number this large that is printed without a point may be rounded; others are exact."""


def unit_of(printed: str) -> float:
    """One unit of the last digit of a number; 0 where it counts as exact."""
    number = Decimal(printed)
    if number == number.to_integral_value() and not (printed.lstrip("-").isdigit() and abs(number) >= WHOLE):
        return 0.0
    return float(Decimal(1).scaleb(int(number.as_tuple().exponent)))


def read_classics(text: str, file: str) -> dict[str, Classic]:
    """The entries of a file by id, in its order; trouble names the file and the entry."""
    try:
        entries = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise CpcbenchError(f"{file}: {error}") from None
    found = {}
    for id_, entry in entries.items():
        try:
            found[id_] = _classic(id_, entry)
        except ValueError as error:
            raise CpcbenchError(f"{file}, {id_}: {error}") from None
    return found


def _classic(id_: str, entry: Any) -> Classic:
    if not (id_.isascii() and id_.isalnum() and id_[0].isalpha()):
        raise ValueError("an id has letters and digits only, a letter first")
    _check_keys(entry, NEEDED, LEFT_OUT)
    n = entry["n"]
    if n < 1:
        raise ValueError(f"n is a number of variables, not {n}")
    box = tuple(_pair(pair) for pair in entry["box"])
    if len(box) not in (1, n):
        raise ValueError(f"box has one pair, or one for each of {n} variables, not {len(box)}")
    listed = tuple(_listed(item, n) for item in entry["listed"])
    also, notes = _texts(entry.get("also", []), "also"), _texts(entry.get("notes", []), "notes")
    return Classic(id_, entry["title"], n, box, entry["source"], also, listed, notes)


def _check_keys(entry: Any, needed: Mapping[str, type], left_out: Mapping[str, type]) -> None:
    if not isinstance(entry, dict):
        raise ValueError(f"an entry is a table, not {entry!r}")
    known = {**needed, **left_out}
    for name in (*(key for key in needed if key not in entry), *(key for key in entry if key not in known)):
        raise ValueError(f"{name!r} is {'missing' if name in needed else 'no key'}: there are {', '.join(known)}")
    for name, value in entry.items():
        if type(value) is not known[name]:
            raise ValueError(f"{name} is {known[name].__name__}, not {value!r}")


def _listed(item: Any, n: int) -> Listed:
    value = item.get("value") if isinstance(item, dict) else None
    _check_keys(item, {"by": str, "value": type(value)}, {"at": list, "met": bool})
    if item["by"] not in COLLECTIONS:
        raise ValueError(f"by is one of {', '.join(COLLECTIONS)}, not {item['by']!r}")
    _number(value)
    points = tuple(_numbers(point, n, f"a point has {n} coordinates") for point in item.get("at", []))
    return Listed(item["by"], str(value), points, item.get("met", True))


def _pair(pair: Any) -> Pair:
    low, high = _numbers(pair, 2, "a pair of bounds has 2 numbers")
    if low > high:
        raise ValueError(f"the lower bound {low} is above the upper bound {high}")
    return low, high


def _numbers(values: Any, count: int, wanted: str) -> Point:
    if not isinstance(values, list) or len(values) != count:
        raise ValueError(f"{wanted}, not {values!r}")
    return tuple(_number(value) for value in values)


def _number(value: Any) -> float:
    if type(value) not in (int, Decimal) or not isfinite(value):
        raise ValueError(f"a finite number is needed, not {value!r}")
    return float(value)


def _texts(values: list[Any], name: str) -> tuple[str, ...]:
    if not all(isinstance(value, str) and value for value in values):
        raise ValueError(f"{name} holds texts, not {values!r}")
    return tuple(values)
