"""The CUDA source, compiled for the host: values, draws and the sieve; and on a card, if there is one."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError, MissingExtraError, PointError
from cpcbench.readings.doubles.lowering import Plan
from cpcbench.readings.gpu import reading as reading_module
from cpcbench.readings.gpu.device import CardModule, has_card
from cpcbench.readings.gpu.draws import STREAMS, Draws, Module
from cpcbench.readings.gpu.host import HostModule, compiler
from cpcbench.readings.gpu.reading import GpuReading
from cpcbench.readings.gpu.source import cuda_source
from cpcbench.readings.gpu.walks import walk
from cpcbench.sampling.points import admissible_points, boundary_points
from cpcbench.studies.feasible.draws import drawn_points, stream
from cpcbench.studies.feasible.intervals import count_interval
from cpcbench.studies.feasible.ratio import feasible_ratio
from tests.material import random_formulas

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C++ compiler for the CUDA source")
card = pytest.mark.skipif(not has_card(), reason="no graphics card")

MANY = cpc.parse(
    "sqrt(sin(3*x1^2 - x2) + 0.3) + ln(x1 + exp(-x2) - 0.2)*arcsin(x1 - x2) + (x1*x2 + 0.5)^0.7/(x2 - 0.25)"
    " + abs(cos(sqrt(x1 + 2)) - 0.4)^x2 + (x1 - ln(x2 + 1.5))^3 + log2(1.4 + tanh(x1 - sqrt(x2 + 1)))",
    bounds=[(-1.5, 2), (-1, 2)],
)
"""A formula with all that the sieve knows, and something that it does not."""


def on_host(problem: cpc.Problem, worst: int = 0) -> GpuReading:
    return GpuReading(lambda: problem.fast.plan, problem.names, lambda source: HostModule(source, worst=worst))


def philox(number: int, block: int, key: int) -> list[int]:
    """Philox 4x32-10 as Salmon and others write it (2011)."""
    c = [number % 2**32, number >> 32, block, 0]
    k = [key % 2**32, key >> 32]
    for _ in range(10):
        low, high = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(high >> 32) ^ c[1] ^ k[0], high % 2**32, (low >> 32) ^ c[3] ^ k[1], low % 2**32]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return c


def test_philox_has_its_known_answer() -> None:
    assert philox(0, 0, 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]  # of its authors' test vectors


def test_philox_points() -> None:
    box = [(0.0, 1.0), (-3.0, 5.0), (2.0, 2.5)]
    draws = on_host(cpc.parse("x1 + x2 + x3", bounds=box)).draws()
    key, first = 2**63 + 12345, 2**40 + 7
    for row, number in zip(draws.points(first, 3, key), range(first, first + 3), strict=True):
        words = philox(number, 0, key) + philox(number, 1, key)
        units = [((words[2 * i + 1] << 32 | words[2 * i]) >> 11) * 2.0**-53 for i in range(3)]
        assert row.tolist() == [low + (high - low) * u for (low, high), u in zip(box, units, strict=True)]


def sound(problem: cpc.Problem, worst: int, points: int = 100_000) -> None:
    """The sieve changes no count, with functions as wrong as they may be; nor do the values."""
    reading = on_host(problem, worst)
    key = stream(problem, 3, 0)
    x = drawn_points(problem, 3, 0, 0, points)
    draws = reading.draws("splitmix")
    assert np.array_equal(draws.points(0, points, key), x)
    values = problem(x)
    assert draws.count(0, points, key) == int(np.isfinite(values).sum())
    found = draws.survey(0, points, key)
    assert (found.points, found.hits) == (points, int(np.isfinite(values).sum()))
    if found.hits:
        assert found.least == np.nanmin(values) == values[found.lowest]


@pytest.mark.parametrize(
    ("problem", "worst"),
    [(MANY, 1), (MANY, -1), (cpc.problem("CPC-DF24"), 0), (cpc.problem("CPC-DF1"), 1)],
    ids=["many, above", "many, below", "CPC-DF24", "CPC-DF1"],
)
def test_the_sieve_changes_nothing(problem: cpc.Problem, worst: int) -> None:
    sound(problem, worst)


@pytest.mark.slow
@pytest.mark.parametrize("worst", [-1, 0, 1])
@pytest.mark.parametrize("number", range(1, 26))
def test_the_sieve_changes_nothing_on_the_suite(number: int, worst: int) -> None:
    sound(cpc.problem(f"CPC-DF{number}"), worst, 1_000_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_the_sieve_changes_nothing_on_random_formulas(seed: int) -> None:
    formula = random_formulas.formula(random_formulas.seeded(seed), 12, random_formulas.ELEMENTARY)
    sound(cpc.Problem("random", formula, [-2.0] * 2, [2.0] * 2), seed % 3 - 1, 20_000)


def test_most_points_are_sifted() -> None:
    """What is in doubt is rare: the sieve is of use."""
    problem = cpc.problem("CPC-DF1")
    module = HostModule(cuda_source(problem.fast.plan))
    queue, filled, hits = np.empty(2**16, dtype=np.uint32), np.zeros(1, dtype=np.uint32), np.zeros(512, dtype=np.uint64)
    place = np.uint64(0), np.int64(2**16), np.uint64(5)
    module.launch("cpc_sift", 512, *place, np.int32(0), queue, np.uint32(2**16), filled, hits)
    assert filled[0] < 50
    assert 0.45 < hits.sum() / 2**16 < 0.52


def test_values_are_those_of_the_compiled_kernel() -> None:
    problem = MANY
    rng = np.random.default_rng(0)
    kinds = [admissible_points(problem, 300, rng), boundary_points(problem, 300, rng), rng.uniform(-1, 2, (300, 2))]
    points = np.concatenate(kinds)
    found, expected = on_host(problem)(points), problem(points)
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    both = ~np.isnan(found)
    assert (np.abs(found[both] - expected[both]) <= 2 * np.spacing(np.abs(expected[both]))).all()


def test_points_of_all_shapes_and_wrong_ones() -> None:
    reading = on_host(cpc.parse("where(x1 < x2, sqrt(x1), max(x2, mod(x1, 2))^3)", bounds=[(-5, 5), (-5, 5)]))
    assert reading([1.0, 2.0]) == 1.0
    assert reading([[[3.0, 1.0]], [[-1.0, 2.0]]]).shape == (2, 1)
    assert np.isnan(reading([[-1.0, 2.0]]))[0]
    assert reading([[3.0, 2.0]])[0] == 8.0
    assert reading(np.empty((0, 2))).shape == (0,)
    with pytest.raises(PointError, match="2 coordinates"):
        reading([[1.0, 2.0, 3.0]])
    with pytest.raises(CpcbenchError, match="philox or splitmix"):
        reading.module("mersenne")  # type: ignore[arg-type]


def test_a_study_on_the_card_goes_on_after_a_stop(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(reading_module, "CardModule", HostModule)
    monkeypatch.setattr("cpcbench.studies.feasible.ratio.CARD_BLOCK", 40_000)
    disc = cpc.parse("sqrt(0.25 - x1^2 - x2^2)", bounds=[(-1, 1), (-1, 1)])
    file = f"{tmp_path}/state.json"
    found = feasible_ratio(disc, samples=1e5, repeats=2, rng=1, gpu=True, state=file)
    assert found.counted is not None
    assert found.counted.interval.low < np.pi / 16 < found.counted.interval.high
    assert found.counted.interval == count_interval(sum(found.counted.hits), 200_000)
    drawn = disc.gpu.draws().points(0, 100_000, stream(disc, 1, 1))
    assert found.counted.hits[1] == int(disc.admissible(drawn).sum())
    monkeypatch.delattr(Draws, "count")  # all is done: nothing is counted again
    again = feasible_ratio(disc, samples=1e5, repeats=2, rng=1, gpu=True, state=file)
    assert again.counted == found.counted


def test_a_source_that_does_not_compile_is_told() -> None:
    with pytest.raises(CpcbenchError, match="did not compile"):
        HostModule("nonsense")


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is installed")
def test_without_cupy_the_extra_is_named() -> None:
    with pytest.raises(MissingExtraError, match=r"cpcbench\[gpu\]"):
        cpc.problem("CPC-DF3").gpu([0.0, 0.0])


@card
@pytest.mark.parametrize("way", STREAMS)
def test_a_card_counts_as_the_host_does(way: str) -> None:
    builders: list[Callable[[str], Module]] = [CardModule, HostModule]
    problem = cpc.problem("CPC-DF24")
    counts = [GpuReading(lambda: problem.fast.plan, (), build).draws(way).count(0, 100_000, 9) for build in builders]  # type: ignore[arg-type]
    assert counts[0] == counts[1]


def test_plans_without_a_sieve() -> None:
    plan: Plan = MANY.fast.plan
    assert "return 2;" in cuda_source(plan, sifted=False)
    plain = HostModule(cuda_source(plan, sifted=False))
    reading = GpuReading(lambda: plan, (), lambda _: plain)
    assert reading.draws().count(0, 70_000, 1) == on_host(MANY).draws().count(0, 70_000, 1)


def test_short_searches_end_in_a_low_place() -> None:
    problem = cpc.parse("(x1 - 0.3)^2 + (x2 + 0.2)^2 - sqrt(0.25 - x1*x2)", bounds=[(-3, 3), (-3, 3)])
    found = walk(on_host(problem).module(), 2, 4, 0.0, steps=200, go=300, room=64)
    assert 20 < found.starts <= 64
    assert found.value == problem(found.point)
    steps = np.linspace(-3.0, 3.0, 601)
    grid = problem(np.stack(np.meshgrid(steps, steps), axis=-1))
    assert found.value <= np.nanmin(grid)


def test_low_points_are_those_with_the_lowest_values() -> None:
    problem = MANY
    draws = on_host(problem).draws()
    low = draws.low_points(0, 20_000, 3, 5)
    values = problem(low)
    everything = problem(draws.points(0, 20_000, 3))
    assert (np.diff(values) >= 0.0).all()
    assert values[0] == np.nanmin(everything)
