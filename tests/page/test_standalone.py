"""A figure alone on its page: small, as wide as the window, light and dark, with its optimum marked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import cpcbench as cpc
from cpcbench.report.figures import draw, save
from cpcbench.studies.landscape.grids import landscape, zoom
from cpcbench.studies.landscape.lines import line
from tests.page.reading import Tags, Visit

Open = Callable[..., Visit]


@pytest.fixture(scope="module")
def figure(tmp_path_factory: pytest.TempPathFactory) -> Path:
    views = zoom(cpc.problem("CPC-DF3"), levels=2, resolution=20)
    return save(draw(views, "heat", backend="plotly"), tmp_path_factory.mktemp("figure") / "f.html")


def test_it_is_one_small_file(figure: Path) -> None:
    assert figure.stat().st_size < 2_500_000
    seen = Tags()
    seen.feed(figure.read_text(encoding="utf-8"))
    places = [found[name] or "" for _, found in seen.tags for name in ("src", "href") if name in found]
    assert all(place.startswith("data:") for place in places)


@pytest.mark.parametrize("width", [1280, 390])
def test_it_fills_the_width(open_page: Open, figure: Path, width: int) -> None:
    page = open_page(figure, width=width).page
    drawn = page.locator("#figure .main-svg").first.bounding_box()
    assert drawn["width"] == max(width, 660)  # two panels are not squeezed: they scroll
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_is_dark_where_the_reader_is(open_page: Open, figure: Path) -> None:
    page = open_page(figure, scheme="dark").page
    colour = "getComputedStyle(document.querySelector('#figure .xtitle')).fill"
    dark = page.evaluate(colour)
    page.locator("#theme").click()
    page.wait_for_selector("html[data-theme=light]")
    page.wait_for_function(f"{colour} !== '{dark}'")


@pytest.mark.parametrize("kind", ["heat", "surface", "contour"])
def test_the_optimum_is_marked(kind: str) -> None:
    p = cpc.problem("CPC-DF3")
    view = landscape(p, window=((2.0, 9.0), (2.0, 9.0)), resolution=20)
    marks = [trace for trace in draw(view, kind, backend="plotly").data if trace.name == "best known"]
    best = p.best_known
    assert best is not None
    assert [marks[0].x[0], marks[0].y[0]] == pytest.approx(best.points[0].tolist())


def test_the_optimum_is_marked_on_a_line() -> None:
    p = cpc.problem("CPC-DF3")
    marks = [
        trace for trace in draw(line(p, axis=1, resolution=50), backend="plotly").data if trace.name == "best known"
    ]
    assert p.best_known is not None
    assert marks[0].x[0] == p.best_known.points[0][1]
