"""What all modelling systems state, and the problem that it is: variables, one objective, constraints."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.parser import RESERVED
from cpcbench.points import default_names
from cpcbench.problems.problem import Problem
from cpcbench.problems.user import with_integrality
from cpcbench.readings.domain.constraints import TOLERANCE, Statement

MOST_VARIABLES = 100_000
MOST_OPERATIONS = 200_000
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
NUMBERED = re.compile(r"x[0-9]+")


class Variable(NamedTuple):
    """One variable, its bounds (infinite where there are none), and whether it stands for whole numbers."""

    name: str
    lower: float = -math.inf
    upper: float = math.inf
    whole: bool = False


@dataclass
class Model:
    """One objective to be minimised, or maximised; the variables of its formulas are numbered from 0."""

    name: str
    variables: list[Variable]
    objectives: list[tuple[Expr, bool]] = field(default_factory=list)
    constraints: list[Statement] = field(default_factory=list)

    def problem(self, rule: str = "ieee", tolerance: float = TOLERANCE) -> Problem:
        """The model as a problem to be minimised; what is maximised is negated."""
        if len(self.objectives) != 1:
            raise CpcbenchError(
                f"{self.name} has {len(self.objectives)} objectives: a model of exactly one can be read"
            )
        if not self.variables:
            raise CpcbenchError(f"{self.name} has no variables")
        [(objective, maximised)] = self.objectives
        lower, upper = ([getattr(v, side) for v in self.variables] for side in ("lower", "upper"))
        names = plain_names([variable.name for variable in self.variables])
        made = Problem(
            plain_names([self.name], "model")[0], -objective if maximised else objective, lower, upper,
            rule=rule, names=names,
        )  # fmt: skip
        made = made.subject_to(*self.constraints, tolerance=tolerance)
        return with_integrality(made, [int(variable.whole) for variable in self.variables])


def plain_names(given: Sequence[str], otherwise: str = "x") -> list[str]:
    """Names that formulas can have: those given, `y[1,2]` as y_1_2; numbered ones if that makes two alike."""
    names = [re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") for name in given]
    numbers = list(default_names(len(names)))
    numbered = all(NUMBERED.fullmatch(name) for name in names)
    odd = any(not NAME.fullmatch(name) or name in RESERVED for name in names)
    mixed = not numbered and any(NUMBERED.fullmatch(name) for name in names)
    if odd or len(set(names)) < len(names) or (numbered and names != numbers) or mixed:
        return numbers if otherwise == "x" else [otherwise] * len(names)
    return names
