"""The simulations that solvers are compared on: what they compute is what their models say, and they fail."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.simulations import flash, likelihood, load_flow, reactor, truss
from benchmarks.simulations.__main__ import SIMULATIONS, problem

from tests.cases import one_in


@pytest.mark.parametrize("name", one_in(2, sorted(SIMULATIONS, reverse=True)))
def test_each_has_values_and_fails(name: str) -> None:
    box = np.array(SIMULATIONS[name].BOUNDS)
    values = problem(name)(np.random.default_rng(1).uniform(box[:, 0], box[:, 1], (150, len(box))))
    assert 1 <= np.isfinite(values).sum() <= 0.9 * len(values)


def test_both_phases_hold_what_is_fed_in_equilibrium() -> None:
    vapour, liquid = flash.split(flash.FEED, 300.0, 20.0)
    gas = (flash.FEED - (1.0 - vapour) * liquid) / vapour
    assert 0.0 < vapour < 1.0
    assert liquid.sum() == pytest.approx(1.0, abs=1e-9)
    assert gas.sum() == pytest.approx(1.0, abs=1e-9)
    assert gas[0] / liquid[0] == pytest.approx(46.0 / 20.0 * math.exp(5.37 * 1.012 * (1.0 - 190.6 / 300.0)), rel=1e-9)
    with pytest.raises(ArithmeticError, match="one phase"):
        flash.split(flash.FEED, 600.0, 2.0)


def test_without_correlation_the_likelihood_is_that_of_noise() -> None:
    white = 0.5 * 131 * math.log(float(np.mean(likelihood.SERIES**2)))
    assert len(likelihood.SERIES) == 131
    assert likelihood.simulate(np.zeros(5)) == pytest.approx(white, rel=1e-12)
    with pytest.raises(np.linalg.LinAlgError):
        likelihood.simulate(np.full(5, -0.6))


def test_the_network_loses_the_power_that_its_lines_heat_up_by() -> None:
    """The losses are those of the currents in the resistances, found from the voltages anew."""
    found = load_flow.solved(1.06, 1.0, 0.4, 1.0, 0.0)
    assert found is not None
    heat = sum(abs((found[a] - found[b]) / complex(r, x)) ** 2 * r for a, b, r, x, _ in load_flow.LINES)
    value = load_flow.simulate(np.array([1.06, 1.0, 0.4, 1.0, 0.0]))
    assert value == pytest.approx(heat - 0.5 * 1.65, abs=1e-8)
    with pytest.raises(ArithmeticError, match="converge"):
        load_flow.simulate(np.array([1.0, 1.0, 0.0, 8.0, 0.0]))


def test_a_cold_reactor_makes_nothing_and_a_hot_one_runs_away() -> None:
    begin, end = 290.0, 0.2
    rate = 4000.0 * math.exp(-2500.0 / begin)
    made = -reactor.simulate(np.array([begin, 300.0, 0.0, end])) + 0.02 * end
    assert 0.5 * rate * end < made < 1.2 * rate * end
    with pytest.raises(ArithmeticError, match="ran away"):
        reactor.simulate(np.array([400.0, 380.0, 0.0, 3.0]))


def test_a_stiff_truss_stands_and_a_flat_one_snaps_through() -> None:
    assert truss.simulate(np.array([1.0, 0.0, 1.0])) == pytest.approx(2.0 * math.sqrt(2.0) + 0.02)
    with pytest.raises(ArithmeticError, match="snapped"):
        truss.simulate(np.array([0.05, -1.0, 1.0]))
    with pytest.raises(ArithmeticError, match="buckles"):
        truss.simulate(np.array([1.0, -2.0, 1.0]))
