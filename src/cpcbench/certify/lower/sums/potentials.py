"""Potentials: functions of single variables that turn a bound of a whole chain into one bound per link.

With V the cost before a variable, W the cost after it and L the best cost of all, s = V + W - L is 0 only on optimal
paths. P = V - t s, where t grows evenly along the chain from 0 to 1, leaves each link g(x, y) + P(x) - P(y) an
even share of what a path through (x, y) costs beyond L.
"""

from __future__ import annotations

from cpcbench.certify.lower.sums.chains import Chain
from cpcbench.certify.lower.sums.layers import Floats, Layer
from cpcbench.intervals.tables import Table


def potentials(chain: Chain) -> list[Table]:
    """One table for each variable of the chain but the first and the last."""
    return [
        Table(layer.variable, layer.nodes.tolist(), _values(layer, k * chain.share, chain.best).tolist())
        for k, layer in enumerate(chain.layers)
        if 0 < k < len(chain.links)
    ]


def _values(layer: Layer, share: float, best: float) -> Floats:
    return (1.0 - share) * layer.before.at + share * (best - layer.after.at)
