"""The classics from Ackley to Bukin."""

from __future__ import annotations

from cpcbench.expr import Expr, cos, exp, pi, product, sin, sqrt, total
from cpcbench.problems.definition import Definitions

FORMULAS = Definitions()


@FORMULAS.define("Ackley1", smallest=1)
def ackley1(x: list[Expr]) -> Expr:
    n = len(x)
    mean = total(a**2 for a in x) / n
    return -20 * exp(-0.2 * sqrt(mean)) - exp(total(cos(2 * pi * a) for a in x) / n) + 20 + exp(1)


@FORMULAS.define("Ackley2")
def ackley2(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -200 * exp(-0.02 * sqrt(x1**2 + x2**2))


@FORMULAS.define("Ackley3")
def ackley3(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -200 * exp(-0.02 * sqrt(x1**2 + x2**2)) + 5 * exp(cos(3 * x1) + sin(3 * x2))


@FORMULAS.define("Adjiman")
def adjiman(x: list[Expr]) -> Expr:
    x1, x2 = x
    return cos(x1) * sin(x2) - x1 / (x2**2 + 1)


@FORMULAS.define("Alpine1", smallest=1)
def alpine1(x: list[Expr]) -> Expr:
    return total(abs(a * sin(a) + 0.1 * a) for a in x)


@FORMULAS.define("Alpine2", smallest=1)
def alpine2(x: list[Expr]) -> Expr:
    return product(sqrt(a) * sin(a) for a in x)
