"""What the docs list of sources that disagree is what the notes of the classics say."""

from __future__ import annotations

from pathlib import Path

from benchmarks.classics.disagreements import lines

from cpcbench.problems.classics.all import classics

PAGE = Path(__file__).parents[2] / "docs" / "classics.md"


def test_the_page_lists_every_disagreement() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## Where sources disagree\n")[1].split("\n## ")[0]
    assert [line for line in section.splitlines() if line.startswith("- ")] == lines()


def test_a_listing_that_is_not_met_is_listed() -> None:
    listed = {line.split("`")[1] for line in lines()}
    assert {id_ for id_, entry in classics().items() if not all(one.met for one in entry.listed)} <= listed
