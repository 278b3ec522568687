"""All classics: the formulas of the files and the facts beside them, put together when first asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module, resources
from typing import TypeVar

from cpcbench.errors import CpcbenchError
from cpcbench.problems.classics.entry import Classic, read_classics
from cpcbench.problems.definition import Definition

ROOM = "cpcbench.problems.classics"
FORMULAS = ("a_to_b", "c_to_d", "e_to_l", "m_to_o", "p_to_r", "s_to_s", "t_to_z", "one_variable", "survey")
FACTS = ("a_to_l.toml", "m_to_z.toml", "survey.toml")

T = TypeVar("T")


@cache
def formulas() -> dict[str, Definition]:
    """The formulas by id, in alphabetical order; their files are imported now."""
    return gathered(import_module(f"{ROOM}.{name}").FORMULAS for name in FORMULAS)


@cache
def classics() -> dict[str, Classic]:
    """The facts by id, in the order of the formulas: each of these has facts, and each of those a formula."""
    room = resources.files(ROOM)
    read = gathered(read_classics(room.joinpath(file).read_text(encoding="utf-8"), file) for file in FACTS)
    if odd := sorted(set(read) ^ set(formulas())):
        without = [f"{id_} has no {'formula' if id_ in read else 'facts'}" for id_ in odd]
        raise CpcbenchError(f"the classics: {', '.join(without)}")
    return {id_: read[id_] for id_ in formulas()}


@cache
def names() -> dict[str, str]:
    """The id that a name means, as `key` writes it."""
    return named(classics())


def key(name: str) -> str:
    """A name without what writers do as they like: capitals, blanks, hyphens, a 0 before a number."""
    letters = re.sub(r"[^A-Z0-9]", "", name.upper())
    return re.sub(r"(?<=[A-Z])0+(?=[1-9])", "", letters)


def gathered(files: Iterable[Mapping[str, T]]) -> dict[str, T]:
    """The entries of several files in alphabetical order, capitals aside, numbers by their size."""
    found: dict[str, T] = {}
    for file in files:
        if twice := found.keys() & file.keys():
            raise CpcbenchError(f"the classics: {', '.join(sorted(twice))} is there twice")
        found.update(file)
    return {id_: found[id_] for id_ in sorted(found, key=_order)}


def named(facts: Mapping[str, Classic]) -> dict[str, str]:
    """The names and what they mean; a name must not mean two functions."""
    found: dict[str, str] = {}
    for id_, entry in facts.items():
        for name in {key(word) for word in (id_, *entry.also)}:
            if found.setdefault(name, id_) != id_:
                raise CpcbenchError(f"the classics: {name} means both {found[name]} and {id_}")
    return found


def _order(id_: str) -> list[tuple[str, int]]:
    parts = re.findall(r"([a-z]+)([0-9]*)", id_.lower())
    return [(word, int(number or 0)) for word, number in parts]
