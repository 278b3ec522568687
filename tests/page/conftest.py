"""A study with hostile names, its page, and a browser to open it in."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cpcbench.experiment.runner import run
from cpcbench.experiment.store.store import Store
from cpcbench.report.page.build import write_page
from tests.material import tiny_solvers
from tests.material.outside.libraries import library
from tests.page.reading import HOSTILE, Visit

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in BROWSERS if (found := shutil.which(name))), None)
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

PROBLEMS = ["CPC-DF1", "CPC-DF9", "CPC-DF15"]


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    made = run(PROBLEMS, [tiny_solvers.random_search, tiny_solvers.liar], 3, folder / "s.db")
    hostile = [replace(r, solver=HOSTILE, message=HOSTILE) for r in made if r.solver == "random_search"]
    with Store(folder / "all.db", writing=True) as store:
        store.add([*made, *hostile])
    return folder / "all.db"


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory, study: Path) -> Path:
    with Store(study) as store:
        return write_page(tmp_path_factory.mktemp("page") / "page.html", store, resolution=30)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: the page was not tried in a browser")
    with library("playwright.sync_api").sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Any, page: Path) -> Iterator[Callable[..., Visit]]:
    """Opens the page, or another, and looks at the end what the browser had to complain about."""
    made: list[Visit] = []

    def opened(path: Path = page, **settings: Any) -> Visit:
        made.append(Visit(browser, path, **settings))
        return made[-1]

    yield opened
    for visit in made:
        visit.close()
