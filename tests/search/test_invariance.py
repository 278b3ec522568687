"""What a search draws and how it moves in other units, with another origin, or on boxes that are not alike."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from cpcbench.solvers.search.moves import hops, samplers, steps
from cpcbench.solvers.search.start import run_plain
from cpcbench.solvers.search.state import CLIMBER, ELITE, HIT, LOWER, MIDDLE, SAMPLERS, SPREAD, UPPER, State, new_state
from cpcbench.solvers.search.tuning import SHARES_OF_SAMPLERS, Settings

Floats = npt.NDArray[np.float64]

DIM, DRAWS, KNOWN = 4, 150, 12
PLACES = np.random.default_rng(3).uniform(-0.9, 0.9, (KNOWN, DIM))
UNITS = np.array([1024.0, 0.125, 4.0, 2.0**-20])
ORIGINS = np.array([7.0, -0.3, 40.0, 1e-5])


def state(units: Floats, origins: Floats, seed: int = 5) -> State:
    """A search that knows the same places of another box."""
    made = new_state(origins - units, origins + units, seed, Settings())
    known = origins + units * PLACES
    for first in (HIT, ELITE):
        made.points[first : first + KNOWN] = known
        made.facts["value"][first : first + KNOWN] = np.arange(KNOWN)
    made.points[CLIMBER], made.facts["sigma"][CLIMBER] = known[0], 0.01
    made.points[MIDDLE], made.points[SPREAD] = origins + units * PLACES.mean(axis=0), units * 0.3
    made.counts["hits"] = made.counts["elites"] = KNOWN
    return made


def drawn(kind: int, units: Floats, origins: Floats) -> Floats:
    """Where draws of one kind are in the box, from -1 to 1."""
    made, out = state(units, origins), np.empty((DRAWS, DIM))
    for i in range(DRAWS):
        made.seed[0] = i + 1
        run_plain(samplers.sample, made, kind, out[i])
    return (out - origins) / units


def hopped(kind: int, units: Floats, origins: Floats) -> Floats:
    made, out = state(units, origins), np.empty((DRAWS, DIM))
    for i in range(DRAWS):
        made.seed[0] = i + 1
        run_plain(hops.hop, made, kind, i % KNOWN, out[i])
    return (out - origins) / units


def stepped(kind: int, units: Floats, origins: Floats) -> Floats:
    made, out = state(units, origins), np.empty((DRAWS, DIM))
    for i in range(DRAWS):
        made.seed[0] = i + 1
        run_plain(steps.step, made, 0, kind, out[i], np.zeros(DIM))
    return (out - origins) / units


ONES, ZEROS = np.ones(DIM), np.zeros(DIM)


@pytest.mark.parametrize("kind", sorted(set(range(SAMPLERS)) - {samplers.ROUNDED}))
def test_draws_do_not_depend_on_units(kind: int) -> None:
    """Units are powers of two, so that not even rounding differs."""
    assert np.array_equal(drawn(kind, UNITS, ZEROS), drawn(kind, ONES, ZEROS))


@pytest.mark.parametrize("kind", sorted(set(range(hops.SHIFT + 1)) - {hops.ROUND}))
def test_hops_do_not_depend_on_units(kind: int) -> None:
    assert np.array_equal(hopped(kind, UNITS, ZEROS), hopped(kind, ONES, ZEROS))


@pytest.mark.parametrize("kind", sorted(set(range(steps.ROUND)) - {steps.LAST_BITS}))
def test_steps_do_not_depend_on_units(kind: int) -> None:
    assert np.array_equal(stepped(kind, UNITS, ZEROS), stepped(kind, ONES, ZEROS))


@pytest.mark.parametrize("kind", sorted(set(range(SAMPLERS)) - {samplers.ROUNDED}))
def test_draws_hardly_depend_on_the_origin(kind: int) -> None:
    """A fifth of the distances are measured from zero, all others from places of the box."""
    same = np.isclose(drawn(kind, ONES, ORIGINS), drawn(kind, ONES, ZEROS), atol=1e-9).all(axis=1)
    assert same.mean() > 0.6


@pytest.mark.parametrize("kind", [hops.TIE, hops.SCALE, hops.SHIFT])
def test_hops_hardly_depend_on_the_origin(kind: int) -> None:
    same = np.isclose(hopped(kind, ONES, ORIGINS), hopped(kind, ONES, ZEROS), atol=1e-9).all(axis=1)
    assert same.mean() > 0.6


def test_ties_are_exact_on_equal_ranges() -> None:
    """Where ranges are alike about zero, what is tied is the same number up to sign, to the last bit."""
    made, out = state(np.full(DIM, 7.0), ZEROS), np.empty(DIM)
    known = np.random.default_rng(4).uniform(-7.0, 7.0, (KNOWN, DIM))
    made.points[ELITE : ELITE + KNOWN] = known
    numbers = set(np.abs(known).ravel().tolist())
    for i in range(DRAWS):
        made.seed[0] = i + 1
        run_plain(hops.hop, made, hops.TIE, i % KNOWN, out)
        assert set(np.abs(out).tolist()) <= numbers


def test_what_spans_the_hits_stays_in_their_plane() -> None:
    """Hits on a plane give draws on it, whatever relation of the coordinates it is."""
    made = state(ONES, ZEROS)
    made.points[HIT : HIT + KNOWN, 3] = 0.2 - 0.5 * made.points[HIT : HIT + KNOWN, 0]
    for i in range(DRAWS):
        made.seed[0] = i + 1
        out = np.empty(DIM)
        run_plain(samplers.sample, made, samplers.SPANNED, out)
        assert out[3] == pytest.approx(0.2 - 0.5 * out[0], abs=1e-12)


@pytest.mark.parametrize("kind", range(SAMPLERS))
def test_every_draw_is_put_into_the_box(kind: int) -> None:
    made = state(UNITS, ORIGINS)
    out = np.empty(DIM)
    for i in range(DRAWS):
        made.seed[0] = i + 1
        run_plain(samplers.sample, made, kind, out)
        run_plain(samplers.inside, made, out)
        assert ((made.points[LOWER] <= out) & (out <= made.points[UPPER])).all()


def test_every_sampler_has_a_share() -> None:
    assert len(SHARES_OF_SAMPLERS) == SAMPLERS
    assert min(SHARES_OF_SAMPLERS) > 0.0
