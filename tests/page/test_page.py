"""The page: one file, the study's own result first, and nothing in it but text where text was given."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store.store import Store
from cpcbench.report.figures.scales import scale_of
from cpcbench.report.page import markup
from cpcbench.report.page.build import page as made_page
from cpcbench.report.page.build import write_page
from cpcbench.report.page.pictures import view_data
from cpcbench.report.page.sheets import EFFORT
from cpcbench.report.table import Table
from cpcbench.studies.landscape.grids import landscape
from tests.page.reading import HOSTILE, Tags, packed_data


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
    found = packed_data(page)["landscapes"]["problem-CPC_2dDF1"][0]
    view = landscape(cpc.problem("CPC-DF1"), resolution=30, effort=EFFORT)
    assert found == view_data(view, "whole box")
    drawn = np.frombuffer(base64.b64decode(found["z"]["bdata"]), dtype="<u2").reshape(30, 30)
    heights = scale_of(view.filled).forward(view.filled)
    np.testing.assert_array_equal(drawn == 0, np.isnan(heights))
    low, high = found["heights"]
    there = drawn > 0
    np.testing.assert_allclose(
        low + (high - low) * (drawn[there] - 1.0) / 65534, heights[there], atol=(high - low) / 1e5
    )
    assert not there.all()
    assert there.any()


def test_only_what_was_run_has_a_sheet(page: Path, tmp_path: Path, study: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.findall(r'<details class="sheet" id="([^"]*)"', text) == [
        "problem-CPC_2dDF1", "problem-CPC_2dDF9", "problem-CPC_2dDF15"
    ]  # fmt: skip
    assert (
        text.index('id="result"') < text.index('id="solvers"') < text.index('id="problems"') < text.index('id="paper"')
    )
    with Store(study) as store:
        mine = [
            replace(r, problem="another user's", problem_source={}) for r in store.records() if r.problem == "CPC-DF1"
        ]
    with Store(tmp_path / "own.db", writing=True) as own:
        own.add(mine)
        made = write_page(tmp_path / "own.html", own).read_text(encoding="utf-8")
    assert made.count('<details class="sheet"') == 1
    assert "Best value so far on another user&#x27;s" in made
    assert 'id="paper"' not in made


def test_a_page_stays_small(page: Path) -> None:
    assert page.stat().st_size < 3_000_000


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


@pytest.mark.slow
def test_several_processes_make_the_same_page() -> None:
    problems = [cpc.problem(f"CPC-DF{i}") for i in (1, 3, 9, 10, 13, 14, 17, 24)]
    alone, together = (made_page(problems=problems, resolution=8, workers=workers) for workers in (1, 2))
    assert alone == together
    assert alone.count('<details class="sheet"') == 8
