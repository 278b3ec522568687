"""Local searches along edges of the domain: steps in the tangent space, brought back onto the edges by Newton."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cpcbench.points import Floats, Places
from cpcbench.solvers.white_box.moves.climb import Climbers, Words
from cpcbench.solvers.white_box.moves.edges import Edges
from cpcbench.solvers.white_box.tuning import CORRECTIONS


def slide(
    edges: Edges,
    kernel: Callable[[Floats, Floats], float],
    points: Floats,
    chosen: Places,
    target: Floats,
    seed: Words,
    *,
    rounds: int,
    sigma: float,
) -> tuple[Floats, Floats]:
    """Searches from each point with its chosen edges held at the target values; points and values."""
    width = edges.box[1] - edges.box[0]
    tangent = _tangents(edges.at(points).slope[np.arange(len(points))[:, None], chosen])
    best_x, best = points.copy(), np.empty(len(points))
    kernel(best_x.reshape(-1), best)

    def along(flat: Floats, out: Floats) -> float:
        """The values at the points that these steps lead to."""
        u = flat.reshape(len(points), -1)
        away = np.clip(points + np.einsum("kij,kj->ki", tangent, u) * width, *edges.box)
        x = np.ascontiguousarray(edges.onto(away, chosen, target, CORRECTIONS))
        kernel(x.reshape(-1), out)
        lower = ~(out >= best) & ~np.isnan(out)
        best_x[lower], best[lower] = x[lower], out[lower]
        return 0.0

    free = tangent.shape[2]
    start = np.zeros((len(points), free))
    first = np.empty(len(points))
    along(start.reshape(-1), first)
    box = np.array([np.full(free, -0.5), np.full(free, 0.5)])
    climbers = Climbers(start, np.where(np.isnan(first), np.inf, first), box, seed, sigma)
    climbers.run(along, rounds)
    return best_x, best


def _tangents(slope: Floats) -> Floats:
    """An orthonormal basis of what is perpendicular to the rows, for each point."""
    usable = np.where(np.isfinite(slope), slope, 0.0)
    norm = np.linalg.norm(usable, axis=2, keepdims=True)
    _, _, basis = np.linalg.svd(usable / np.maximum(norm, 1e-300), full_matrices=True)
    return np.ascontiguousarray(basis[:, slope.shape[1] :, :].transpose(0, 2, 1))
