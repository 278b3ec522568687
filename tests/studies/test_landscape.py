"""The data of figures: the kernel's own values, blank where undefined, and thin domains found."""

from __future__ import annotations

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.studies.landscape.cells import points_in_cells, roundest
from cpcbench.studies.landscape.clouds import cloud
from cpcbench.studies.landscape.grids import Landscape, landscape, projection, with_lowest_met, zoom
from cpcbench.studies.landscape.lines import line


def same_bits(a: object, b: object) -> bool:
    return np.asarray(a).tobytes() == np.asarray(b).tobytes()


def test_values_are_the_kernels_own_at_the_grid_points() -> None:
    p = cpc.problem("CPC-DF8")
    data = landscape(p, resolution=40)
    for i, j in [(0, 0), (20, 13), (17, 25), (39, 39), (15, 4)]:
        assert same_bits(data.z[i, j], p([data.x[j], data.y[i]]))
    assert 0 < np.isnan(data.z).sum() < data.z.size
    assert data.z.shape == (40, 40)
    assert (np.diff(data.x) > 0).all()
    assert data.x[0] == pytest.approx(14 / 80)


def test_rows_are_the_second_variable() -> None:
    data = landscape(cpc.parse("x1 + 100*x2", bounds=[(0, 1), (5, 9)]), resolution=4)
    assert data.z[0, 3] == pytest.approx(0.875 + 550)
    assert data.z[3, 0] == pytest.approx(0.125 + 850)


def test_a_slice_keeps_the_other_coordinates() -> None:
    p = cpc.problem("CPC-DF5")
    assert p.best_known is not None
    data = landscape(p, axes=(2, 0), resolution=30)
    point = np.array(p.best_known.points[0])
    point[2], point[0] = data.x[7], data.y[11]
    assert same_bits(data.z[11, 7], p(point))
    assert data.others == (1, 3, 4)
    assert len(data.optima) == len(p.best_known.points) >= 32  # all choices of signs
    assert 0 < data.on_slice.sum() < len(data.optima)


@pytest.mark.parametrize("name", ["CPC-DF13", "CPC-DF15"])
def test_a_domain_thinner_than_a_pixel_is_found_over_the_whole_box(name: str) -> None:
    p = cpc.problem(name)
    data = landscape(p, resolution=40)
    assert np.isnan(data.z).all(), "the grid alone misses it"
    check_thin(data)
    assert len(data.scattered) >= 2
    assert p.best_known is not None
    x, y = p.best_known.points[0]
    column, row = (int((c - a) / (b - a) * 40) for c, (a, b) in zip((x, y), p.bounds, strict=True))
    near = data.thin[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
    assert near.any(), "near the best-known point there is something to see"


@pytest.mark.parametrize("name", ["CPC-DF3", "CPC-DF10", "CPC-DF18", "CPC-DF22"])
def test_each_representative_is_admissible_and_in_its_cell(name: str) -> None:
    check_thin(landscape(cpc.problem(name), resolution=25))


def check_thin(data: Landscape) -> None:
    p = data.problem
    row, column = np.nonzero(data.thin)
    points = np.tile(np.asarray(data.at), (len(row), 1))
    points[:, list(data.axes)] = data.scattered
    assert same_bits(data.scattered_values, p(points))
    assert not np.isnan(data.scattered_values).any()
    assert np.isnan(data.z[data.thin]).all(), "only cells that are undefined in the middle"
    width, height = data.x[1] - data.x[0], data.y[1] - data.y[0]
    assert (np.abs(data.scattered[:, 0] - data.x[column]) <= 0.5001 * width).all()
    assert (np.abs(data.scattered[:, 1] - data.y[row]) <= 0.5001 * height).all()
    assert (np.isnan(data.filled) == (np.isnan(data.z) & ~data.thin)).all()


def test_a_hair_in_a_large_box_is_found() -> None:
    p = cpc.parse("sqrt(1e-7 - abs(x1 - 0.3171 - x2/9))", bounds=[(-1, 1), (-1, 1)])
    data = landscape(p, resolution=20)
    expected = {(i, int((0.3171 + y / 9 + 1) * 10)) for i, y in enumerate(data.y)}
    assert expected <= set(zip(*(a.tolist() for a in np.nonzero(data.thin)), strict=True))


def test_whole_exponents_are_found_where_the_base_is_negative() -> None:
    p = cpc.parse("(-1 - x1^2)^x2", bounds=[(-1, 1), (0.3, 3.6)])
    data = landscape(p, resolution=10)  # defined for x2 = 1, 2, 3 only
    assert sorted(set(data.scattered[:, 1].tolist())) == [1.0, 2.0, 3.0]
    assert data.thin.sum() == 30
    assert landscape(p.with_rule("strict"), resolution=10).thin.sum() == 0


def test_nothing_is_found_where_nothing_is_defined() -> None:
    data = landscape(cpc.parse("sqrt(-1 - x1^2 - x2^2)", bounds=[(-1, 1), (-1, 1)]), resolution=10)
    assert np.isnan(data.filled).all()
    assert data.scattered.shape == (0, 2)


def test_the_same_seed_gives_the_same_data() -> None:
    first, second = (landscape(cpc.problem("CPC-DF11"), resolution=12, rng=3) for _ in range(2))
    assert same_bits(first.scattered, second.scattered)
    assert same_bits(first.filled, second.filled)


def test_roundest() -> None:
    low, high = np.array([0.3, -0.7, 1.9, -3.2, 0.26, 5.0]), np.array([0.6, 0.2, 2.2, -2.9, 0.27, 5.0])
    assert roundest(low, high).tolist() == [0.5, 0.0, 2.0, -3.0, 0.265625, 5.0]


def test_cells_hold_their_lowest_point_met() -> None:
    p = cpc.parse("x1", bounds=(0, 1))
    points, values = points_in_cells(p, np.array([[0.2], [0.6]]), np.array([[0.4], [0.9]]), np.random.default_rng(1))
    assert 0.2 <= values[0] < 0.25
    assert 0.6 <= values[1] < 0.67
    assert same_bits(points[:, 0], values)


def test_a_zoom_closes_in_on_the_optimum() -> None:
    p = cpc.problem("CPC-DF8")
    series = zoom(p, levels=3, resolution=10)
    assert [round(d.window[0][1] - d.window[0][0], 9) for d in series[1:]] == [1.4, 0.14]
    assert all(len(d.optima) == 1 for d in series)
    edge = zoom(cpc.problem("CPC-DF17"), levels=2, resolution=10)[1]
    assert edge.window[0][0] == -100.0, "a window does not leave the box"


def test_a_line_knows_its_jumps() -> None:
    data = line(cpc.problem("F138", n=1), window=(-2.2, 3.2), resolution=50)
    places = data.x[np.flatnonzero(data.jump)]
    assert len(places) == 5
    assert (np.abs(places - np.array([-1.5, -0.5, 0.5, 1.5, 2.5])) < 0.2).all()
    assert not line(cpc.problem("F170", n=1), resolution=50).jump.any(), "steep, but continuous"


def test_a_line_leaves_out_what_is_undefined() -> None:
    p = cpc.parse("ln(x1) + 0*sqrt(1e-9 - abs(x2))", bounds=[(-1, 1), (-1, 1)])
    data = line(p, at=[0.5, 0.0], resolution=10)
    assert np.isnan(data.y).tolist() == [True] * 5 + [False] * 5
    across = line(p, axis=1, at=[0.5, 0.0], resolution=10)
    assert np.isnan(across.y).all()
    assert across.scattered.size > 0
    assert (np.abs(across.scattered) <= 1e-9).all()


def test_a_cloud_is_admissible_and_says_how_it_was_drawn() -> None:
    even = cloud(cpc.problem("CPC-DF8"), draws=5000, most=200)
    assert not even.walked
    assert even.points.shape == (200, 2)
    assert 0.15 < even.share < 0.25
    walked = cloud(cpc.problem("CPC-DF6"), draws=5000, most=300)
    assert walked.walked
    assert walked.axes == (0, 1, 2)
    for data in (even, walked):
        assert not np.isnan(data.values).any()
        assert same_bits(data.values, data.problem(data.points))


def test_a_projection_takes_the_least_of_each_cell() -> None:
    p = cpc.problem("CPC-DF25")
    least = projection(p, samples=2000, resolution=10)
    count = projection(p, of="count", samples=2000, resolution=10)
    assert np.nansum(count.z) == 2000
    assert (np.isnan(least.z) == np.isnan(count.z)).all()
    assert not least.sliced


def test_the_lowest_points_met_are_all_kept() -> None:
    p = cpc.problem("CPC-DF12", n=2)
    data = with_lowest_met(landscape(p, window=((-4, 4), (-4, 4)), resolution=40))
    assert data.optima_are == "lowest met"
    assert len(data.optima) == 2
    assert np.abs(data.optima[:, 1]) == pytest.approx([1.8584531, 1.8584531], abs=1e-5)
    assert p(data.optima).max() < np.nanmin(data.filled)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"axes": (0, 0)}, "2 different variables"),
        ({"axes": (0, 2)}, "from 0 to 1"),
        ({"window": ((0, 1), (3, 2))}, "lower below upper"),
        ({"window": ((0, 1),)}, "for each of the axes"),
        ({"window": ((0, 1), (0, 99))}, "leaves the box"),
        ({"window": ((0, 1), (0, float("nan")))}, "lower below upper"),
        ({"resolution": 1}, "from 2 to"),
        ({"resolution": 2.5}, "whole number"),
        ({"at": [1, 2, 3]}, "2 coordinates"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_bad_settings_are_named(settings: dict[str, object], words: str) -> None:
    with pytest.raises(CpcbenchError, match=words):
        landscape(cpc.problem("CPC-DF8"), **settings)  # type: ignore[arg-type]


def test_a_huge_box_does_not_overflow() -> None:
    data = landscape(cpc.parse("x1 - x2", bounds=(-1.7e308, 1.7e308)), resolution=6)
    assert np.isfinite(data.x).all()
    assert np.isnan(data.z).any(), "the difference overflows in the corners"
    assert np.isfinite(data.filled[~np.isnan(data.filled)]).all()
