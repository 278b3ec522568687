"""The problems in other libraries' loops: the same bits, the same bounds, undefined as asked for."""

from __future__ import annotations

import math
import pickle
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError, MissingExtraError
from cpcbench.problems.bridges import LIBRARIES
from cpcbench.problems.undefined import POLICIES
from tests.material.outside.libraries import library as imported
from tests.material.outside.libraries import needs

OWN = cpc.parse("ln(x1 - 0.2) + sqrt(x2) - x1*x2", bounds=[(-1.0, 2.5), (-3.0, 4.0)])
PROBLEMS = [cpc.problem("CPC-DF10"), OWN]


def points(problem: cpc.Problem) -> np.ndarray[Any, Any]:
    """Some admissible points and some that are not."""
    drawn = np.random.default_rng(3).uniform(problem.lower, problem.upper, (60_000, problem.dim))
    values = problem(drawn)
    found = np.concatenate([drawn[~np.isnan(values)][:5], drawn[np.isnan(values)][:5]])
    assert len(found) == 10
    return found


def bridge(problem: cpc.Problem, library: str, **options: str) -> Any:
    imported(library)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(problem, f"as_{library}")(**options)


def evaluated(problem: cpc.Problem, library: str, undefined: str, x: np.ndarray[Any, Any]) -> list[float]:
    """The values through the library's own door."""
    bridged = bridge(problem, library, undefined=undefined)
    if library == "pymoo":
        return [float(v) for v in np.asarray(bridged.evaluate(x))[:, 0]]
    if library == "pygmo":
        import pygmo

        batch = pygmo.bfe(pygmo.member_bfe())(bridged, x.reshape(-1))
        one_by_one = [float(bridged.fitness(row)[0]) for row in x]
        np.testing.assert_array_equal(batch, one_by_one)
        return one_by_one
    if library == "optuna":
        import optuna

        return [bridged(optuna.trial.FixedTrial(dict(zip(problem.names, row.tolist(), strict=True)))) for row in x]
    return [float(bridged(row if library == "nevergrad" else row.tolist())) for row in x]


@pytest.mark.parametrize("undefined", POLICIES)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: p.id)
def test_values_are_the_problems_own(problem: cpc.Problem, library: str, undefined: str) -> None:
    x = points(problem)
    expected = [POLICIES[undefined] if math.isnan(v) else v for v in problem(x).tolist()]
    np.testing.assert_array_equal(evaluated(problem, library, undefined, x), expected)


@pytest.mark.parametrize("library", LIBRARIES)
def test_bounds_are_the_box(library: str) -> None:
    bridged = bridge(OWN, library)
    found: dict[str, Any] = {
        "pymoo": lambda: (bridged.xl, bridged.xu),
        "ioh": lambda: (bridged.bounds.lb, bridged.bounds.ub),
        "nevergrad": lambda: _reached(bridged.parametrization),
        "pygmo": bridged.get_bounds if library == "pygmo" else None,
        "optuna": lambda: _suggested(bridged),
    }
    lower, upper = found[library]()
    np.testing.assert_array_equal(np.ravel(lower), OWN.lower)
    np.testing.assert_array_equal(np.ravel(upper), OWN.upper)


def _reached(parametrization: Any) -> tuple[Any, Any]:
    """The ends of what nevergrad draws, to the nearest half: it bounces back from its bounds."""
    parametrization.random_state.seed(5)
    drawn = np.array([parametrization.sample().value for _ in range(3000)])
    assert OWN.in_box(drawn).all()
    return np.round(2.0 * drawn.min(axis=0)) / 2.0, np.round(2.0 * drawn.max(axis=0)) / 2.0


def _suggested(objective: Any) -> tuple[list[float], list[float]]:
    import optuna

    trial = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1)).ask()
    objective(trial)
    assert list(trial.distributions) == ["x1", "x2"]
    return [d.low for d in trial.distributions.values()], [d.high for d in trial.distributions.values()]


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_unknown_word_is_refused(library: str) -> None:
    with pytest.raises(CpcbenchError, match=r"'zero'.*nan, inf, penalty"):
        bridge(OWN, library, undefined="zero")


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_missing_library_is_named(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [m for m in sys.modules if m.partition(".")[0] == library]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"cpcbench.problems.bridges.{library}", raising=False)
    with pytest.raises(MissingExtraError, match=rf"cpcbench\[{library}\]"):
        getattr(OWN, f"as_{library}")()


@pytest.mark.parametrize("library", ["pymoo", "pygmo", "optuna", "nevergrad"])
def test_it_can_be_pickled(library: str) -> None:
    x = points(OWN)[:1]
    bridged = pickle.loads(pickle.dumps(bridge(OWN, library, undefined="penalty")))  # noqa: S301
    if library == "pymoo":
        assert np.asarray(bridged.evaluate(x))[0, 0] == OWN(x[0])
    elif library == "pygmo":
        assert bridged.fitness(x[0])[0] == OWN(x[0])
    elif library == "nevergrad":
        assert bridged(x[0]) == OWN(x[0])
    else:
        assert bridged.problem == OWN


def test_pymoo_can_have_undefined_points_as_violations() -> None:
    bridged = bridge(OWN, "pymoo", undefined="constraint")
    x = points(OWN)
    values, violated = bridged.evaluate(x, return_values_of=["F", "G"])
    np.testing.assert_array_equal(values[:5, 0], OWN(x[:5]))
    assert np.isfinite(values).all()
    assert (violated[:5] <= 0.0).all()
    assert (violated[5:] > 0.0).all()


def test_pymoo_runs() -> None:
    bridged = bridge(OWN, "pymoo")
    from pymoo.algorithms.soo.nonconvex.de import DE
    from pymoo.optimize import minimize

    result = minimize(bridged, DE(pop_size=20), ("n_gen", 20), seed=1)
    assert result.F[0] == OWN(result.X) < OWN(points(OWN)[0])
    assert bridged.name() == OWN.id


def test_pygmo_runs_in_another_process_too() -> None:
    bridged = bridge(OWN, "pygmo")
    import pygmo

    population = pygmo.population(bridged, size=20, seed=1)
    evolved = pygmo.algorithm(pygmo.de(gen=20, seed=2)).evolve(population)
    assert evolved.champion_f[0] == OWN(evolved.champion_x) <= population.champion_f[0]
    assert bridged.get_name() == OWN.id


def test_nevergrad_runs() -> None:
    bridged = bridge(OWN, "nevergrad")
    import nevergrad

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of every infinite loss
        optimizer = nevergrad.optimizers.OnePlusOne(parametrization=bridged.parametrization, budget=60)
        optimizer.parametrization.random_state.seed(3)
        found = optimizer.minimize(bridged)
    assert OWN.in_box(found.value)
    assert bridged.copy()(found.value) == bridged(found.value)


@pytest.mark.parametrize(("undefined", "state"), [("nan", "FAIL"), ("pruned", "PRUNED"), ("inf", "COMPLETE")])
def test_optuna_sees_undefined_trials_as_asked(undefined: str, state: str) -> None:
    bridged = bridge(OWN, "optuna", undefined=undefined)
    import optuna

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    try:
        study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=4))
        study.optimize(bridged, n_trials=30)
    finally:
        optuna.logging.set_verbosity(before)
    outcomes = {bool(OWN.admissible([t.params["x1"], t.params["x2"]])): t.state.name for t in study.trials}
    assert outcomes == {True: "COMPLETE", False: state}
    assert study.best_value == OWN([study.best_params["x1"], study.best_params["x2"]])


def test_ioh_logs_what_it_evaluates(tmp_path: Path) -> None:
    problem = cpc.problem("CPC-DF3")
    bridged = bridge(problem, "ioh")
    import ioh

    logger = ioh.logger.Analyzer(root=str(tmp_path), folder_name="runs", algorithm_name="sampling")
    bridged.attach_logger(logger)
    x = points(problem)
    for row in x:
        bridged(row.tolist())
    assert bridged.state.evaluations == len(x)
    assert bridged.state.current_best.y == min(problem(x[:5]))
    bridged.detach_logger()
    logger.close()
    assert [p.name for p in tmp_path.rglob("*.dat")] == ["IOHprofiler_f3_DIM2.dat"]


def test_ioh_knows_the_optimum_where_one_is_known() -> None:
    problem = cpc.problem("CPC-DF3")
    assert problem.best_known is not None
    bridged = bridge(problem, "ioh")
    assert bridged.optimum.y == problem.best_known.value
    assert (bridged.meta_data.problem_id, bridged.meta_data.name) == (3, "CPC-DF3")
    unknown = bridge(OWN, "ioh")
    unknown(points(OWN)[0].tolist())
    assert unknown.meta_data.problem_id > 1000
    assert not unknown.state.final_target_found


@needs("nevergrad")
def test_nevergrad_says_which_variables_it_cannot_take() -> None:
    with pytest.raises(CpcbenchError, match="equal: x1 of user"):
        cpc.parse("x1 + ln(x2)", bounds=[(1, 1), (0, 1)]).as_nevergrad()
