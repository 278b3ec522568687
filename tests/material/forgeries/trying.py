"""So many low-precision checks, or forged certificates, from a seed: a share of a long run, or a short run."""

from __future__ import annotations

import random
from itertools import cycle

from tests.material.forgeries import along_paths, difference_quotients, formulas, limits, operations, rules
from tests.material.forgeries.claims import FORGERIES
from tests.material.forgeries.tally import Tally
from tests.material.forgeries.truth import ARITHMETICS, PRECISIONS, setting

CHECKS = [
    *4 * operations.CHECKS,
    *3 * difference_quotients.CHECKS,
    *2 * formulas.CHECKS,
    *2 * rules.CHECKS,
    *2 * along_paths.CHECKS,
    *limits.CHECKS,
]
"""One round: what takes little time more often than what takes much."""


def checks(seed: int, count: int) -> Tally:
    """At least so many checks, in both arithmetics and at each precision in turn."""
    r, tally = random.Random(f"checks {seed}"), Tally()  # noqa: S311
    settings = cycle((arithmetic, bits) for bits in PRECISIONS for arithmetic in ARITHMETICS)
    while tally.counts.total() < count:
        with setting(*next(settings)):
            for check in r.sample(CHECKS, len(CHECKS)):
                check(r, tally)
                if tally.counts.total() >= count:
                    break
    return tally


def forgeries(seed: int, count: int) -> Tally:
    """At least so many forged certificates, each before one of the arithmetics."""
    r, tally = random.Random(f"forgeries {seed}"), Tally()  # noqa: S311
    while tally.counts.total() < count:
        r.choice(FORGERIES)(r, tally)
    return tally
