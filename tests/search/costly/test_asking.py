"""A costly search as it is asked for: what goes together, how far it is, and on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from tests.cli.test_study_cli import cpcbench
from tests.material import user_functions
from tests.search.costly.noted import BOX, Noted, lines_of


@pytest.mark.parametrize(
    ("fun", "more", "match"),
    [
        *[("ln(x1)", {name: value}, f"{name}=.* belongs to a function")
          for name, value in (("log", "runs.csv"), ("state", "state"), ("asynchronous", True))],
        ("ln(x1)", {"log": "runs.csv"}, "call the problem as a function: minimize"),
        (user_functions.disc, {"method": "grey-box", "vectorized": True}, "leave it away, or use method='black-box'"),
        *[(user_functions.disc, {"method": "grey-box", name: value}, f"{name}=.* belongs to a black-box search")
          for name, value in (("asynchronous", True), ("vectorized", True))],
        *[(user_functions.disc, {"asynchronous": True, name: value}, "takes a number of workers")
          for name, value in (("vectorized", True), ("workers", map), ("batch", 3))],
    ],
)  # fmt: skip
def test_what_does_not_go_together(
    fun: Any, more: dict[str, Any], match: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CpcbenchError, match=match):
        cpc.minimize(fun, BOX[:1] if isinstance(fun, str) else BOX, budget=20, rng=1, **more)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("way", [{}, {"asynchronous": True}], ids=str)
def test_how_far_it_is(way: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cpcbench.solvers.search.loop.PAUSE", 0.0)
    said: list[Any] = []
    tell: Callable[[str], None] = said.append
    found = cpc.minimize(Noted(), BOX, budget=150, rng=1, progress=tell, **way)
    assert [line.done for line in said] == list(range(1, 151))
    assert said[-1] == f"best {found.fun!r} after 150 of 150 evaluations, {found.nundefined} undefined"


def test_on_the_command_line(tmp_path: Path) -> None:
    model = "import math\n\ndef cost(x):\n    return x[0] + 0 * math.sqrt(0.25 - x[0]**2)\n"
    (tmp_path / "model.py").write_text(model)
    words = ["minimize", "model.py:cost", "--bounds", "-1:1", "--budget", "100", "--state", "state"]
    first = cpcbench(tmp_path, *words, "--log", "runs.csv")
    assert "ValueError" in first.stdout
    assert "within -0." in first.stdout
    assert lines_of(tmp_path / "runs.csv") == 101
    again = cpcbench(tmp_path, *words)
    assert "recalled     100 of them" in again.stdout
    (tmp_path / "model.py").write_text(model + "\n")
    assert "another search: fun differ" in cpcbench(tmp_path, *words, code=2).stderr
    words = ["minimize", "model.py:cost", "--bounds", "-1:1", "--budget", "10", "--seed", "3", "--known", "runs.csv"]
    cpcbench(tmp_path, *words, "--workers", "2", "--asynchronous", "--json")
