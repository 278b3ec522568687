"""The page: one file, nothing in it but text where text was given, and alive in a real browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.runner import run
from cpcbench.experiment.store.store import Store
from cpcbench.report.figures.scales import scale_of
from cpcbench.report.page import markup
from cpcbench.report.page.build import write_page
from cpcbench.report.page.sheets import view_data
from cpcbench.report.table import Table
from cpcbench.studies.landscape.grids import landscape
from tests.material import tiny_solvers

HOSTILE = '<img src=x onerror="window.broken=1"></script><script>window.broken=2</script>&amp; \u2028'
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in BROWSERS if (found := shutil.which(name))), None)
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    made = run(["CPC-DF1", "CPC-DF9"], [tiny_solvers.random_search, tiny_solvers.liar], 3, folder / "s.db")
    hostile = [replace(r, solver=HOSTILE, message=HOSTILE) for r in made if r.solver == "random_search"]
    with Store(folder / "all.db", writing=True) as store:
        store.add([*made, *hostile])
    return folder / "all.db"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, study: Path) -> Path:
    problems = [cpc.problem("CPC-DF1"), cpc.problem("CPC-DF15"), cpc.problem("CPC-DF7")]
    with Store(study) as store:
        return write_page(tmp_path_factory.mktemp("page") / "page.html", store, problems=problems, resolution=30)


class Tags(HTMLParser):
    """The tags of a page and the texts of its data."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_text_stays_text(page: Path) -> None:
    seen = Tags()
    seen.feed(page.read_text(encoding="utf-8"))
    names = [tag for tag, _ in seen.tags]
    assert names.count("script") == 3
    assert "img" not in names
    assert not any(name.startswith("on") for _, attributes in seen.tags for name in attributes)


def test_nothing_is_fetched(page: Path) -> None:
    seen = Tags()
    seen.feed(page.read_text(encoding="utf-8"))
    places = [found[name] or "" for _, found in seen.tags for name in ("src", "href") if name in found]
    assert places
    assert all(place.startswith(("#", "data:")) for place in places)


def test_inner_links_lead_somewhere(page: Path) -> None:
    seen = Tags()
    seen.feed(page.read_text(encoding="utf-8"))
    ids = [attributes["id"] for _, attributes in seen.tags if attributes.get("id")]
    assert len(ids) == len(set(ids))
    links = {value[1:] for _, attributes in seen.tags if (value := attributes.get("href")) and value.startswith("#")}
    assert links <= set(ids)


def test_landscapes_on_the_page_are_the_data(page: Path) -> None:
    text = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S)
    assert text is not None
    found = json.loads(text[1])["landscapes"]["CPC-DF1"][0]
    view = landscape(cpc.problem("CPC-DF1"), resolution=30)
    assert found == view_data(view, "whole box")
    import base64

    drawn = np.frombuffer(base64.b64decode(found["z"]["bdata"]), dtype="<f4").reshape(30, 30)
    np.testing.assert_array_equal(drawn, scale_of(view.filled).forward(view.filled).astype("f4"))
    assert np.isnan(drawn).any()
    assert not np.isnan(drawn).all()


def test_the_page_needs_a_name_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(CpcbenchError, match=r"ending in \.html"):
        write_page(tmp_path / "page.txt", problems=[])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["nowhere/page.html", "folder.html"])
def test_what_cannot_be_written_is_said_before_the_work(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.html").mkdir()
    begun: list[str] = []
    with pytest.raises((CpcbenchError, FileNotFoundError), match=name):
        write_page(tmp_path / name, problems=[cpc.problem("CPC-DF1")], progress=begun.append)
    assert begun == []


@pytest.fixture(scope="module")
def awkward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ids that the page has uses of its own for, and ids that are markup."""
    made = [cpc.parse("ln(x1) + x2", bounds=[(-1, 1), (-1, 1)], id=name) for name in ("data", "theme", HOSTILE[:-2])]
    return write_page(tmp_path_factory.mktemp("awkward") / "page.html", problems=made, resolution=10)


def test_ids_of_problems_are_apart_from_those_of_the_page(awkward: Path) -> None:
    seen = Tags()
    seen.feed(awkward.read_text(encoding="utf-8"))
    ids = [attributes["id"] for _, attributes in seen.tags if attributes.get("id")]
    assert len(ids) == len(set(ids))
    assert [tag for tag, attributes in seen.tags if attributes.get("id") == "data"] == ["script"]
    assert "img" not in [tag for tag, _ in seen.tags]


def test_headings_leave_no_level_out_and_buttons_have_names(page: Path) -> None:
    seen = Tags()
    text = page.read_text(encoding="utf-8")
    seen.feed(text)
    levels = [int(tag[1]) for tag, _ in seen.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert not re.search(r'<button type="button">(&#160;|\s)*</button>', text)


def test_sort_keys() -> None:
    assert [markup.key(v) for v in (None, float("nan"), 1.5, -2, True, "a<b")] == ["", "", "1.5", "-2", "1", "a&lt;b"]
    html = markup.table(Table("k", HOSTILE, ("a", HOSTILE), ((HOSTILE, float("nan")),), (HOSTILE,)))
    assert "<img" not in html
    assert "<script" not in html


# --- in a real browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: the page was not tried in a browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


class Visit:
    """A page open in a browser, with all it complains about and asks for."""

    def __init__(self, browser: Any, path: Path, width: int = 1280, scheme: str = "light") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.context.set_default_timeout(60_000)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready=yes]", state="attached")

    def hear(self, message: Any) -> None:
        if message.type == "error":
            self.complaints.append(message.text)

    def close(self) -> None:
        self.context.close()
        assert self.complaints == []
        assert [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.fixture
def visit(browser: Any, page: Path) -> Iterator[Visit]:
    made = Visit(browser, page)
    yield made
    made.close()


def test_tables_sort_by_mouse_and_keyboard(visit: Visit) -> None:
    header = visit.page.locator("#table-suite thead th").nth(3)
    column = "els => els.map(e => Number(e.dataset.key))"
    header.locator("button").click()
    up = visit.page.eval_on_selector_all("#table-suite tbody tr > :nth-child(4)", column)
    assert up == sorted(up)
    assert header.get_attribute("aria-sort") == "ascending"
    header.locator("button").press("Enter")
    down = visit.page.eval_on_selector_all("#table-suite tbody tr > :nth-child(4)", column)
    assert down == sorted(up, reverse=True) != up


def test_landscapes_respond(visit: Visit) -> None:
    visit.page.locator("a[href='#problem-CPC_2dDF1']").first.click()
    place = visit.page.locator("#problem-CPC_2dDF1 .landscape")
    visit.page.wait_for_selector("#problem-CPC_2dDF1 .landscape[data-view]")
    assert place.get_attribute("data-view") == "whole box"
    visit.page.locator("#problem-CPC_2dDF1 .choices button", has_text="10 times closer").first.press("Enter")
    assert place.get_attribute("data-view") == "10 times closer"
    visit.page.locator("#problem-CPC_2dDF1 .choices button", has_text="surface").click()
    assert place.get_attribute("data-kind") == "surface"


def test_thin_domains_open_where_there_is_something_to_see(visit: Visit) -> None:
    visit.page.evaluate("location.hash = '#problem-CPC_2dDF15'")
    visit.page.wait_for_selector("#problem-CPC_2dDF15 .landscape[data-view]")
    assert visit.page.locator("#problem-CPC_2dDF15 .landscape").get_attribute("data-view") != "whole box"


def test_a_cell_leads_to_its_runs_and_names_are_text(visit: Visit) -> None:
    cell = visit.page.locator("button[data-runs]").filter(has_text="II").first
    hostile = visit.page.locator("button[data-runs*='onerror']").first
    assert cell.count() == 1
    hostile.click()
    dialog = visit.page.locator("dialog[open]")
    assert "onerror" in (dialog.locator("h2").text_content() or "")
    assert dialog.locator("tbody tr").count() == 3
    visit.page.keyboard.press("Escape")
    assert visit.page.locator("dialog[open]").count() == 0
    assert visit.page.evaluate("window.broken") is None
    assert visit.page.locator("img").count() == 0


def test_charts_show_names_as_text(visit: Visit) -> None:
    visit.page.locator("#study").scroll_into_view_if_needed()
    for chart in visit.page.locator(".chart").all():
        chart.scroll_into_view_if_needed()
    visit.page.wait_for_selector(".chart .legendtext")
    shown = visit.page.locator(".chart .legendtext").all_text_contents()
    assert any("onerror" in name for name in shown)
    assert visit.page.evaluate("window.broken") is None


def test_many_names_do_not_hide_a_chart(browser: Any, study: Path, tmp_path: Path) -> None:
    with Store(study) as store:
        kept = [r for r in store.records() if r.solver == "random_search"]
    with Store(tmp_path / "many.db", writing=True) as many:
        many.add([replace(r, solver=f"solver number {i}") for r in kept for i in range(23)])
        path = write_page(tmp_path / "many.html", many, problems=[], resolution=10)
    made = Visit(browser, path, width=390)
    made.page.locator(".chart").first.scroll_into_view_if_needed()
    made.page.wait_for_selector(".chart .legendtext")
    title = made.page.locator(".chart .xtitle").first.bounding_box()
    legend = made.page.locator(".chart .legend").first.bounding_box()
    assert title["y"] + title["height"] <= legend["y"]
    assert made.page.locator(".chart").first.locator(".legendtext").count() == 23
    made.close()


def test_dark_and_light(browser: Any, page: Path) -> None:
    made = Visit(browser, page, scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = made.page.evaluate(colour)
    assert made.page.locator("html").get_attribute("data-theme") == "dark"
    made.page.locator("#theme").click()
    assert made.page.locator("html").get_attribute("data-theme") == "light"
    assert made.page.evaluate(colour) != dark
    made.close()


def test_a_phone(browser: Any, page: Path) -> None:
    made = Visit(browser, page, width=390)
    for sheet in made.page.locator("details.sheet").all():
        sheet.locator("summary").first.click()
    made.page.wait_for_selector("#problem-CPC_2dDF7 .landscape[data-view]")
    assert made.page.evaluate("document.documentElement.scrollWidth") <= 390
    made.close()
