"""Figures draw the data they are given: arrays compared, not pixels; the same bytes each time."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError, MissingExtraError
from cpcbench.report.figures import draw, draw_curves, paper, save
from cpcbench.report.figures.paper import FIGURES, paper_figures
from cpcbench.report.figures.scales import Scale, scale_of, tick_text
from cpcbench.report.figures.words import axis_of, broken_line, surface_mesh
from cpcbench.studies.landscape.clouds import cloud
from cpcbench.studies.landscape.grids import Landscape, landscape
from cpcbench.studies.landscape.lines import line
from tests.cases import one_in

BACKENDS = ("matplotlib", "plotly")
STRIPES = cpc.parse("sqrt(sin(x1*3)) + x2", bounds=[(0, 6), (-1, 1)], id="STRIPES")


@pytest.fixture(scope="module")
def stripes() -> Landscape:
    return landscape(STRIPES, resolution=24)


@pytest.fixture(scope="module")
def islands() -> Landscape:
    return landscape(cpc.problem("CPC-DF8"), resolution=30)


def test_a_heat_map_shows_the_landscape_and_nothing_where_it_is_undefined(islands: Landscape) -> None:
    axes = draw(islands, "heat").axes[0]
    shown = axes.images[0].get_array()
    blank = np.isnan(islands.filled)
    assert 0 < blank.sum() < blank.size
    assert (shown.mask == blank).all()
    assert shown.data[~blank].tobytes() == islands.filled[~blank].tobytes()
    assert axes.images[0].get_extent() == [0.0, 14.0, 0.0, 14.0]
    assert axes.images[0].origin == "lower"


def test_plotly_shows_the_same_cells(islands: Landscape) -> None:
    trace = draw(islands, "heat", backend="plotly").data[0]
    assert np.asarray(trace.customdata).tobytes() == islands.filled.tobytes()
    assert np.asarray(trace.z).tobytes() == scale_of(islands.filled)(islands.filled).tobytes()
    assert (np.asarray(trace.x) == islands.x).all()


def test_a_surface_has_no_square_over_undefined_cells(stripes: Landscape) -> None:
    meshed, points, values = surface_mesh(stripes)
    assert not (meshed & np.isnan(stripes.z)).any()
    assert meshed.sum() + len(points) == np.count_nonzero(~np.isnan(stripes.filled))
    assert not np.isnan(values).any()
    surface, dots = draw(stripes, "surface").axes[0].collections
    assert np.isfinite(surface.get_array()).all()
    assert len(dots.get_array()) == len(points)
    assert (np.isnan(np.asarray(draw(stripes, "surface", backend="plotly").data[0].z)) == ~meshed).all()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", ["heat", "surface", "contour", "scatter"])
def test_every_kind_is_drawn_even_of_nothing(kind: str, backend: str, stripes: Landscape) -> None:
    nothing = landscape(cpc.parse("sqrt(-1 - x1^2 - x2^2)", bounds=[(-1, 1), (-1, 1)]), resolution=5)
    assert draw([stripes, nothing], kind, backend=backend) is not None


def test_the_best_known_point_is_marked_where_it_is(islands: Landscape) -> None:
    stars = [one for one in draw(islands).axes[0].lines if one.get_marker() == "*"]
    assert [one.get_xydata().tolist() for one in stars] == [islands.optima.tolist()]
    marks = [t for t in draw(islands, backend="plotly").data if t.name == "best known"]
    assert [(list(t.x), list(t.y)) for t in marks] == [([islands.optima[0, 0]], [islands.optima[0, 1]])]


def test_undefined_has_an_entry_in_the_legend(islands: Landscape) -> None:
    legend = draw(islands).axes[0].get_legend()
    assert [t.get_text() for t in legend.get_texts()] == ["undefined", "best known"]
    whole = landscape(cpc.problem("F138", n=2), resolution=5)
    assert [t.get_text() for t in draw(whole).axes[0].get_legend().get_texts()] == ["best known"]


def test_a_cloud_shows_its_points() -> None:
    data = cloud(cpc.problem("CPC-DF8"), draws=2000)
    dots = draw(data).axes[0].collections[0]
    assert np.asarray(dots.get_offsets()).tobytes() == data.points.tobytes()
    assert np.asarray(dots.get_array()).tobytes() == data.values.tobytes()
    assert draw(data, "points", backend="plotly").data[0].x.tobytes() == data.points[:, 0].tobytes()


def test_a_line_is_interrupted_at_a_jump() -> None:
    data = line(cpc.parse("sign(x1)", bounds=(-1, 1)), resolution=11)
    x, y = broken_line(data)
    assert len(x) == len(y) == 13
    assert np.isnan(y).sum() == 2
    drawn = draw(data).axes[0].lines[0]
    assert np.array_equal(drawn.get_ydata(), y, equal_nan=True)
    assert draw(data).axes[0].lines[1].get_xydata().tolist() == [[0.0, 0.0]], "sgn(0) = 0 stands alone"


@pytest.mark.parametrize("ending", one_in(2, ["png", "svg", "pdf", "html"]))
def test_the_same_data_give_the_same_bytes(ending: str, stripes: Landscape, tmp_path: Path) -> None:
    backend = "plotly" if ending == "html" else "matplotlib"
    first, second = (save(draw(stripes, backend=backend), tmp_path / f"{i}.{ending}") for i in (1, 2))
    assert first.read_bytes() == second.read_bytes()
    assert first.stat().st_size > 1000
    if ending == "svg":
        assert b"<dc:date>" not in first.read_bytes()


def test_drawing_leaves_the_global_state_alone(stripes: Landscape) -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    draw(stripes)
    assert dict(matplotlib.rcParams) == before


# Scales


def test_values_of_many_orders_get_a_log_scale_and_say_so() -> None:
    scale = scale_of(np.array([1e-3, 1.0, 1e3, 1e9, np.nan]))
    assert (scale.kind, scale.low, scale.high, scale.note) == ("log", 1e-3, 1e9, "log scale")
    assert scale_of(np.concatenate([-(10.0 ** np.arange(9)), 10.0 ** np.arange(-3, 9)])).kind == "symlog"


def test_outliers_are_cut_off_and_said_to_be() -> None:
    values = np.append(np.linspace(-1, 1, 400), 50.0)
    scale = scale_of(values)
    assert (scale.kind, scale.cut_low, scale.cut_high) == ("linear", False, True)
    assert scale.low == -1.0
    assert scale.high < 1.1
    assert scale.note == "2 % cut off at the top"


@pytest.mark.parametrize(
    "scale", [Scale("linear", -3.0, 7.0), Scale("log", 1e-4, 1e6), Scale("symlog", -1e5, 1e8, 0.1)]
)
def test_a_scale_rises_keeps_nan_and_can_be_undone(scale: Scale) -> None:
    values = scale.inverse(np.linspace(*scale([scale.low, scale.high]), 20))  # type: ignore[call-overload]
    assert (np.diff(scale(values)) > 0).all()
    assert values[[0, -1]] == pytest.approx([scale.low, scale.high])
    assert np.isnan(scale([np.nan])).all()
    assert 3 <= len(scale.ticks()) <= 13
    assert all(scale.low <= t <= scale.high for t in scale.ticks())


def test_constant_values_have_a_scale_too() -> None:
    scale = scale_of(np.full(5, 3.0))
    assert scale.low < scale.high
    assert scale_of(np.array([np.nan])).low == 0.0


def test_marks_are_short() -> None:
    assert [tick_text(v) for v in (0.0, 0.25, -5.0, 1e5, 1e-8, -2e40, 1000.0)] == [
        "0", "0.25", "-5", "1e5", "1e-8", "-2e40", "1000",
    ]  # fmt: skip


def test_close_up_the_shared_digits_move_into_the_label() -> None:
    p = cpc.problem("CPC-DF8")
    axis = axis_of(p, 0, (3.1723320, 3.1723330))
    assert axis.label == "(x1 - 3.1723325) / 1e-7"
    assert axis([3.1723325, 3.1723330]) == pytest.approx([0.0, 5.0], abs=1e-6)
    assert axis_of(p, 1, (0.0, 14.0)).label == "x2"


# Curves, the paper's figures, the command


@pytest.mark.parametrize("backend", BACKENDS)
def test_curves_are_drawn_as_given(backend: str) -> None:
    curves = [SimpleNamespace(name=f"solver {i}", x=[1, 10, 100], y=[0.0, 0.1 * i, 0.2 * i]) for i in range(9)]
    figure = draw_curves(curves, "evaluations", "share of runs", log_x=True, backend=backend)
    drawn: list[Any] = list(figure.data) if backend == "plotly" else list(figure.axes[0].lines)
    for curve, trace in zip(curves, drawn, strict=True):
        name, y = (trace.name, trace.y) if backend == "plotly" else (trace.get_label(), trace.get_ydata())
        assert name == curve.name
        assert list(y) == curve.y
    with pytest.raises(CpcbenchError, match="at least one curve"):
        draw_curves([], "x", "y")


def test_the_paper_shows_these_problems() -> None:
    text = Path(paper.__file__).read_text(encoding="utf-8")
    assert {int(k) for k in re.findall(r"CPC-DF(\d+)", text)} == {1, 3, 5, 6, 7, 8, 9, 12, 15, 22, 23}
    assert {"F170", "F138"} <= set(re.findall(r'"(F\d+)"', text))
    assert len({figure.name for figure in FIGURES}) == len(FIGURES)


def test_the_papers_figures_are_written_and_told_of(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    names = ["sign", "step-2"]
    written = paper_figures(
        tmp_path, ("png", "html"), lambda line: told.append((str(line), line.done, line.total)), only=names
    )
    assert [p.name for p in written] == ["sign.png", "sign.html", "step-2.png", "step-2.html"]
    assert told == [("sign", 1, 2), ("step-2", 2, 2)]
    with pytest.raises(CpcbenchError, match="no figure 'nothing'"):
        paper_figures(tmp_path, only=["nothing"])


@pytest.mark.slow
@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.name)
def test_every_figure_of_the_paper_has_something_to_show(figure: Any, tmp_path: Path) -> None:
    for data, _, _ in figure.panels():
        values = data.filled if isinstance(data, Landscape) else data.values if hasattr(data, "values") else data.y
        assert np.count_nonzero(~np.isnan(values)) > 150
    (written,) = paper_figures(tmp_path, only=[figure.name])
    assert written.stat().st_size > 10_000


def test_contours_of_one_part_show_what_is_separable() -> None:
    """On a rectangle a sum over the variables has no second difference; CPC-DF22 has one."""
    panels = next(figure for figure in FIGURES if figure.name == "separability").panels()
    assert [kind for _, kind, _ in panels] == ["heat", "heat", "contour", "contour"]
    largest = {}
    for data, _, _ in panels[2:]:
        assert isinstance(data, Landscape)
        values = data.filled
        second = values[30:, 30:] - values[:-30, 30:] - values[30:, :-30] + values[:-30, :-30]
        largest[data.problem.id] = np.nanmax(np.abs(second)) / (np.nanmax(values) - np.nanmin(values))
    assert largest["CPC-DF7"] < 1e-12 < 1e-3 < largest["CPC-DF22"]


@pytest.mark.parametrize("name", one_in(2, ["df12-graph", "modality", "optima"]))
def test_df12_is_shown_at_its_published_size_too(name: str) -> None:
    panels = next(figure for figure in FIGURES if figure.name == name).panels()
    sizes = [data.problem.dim for data, _, _ in panels if data.problem.id == "CPC-DF12"]
    assert sizes == [2, 5]
    data, _, title = panels[-1]
    assert isinstance(data, Landscape)
    published = data.problem.published
    assert published is not None
    fixed = [i for i in range(5) if i not in data.axes]
    assert np.array(data.at)[fixed].tolist() == published.points[0][fixed].tolist()
    assert "n = 5" in str(title)
    assert np.nanmin(data.filled) == pytest.approx(published.value, abs=0.01)


def plot(*words: str) -> Any:
    return CliRunner().invoke(app, ["plot", *words])


def test_the_command_writes_what_the_ending_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert plot("df8", "--resolution", "12", "--zoom", "1").exit_code == 0
    assert (tmp_path / "cpc-df8.png").read_bytes().startswith(b"\x89PNG")
    assert plot("-ln(x1)", "--bounds", "-1:1", "--output", "own.svg").exit_code == 0
    assert "<svg" in (tmp_path / "own.svg").read_text(encoding="utf-8")
    assert plot("f138", "--n", "3", "--axes", "1,3", "--window", "-2:2", "--kind", "surface", "--output", "a.html",
                "--resolution", "9").exit_code == 0  # fmt: skip
    assert "plotly" in (tmp_path / "a.html").read_text(encoding="utf-8").lower()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["df8", "--output", "a.gif"], ".png, .svg, .pdf or .html"),
        (["df8", "--output", "picture"], "no ending"),
        (["df8", "--kind", "pie"], "not 'pie'"),
        (["df8", "--axes", "1,3"], "different variables from 1 to 2"),
        (["df8", "--axes", "1,1"], "different variables from 1 to 2"),
        (["x1^2", "--bounds", "0:1", "--kind", "surface"], "--kind line draws it"),
        (["df8", "--window", "0:1,0:99"], "leaves the box"),
        (["df8", "--window", "5"], "lower:upper"),
        (["df8", "--zoom", "2", "--kind", "scatter"], "--zoom goes with"),
        (["df8", "--scale", "cubic"], "not 'cubic'"),
        (["x1 + x2", "--bounds", "3:3,0:1"], "lower below upper"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_the_command_names_what_is_wrong(words: list[str], message: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    done = plot(*words, "--resolution", "10")
    assert done.exit_code == 2
    assert message in done.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_missing_library_says_what_to_install(backend: str, stripes: Landscape, monkeypatch: Any) -> None:
    for name in [n for n in sys.modules if n.partition(".")[0] == backend]:
        monkeypatch.setitem(sys.modules, name, None)  # as if it could not be imported
    with pytest.raises(MissingExtraError, match=re.escape('pip install "cpcbench[figures]"')):
        draw(stripes, backend=backend)
