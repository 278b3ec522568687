"""The search begins at once: its steps are plain until they are compiled, and ask for the same points."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from cpcbench.points import Floats
from cpcbench.problems.user import parse
from cpcbench.solvers.search import start
from cpcbench.solvers.search.engine import Search
from tests.cases import one_in
from tests.search.known_minima import PROBLEMS


class Plain:
    """The steps as Python runs them, never compiled."""

    run = staticmethod(start.run_plain)


class Compiled:
    """The compiled steps, waited for."""

    def run(self, made: Any, *args: Any) -> None:
        made(*args)


@pytest.mark.parametrize("name", one_in(3, ["curved edge", "islands on a line", "ordered"]))
def test_plain_and_compiled_steps_ask_for_the_same_points(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    formula, bounds, _ = PROBLEMS[name]
    problem = parse(formula, bounds=[(float(a), float(b)) for a, b in bounds])
    plain, compiled = asked_by_both(monkeypatch, (problem.lower, problem.upper), problem, 24)
    assert np.array_equal(plain, compiled)


@pytest.mark.parametrize("side", [1e24, 8.9e307])
def test_they_do_where_numbers_are_large(side: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounded numbers included, whose powers of ten are not exact; and no point is outside of the box."""

    def values(points: Floats) -> Floats:
        at = points / np.array([side, 1.0])
        return np.asarray(np.where(at[:, 0] > at[:, 1], np.sum((at - 0.3) ** 2, axis=1), np.nan))

    upper = np.array([side, 1.0])
    plain, compiled = asked_by_both(monkeypatch, (-upper, upper), values, 8)
    assert np.array_equal(plain, compiled)
    assert (np.abs(plain) <= upper).all()


def asked_by_both(
    monkeypatch: pytest.MonkeyPatch, box: tuple[Floats, Floats], function: Callable[[Floats], Floats], m: int
) -> tuple[Floats, Floats]:
    """3,000 points that the plain steps ask for, and as many by the compiled ones."""
    asked = []
    for steps in (Plain(), Compiled()):
        monkeypatch.setattr("cpcbench.solvers.search.engine.STEPS", steps)
        search = Search(*box, np.random.default_rng(7), budget=3000)
        points = []
        for _ in range(3000 // m):
            points.append(search.ask(m))
            search.tell(points[-1], function(points[-1]))
        assert search.best_x is not None
        asked.append(np.concatenate(points))
    return asked[0], asked[1]


class FakeCompiler:
    def __init__(self) -> None:
        self.ended = False

    def poll(self) -> int | None:
        return 0 if self.ended else None


def steps_that_tell(monkeypatch: pytest.MonkeyPatch, on_disk: bool) -> tuple[Callable[[], None], list[str]]:
    """A call of a compiled function, and the list in which it says how it was run."""
    called: list[str] = []
    steps = start.Bridged(list, "nowhere")
    monkeypatch.setattr(steps, "on_disk", lambda: on_disk)
    monkeypatch.setattr(start, "run_plain", lambda made, *args: called.append("plain"))
    return partial(steps.run, lambda *args: called.append("compiled"), None, 1), called


def test_nobody_waits_for_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plain steps at first, a compiler once they have taken a while, compiled steps as soon as it has ended."""
    compiler, started = FakeCompiler(), []

    def start_compiler(_steps: start.Bridged) -> FakeCompiler:
        started.append(1)
        return compiler

    monkeypatch.setattr(start.Bridged, "start_compiler", start_compiler)
    monkeypatch.setattr(start, "PATIENCE", 1e9)
    call, called = steps_that_tell(monkeypatch, on_disk=False)
    call()
    call()
    assert (called, started) == (["plain"] * 2, [])
    monkeypatch.setattr(start, "PATIENCE", -1.0)
    call()
    call()
    assert (called, started) == (["plain"] * 4, [1])
    compiler.ended = True
    call()
    assert (called[4:], started) == (["compiled"], [1])


def test_what_is_on_disk_is_used_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    call, called = steps_that_tell(monkeypatch, on_disk=True)
    call()
    assert called == ["compiled"]


def test_where_no_process_can_be_started_this_one_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setattr(start, "PATIENCE", -1.0)
    call, called = steps_that_tell(monkeypatch, on_disk=False)
    call()
    assert called == ["compiled"]


def test_another_process_finds_what_it_is_to_compile() -> None:
    for module in ("search", "white_box"):
        steps = importlib.import_module(f"cpcbench.solvers.{module}.start").STEPS
        assert steps._module == f"cpcbench.solvers.{module}.start"
