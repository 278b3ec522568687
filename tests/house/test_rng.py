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
from cpcbench.studies.feasible.ratio import feasible_ratio

DRAWING: list[Callable[..., Any]] = [cpc.minimize, cpc.certify, cpc.run, feasible_ratio]


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
