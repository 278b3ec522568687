"""A function of the language is one line in expr and one entry in each reading's table: who lacks an entry is told."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import flint
import numpy as np
import pytest

import cpcbench
from cpcbench.certify.checker.core.facts import LINE, Function, number
from cpcbench.certify.checker.core.intervals import EVERYWHERE, between, whole_line
from cpcbench.certify.checker.core.numbers import arithmetic
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.upper.balls import Balls
from cpcbench.errors import CpcbenchError
from cpcbench.expr.functions import FUNCTIONS, PAIRS, SPELLINGS
from cpcbench.expr.nodes import ARITY, Expr, node, var
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from cpcbench.intervals.tape import Tape
from cpcbench.readings.domain.requirements import DEMANDS
from cpcbench.readings.doubles import llvm
from cpcbench.readings.doubles.arrays import evaluate
from cpcbench.readings.doubles.namespaces import ArrayFunction
from cpcbench.readings.doubles.ranges import ranges
from cpcbench.readings.gradient import derivatives
from cpcbench.readings.reals.enclosure import enclose
from cpcbench.readings.reals.reference import Reference
from cpcbench.readings.text import LANGUAGES, export, formula
from cpcbench.studies.structure.canonical import Canonical
from tests.material import random_formulas

READINGS: dict[str, Callable[[Expr], object]] = {
    "readings/reals/reference.py": lambda f: Reference(f)([0.3, 0.3]),
    "readings/reals/steps.py": lambda f: enclose(f, [0.3, 0.3]),
    "readings/domain/requirements.py": lambda f: DEMANDS[f.op],
    "readings/gradient.py": lambda f: derivatives(f, 2),
    "readings/doubles/arrays.py": lambda f: evaluate(f, np.full((2, 2), 0.3)),
    "readings/doubles/namespaces.py": lambda f: ArrayFunction(f, 2, "ieee", np)(np.full((2, 2), 0.3)),
    "readings/doubles/ranges.py": lambda f: ranges([f]),
    "readings/doubles/llvm.py": lambda f: {**llvm.LIBM, **llvm.INTRINSIC, **llvm._OPERATIONS}[f.op],
    "intervals/functions/table.py": lambda f: Tape.of_formula(f, 2),
    "certify/upper/balls.py": lambda f: Balls(f).values([flint.arb(0.3)] * 2),
    "certify/checker/core/functions/table.py": lambda f: Program([f], {id(n): i for i, n in enumerate(postorder(f))}),
    **{
        f"readings/text/languages/{language}.py": lambda f, to=language: export(f, to)  # type: ignore[misc]
        for language in LANGUAGES
        if language not in ("latex", "mathml", "text")
    },
}
"""Each needs an entry for every function, or finds it by its name."""

BY_DEFAULT: dict[str, Callable[[Expr], object]] = {
    "expr/plain.py": formula,
    "readings/text/latex.py": lambda f: export(f, "latex"),
    "readings/text/mathml.py": lambda f: export(f, "mathml"),
    "studies/structure/canonical.py": lambda f: Canonical(f).of(f),
}
"""These can do without: a function is written by its name, or not looked into."""


REFUSED = {"ampl": {"erf", "whole"}, "gams": {"whole"}, "lingo": {"round", "mod", "whole"}}
"""What languages cannot say, and say so by name."""


def applied(op: str) -> Expr:
    """A function of as many variables as it takes."""
    return node(op, *(var(i) for i in range(ARITY[op])))


def lacking(op: str) -> set[str]:
    """The readings that have no entry for a function."""
    found = set()
    for place, read in (READINGS | BY_DEFAULT).items():
        try:
            read(applied(op))
        except (KeyError, CpcbenchError) as trouble:
            language = Path(place).stem
            if op not in REFUSED.get(language, ()) or not re.match(rf"{language.upper()} has no {op}\b", str(trouble)):
                found.add(place)
    return found


def test_the_functions_are_those_of_the_documents() -> None:
    assert FUNCTIONS == [
        "sqrt", "ln", "exp", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh",
        "arcsinh", "arccosh", "arctanh", "log10", "log2", "log1p", "expm1", "cbrt", "erf",
        "abs", "floor", "ceil", "round", "sign", "whole",
    ]  # fmt: skip
    assert PAIRS == ["min", "max", "hypot", "arctan2", "mod"]
    assert set(SPELLINGS.values()) == {*FUNCTIONS, *PAIRS, "where"}


@pytest.mark.parametrize("op", [*FUNCTIONS, *PAIRS])
def test_every_reading_has_an_entry_for_every_function(op: str) -> None:
    assert lacking(op) == set()
    assert parse_formula(formula(applied(op))) is applied(op)


def test_a_function_that_only_the_language_knows_is_missed_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ARITY, "cot", 1)
    assert lacking("cot") == set(READINGS)


def test_random_formulas_use_every_function() -> None:
    """So that the comparisons of readings on random formulas reach a new function, too."""
    r, builders = random_formulas.seeded(1), [*random_formulas.RATIONAL, *random_formulas.ELEMENTARY]
    used = {n.op for _ in range(400) for n in postorder(random_formulas.formula(r, 12, builders))}
    assert used >= {*FUNCTIONS, *PAIRS, "where"}


PATTERNS = {"sqrt", "ln", "exp", "sin", "cos", "abs"}
"""The only functions that rules of the prover and the checker may know by name: u^p ln(u), sin(u)/u, periods, the roots
that stand for conditions, |a| beside -a. Of all others they know what the table says."""


@pytest.mark.parametrize(
    ("room", "table"),
    [("intervals", "functions/table.py"), ("certify/checker", "core/functions/table.py")],
)
def test_prover_and_checker_know_a_function_from_one_entry(room: str, table: str) -> None:
    home = Path(cpcbench.__file__).parent / room
    tables = [
        {key.value for key in node.value.keys if isinstance(key, ast.Constant)}
        for node in ast.walk(ast.parse((home / table).read_text(encoding="utf-8")))
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.value, ast.Dict)
        and ast.unparse(node.target) == "FUNCTIONS"
    ]
    assert len(tables) == 1
    assert tables[0] >= set(FUNCTIONS)
    for file in sorted(home.rglob("*.py")):
        if file.parent != (home / table).parent:
            text = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            functions = {*FUNCTIONS, *PAIRS} - {"min", "max"}  # certificates have fields of these names
            named = {node.value for node in text if isinstance(node, ast.Constant) and node.value in functions}
            assert named <= PATTERNS, file


def test_what_an_entry_of_the_checker_leaves_out_is_not_known() -> None:
    """A function of which nothing is stated but its range: nothing is said of slopes, limits and series."""
    bare = Function(lambda a: a, LINE)
    with arithmetic("arb", 64):
        assert bare.over(between(1.0, 2.0)) == (between(1.0, 2.0), EVERYWHERE)
        assert bare.slope(between(1.0, 2.0), between(1.0, 2.0)) == whole_line()
        assert not any([bare.rises, bare.continuous, bare.is_0_at_0, bare.is_0_only_at_0, bare.is_never_0])
    assert (bare.inverse, bare.derivative, bare.ends, bare.beside(number(0))) == (None, None, (None, None), None)
