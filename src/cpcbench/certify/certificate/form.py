"""What a certificate says as the JSON of its file, and back: strictly, with errors that name the place.

Entries are written in the order of the types' fields. One that is None is left out, but for the proofs of the two
bounds, which the file has as null.
"""

from __future__ import annotations

import types
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from cpcbench.certify.certificate.schema import ByParts, Statement
from cpcbench.errors import CpcbenchError

FORMAT, VERSION = "cpcbench-certificate", 2
READABLE = (1, 2, 3, 4, 5)
"""Version 1 did not say whether the infimum is attained; 2 knows of no boxes without ends, 3 of nothing carried over,
and 4 of no proofs by parts and by tangents of squares."""
WITHOUT_ENDS, CARRIED, BY_PARTS = 3, 4, 5
"""What is written where the box has not all its ends, where the proof is about another problem, and where it is of one
of those two kinds; others stay readable by older programs."""

NULLS = ("lower", "upper")
"""Of a statement, what is null and not left out."""


def to_json(said: Statement) -> dict[str, Any]:
    """The object in the file."""
    return {"format": FORMAT, **written(said)}


def from_json(data: object) -> Statement:
    """What an object says; raises `CpcbenchError` where it is not as docs/certificates.md has it."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise CpcbenchError("it is no certificate of cpcbench")
    if data.get("version") not in READABLE:
        raise CpcbenchError(f"it has version {data.get('version')!r}; this program reads 1 to 5")
    said: Statement = read(Statement, {name: part for name, part in data.items() if name != "format"}, "")
    if said.claim.kind == "infimum" and None in (said.claim.lower, said.claim.upper):
        raise CpcbenchError("claim has not both bounds of the infimum")
    return said


def versioned(said: Statement) -> Statement:
    """The same with the oldest version since 2 that knows all that it says."""
    squares = any(tree.startswith("q") or " q" in tree for tree in said.trees)
    version = (
        BY_PARTS if squares or isinstance(said.lower, ByParts) else CARRIED if said.carried is not None
        else WITHOUT_ENDS if said.reach is not None else VERSION
    )  # fmt: skip
    return replace(said, version=version)


def written(part: Any) -> Any:
    """A part of a certificate as JSON."""
    if isinstance(part, list | tuple):
        return [written(each) for each in part]
    if isinstance(part, dict):
        return {name: written(each) for name, each in part.items()}
    if not is_dataclass(part):
        return part
    named: dict[str, Any] = _tag(type(part))
    for entry in fields(part):
        value = getattr(part, entry.name)
        if value is not None or (isinstance(part, Statement) and entry.name in NULLS):
            named[entry.name] = written(value)
    return named


def read(kind: Any, data: object, place: str = "") -> Any:
    """A part of a certificate from JSON; `place` names it in errors."""
    origin, args = get_origin(kind), get_args(kind)
    if kind is Any:
        return data
    if origin in (Union, types.UnionType):
        return _one_of(args, data, place)
    if origin is Literal:
        return data if data in args else _refuse(data, place, f"one of {', '.join(map(repr, args))}")
    if origin is list:
        return [read(args[0], each, f"{place}[{i}]") for i, each in enumerate(_as(list, data, place))]
    if origin is tuple:
        parts = _as(list, data, place)
        if len(parts) != len(args):
            _refuse(data, place, f"a list of {len(args)}")
        return tuple(read(each, part, place) for each, part in zip(args, parts, strict=True))
    if origin is dict:
        return {name: read(args[1], each, f"{place}.{name}") for name, each in _as(dict, data, place).items()}
    return _object(kind, data, place) if is_dataclass(kind) else _as(kind, data, place)


def _one_of(kinds: tuple[Any, ...], data: object, place: str) -> Any:
    if data is None and type(None) in kinds:
        return None
    proofs = {_tag(kind)["by"]: kind for kind in kinds if _tag(kind)}
    if proofs:
        by = data.get("by") if isinstance(data, dict) else None
        if not isinstance(by, str) or by not in proofs:
            _refuse(data, place, f"a proof by {' or '.join(proofs)}")
        return _object(proofs[by], data, place)
    first, *others = [kind for kind in kinds if kind is not type(None)]
    try:
        return read(first, data, place)
    except CpcbenchError:
        if not others:
            raise
        return read(others[0], data, place)


def _object(kind: Any, data: object, place: str) -> Any:
    left = dict(_as(dict, data, place))
    for name, by in _tag(kind).items():
        if left.pop(name, None) != by:
            _refuse(data, place, f"a proof by {by}")
    found = {}
    for entry in fields(kind):
        hint = _hints(kind)[entry.name]
        where = f"{place}.{entry.name}".lstrip(".")
        if entry.name in left:
            found[entry.name] = read(hint, left.pop(entry.name), where)
        elif entry.default is MISSING and entry.default_factory is MISSING:
            if type(None) not in get_args(hint) or kind is Statement:
                raise CpcbenchError(f"the entry {where!r} is missing")
            found[entry.name] = None
    if left:
        raise CpcbenchError(f"the entry {f'{place}.{next(iter(left))}'.lstrip('.')!r} is not known")
    return kind(**found)


def _as(kind: Any, data: object, place: str) -> Any:
    """The data itself, if it is of a type of JSON; a whole number is a number, true is none."""
    known = isinstance(data, int | float) if kind is float else isinstance(data, kind)
    if not known or (isinstance(data, bool) and kind is not bool):
        _refuse(data, place, {list: "a list", dict: "an object", str: "text"}.get(kind, f"of the type {kind.__name__}"))
    return data


def _refuse(data: object, place: str, wanted: str) -> Any:
    raise CpcbenchError(f"{place or 'the certificate'} is {repr(data)[:40]}, and should be {wanted}")


def _tag(kind: Any) -> dict[str, Any]:
    """How a proof is called in the file; nothing for other parts."""
    by = getattr(kind, "by", None)
    return {"by": by} if isinstance(by, str) else {}


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)
