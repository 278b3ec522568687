"""`rng` means the same wherever random numbers are drawn: a seed, a generator, or None; `seed` is its older name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.rng import generator_of, seed_of
from cpcbench.studies.agreement import agreement
from cpcbench.studies.feasible.ratio import feasible_ratio
from cpcbench.studies.landscape.clouds import cloud
from cpcbench.studies.landscape.grids import landscape
from cpcbench.studies.landscape.lines import line
from cpcbench.studies.modality.local_minima import local_minima
from cpcbench.studies.modality.summary import components
from cpcbench.studies.sensitivity.digits import precision_profile
from cpcbench.studies.structure.discontinuity import discontinuities
from cpcbench.studies.structure.interactions import interactions
from cpcbench.studies.structure.steepness import steepness

DRAWING: list[Callable[..., Any]] = [cpc.minimize, cpc.certify, cpc.run, feasible_ratio]
STUDIES: dict[str, Callable[[cpc.Problem, Any], Any]] = {
    "agreement": lambda p, rng: agreement(p, 40, rng),
    "cloud": lambda p, rng: cloud(p, draws=50, rng=rng),
    "landscape": lambda p, rng: landscape(p, resolution=4, rng=rng),
    "line": lambda p, rng: line(p, resolution=4, rng=rng),
    "local_minima": lambda p, rng: local_minima(p, starts=3, rng=rng),
    "components": lambda p, rng: components(p, cells=100, rng=rng),
    "precision_profile": lambda p, rng: precision_profile(p, [0.3, 0.2], grids=2, rng=rng),
    "discontinuities": lambda p, rng: discontinuities(p, samples=20, rng=rng),
    "interactions": lambda p, rng: interactions(p, bases=3, rng=rng),
    "steepness": steepness,
}


@pytest.mark.parametrize("function", DRAWING, ids=lambda f: f.__name__)
def test_both_names_are_there(function: Callable[..., Any]) -> None:
    parameters = inspect.signature(function).parameters
    assert parameters["rng"].kind is parameters["seed"].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters["seed"].default is None


def test_one_seed() -> None:
    assert [seed_of(0), seed_of(7), seed_of(0, 7), seed_of(np.int64(7))] == [0, 7, 7, 7]  # type: ignore[arg-type]
    drawn = seed_of(np.random.default_rng(7))
    assert drawn == seed_of(np.random.default_rng(7)) >= 0
    assert seed_of(None) != seed_of(None)
    same = [generator_of(7), generator_of(None, 7), generator_of(np.random.default_rng(7))]
    assert len({g.random() for g in same}) == 1
    own = np.random.default_rng(1)
    assert generator_of(own) is own


@pytest.mark.parametrize("bad", ["a", -1, 1.5, True, [1]])
def test_what_is_no_seed(bad: Any) -> None:
    with pytest.raises(CpcbenchError, match="a seed is a whole number from 0 on"):
        seed_of(bad)
    with pytest.raises(CpcbenchError, match="a seed is a whole number from 0 on"):
        feasible_ratio(cpc.problem("DF1"), 10, 1, rng=bad)


@pytest.mark.parametrize("function", [generator_of, seed_of])
def test_two_names_for_one_thing(function: Callable[..., Any]) -> None:
    with pytest.raises(CpcbenchError, match="give one"):
        function(1, 2)


def test_the_same_answer_under_both_names() -> None:
    p = cpc.parse("sqrt(x1 - x2)", bounds=(-1, 1))
    one, other = (feasible_ratio(p, 5000, 2, workers=1, **{name: 3}) for name in ("seed", "rng"))  # type: ignore[arg-type]
    assert one == other


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_studies_take_seeds_and_generators(study: Callable[[cpc.Problem, Any], Any]) -> None:
    p = cpc.parse("sqrt(x1 - x2) + sin(40*x1*x2)", bounds=(-1, 1))
    assert repr(study(p, 3)) == repr(study(p, np.random.default_rng(3)))
    with pytest.raises(CpcbenchError, match="a seed is a whole number from 0 on"):
        study(p, -1)
