"""What was tried, kind by kind, and every case in which the checker was wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Counts by kind and outcome, and a description of each violation."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)

    def add(self, kind: str, outcome: str) -> None:
        self.counts[kind, outcome] += 1

    def judge(self, kind: str, wrong: bool, what: object) -> None:
        """One check of low precision: whether it held."""
        self.add(kind, "violations" if wrong else "held")
        if wrong:
            self.violations.append(f"{kind}: {what}")

    def merge(self, other: Tally) -> None:
        self.counts.update(other.counts)
        self.violations += other.violations

    def of(self, kind: str, *outcomes: str) -> int:
        return sum(n for (k, o), n in self.counts.items() if k == kind and (not outcomes or o in outcomes))

    def total(self, outcomes: Iterable[str]) -> int:
        wanted = set(outcomes)
        return sum(n for (_, o), n in self.counts.items() if o in wanted)

    @property
    def kinds(self) -> list[str]:
        return sorted({kind for kind, _ in self.counts})
