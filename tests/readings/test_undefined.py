"""Exported programs with a penalty where the formula is undefined, as the published scripts have it."""

from __future__ import annotations

import math
import runpy
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from benchmarks.speed.c_peer import compiler
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.problems.problem import Problem

PENALTY = 1e100
PROBLEMS = [
    cpc.problem("CPC-DF13"),
    cpc.problem("CPC-DF24"),
    cpc.parse("where(x1 < 0, ln(-x1), x2^x1) + sqrt(x2)/(x1 - x2)", (-2, 2), id="choice"),
]
MAIN = """
#include <stdio.h>
int main(void) {{
    double x[{n}];
    for (;;) {{
        for (int i = 0; i < {n}; i++) if (scanf("%lf", x + i) != 1) return 0;
        printf("%.17g\\n", {name}(x));
    }}
}}
"""

octave = shutil.which("octave-cli") or shutil.which("octave")


def points(p: Problem, count: int = 200) -> np.ndarray:
    """Points of the box, most of them undefined, and the best-known one or a few whole ones."""
    drawn = np.random.default_rng(3).uniform(p.lower, p.upper, (count, p.dim))
    known = p.best_known.points if p.best_known is not None else np.array([[1.0, 2.0], [-1.0, 1.5], [1.0, 1.0]])
    return np.vstack([drawn, known])


def check(p: Problem, values: list[float]) -> None:
    """Every value is that of the problem, or the penalty where it is undefined; at least one of each."""
    expected = p(points(p))
    assert len(values) == len(expected)
    for ours, theirs in zip(expected.tolist(), values, strict=True):
        assert theirs == PENALTY if math.isnan(ours) else math.isclose(ours, theirs, rel_tol=1e-12)
    assert 0 < np.isnan(expected).sum() < len(expected)


def word(p: Problem) -> str:
    return p.id.replace("-", "_")


@pytest.mark.parametrize("p", PROBLEMS, ids=lambda p: p.id)
def test_python_returns_the_penalty(p: Problem, tmp_path: Path) -> None:
    (tmp_path / "f.py").write_text(p.export("python", undefined=PENALTY).text, encoding="utf-8")
    function = runpy.run_path(str(tmp_path / "f.py"))[word(p)]
    check(p, [function(x) for x in points(p).tolist()])
    assert function([math.inf] * p.dim) == PENALTY


@pytest.mark.skipif(compiler() is None, reason="no C compiler on this machine")
@pytest.mark.parametrize("p", PROBLEMS, ids=lambda p: p.id)
def test_c_returns_the_penalty(p: Problem, tmp_path: Path) -> None:
    source, program = tmp_path / "f.c", tmp_path / "f"
    source.write_text(p.export("c", undefined=PENALTY).text + MAIN.format(n=p.dim, name=word(p)), encoding="utf-8")
    subprocess.run([str(compiler()), "-O2", "-ffp-contract=off", source, "-o", program, "-lm"], check=True)
    rows = "\n".join(" ".join(map(repr, x)) for x in points(p).tolist())
    done = subprocess.run([program], input=rows, capture_output=True, text=True, check=True)
    check(p, list(map(float, done.stdout.split())))


@pytest.mark.skipif(octave is None, reason="no GNU Octave on this machine")
@pytest.mark.parametrize("p", PROBLEMS, ids=lambda p: p.id)
def test_matlab_returns_the_penalty_in_octave(p: Problem, tmp_path: Path) -> None:
    (tmp_path / f"{word(p)}.m").write_text(p.export("matlab", undefined=PENALTY).text, encoding="utf-8")
    rows = "; ".join(" ".join(map(repr, x)) for x in points(p).tolist())
    script = f"for x = [{rows}]', printf('%.17g\\n', {word(p)}(x)); end"
    words = [str(octave), "--no-gui", "--quiet", "--eval", script]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    check(p, list(map(float, done.stdout.split())))


def test_matlab_says_the_penalty_once() -> None:
    p = cpc.problem("CPC-DF13")
    plain, penalised = p.export("matlab").text, p.export("matlab", undefined=PENALTY).text
    assert "y = NaN;" in plain
    assert "y = 1e100;" in penalised or "y = 1e+100;" in penalised
    assert "NaN" not in penalised


def test_without_a_penalty_programs_are_as_they_were() -> None:
    for language in ("c", "matlab", "python"):
        text = cpc.problem("CPC-DF3").export(language).text
        assert "1e" not in text.replace("1.7976931348623157e308", "")


@pytest.mark.parametrize("language", ["ampl", "gams", "lingo", "latex", "mathml", "text"])
def test_models_and_formulas_have_no_penalty(language: str) -> None:
    with pytest.raises(CpcbenchError, match=f"needs a program .c, matlab, python.: {language} states the formula only"):
        cpc.problem("CPC-DF13").export(language, undefined=PENALTY)


@pytest.mark.parametrize("value", ["nan", "inf", "1e400"])
def test_a_penalty_is_a_finite_number(value: str) -> None:
    done = CliRunner().invoke(app, ["export", "CPC-DF13", "--to", "c", "--undefined", value])
    assert done.exit_code == 2
    assert "undefined points get a finite number, such as 1e100" in done.output


def test_the_command_writes_the_penalty() -> None:
    done = CliRunner().invoke(app, ["export", "CPC-DF13", "--to", "matlab", "--undefined", "1e100"])
    assert done.exit_code == 0, done.output
    assert "1e" in done.stdout
    assert "NaN" not in done.stdout
