"""Proofs that a sum is nowhere below (or above) a number: one tree for each variable or link of a chain."""

from __future__ import annotations

import math
from fractions import Fraction

from cpcbench.certify.certificate.schema import ProvenSum, ProvenTable, Side
from cpcbench.certify.lower.sums.chain_proofs import ChainProof, prove_chain
from cpcbench.certify.lower.sums.half_lines import below, half_lines
from cpcbench.certify.lower.sums.periods import one_period
from cpcbench.certify.lower.sums.structure import Bounds, Part, SumNode, value_at
from cpcbench.certify.means import Means
from cpcbench.certify.threads import in_threads
from cpcbench.certify.times import Deadline
from cpcbench.intervals.tables import Table
from cpcbench.points import Points


def prove_sum(
    found: SumNode,
    side: Side,
    bounds: Bounds,
    x: Points,
    tolerance: float,
    seconds: float,
    value: float | None = None,
    means: Means | None = None,
) -> ProvenSum | None:
    """A proof that the sum is at least (min) or at most (max) `bound`, which it names; None if nothing is proven.

    The bound aimed at lies `tolerance` beyond the sum's value at `x`, or beyond `value` if that is known better.
    """
    deadline, means = Deadline(seconds), means or Means()
    workers = means.workers
    periods = one_period([term for _, term in found.terms], bounds, x)
    bounds = [periods.get(v, pair) for v, pair in enumerate(bounds)]
    narrower = [] if periods else half_lines(found.root, bounds)
    for entry in narrower:
        low, high = bounds[entry.variable]
        bounds[entry.variable] = (
            low if entry.low is None else max(low, entry.low),
            high if entry.high is None else min(high, entry.high),
        )
    x = x.copy()
    for v, (low, high) in periods.items():
        x[v] = 0.5 * (low + high)
    links = sum(len(chain) for chain in found.chains)
    whole = value is not None and len(found.chains) == 1
    waiting = links

    def prove(chain: tuple[Part, ...]) -> ChainProof:
        nonlocal waiting
        at_once = workers if len(chain) == 1 else 1
        limit = Deadline(min(len(chain) * at_once / waiting, 1.0) * deadline.left())
        best = (value or 0.0) if side == "min" else -(value or 0.0)
        if not whole:
            best = sum(sign * value_at(term, x) for part in chain for sign, term in found.signed(part, side))
        part = tolerance * len(chain) / links
        proof = prove_chain(found, chain, side, bounds, (x, best), part, limit, means)
        waiting -= len(chain)
        return proof

    single = [chain for chain in found.chains if len(chain) == 1]
    alone = dict(zip(single, in_threads(prove, single, workers), strict=True))
    proofs = [alone[chain] if chain in alone else prove(chain) for chain in found.chains]
    entries = [link for each, _ in proofs for link in each]
    tables = [table for _, each in proofs for table in each]
    if any(not math.isfinite(proof.threshold) for proof in entries):
        return None
    exact = sum((Fraction(proof.threshold) for proof in entries), Fraction(0))
    bound = below(exact) if side == "min" else -below(exact)
    return ProvenSum(
        found.number,
        side,
        bound,
        [proof.entry for proof in entries],
        {str(t.variable): _table_entry(t) for t in tables},
        {str(v): list(pair) for v, pair in periods.items()} or None,
        narrower or None,
    )


def _table_entry(table: Table) -> ProvenTable:
    return ProvenTable(list(table.breaks), [list(v) if isinstance(v, tuple) else v for v in table.values])
