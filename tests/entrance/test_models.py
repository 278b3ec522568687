"""Models of other libraries and files in other forms, read as problems."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.entrance.models.minibex import read_minibex
from cpcbench.errors import CpcbenchError, MissingExtraError
from tests.cli.test_study_cli import cpcbench
from tests.entrance.nl_text import nl_text
from tests.material.outside.libraries import library

MINIBEX = """
// a model
Constants
  a = 2.5; b = a/2; /* over
  two lines */ n = 3;
Variables
  x[n] in [-1, b],
  y in [-oo, 10];
  z in [0,1e8], w;
Minimize
  sum(i=1:n-1, sqr(x[i+1]-a*x[i])) + log(y - 1)^2 - exp(-z) + sqrt(x[1])*w;
Constraints
  x[1]^2 + y <= a;
  for i=1:2;
    x[i] > i*0.1 - x[i+1];
  end
  y*z = 0.5;
end
"""


def test_minibex() -> None:
    p = read_minibex(MINIBEX, "mine").problem()
    assert p.names == ("x_1", "x_2", "x_3", "y", "z", "w")
    assert p.bounds == [(-1.0, 1.25)] * 3 + [(-math.inf, 10.0), (0.0, 1e8), (-math.inf, math.inf)]
    same = cpc.parse(
        "(x_2 - 2.5*x_1)^2 + (x_3 - 2.5*x_2)^2 + ln(y - 1)^2 - exp(-z) + sqrt(x_1)*w",
        bounds=dict(zip(p.names, p.bounds, strict=True)),
        subject_to=["x_1^2 + y <= 2.5", "x_1 > 0.1 - x_2", "x_2 > 0.2 - x_3", "y*z == 0.5"],
    )
    rng = np.random.default_rng(1)
    points = rng.uniform([-1, -1, -1, 1, 0, -3], [1.25, 1.25, 1.25, 3, 1, 3], (5000, 6))
    points[:, 4] = 0.5 / points[:, 3]
    assert 50 < np.isfinite(p(points)).sum() < 4950
    np.testing.assert_allclose(p(points), same(points), rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("Variables x in [0,1]; Minimize x7; end", "x7 is no variable"),
        ("Variables x in [0,1]; Minimize n; end", "n is no variable"),
        ("Variables x in [0,1]; Minimize x + ; end", "'x \\+'"),
        ("Variables x in [0,1]; end", "0 objectives"),
        ("Variables x in [0,1]; Minimize x; Minimize x; end", "2 objectives"),
        ("Variables x[2] in [0,1]; Minimize x; end", "without an index"),
        ("Variables x[2] in [0,1]; Minimize x[3]; end", r"x\[3\] is outside"),
        ("Variables x[2][2] in [0,1]; Minimize x[1]; end", "a matrix"),
        ("Constants c in [0,1]; Variables x; Minimize x; end", "an interval"),
        ("Variables x; Minimize x + [0,1]; end", "intervals inside"),
        ("function f(x) return x; end Variables x; Minimize x; end", "functions of its own"),
        ("Variables x, x; Minimize x; end", "twice"),
        ("Variables x; Minimize x $ 2; end", "no sign"),
        ("Variables x; Minimize x", "ends where more"),
        ("Variables x; Minimize x; Constraints x; end", "one comparison"),
        ("Variables x; Minimize gamma(x); end", "gamma"),
        ("Variables x; Minimize sum(i=1:100000, sum(j=1:100000, x)); end", "too large"),
        ("Variables x; Minimize " + "sqr(" * 2000 + "x" + ")" * 2000 + "; end", "too large"),
        ("Variables x; Minimize x; Constraints for i=1:99999; for j=1:99999; end end end", "too large"),
        ("Constants " + "".join(f"c{i} = {f'c{i - 1}+c{i - 1}' if i else '1'};" for i in range(40))
         + "Variables x; Minimize x + c39; end", "too large"),
        ("nothing of the kind", "begins no section"),
    ],
    ids=range(21),
)  # fmt: skip
def test_minibex_that_cannot_be_read(text: str, match: str) -> None:
    with pytest.raises(CpcbenchError, match=match):
        read_minibex(text, "bad").problem()


def test_files_by_their_endings(tmp_path: Path) -> None:
    (tmp_path / "mine.bch").write_text(MINIBEX)
    assert cpc.read(tmp_path / "mine.bch").dim == 6
    (tmp_path / "mine.mod").write_text("var x;")
    with pytest.raises(CpcbenchError, match=r"\.nl.*\.mbx"):
        cpc.read(tmp_path / "mine.mod")
    (tmp_path / "large.nl").write_bytes(b"g3\n" * 6_000_000)
    with pytest.raises(CpcbenchError, match="too large"):
        cpc.read(tmp_path / "large.nl")
    with pytest.raises(FileNotFoundError):
        cpc.read(tmp_path / "gone.nl")


def test_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "mine.bch").write_text(
        "Variables x in [0, 4], y in [0, 4]; Minimize sqrt(x - 1) - y; Constraints x + y <= 3; end"
    )
    shown = cpcbench(tmp_path, "conditions", "mine.bch")
    assert "x + y <= 3" in shown.stdout
    found = cpcbench(tmp_path, "minimize", "mine.bch", "--seconds", "1", "--json")
    assert json.loads(found.stdout)["fun"] == pytest.approx(-2.0, abs=1e-6)
    assert "bounds of its own" in cpcbench(tmp_path, "show", "mine.bch", "--bounds", "0:1", code=2).stderr
    assert "no variable" in cpcbench(tmp_path, "show", _bad(tmp_path), code=2).stderr
    cpcbench(tmp_path, "show", "gone.nl", code=2)


def _bad(folder: Path) -> str:
    (folder / "bad.mbx").write_text("Variables x in [0, 4]; Minimize y; end")
    return "bad.mbx"


def pyomo_model() -> Any:
    pyo = library("pyomo.environ")
    m = pyo.ConcreteModel(name="mine")
    m.x = pyo.Var(range(1, 4), bounds=(0.1, 5))
    m.y = pyo.Var(bounds=(-2, None))
    m.unused, m.fixed = pyo.Var(), pyo.Var(initialize=0.5)
    m.fixed.fix()
    m.p = pyo.Param(initialize=2.5, mutable=True)
    m.e = pyo.Expression(expr=m.x[1] * m.x[2] + pyo.log(m.x[3]) - m.fixed)
    choice = pyo.Expr_if(m.y >= 0, pyo.sqrt(m.y), m.y**2)
    m.o = pyo.Objective(
        expr=m.e**2 + m.p * m.y**2 - 3 * m.x[1] + choice + pyo.atan(m.x[2] * m.y) + 5 + abs(m.y) / m.x[2],
        sense=pyo.maximize,
    )
    m.c1 = pyo.Constraint(expr=m.x[1] + m.x[2] ** 2 <= 4)
    m.c2 = pyo.Constraint(expr=m.x[1] * m.x[3] == 1)
    m.c3 = pyo.Constraint(expr=(1, m.x[1] + m.x[2] + m.y, 6))
    return m


def test_a_model_of_pyomo_and_the_file_that_pyomo_writes(tmp_path: Path) -> None:
    m = pyomo_model()
    p = cpc.from_pyomo(m)
    assert (p.id, p.names) == ("mine", ("x_1", "x_2", "x_3", "y"))
    m.write(str(tmp_path / "model.nl"), io_options={"symbolic_solver_labels": True})
    q = cpc.read(tmp_path / "model.nl")
    assert set(q.names) == set(p.names)
    rng = np.random.default_rng(0)
    points = rng.uniform([0.1] * 3 + [-2], [5] * 4, (5000, 4))
    points[:, 2] = 1 / points[:, 0]
    values = p(points)
    assert 100 < np.isfinite(values).sum() < 4900
    np.testing.assert_allclose(q(points[:, [p.names.index(name) for name in q.names]]), values, rtol=1e-12)
    x = points[np.isfinite(values)][0]
    for v, number in zip([*m.x.values(), m.y], x.tolist(), strict=True):
        v.value = number
    pyo = library("pyomo.environ")
    assert p(x) == pytest.approx(-pyo.value(m.o))


def test_models_of_pyomo_with_more() -> None:
    pyo = library("pyomo.environ")
    m = pyomo_model()
    m.k = pyo.Var(domain=pyo.Integers, bounds=(0, 4))
    m.c4 = pyo.Constraint(expr=m.k + m.y >= 0)
    assert cpc.from_pyomo(m).formula.count("whole(k)") == 1
    m = pyomo_model()
    m.o2 = pyo.Objective(expr=m.y)
    with pytest.raises(CpcbenchError, match="2 objectives"):
        cpc.from_pyomo(m)
    m = pyomo_model()
    m.s = pyo.SOSConstraint(var=m.x, sos=1)
    with pytest.raises(CpcbenchError, match="special ordered sets"):
        cpc.from_pyomo(m)
    with pytest.raises(CpcbenchError, match="not str"):
        cpc.from_pyomo("model")


def test_casadi() -> None:
    casadi = library("casadi")
    x, y = casadi.SX.sym("x", 2), casadi.SX.sym("y")
    e = casadi.if_else(casadi.logic_and(x[0] < 1, y != 2), casadi.sqrt(x[0] - 0.2), casadi.log(x[1]))
    e = e + y**3 / casadi.fmax(x[0], x[1]) + (x[0] <= y) * casadi.atan2(y, x[0]) - casadi.fabs(x[1]) ** 0.5
    p = cpc.from_casadi(e, [x, y], [(0, 3), (-1, 3), (-3, 3)])
    assert p.names == ("x_0", "x_1", "y")
    function = casadi.Function("f", [x, y], [e])
    points = np.random.default_rng(1).uniform(p.lower, p.upper, (1000, 3))
    expected = [float(function(point[:2], point[2])) for point in points]
    assert 100 < np.isfinite(expected).sum() < 1000
    np.testing.assert_allclose(p(points), expected, rtol=1e-12)
    z = casadi.MX.sym("z", 3)
    q = cpc.from_casadi(casadi.sumsqr(z) + casadi.sin(z[0]), z, (0, 1))
    assert q([0.5, 1.0, 0.0]) == pytest.approx(1.25 + math.sin(0.5))
    with pytest.raises(CpcbenchError, match="scalar"):
        cpc.from_casadi(z, z, (0, 1))
    with pytest.raises(CpcbenchError, match="3 elements"):
        cpc.from_casadi(z[0], z, [(0, 1)])
    with pytest.raises(CpcbenchError, match="does not make a function"):
        cpc.from_casadi(casadi.MX.sym("w") + z[0], z, (0, 1))


def test_another_reader_of_such_files_agrees(tmp_path: Path) -> None:
    """CasADi's own reader, for objectives and bounds."""
    casadi = library("casadi")
    p = cpc.problem("CPC-DF8")
    file = tmp_path / "model.nl"
    file.write_text(nl_text(p.expression, p.bounds))
    built = casadi.NlpBuilder()
    built.import_nl(str(file))
    function = casadi.Function("f", [casadi.vertcat(*built.x)], [built.f])
    points = np.random.default_rng(1).uniform(p.lower, p.upper, (200, p.dim))
    values = cpc.read(file)(points)
    inside = np.isfinite(values)
    assert inside.sum() > 10
    np.testing.assert_allclose([float(function(x)) for x in points[inside]], values[inside], rtol=1e-9)
    assert list(built.x_lb) == p.lower.tolist()


@pytest.mark.parametrize(
    ("library", "call"), [("pyomo", lambda: cpc.from_pyomo(None)), ("casadi", lambda: cpc.from_casadi(None, [], []))]
)
def test_without_the_library(library: str, call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setitem(sys.modules, f"{library}.environ", None)
    with pytest.raises(MissingExtraError, match=rf"cpcbench\[{library}\]"):
        call()
