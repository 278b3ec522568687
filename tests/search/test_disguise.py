"""The suite in other coordinates: the same functions of the same sets."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.disguise import settings
from benchmarks.disguise.__main__ import Job, disguise, gap, main
from benchmarks.disguise.attained import attained
from benchmarks.disguise.entering import hits
from benchmarks.disguise.settings import Plan, Trial, drawn, effects

import cpcbench as cpc
from cpcbench.errors import UnknownNameError
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


def test_published_values_that_need_particular_doubles() -> None:
    """Of CPC-DF10 two pairs as it is, and none in most disguises; of CPC-DF9 some in any."""
    p = cpc.problem("CPC-DF10")
    assert attained(p, None, 3) == 2
    assert attained(cpc.problem("CPC-DF9"), disguise(cpc.problem("CPC-DF9"), 1), 3) > 0
    assert sum(attained(p, disguise(p, seed), 50) > 0 for seed in range(9000, 9010)) < 5


def test_what_a_level_of_a_setting_changes() -> None:
    """Runs whose result follows from their problem and one setting: that is told, and no other."""
    plan = Plan(("CPC-DF1", "CPC-DF9"), 100, {"niche": (0.1, 0.2), "keep": (0.3, 0.4, 0.5)})
    trials = []
    for seed in range(4000):
        job, levels = drawn(plan, seed)
        share = 0.3 + 0.2 * (job.problem == "CPC-DF9") + 0.1 * (levels["niche"] == 0.2)
        trials.append(Trial(job, levels, seed * 0.6180339887 % 1 < share))
    found = {(name, level): (change, error) for name, level, change, error in effects(trials, plan.levels)}
    assert set(found) == {("niche", 0.2), ("keep", 0.4), ("keep", 0.5)}
    assert found["niche", 0.2][0] == pytest.approx(0.1, abs=0.04)
    assert all(abs(found["keep", level][0]) < 0.04 for level in (0.4, 0.5))
    assert all(0.005 < error < 0.03 for _, error in found.values())


def test_settings_are_run_and_tabled(capsys: pytest.CaptureFixture[str]) -> None:
    settings.main(["CPC-DF9", "niche=0.1,0.2", "--budget", "200", "--seconds", "0", "--jobs", "1"])
    assert "| niche | 0.1 | 0.2 |" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="no setting"):
        settings.main(["nich=0.1,0.2"])
    with pytest.raises(SystemExit, match="levels are numbers"):
        settings.main(["niche=a,b"])
    with pytest.raises(UnknownNameError, match="CPC-DF99"):
        settings.main(["CPC-DF99", "niche=0.1,0.2"])


@pytest.mark.slow  # the samplers are compiled for it
def test_hits_of_each_sampler_are_counted() -> None:
    found = hits(cpc.problem("CPC-DF9"), 2000, 3)
    assert len(found) == WITHOUT_HITS
    assert found[UNIFORM] == pytest.approx(2000 * 0.3725, rel=0.2)  # the feasible ratio
