"""`python -m benchmarks.classics.disagreements`: where the sources of the classics disagree, as the docs list it."""

from __future__ import annotations

from cpcbench.problems.classics.all import classics
from cpcbench.problems.classics.entry import Classic

SOURCES = ("SciPy", "opfunu", "smoof", "survey")


def lines() -> list[str]:
    """A line for each classic that a collection or the survey has otherwise, with the notes on that."""
    found = {id_: disagreements(entry) for id_, entry in classics().items()}
    return [f"- `{id_}`: {' '.join(notes)}" for id_, notes in found.items() if notes]


def disagreements(entry: Classic) -> list[str]:
    """The notes that name a source; all of them where a listed value is not that of the listed point."""
    unmet = not all(one.met for one in entry.listed)
    return [note for note in entry.notes if unmet or any(word in note for word in SOURCES)]


if __name__ == "__main__":
    print("\n".join(lines()))
