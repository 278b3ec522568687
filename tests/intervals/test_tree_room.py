"""The compiled tree of boxes writes nowhere but into its store: with Numba's own checks of every index."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

GROWING = """
import math

import numpy as np
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula, seeded

from cpcbench.expr.nodes import num, var
from cpcbench.expr.functions import cosh, exp, ln, sin, sqrt, total
from cpcbench.intervals.tape import Tape
from cpcbench.intervals.tree.convex import bent_of
from cpcbench.intervals.tree.growth import Growth
from cpcbench.intervals.tree.kernel import DONE, FULL
from cpcbench.intervals.tree.store import CONVEX, NODES, SQUARES, empty_store, grown


class Bending(Growth):
    def curvature(self):
        return bent_of(self.tape, self.tape.bent, True, self.tape.squares)


def tight(growth):
    # a little more at a time, so that the kernel begins with no more room than it asks for
    store = growth.store
    domains = len(growth.tape.code.domains)
    growth.store = grown(store, len(store.bound) + 2, len(store.heap_key) + 1, len(store.pool) + 2 * domains + 1)


def thrifty(growth):
    # enough for nodes and boxes, so that nothing but the numbers of leaves are short of room
    store = growth.store
    growth.store = grown(store, len(store.bound) + 999, len(store.heap_key) + 999, len(store.pool) + 1)


def loose(growth):
    growth.store = growth.sized(growth.store)


r, rng = seeded(11), np.random.default_rng(11)
bowl = total(cosh(var(i)) + sin(var(i) * var((i + 1) % 3)) * num(0.25) for i in range(3))  # no condition
faces = [total(sqrt(var(i) + num(2)) + var(i) for i in range(6)), total(ln(var(i) + num(1.5)) for i in range(8))]
formulas = faces + [formula(r, r.choice([4, 8, 12]), [*RATIONAL[:9], *ELEMENTARY], 3) for _ in range(8)]
for root in [*formulas, bowl]:
    dim = 8 if root is faces[1] else 6 if root is faces[0] else 3
    tape = Tape.of_formula(root, dim)
    for room, kind in ((tight, Growth), (loose, Growth), (tight, Bending), (loose, Bending)):
        lower = rng.uniform(-3.0, 0.0, dim)
        growth = kind(tape, lower, lower + rng.uniform(0.1, 5.0, dim))
        if room is tight:
            growth.store = empty_store(dim, 1, 1, 0)
        growth.plant(growth.lower, growth.upper, -math.inf)
        for turn in range(25):
            for _ in range(10 if turn else 400):  # a tree that cannot close asks for more without end
                if growth.advance(rng.uniform(-1.0, 2.0), math.inf, 10) != FULL:
                    break
                room(growth)

data = [(1, 0.9), (2, 1.3), (3, 1.7), (5, 1.8), (8, 2.1)]
fit = total((num(y) - var(0) * (1 - exp(-var(1) * num(t))) - var(2)) ** 2 for t, y in data)
for root, low, high, target, rule in (
    (bowl, (-1.0, -1.0, -1.0), (1.0, 1.0, 1.0), 3.0 - 1e-3, CONVEX),
    (fit, (0.0, 0.05, -2.0), (5.0, 3.0, 2.0), 0.012, SQUARES),
):
    growth = Bending(Tape.of_formula(root, 3), np.array(low), np.array(high))
    growth.store = empty_store(3, 1, 1, 0)
    growth.plant(growth.lower, growth.upper, -math.inf)
    while growth.advance(target, math.inf, 1000) != DONE:
        thrifty(growth)
    assert (growth.store.rule[: growth.store.count[NODES]] == rule).sum() > 1
print("whole")
"""


@pytest.mark.slow
def test_every_index_of_the_tree_is_inside_its_arrays(tmp_path: Path) -> None:
    # without LLVM's optimisations: compiling takes one minute instead of many, and indices are the same
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0", "CPCBENCH_CACHE": str(tmp_path)}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", GROWING], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout == "whole\n", done.stderr[-2000:]
