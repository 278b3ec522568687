"""Functions of Jamil and Yang's survey that no collection of programs has."""

from __future__ import annotations

from cpcbench.expr import Expr, cos, exp, floor, neighbours, num, pi, sin, sqrt, total
from cpcbench.problems.definition import Definitions

FORMULAS = Definitions()

BARD = (0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.1, 4.39)


@FORMULAS.define("Ackley4", smallest=2)
def ackley4(x: list[Expr]) -> Expr:
    return total(exp(-0.2) * sqrt(a**2 + b**2) + 3 * (cos(2 * a) + sin(2 * b)) for _, a, b in neighbours(x))


@FORMULAS.define("Bard")
def bard(x: list[Expr]) -> Expr:
    x1, x2, x3 = x
    return total((y - x1 - i / ((16 - i) * x2 + min(i, 16 - i) * x3)) ** 2 for i, y in enumerate(BARD, start=1))


@FORMULAS.define("BiggsExp6")
def biggs_exp6(x: list[Expr]) -> Expr:
    def residual(t: Expr) -> Expr:
        model = x[2] * exp(-t * x[0]) - x[3] * exp(-t * x[1]) + x[5] * exp(-t * x[4])
        return model - (exp(-t) - 5 * exp(-10 * t) + 3 * exp(-4 * t))

    return total(residual(num(i) / 10) ** 2 for i in range(1, 14))


@FORMULAS.define("Rump")
def rump(x: list[Expr]) -> Expr:
    x1, x2 = x
    inner = 11 * x1**2 * x2**2 - 121 * x2**4 - 2
    return (333.75 - x1**2) * x2**6 + x1**2 * inner + 5.5 * x2**8 + x1 / (2 * x2)


@FORMULAS.define("SchmidtVetters")
def schmidt_vetters(x: list[Expr]) -> Expr:
    x1, x2, x3 = x
    return 1 / (1 + (x1 - x2) ** 2) + sin((pi * x2 + x3) / 2) + exp(((x1 + x2) / x2 - 2) ** 2)


@FORMULAS.define("Schwefel23", smallest=1)
def schwefel23(x: list[Expr]) -> Expr:
    return total(a**10 for a in x)


@FORMULAS.define("Schwefel25", smallest=2)
def schwefel25(x: list[Expr]) -> Expr:
    return total((a - 1) ** 2 + (x[0] - a**2) ** 2 for a in x[1:])


@FORMULAS.define("Step3", smallest=1)
def step3(x: list[Expr]) -> Expr:
    return total(floor(a**2) for a in x)


@FORMULAS.define("StepInt", smallest=1)
def step_int(x: list[Expr]) -> Expr:
    return 25 + total(floor(a) for a in x)


@FORMULAS.define("WayburnSeader3")
def wayburn_seader3(x: list[Expr]) -> Expr:
    x1, x2 = x
    bowl = (x1 - 4) ** 2 + (x2 - 5) ** 2 - 4
    return num(2) / 3 * x1**3 - 8 * x1**2 + 33 * x1 - x1 * x2 + 5 + bowl**2
