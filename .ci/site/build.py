"""`make docs`: the pages of `docs` as a site in a folder, with the reference, the examples and the pages of the root.

`python .ci/site/build.py [FOLDER]` puts the sources together in `build/site` and has Sphinx make the site, by default
in `site`. Links that lead out of `docs` are turned to the pages made of what they lead to. A link that leads nowhere, a
page that nothing leads to, a public name without a place in the reference: each ends the build with its name.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PROJECT = ("CONTRIBUTING.md", "SUPPORT.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md", "LICENSE")
REFERENCE = {
    "Problems": ("Problem", "problem", "problems", "parse", "register", "verify"),
    "Entrance": ("trace", "from_sympy", "from_pyomo", "from_casadi", "read", "black_box"),
    "Minimising": ("minimize", "read_log"),
    "Proofs": ("certify", "check", "carry", "solve_system"),
    "Studies": ("run", "study", "solvers", "solver", "Solver", "register_solver"),
    "Errors": ("CpcbenchError",),
}
"""Every public name, by the page that documents it."""
RETURNED = {
    "What Problem.enclosure gives": "cpcbench.readings.reals.enclosure.Enclosure",
    "What Problem.conditions lists": "cpcbench.readings.domain.conditions.Condition",
    "What verify gives": "cpcbench.experiment.verify.verification.Verdict",
    "What certify gives": "cpcbench.certify.certificate.certificate.Certificate",
    "What check gives": "cpcbench.certify.checker.ground.verdict.Verdict",
    "What solve_system gives": "cpcbench.certify.systems.solving.Solved",
    "What run lists": "cpcbench.experiment.store.record.RunRecord",
    "What study gives": "cpcbench.report.study.front.Study",
    "What a solver gets": "cpcbench.solvers.objective.Objective",
    "The search as ask and tell": "cpcbench.solvers.search.engine.Search",
}
"""Objects that nobody makes by a public name, documented too."""
RENAMED = {"search.md": "black-box-search.md"}
"""Pages that Sphinx has one of its own of the same name of."""
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")


class BrokenSiteError(Exception):
    """A link, a page or a name that the site would lack."""


def page_of(name: str) -> str:
    return name if name.endswith(".md") else f"{name}.md"


def reference_pages() -> dict[str, str]:
    """A page for each group of public names, which Sphinx fills from the docstrings."""
    import cpcbench

    grouped = {name for names in REFERENCE.values() for name in names}
    if missing := grouped ^ set(cpcbench.__all__) - {"__version__"}:
        raise BrokenSiteError(f"REFERENCE and cpcbench.__all__ differ in {', '.join(sorted(missing))}")
    pages = {}
    for group, names in REFERENCE.items():
        parts = [f"# {group}\n"]
        for name in names:
            kind = "class" if isinstance(getattr(cpcbench, name), type) else "function"
            directive = f".. currentmodule:: cpcbench\n.. auto{kind}:: {name}"
            directive += "\n   :inherited-members:" if name == "Problem" else ""
            parts.append(f"## {name}\n\n```{{eval-rst}}\n{directive}\n```\n")
        pages[f"reference/{group.lower()}.md"] = "\n".join(parts)
    parts = ["# Objects\n", "What the functions return, or hand to yours.\n"]
    for title, place in RETURNED.items():
        directive = f".. autoclass:: {place}\n   :inherited-members:"
        parts.append(f"## {title}\n\n```{{eval-rst}}\n{directive}\n```\n")
    pages["reference/objects.md"] = "\n".join(parts)
    return pages


def example_page() -> str:
    parts = ["# Examples\n", "Complete scripts; the tests run them.\n"]
    for path in sorted((ROOT / "examples").glob("*.py")):
        title = path.stem.replace("_", " ").capitalize()
        parts.append(f"## {title}\n\n`examples/{path.name}`\n\n```python\n{path.read_text(encoding='utf-8')}```\n")
    return "\n".join(parts)


def project_page(name: str) -> str:
    text = (ROOT / name).read_text(encoding="utf-8")
    return text if name.endswith(".md") else f"# Licence\n\n```text\n{text}```\n"


def front_page(text: str, pages: set[str]) -> str:
    """The front page, with the pages it names as the navigation, heading by heading."""
    trees, named = [], {"index.md"}
    for heading, part in re.findall(r"^## (.*)\n((?:(?!^## ).*\n)*)", text, re.MULTILINE):
        below = [link for link, _ in LINK.findall(part) if link in pages and link not in named]
        below += [page for page in sorted(pages) if page.startswith("reference/") and heading == "Reference"]
        below += ["examples.md"] * (heading == "Tutorial")
        named |= set(below)
        trees.append((heading, below))
    trees.append(("Project", [page_of(name) for name in PROJECT]))
    named |= {page_of(name) for name in PROJECT}
    if pages - named:
        raise BrokenSiteError(f"docs/index.md does not lead to {', '.join(sorted(pages - named))}")
    blocks = [
        "\n".join(["```{toctree}", ":hidden:", f":caption: {title}", "", *below, "```"]) for title, below in trees
    ]
    return "\n\n".join([text, *blocks]) + "\n"


def turned(markdown: str, page: str, known: set[str]) -> str:
    """The text of a page with links as the site has them; `known` are its pages and files."""
    home = "" if page in map(page_of, PROJECT) else "docs"

    def turn(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        if re.match(r"\w+:", target):
            return found[0]
        place = posixpath.normpath(posixpath.join(home, target))
        if place.split("/")[0] == "examples":
            name, anchor = "examples.md", f"#{Path(place).stem.replace('_', '-')}" if place.endswith(".py") else ""
        else:
            name = place.removeprefix("docs/") if place.startswith("docs/") else page_of(place)
            name = RENAMED.get(name, name)
        if name not in known:
            raise BrokenSiteError(f"{page} links to {target}, of which the site has no page")
        return f"{name}{anchor}"

    return LINK.sub(turn, markdown)


def staged(folder: Path) -> None:
    """Writes the sources of the site to a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("*.md"))
    pages = {RENAMED.get(path.name, path.name): path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    pages |= {page_of(name): project_page(name) for name in PROJECT}
    known = {*pages, "examples.md", *(str(path.relative_to(DOCS)) for path in DOCS.rglob("*") if path.is_file())}
    pages = {name: turned(text, name, known) for name, text in pages.items()}
    pages |= {"examples.md": example_page(), **reference_pages()}
    pages["index.md"] = front_page(pages["index.md"], set(pages))
    for name, text in pages.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def main(target: Path) -> int:
    source = ROOT / "build" / "site"
    try:
        staged(source)
    except BrokenSiteError as error:
        print(f"no site: {error}", file=sys.stderr)
        return 1
    settings = str(Path(__file__).parent)
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-E",
        "-c",
        settings,
        str(source),
        str(target),
    ]
    done = subprocess.run(command, check=False)  # noqa: S603 - our own words
    if done.returncode == 0:
        print(f"open {target / 'index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "site"))
