"""The classics from Ackley to Bukin."""

from __future__ import annotations

from cpcbench.expr import Expr, cos, exp, ln, neighbours, num, pi, product, sin, sqrt, total
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


@FORMULAS.define("AMGM", smallest=1)
def amgm(x: list[Expr]) -> Expr:
    n = len(x)
    return (total(x) / n - product(x) ** (num(1) / n)) ** 2


@FORMULAS.define("BartelsConn")
def bartels_conn(x: list[Expr]) -> Expr:
    x1, x2 = x
    return abs(x1**2 + x2**2 + x1 * x2) + abs(sin(x1)) + abs(cos(x2))


@FORMULAS.define("Beale")
def beale(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (1.5 - x1 + x1 * x2) ** 2 + (2.25 - x1 + x1 * x2**2) ** 2 + (2.625 - x1 + x1 * x2**3) ** 2


def _tenths(last: int) -> list[Expr]:
    """0.1, 0.2, ..., last/10."""
    return [num(i) / 10 for i in range(1, last + 1)]


@FORMULAS.define("BiggsExp2")
def biggs_exp2(x: list[Expr]) -> Expr:
    x1, x2 = x
    return total((exp(-t * x1) - 5 * exp(-t * x2) - (exp(-t) - 5 * exp(-10 * t))) ** 2 for t in _tenths(10))


@FORMULAS.define("BiggsExp3")
def biggs_exp3(x: list[Expr]) -> Expr:
    x1, x2, x3 = x
    return total((exp(-t * x1) - x3 * exp(-t * x2) - (exp(-t) - 5 * exp(-10 * t))) ** 2 for t in _tenths(10))


@FORMULAS.define("BiggsExp4")
def biggs_exp4(x: list[Expr]) -> Expr:
    x1, x2, x3, x4 = x
    return total((x3 * exp(-t * x1) - x4 * exp(-t * x2) - (exp(-t) - 5 * exp(-10 * t))) ** 2 for t in _tenths(10))


@FORMULAS.define("BiggsExp5")
def biggs_exp5(x: list[Expr]) -> Expr:
    x1, x2, x3, x4, x5 = x
    return total(
        (
            x3 * exp(-t * x1) - x4 * exp(-t * x2) + 3 * exp(-t * x5)
            - (exp(-t) - 5 * exp(-10 * t) + 3 * exp(-4 * t))
        ) ** 2
        for t in _tenths(11)
    )  # fmt: skip


@FORMULAS.define("Bird")
def bird(x: list[Expr]) -> Expr:
    x1, x2 = x
    return sin(x1) * exp((1 - cos(x2)) ** 2) + cos(x2) * exp((1 - sin(x1)) ** 2) + (x1 - x2) ** 2


@FORMULAS.define("Bohachevsky1")
def bohachevsky1(x: list[Expr]) -> Expr:
    x1, x2 = x
    return x1**2 + 2 * x2**2 - 0.3 * cos(3 * pi * x1) - 0.4 * cos(4 * pi * x2) + 0.7


@FORMULAS.define("Bohachevsky2")
def bohachevsky2(x: list[Expr]) -> Expr:
    x1, x2 = x
    return x1**2 + 2 * x2**2 - 0.3 * cos(3 * pi * x1) * cos(4 * pi * x2) + 0.3


@FORMULAS.define("Bohachevsky3")
def bohachevsky3(x: list[Expr]) -> Expr:
    x1, x2 = x
    return x1**2 + 2 * x2**2 - 0.3 * cos(3 * pi * x1 + 4 * pi * x2) + 0.3


@FORMULAS.define("Booth")
def booth(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (x1 + 2 * x2 - 7) ** 2 + (2 * x1 + x2 - 5) ** 2


@FORMULAS.define("BoxBetts")
def box_betts(x: list[Expr]) -> Expr:
    x1, x2, x3 = x
    return total((exp(-t * x1) - exp(-t * x2) - x3 * (exp(-t) - exp(-10 * t))) ** 2 for t in _tenths(10))


@FORMULAS.define("Branin1")
def branin1(x: list[Expr]) -> Expr:
    x1, x2 = x
    return _valley(x1, x2) ** 2 + 10 * (1 - 1 / (8 * pi)) * cos(x1) + 10


@FORMULAS.define("Branin2")
def branin2(x: list[Expr]) -> Expr:
    x1, x2 = x
    return _valley(x1, x2) ** 2 + 10 * (1 - 1 / (8 * pi)) * cos(x1) * cos(x2) + ln(x1**2 + x2**2 + 1) + 10


def _valley(x1: Expr, x2: Expr) -> Expr:
    return x2 - num(5.1) / (4 * pi**2) * x1**2 + 5 / pi * x1 - 6


@FORMULAS.define("Brent")
def brent(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (x1 + 10) ** 2 + (x2 + 10) ** 2 + exp(-(x1**2) - x2**2)


@FORMULAS.define("Brown", smallest=2)
def brown(x: list[Expr]) -> Expr:
    return total((a**2) ** (b**2 + 1) + (b**2) ** (a**2 + 1) for _, a, b in neighbours(x))


@FORMULAS.define("Bukin2")
def bukin2(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 100 * (x2**2 - 0.01 * x1**2 + 1) + 0.01 * (x1 + 10) ** 2


@FORMULAS.define("Bukin4")
def bukin4(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 100 * x2**2 + 0.01 * abs(x1 + 10)


@FORMULAS.define("Bukin6")
def bukin6(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 100 * sqrt(abs(x2 - 0.01 * x1**2)) + 0.01 * abs(x1 + 10)
