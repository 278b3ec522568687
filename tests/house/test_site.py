"""The site that `make docs` makes: every page is in it, every link leads somewhere, and it works from a folder."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.material.outside.libraries import library, needs
from tests.material.outside.scripts import ROOT, script

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


def test_the_sources_are_put_together(tmp_path: Path) -> None:
    script("site/build").staged(tmp_path / "pages")
    names = {path.stem for path in (tmp_path / "pages").glob("*.md")}
    assert {path.stem for path in (ROOT / "docs").glob("*.md")} - {"search"} <= names
    assert {"CHANGELOG", "SECURITY", "LICENSE", "black-box-search"} <= names
    front = (tmp_path / "pages/index.md").read_text(encoding="utf-8")
    for name in names - {"index"}:
        assert re.search(rf"^{re.escape(name)}\.md$", front, re.MULTILINE), name


def test_a_link_out_of_the_site_is_an_error() -> None:
    build = script("site/build")
    assert build.turned("[a](../examples/constraints.py)", "x.md", {"examples.md"}) == "[a](examples.md#constraints)"
    assert (
        build.turned("[a](../LICENSE), [b](https://x.y)", "x.md", {"LICENSE.md"}) == "[a](LICENSE.md), [b](https://x.y)"
    )
    with pytest.raises(build.BrokenSiteError, match=r"x\.md links to \.\./src/cpcbench"):
        build.turned("[a](../src/cpcbench)", "x.md", {"examples.md"})


def test_a_page_that_nothing_leads_to_is_an_error() -> None:
    build = script("site/build")
    with pytest.raises(build.BrokenSiteError, match=r"does not lead to lost\.md"):
        build.front_page("# Home\n\n## Tutorial\n\n- [a](a.md)\n", {"a.md", "examples.md", "lost.md"})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for name in ("sphinx", "furo", "myst_parser", "numpydoc", "sphinx_copybutton"):
        library(name)
    target = tmp_path_factory.mktemp("site")
    command = [sys.executable, str(ROOT / ".ci/site/build.py"), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return target


@pytest.mark.slow
def test_every_public_name_has_its_place(site: Path) -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in (site / "reference").glob("*.html"))
    for name in ("minimize", "certify", "parse", "run", "check"):
        assert f'id="cpcbench.{name}"' in text
    assert text.count("Parameters") > 20


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine: the site was not tried in a browser")
    with library("playwright.sync_api").sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.mark.slow
@needs("playwright")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_works_from_a_folder(site: Path, browser: Any, width: int, scheme: str) -> None:
    """Nothing is fetched, no page is wider than the screen, and the search finds pages."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, asked, complaints = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    for name in ("index", "reference/minimising", "reference/objects", "records", "checker", "first-steps"):
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, name
        assert page.locator("h1").first.is_visible()
    page.goto((site / "search.html").as_uri() + "?q=certificate")
    page.wait_for_selector("#search-results li a")
    assert "Certificates" in page.locator("#search-results li").all_inner_texts()
    context.close()
    assert complaints == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
