"""Solvers of the user's own: found by their names, unless a name already means another solver."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.solvers import registry


def search(objective: Any, rng: Any) -> Any:
    return {"x": objective.lower, "fun": objective(objective.lower)}


@pytest.fixture(autouse=True)
def _nothing_stays() -> Iterator[None]:
    before = dict(registry._registered)
    yield
    registry._registered.clear()
    registry._registered.update(before)


@pytest.mark.parametrize(
    "name", ["GA", "ga", " Ga ", "b&b", "CPC", "Cpc-White", "scipy-de", "SciPy-DE", "SCIP", "cma-BIPOP"]
)
def test_a_name_that_means_a_known_solver_is_refused(name: str) -> None:
    known = next(k for k in (*registry.OWN, *registry.OUTSIDE) if k.lower() == name.strip().lower())
    with pytest.raises(CpcbenchError, match=f"means the solver {known}"):
        cpc.register_solver(cpc.Solver(name, search))
    with pytest.raises(CpcbenchError, match="choose another name"):
        cpc.register_solver(cpc.Solver(name, search), replace=True)


@pytest.mark.parametrize("name", ["mine", "GA2", "ga+more", "GA+start", "a:b", "my solver"])
def test_what_is_registered_is_found(name: str) -> None:
    made = cpc.register_solver(cpc.Solver(name, search))
    assert cpc.solver(name) is made
    assert name in cpc.solvers()
    with pytest.raises(CpcbenchError, match="replace=True"):
        cpc.register_solver(cpc.Solver(name, search))
    other = cpc.register_solver(cpc.Solver(name, search), replace=True)
    assert cpc.solver(name) is other


def test_a_package_cannot_hide_a_known_solver_either(monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        name, value = "ga", "somewhere:search"

        def load(self) -> Any:
            return search

    monkeypatch.setattr(registry, "entry_points", lambda group: [Entry()])
    monkeypatch.setattr(registry, "_plugins_loaded", False)
    with pytest.warns(UserWarning, match="means the solver GA"):
        assert "ga" not in cpc.solvers()
