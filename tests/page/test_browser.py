"""The page in a real browser: what moves, what fits, and what it says to those without a script."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from cpcbench.experiment.store.store import Store
from cpcbench.report.page.build import write_page
from tests.page.reading import Visit

Open = Callable[..., Visit]

LIT = "els => els.filter(e => !e.classList.contains('dim')).map(e => e.dataset.series)"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_result_is_seen_without_scrolling(open_page: Open, scheme: str) -> None:
    page = open_page(scheme=scheme).page
    answer = page.locator("h1").bounding_box()
    table = page.locator("#result table").bounding_box()
    picture = page.locator("#result .chart > svg").bounding_box()
    assert "No run reaches" in (page.locator("h1").text_content() or "")
    for box in (answer, table, picture):
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= 800


def test_tables_sort_by_mouse_and_keyboard(open_page: Open) -> None:
    page = open_page().page
    header = page.locator("#table-suite thead th").nth(3)
    column = "els => els.map(e => Number(e.dataset.key))"
    header.locator("button").click()
    up = page.eval_on_selector_all("#table-suite tbody tr > :nth-child(4)", column)
    assert up == sorted(up)
    assert header.get_attribute("aria-sort") == "ascending"
    header.locator("button").press("Enter")
    down = page.eval_on_selector_all("#table-suite tbody tr > :nth-child(4)", column)
    assert down == sorted(up, reverse=True) != up


def test_landscapes_respond(open_page: Open) -> None:
    page = open_page().page
    assert page.evaluate("typeof Plotly") == "undefined", "it is unpacked when it is needed"
    page.locator("a[href='#problem-CPC_2dDF1']").first.click()
    place = page.locator("#problem-CPC_2dDF1 .landscape")
    page.wait_for_selector("#problem-CPC_2dDF1 .landscape[data-view]")
    assert place.get_attribute("data-view") == "whole box"
    page.locator("#problem-CPC_2dDF1 .choices button", has_text="10 times closer").first.press("Enter")
    assert place.get_attribute("data-view") == "10 times closer"
    page.locator("#problem-CPC_2dDF1 .choices button", has_text="surface").click()
    assert place.get_attribute("data-kind") == "surface"


def test_thin_domains_open_where_there_is_something_to_see(open_page: Open) -> None:
    page = open_page().page
    page.evaluate("location.hash = '#problem-CPC_2dDF15'")
    page.wait_for_selector("#problem-CPC_2dDF15 .landscape[data-view]")
    assert page.locator("#problem-CPC_2dDF15 .landscape").get_attribute("data-view") != "whole box"


def test_a_cell_leads_to_its_runs_and_names_are_text(open_page: Open) -> None:
    page = open_page().page
    assert page.locator("button[data-runs]").filter(has_text="II").count() > 0
    page.locator("button[data-runs*='onerror']").first.press("Enter")
    dialog = page.locator("dialog[open]")
    assert "onerror" in (dialog.locator("h2").text_content() or "")
    assert dialog.locator("tbody tr").count() == 3
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0
    assert page.evaluate("window.broken") is None
    assert page.locator("img").count() == 0


def test_a_name_in_a_legend_makes_its_lines_stand_out(open_page: Open) -> None:
    page = open_page().page
    page.evaluate("location.hash = '#problem-CPC_2dDF1'")
    legend = page.locator("#problem-CPC_2dDF1 .legend button")
    assert any("onerror" in name for name in legend.all_text_contents())
    parts = ".chart > svg [data-series]"
    every = page.eval_on_selector_all(parts, LIT)
    chosen = legend.first.locator("xpath=..").get_attribute("data-series")
    legend.first.press("Enter")
    assert set(page.eval_on_selector_all(parts, LIT)) == {chosen} != set(every)
    legend.first.click()
    assert page.eval_on_selector_all(parts, LIT) == every
    assert page.evaluate("window.broken") is None


def test_many_names_stand_below_their_chart(open_page: Open, study: Path, tmp_path: Path) -> None:
    with Store(study) as store:
        kept = [r for r in store.records() if r.solver == "random_search" and r.problem == "CPC-DF1"]
    with Store(tmp_path / "many.db", writing=True) as many:
        many.add([replace(r, solver=f"solver number {i}") for r in kept for i in range(23)])
        path = write_page(tmp_path / "many.html", many, resolution=10)
    page = open_page(path, width=390).page
    page.evaluate("location.hash = '#problem-CPC_2dDF1'")
    chart = page.locator("#problem-CPC_2dDF1 .chart").first
    drawn, legend = chart.locator("svg").first.bounding_box(), chart.locator(".legend").bounding_box()
    assert drawn["y"] + drawn["height"] <= legend["y"]
    assert chart.locator(".legend button").count() == 23
    looks = page.eval_on_selector_all(
        "#problem-CPC_2dDF1 .chart:first-child path.line",
        "els => els.map(e => getComputedStyle(e).stroke + e.getAttribute('stroke-dasharray'))",
    )
    assert len(set(looks)) == 23


def test_dark_and_light(open_page: Open) -> None:
    page = open_page(scheme="dark").page
    colours = "[document.body, document.querySelector('.chart text')].map(e => getComputedStyle(e))" \
              ".map(s => s.backgroundColor + s.fill)"  # fmt: skip
    dark = page.evaluate(colours)
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.locator("#theme").click()
    assert page.locator("html").get_attribute("data-theme") == "light"
    assert all(a != b for a, b in zip(page.evaluate(colours), dark, strict=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone(open_page: Open, scheme: str) -> None:
    page = open_page(width=390, scheme=scheme).page
    answer = page.locator("h1").bounding_box()
    assert answer["y"] + answer["height"] <= 800
    page.locator("#open-all").click()
    page.wait_for_selector("#problem-CPC_2dDF9 .landscape[data-view]")
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    tall = page.evaluate(
        """[...document.querySelectorAll("tbody tr")].filter((row) => {
          const texts = [...row.cells].map((cell) => { const range = document.createRange();
            range.selectNodeContents(cell); return range.getBoundingClientRect(); });
          const seen = texts.filter((text) => text.left < 390 && text.height);
          const shown = Math.max(...seen.map((text) => text.bottom)) - Math.min(...seen.map((text) => text.top));
          return row.offsetHeight > 110 && shown < row.offsetHeight / 2;
        }).map((row) => row.innerText.slice(0, 60))"""
    )
    assert tall == [], "a row as high as what it has off the screen"


def test_what_is_wider_than_the_screen_says_so(open_page: Open) -> None:
    page = open_page(width=390).page
    page.evaluate("location.hash = '#problem-CPC_2dDF1'")
    formula = page.locator("#problem-CPC_2dDF1 .formula")
    page.wait_for_selector("#problem-CPC_2dDF1 .formula[data-more]")
    assert formula.get_attribute("data-more") == "right"
    formula.evaluate("(e) => { e.scrollLeft = 1e6; }")
    page.wait_for_selector("#problem-CPC_2dDF1 .formula[data-more=left]")


def test_sticky_columns_line_up(open_page: Open) -> None:
    page = open_page(width=390).page
    place = page.locator("#table-suite .scroll")
    place.evaluate("(e) => { e.scrollLeft = 120; }")
    lefts = "els => [...new Set(els.map(e => Math.round(e.getBoundingClientRect().left)))]"
    assert len(page.eval_on_selector_all("#table-suite tr > :first-child", lefts)) == 1
    widths = "els => [...new Set(els.map(e => Math.round(e.getBoundingClientRect().width)))]"
    assert len(page.eval_on_selector_all("#table-suite tr > :first-child", widths)) == 1


def test_on_paper_it_is_light_and_whole(open_page: Open) -> None:
    page = open_page(scheme="dark").page
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("header.top").is_visible()
    assert page.locator("#result .chart > svg").is_visible()


def test_without_a_script_everything_can_be_read(open_page: Open) -> None:
    page = open_page(script=False).page
    assert page.locator("#result .chart > svg path.line, #result p.notes").count() > 0
    page.locator("#problem-CPC_2dDF1 > summary").click()
    assert page.locator("#problem-CPC_2dDF1 .landscape .picture").is_visible()
    assert page.locator("#problem-CPC_2dDF1 .chart").count() == 2
