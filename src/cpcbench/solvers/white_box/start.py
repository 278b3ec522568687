"""The white-box search, too, begins at once: its steps run as plain Python until another process has compiled them.

What reads ranges over boxes is too slow for that: it is compiled before a search begins that is long enough to use it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cpcbench.expr.nodes import var
from cpcbench.intervals.boxes import cut_boxes
from cpcbench.intervals.tape import Tape
from cpcbench.problems.problem import Problem
from cpcbench.solvers.search import start as black_box
from cpcbench.solvers.search.start import Bridged
from cpcbench.solvers.white_box.moves.climb_steps import learn_steps, new_climb, propose_steps
from cpcbench.solvers.white_box.moves.proposals import distances, propose, take
from cpcbench.solvers.white_box.tuning import RANGES_BEGIN


def prepare(problem: Problem, budget: int | None = None) -> None:
    """Compiles what belongs to this formula: its value, its conditions and edges.

    What does not depend on the formula is loaded, if it is there; what reads ranges is compiled if the budget lets
    a search come to that.
    """
    from cpcbench.solvers.white_box.evaluations import regular_part
    from cpcbench.solvers.white_box.moves.edges import Edges

    regular = regular_part(problem)
    for part in dict.fromkeys((regular, problem)):
        corner = np.array([part.lower])
        _ = part.fast.boxed, part.fast.tallied
        part.fast.violations(corner), part.fast.admissible(corner)
    Edges(regular)
    if budget is None or budget > RANGES_BEGIN:
        compile_ranges()
    if black_box.STEPS.is_compiled() and STEPS.is_compiled():
        compile_steps()  # which only loads them


def _entries() -> list[tuple[Any, tuple[Any, ...]]]:
    row, table, seed = np.zeros(1), np.zeros((1, 1)), np.zeros(1, dtype=np.uint64)
    climb = new_climb(table, row, row)
    return [
        (propose_steps, (climb, table, seed)),
        (learn_steps, (climb,)),
        (propose, (table, table, table, seed, table)),
        (take, (table, row, table, row, 0.0)),
        (distances, (table, row, row)),
    ]


def compile_searches() -> None:
    """All that does not depend on the formula, here and now."""
    compile_steps()
    compile_ranges()


def compile_steps() -> None:
    """The steps of both searches, since this one begins with the other."""
    black_box.STEPS.compile_all()
    STEPS.compile_all()


def compile_ranges() -> None:
    """Compiles, or loads, what bounds boxes and cuts them down."""
    cut_boxes(Tape.of_formula(var(0), 1), np.zeros((1, 1)), np.ones((1, 1)), 0.0)


STEPS = Bridged(_entries, __name__)
