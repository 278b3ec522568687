"""The suite in other coordinates: the same functions of the same sets."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.disguise.__main__ import Job, disguise, gap, main
from benchmarks.disguise.entering import hits

import cpcbench as cpc
from cpcbench.solvers.search.moves.samplers import UNIFORM, WITHOUT_HITS


@pytest.mark.parametrize("name", ["CPC-DF1", "CPC-DF14", "CPC-DF19"])
def test_a_disguise_is_the_same_function_of_the_same_set(name: str) -> None:
    p = cpc.problem(name)
    move = disguise(p, 5)
    hidden = move.of(p, "hidden")
    rng = np.random.default_rng(1)
    y = rng.uniform(hidden.lower, hidden.upper, (2000, p.dim))
    x = move.there(y)
    assert ((x >= p.lower - 1e-9) & (x <= p.upper + 1e-9)).all()
    corners = np.where(rng.integers(0, 2, (20, p.dim)) == 0, hidden.lower, hidden.upper)
    ends = move.there(corners)
    assert (np.minimum(abs(ends - p.lower), abs(ends - p.upper)) < 1e-9).all()
    here, there = p(x), hidden(y)
    both = np.isfinite(here) & np.isfinite(there)
    assert (np.isfinite(here) == np.isfinite(there)).mean() > 0.999
    assert np.allclose(here[both], there[both], rtol=1e-6, atol=1e-6)


def test_disguises_differ_in_all_that_they_change() -> None:
    p = cpc.problem("CPC-DF19")
    matrices = [disguise(p, seed)._numbers[0] for seed in range(8)]
    assert len({tuple(np.abs(m).argmax(axis=1)) for m in matrices}) > 4  # orders
    signs = np.array([m.sum(axis=1) for m in matrices])
    assert ((signs > 0).any(axis=0) & (signs < 0).any(axis=0)).all()
    sizes = np.abs(signs)
    assert (sizes.max(axis=1) > 3 * sizes.min(axis=1)).all()
    assert np.array_equal(disguise(p, 3)._numbers[0], matrices[3])


def test_a_run_is_held_against_the_published_value() -> None:
    assert gap(Job("CPC-DF9", "cpc", 400, 1, True)) > 0.0
    assert np.isnan(gap(Job("CPC-DF18", "cpc", 48, 1, True)))


def test_the_table_has_a_column_a_solver_and_kind(capsys: pytest.CaptureFixture[str]) -> None:
    main(["CPC-DF9", "--budget", "200", "--seeds", "1", "--solvers", "cpc"])
    printed = capsys.readouterr().out
    assert "| problem | cpc, plain | cpc, disguised |" in printed
    assert "| all | 0 of 1 (0.0%) | 0 of 1 (0.0%) |" in printed


@pytest.mark.slow  # the samplers are compiled for it
def test_hits_of_each_sampler_are_counted() -> None:
    found = hits(cpc.problem("CPC-DF9"), 2000, 3)
    assert len(found) == WITHOUT_HITS
    assert found[UNIFORM] == pytest.approx(2000 * 0.3725, rel=0.2)  # the feasible ratio
