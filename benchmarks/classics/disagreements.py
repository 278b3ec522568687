"""`python -m benchmarks.classics.disagreements`: where the sources of the classics disagree, as the docs list it."""

from __future__ import annotations

from cpcbench.problems.classics.all import classics

SOURCES = ("SciPy", "opfunu", "smoof", "survey")


def lines() -> list[str]:
    """A line for each classic with notes that name a collection or the survey, with these notes."""
    found = {
        id_: [note for note in entry.notes if any(word in note for word in SOURCES)]
        for id_, entry in classics().items()
    }
    return [f"- `{id_}`: {' '.join(notes)}" for id_, notes in found.items() if notes]


if __name__ == "__main__":
    print("\n".join(lines()))
