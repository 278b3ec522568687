"""What a newcomer reads is true: every Python block, command, example, link and quoted number is checked."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.expr import parser, tokens
from cpcbench.readings.text import LANGUAGES

ROOT = Path(__file__).parents[2]
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [*GUIDES, *sorted(ROOT.glob("[A-Z]*.md"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
QUICK = {"README.md", "formulas.md"}
MINUTES = 300


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8", "COLUMNS": "140"}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=MINUTES, check=False
    )


def fenced(page: Path, language: str) -> list[str]:
    """The blocks between fences that are marked with this language."""
    parts = re.split(r"^```(\w*)\n", text(page) + "\n", flags=re.MULTILINE)  # prose, mark, block, mark, prose, ...
    return [block for mark, block in zip(parts[1::4], parts[2::4], strict=True) if mark == language]


def page_mark(page: Path) -> list[pytest.MarkDecorator]:
    return [] if page.name in QUICK else [pytest.mark.slow]


BLOCKS = [
    pytest.param(block, id=f"{page.stem}-{i}", marks=page_mark(page))
    for page in GUIDES
    for i, block in enumerate(fenced(page, "python"), start=1)
]


def test_there_are_blocks_to_run() -> None:
    for name in ("README", "first-steps", "formulas", "admissibility", "readings", "published-record"):
        assert any(name in str(block.id) for block in BLOCKS), name


@pytest.mark.parametrize("block", BLOCKS)
def test_a_python_block_prints_what_it_says(block: str, tmp_path: Path) -> None:
    """`# -> ...` is the output, line by line and nothing besides."""
    script = tmp_path / "block.py"
    script.write_text(block, encoding="utf-8")
    done = run("-W", "error", str(script), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == re.findall(r"# -> (.*)$", block, re.MULTILINE)


def shown_commands() -> list[tuple[str, list[str]]]:
    """Each command shown in a plain block, with the output lines shown below it."""
    found: list[tuple[str, list[str]]] = []
    for page in GUIDES:
        for block in fenced(page, ""):
            for line in block.splitlines():
                if line.removeprefix("$ ").startswith("cpcbench "):
                    found.append((line.removeprefix("$ "), []))
                elif found and line.strip() and "$ cpcbench" in block:
                    found[-1][1].append(line)
    return found


WRONG_INPUT = {'cpcbench eval "2x1 + 1" --bounds 0:1 0.5'}


def squeezed(line: str) -> str:
    return " ".join(line.split())


@pytest.mark.parametrize(("command", "shown"), shown_commands(), ids=lambda v: v if isinstance(v, str) else "")
def test_a_shown_command_prints_what_is_shown(command: str, shown: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "140")
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == (2 if command in WRONG_INPUT else 0), done.output
    printed = [squeezed(line) for line in done.output.splitlines()]
    for line in shown:
        if not line.startswith("fast"):  # the platform's own last bits
            assert squeezed(line) in printed


def test_all_commands_and_no_others_are_named() -> None:
    sentence = re.search(r"The commands are (.*?)\.", text(ROOT / "docs/command-line.md"), re.DOTALL)
    assert sentence is not None
    assert set(re.findall(r"`(\w+)`", sentence[1])) == {c.name for c in app.registered_commands}


OUTPUT = {
    "constraints.py": "checked: True",
    "study_of_your_function.py": "re-evaluated",
    "evaluate_and_verify.py": "it is of the kind: artefact",
    "read_a_function.py": "checked: True",
    "prove_a_sympy_expression.py": "cost.json.gz checked: True",
    "your_own_problem.py": "is not admissible:",
    "register_a_problem.py": "MY-1 at (0.5, 0.25): 1.1733214268155",
    "draw_landscapes.py": "wrote landscapes.svg",
    "slow_simulation.py": "lowest loss found -",
    "descent_in_jax.py": "CPC-DF9: ",
    "in_your_own_loop.py": "pygmo      ",
    "listed_minima.py": "the infimum lies in [-0.19992973",
}


QUICK_EXAMPLES = {"evaluate_and_verify.py", "your_own_problem.py"}


def example_mark(path: Path) -> list[pytest.MarkDecorator]:
    return [] if path.name in QUICK_EXAMPLES else [pytest.mark.slow]


@pytest.mark.parametrize("example", [pytest.param(path, id=path.name, marks=example_mark(path)) for path in EXAMPLES])
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    done = run("-W", "error", str(example), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert OUTPUT[example.name] in done.stdout
    if example.name == "draw_landscapes.py":
        check_picture(tmp_path / "landscapes.svg")


def check_picture(path: Path) -> None:
    page = text(path)
    assert re.findall(r"<!-- (CPC-DF\d+) -->", page) == ["CPC-DF9", "CPC-DF10", "CPC-DF8"]
    images = list(ET.fromstring(page).iter("{http://www.w3.org/2000/svg}image"))  # noqa: S314 (our own file)
    assert len(images) >= 3
    assert page.count("<!-- undefined -->") == 3


def test_the_picture_is_the_one_the_example_draws() -> None:
    check_picture(ROOT / "docs" / "picture.svg")
    assert "](docs/picture.svg)" in text(ROOT / "README.md")


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_links_lead_somewhere() -> None:
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^)\s]+)\)", text(page))]
    assert len(links) > 15
    for page, link in links:
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), f"{page.name} links to {link}"
        if anchor:
            assert anchor in {slug(h) for h in re.findall(r"^#+ (.*)$", text(target), re.MULTILINE)}, link


def test_df3_has_the_three_values_quoted() -> None:
    p = cpc.problem("CPC-DF3")
    x = p.published.points[0] if p.published else p.lower
    values = [p.reference(x), p.enclosure(x).midpoint, p.enclosure(x, constants="double").midpoint]
    quoted = ["-10.50367", "-10.40190", "-10.40885"]
    assert [f"{v:.5f}" for v in values] == quoted
    for page in ("docs/readings.md", "docs/admissibility.md"):
        assert all(f"| {value} |" in text(ROOT / page) for value in quoted)


def test_df3_has_the_neighbours_quoted() -> None:
    p = cpc.problem("CPC-DF3")
    page = squeezed(text(ROOT / "docs/published-record.md"))
    assert "x1 = 6.1828121298815 is undefined, 6.1828121298816 gives -10.50367" in page
    assert "6.1828121298817 gives -10.19247" in page
    values = [p.reference([x1, 6.49031991565847]) for x1 in (6.1828121298815, 6.1828121298816, 6.1828121298817)]
    assert [f"{v:.5f}" for v in values] == ["nan", "-10.50367", "-10.19247"]


def test_the_table_of_published_optima_is_what_verification_gives() -> None:
    rows = [line.strip("| ").split(" | ") for line in text(ROOT / "docs/published-record.md").splitlines()]
    table = {row[0]: row[1:] for row in rows if len(row) == 9}
    for p in cpc.problems():
        assert p.published is not None
        verdict = cpc.verify(p, p.published.points[0], p.published.value)
        real = "undefined" if verdict.enclosure.defined is False else repr(verdict.enclosure.midpoint)
        assert table[p.id] == [
            str(p.dim), str(len(p.published.points)), repr(p.published.value), repr(verdict.reference), real,
            verdict.enclosure.domain, verdict.kind, "no" if p.id == "CPC-DF5" else "yes",
        ]  # fmt: skip


def test_every_problem_is_in_the_table_of_agreement() -> None:
    found = re.findall(r"^\| ((?:CPC-D)?F\d+) \|", text(ROOT / "docs/readings.md"), re.MULTILINE)
    assert found == [p.id for p in cpc.problems()]


def test_every_problem_with_a_note_is_in_the_list_of_known_errors() -> None:
    known = text(ROOT / "docs/published-record.md").partition("## Known errors")[2]
    for p in cpc.problems():
        if p.published is not None and p.published.notes:
            assert re.search(rf"\b{p.id}\b", known), p.id


def test_the_limits_and_names_of_formulas_are_the_parsers() -> None:
    page = text(ROOT / "docs/formulas.md")
    for name in parser.RESERVED:
        assert re.search(rf"`{name}\b", page), name
    limits = {
        "characters": tokens.MAX_CHARACTERS,
        "operations, sums written out": parser.MAX_OPERATIONS,
        "sums inside sums": parser.MAX_SUM_DEPTH,
        "number of a variable": parser.MAX_VARIABLE,
    }
    for what, limit in limits.items():
        assert f"| {what} | {limit:,} |" in page


def test_every_language_is_named() -> None:
    section = text(ROOT / "docs/readings.md").partition("## Text")[2]
    assert {language for language in LANGUAGES if f"`{language}`" in section} == set(LANGUAGES)


def test_the_commands_of_make_exist() -> None:
    targets = set(re.findall(r"^(\w+):", text(ROOT / "Makefile"), re.MULTILINE))
    named = {word for page in PAGES for word in re.findall(r"(?:^|`)make (\w+)", text(page), re.MULTILINE)}
    assert {"run", "test", "bench"} <= named <= targets


HOUSE = [ROOT / "CONTRIBUTING.md", ROOT / "docs/architecture.md"]
SOURCE = ROOT / "src/cpcbench"


def test_the_house_is_described_room_by_room() -> None:
    named = set(re.findall(r"`([\w/]+/|\w+\.py)`", text(HOUSE[1])))
    rooms = {f"{path.parent.relative_to(SOURCE)}/" for path in SOURCE.glob("*/**/*") if path.suffix != ".pyc"}
    rooms = {room for room in rooms if "__pycache__" not in room}
    modules = {path.name for path in SOURCE.glob("*.py") if not path.name.startswith("__")}
    assert (rooms | modules) - named == set()


@pytest.mark.parametrize("page", HOUSE, ids=lambda page: page.stem)
def test_every_file_that_is_named_exists(page: Path) -> None:
    found = set(re.findall(r"`((?:[\w.]+/)+[\w.]*|\w+\.(?:py|md|toml|csv))`", text(page)))
    assert len(found) > 5
    assert {name for name in found if not any((top / name).exists() for top in (ROOT, SOURCE))} == set()


FOLDERS = (".ci", ".github", "benchmarks", "docs", "examples", "paper", "src", "tests")
TEXT_FILES = {
    ".py",
    ".md",
    ".toml",
    ".cff",
    ".csv",
    ".svg",
    ".txt",
    ".yml",
    ".yaml",
    ".cfg",
    ".json",
    ".sh",
    ".bib",
    "",
}
FORBIDDEN = [
    *(
        re.compile(rf"(?<![\w.])/{folder}/")
        for folder in ("work", "tmp", "home", "root", "Users", "opt", "mnt", "private")
    ),
    re.compile(r"[A-Z]:\\\\?Users", re.IGNORECASE),
    re.compile(r"(?:extra-)?index-url|find-links|pypi\.\w+|artifactory|localhost|\b127\.0\.0\.1\b", re.IGNORECASE),
]
"""Paths of one machine, and hosts of package registries."""


def test_no_file_names_a_machine() -> None:
    files = [*ROOT.iterdir(), *(f for folder in FOLDERS for f in (ROOT / folder).rglob("*"))]
    unread = {Path(__file__), ROOT / ".coverage", ROOT / ".git"}  # a file in a worktree
    read = [f for f in files if f.is_file() and f.suffix in TEXT_FILES and f not in unread]
    assert {"pyproject.toml", "Makefile", "README.md", "cpc.py"} <= {f.name for f in read}
    for file in read:
        for pattern in FORBIDDEN:
            found = pattern.search(text(file))
            assert found is None, f"{file.relative_to(ROOT)}: {found and found[0]}"
