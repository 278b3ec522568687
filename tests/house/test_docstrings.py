"""Everything public is documented in numpydoc's form: every parameter, what comes back, and examples that run."""

from __future__ import annotations

import doctest
import inspect
import re
from typing import Any

import pytest

import cpcbench as cpc

PUBLIC = [name for name in cpc.__all__ if name != "__version__"]
SECTIONS = ("Parameters", "Returns", "Raises", "Notes", "Examples")


def sections(text: str) -> dict[str, str]:
    """The parts of a docstring by their headings."""
    parts = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.MULTILINE)
    return dict(zip(["", *parts[1::2]], [parts[0], *parts[2::2]], strict=True))


def documented(part: str) -> list[str]:
    """The names of a list of parameters, in their order."""
    return [name for line in re.findall(r"^([\w, ]+) : \S", part, re.MULTILINE) for name in line.split(", ")]


def problems_of(thing: Any) -> list[str]:
    """What a docstring lacks, or has too much."""
    found = sections(inspect.getdoc(thing) or "")
    wrong = [f"an unknown section {name}" for name in found if name and name not in SECTIONS]
    if not found[""].strip():
        wrong.append("no first line")
    if thing is cpc.CpcbenchError:
        return wrong
    parameters = list(inspect.signature(thing).parameters)
    given = documented(found.get("Parameters", ""))
    if given != parameters:
        wrong.append(f"parameters {given} instead of {parameters}")
    nothing = inspect.isclass(thing) or inspect.signature(thing).return_annotation in (None, "None")
    if "Returns" not in found and not nothing:
        wrong.append("no word on what it returns")
    return wrong


@pytest.mark.parametrize("name", PUBLIC)
def test_every_parameter_is_documented(name: str) -> None:
    assert problems_of(getattr(cpc, name)) == []


def test_what_is_missing_is_noticed() -> None:
    def lacking(a: int, b: int) -> int:
        """Adds.

        Parameters
        ----------
        a : int
            One.
        """
        return a + b

    assert problems_of(lacking) == ["parameters ['a'] instead of ['a', 'b']", "no word on what it returns"]


EXAMPLES = [name for name in PUBLIC if ">>>" in (inspect.getdoc(getattr(cpc, name)) or "")]


def test_there_are_examples() -> None:
    assert {"minimize", "certify", "parse", "problem", "verify"} <= set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_gives_what_it_shows(name: str) -> None:
    text = inspect.getdoc(getattr(cpc, name)) or ""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    results = doctest.DocTestRunner(verbose=False).run(test)
    assert results.attempted > 0
    assert results.failed == 0


def test_methods_say_what_they_do() -> None:
    for owner in (cpc.Problem, cpc.Solver):
        for name, member in inspect.getmembers(owner):
            if not name.startswith("_") and (callable(member) or isinstance(member, property)):
                assert (inspect.getdoc(member) or "").strip(), f"{owner.__name__}.{name}"
