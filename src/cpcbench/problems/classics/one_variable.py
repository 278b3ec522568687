"""The classics of one variable, numbered as in Hansen, Jaumard and Lu (1992) and the collections after them."""

from __future__ import annotations

from cpcbench.expr import Expr, cos, exp, ln, num, pi, sin, total, where
from cpcbench.problems.definition import Definitions

FORMULAS = Definitions()


@FORMULAS.define("Problem2")
def problem2(x: list[Expr]) -> Expr:
    return sin(x[0]) + sin(num(10) / 3 * x[0])


@FORMULAS.define("Problem3")
def problem3(x: list[Expr]) -> Expr:
    return -total(k * sin((k + 1) * x[0] + k) for k in range(1, 6))


@FORMULAS.define("Problem4")
def problem4(x: list[Expr]) -> Expr:
    return -(16 * x[0] ** 2 - 24 * x[0] + 5) * exp(-x[0])


@FORMULAS.define("Problem5")
def problem5(x: list[Expr]) -> Expr:
    return -(1.4 - 3 * x[0]) * sin(18 * x[0])


@FORMULAS.define("Problem6")
def problem6(x: list[Expr]) -> Expr:
    return -(x[0] + sin(x[0])) * exp(-(x[0] ** 2))


@FORMULAS.define("Problem7")
def problem7(x: list[Expr]) -> Expr:
    return sin(x[0]) + sin(num(10) / 3 * x[0]) + ln(x[0]) - 0.84 * x[0] + 3


@FORMULAS.define("Problem8")
def problem8(x: list[Expr]) -> Expr:
    return -total(k * cos((k + 1) * x[0] + k) for k in range(1, 6))


@FORMULAS.define("Problem9")
def problem9(x: list[Expr]) -> Expr:
    return sin(x[0]) + sin(num(2) / 3 * x[0])


@FORMULAS.define("Problem10")
def problem10(x: list[Expr]) -> Expr:
    return -x[0] * sin(x[0])


@FORMULAS.define("Problem11")
def problem11(x: list[Expr]) -> Expr:
    return 2 * cos(x[0]) + cos(2 * x[0])


@FORMULAS.define("Problem12")
def problem12(x: list[Expr]) -> Expr:
    return sin(x[0]) ** 3 + cos(x[0]) ** 3


@FORMULAS.define("Problem13")
def problem13(x: list[Expr]) -> Expr:
    return -(x[0] ** (num(2) / 3)) - (1 - x[0] ** 2) ** (num(1) / 3)


@FORMULAS.define("Problem14")
def problem14(x: list[Expr]) -> Expr:
    return -exp(-x[0]) * sin(2 * pi * x[0])


@FORMULAS.define("Problem15")
def problem15(x: list[Expr]) -> Expr:
    return (x[0] ** 2 - 5 * x[0] + 6) / (x[0] ** 2 + 1)


@FORMULAS.define("Problem18")
def problem18(x: list[Expr]) -> Expr:
    return where(x[0] <= 3, (x[0] - 2) ** 2, 2 * ln(x[0] - 2) + 1)


@FORMULAS.define("Problem20")
def problem20(x: list[Expr]) -> Expr:
    return -(x[0] - sin(x[0])) * exp(-(x[0] ** 2))


@FORMULAS.define("Problem21")
def problem21(x: list[Expr]) -> Expr:
    return x[0] * sin(x[0]) + x[0] * cos(2 * x[0])


@FORMULAS.define("Problem22")
def problem22(x: list[Expr]) -> Expr:
    return exp(-3 * x[0]) - sin(x[0]) ** 3
