"""The classics from Parsopoulos to Rotated Ellipse."""

from __future__ import annotations

from cpcbench.expr import Expr, cos, exp, floor, ln, log10, maximum, neighbours, num, pi, product, sin, sqrt, total
from cpcbench.problems.definition import Definitions

FORMULAS = Definitions()

RATKOWSKY1 = (
    16.08, 33.83, 65.8, 97.2, 191.55, 326.2, 386.87, 520.53, 590.03, 651.92, 724.93, 699.56, 689.96, 637.56, 717.41,
)  # fmt: skip
"""Onions' weights in weeks 1 to 15."""

RATKOWSKY2 = (
    (9, 8.93), (14, 10.8), (21, 18.59), (28, 22.33), (42, 39.35), (57, 56.11), (63, 61.73), (70, 64.62), (79, 67.08),
)  # fmt: skip
"""Yields of a pasture by time."""


@FORMULAS.define("Parsopoulos")
def parsopoulos(x: list[Expr]) -> Expr:
    x1, x2 = x
    return cos(x1) ** 2 + sin(x2) ** 2


@FORMULAS.define("Pathological", smallest=2)
def pathological(x: list[Expr]) -> Expr:
    return total(
        0.5 + (sin(sqrt(100 * a**2 + b**2)) ** 2 - 0.5) / (1 + 0.001 * (a**2 - 2 * a * b + b**2) ** 2)
        for _, a, b in neighbours(x)
    )


@FORMULAS.define("Paviani")
def paviani(x: list[Expr]) -> Expr:
    return total(ln(a - 2) ** 2 + ln(10 - a) ** 2 for a in x) - product(x) ** 0.2


def _penalty(a: Expr, edge: int) -> Expr:
    return 100 * maximum(abs(a) - edge, 0) ** 4


@FORMULAS.define("Penalty1", smallest=1)
def penalty1(x: list[Expr]) -> Expr:
    y = [1 + (a + 1) / 4 for a in x]
    inner = total((a - 1) ** 2 * (1 + 10 * sin(pi * b) ** 2) for _, a, b in neighbours(y))
    waves = pi / 30 * (10 * sin(pi * y[0]) ** 2 + inner + (y[-1] - 1) ** 2)
    return waves + total(_penalty(a, 10) for a in x)


@FORMULAS.define("Penalty2", smallest=1)
def penalty2(x: list[Expr]) -> Expr:
    inner = total((a - 1) ** 2 * (1 + sin(3 * pi * b) ** 2) for _, a, b in neighbours(x))
    last = (x[-1] - 1) ** 2 * (1 + sin(2 * pi * x[-1]) ** 2)
    return 0.1 * (sin(3 * pi * x[0]) ** 2 + inner + last) + total(_penalty(a, 5) for a in x)


@FORMULAS.define("PenHolder")
def pen_holder(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -exp(-1 / abs(cos(x1) * cos(x2) * exp(abs(1 - sqrt(x1**2 + x2**2) / pi))))


@FORMULAS.define("PermFunction1", smallest=1)
def perm_function1(x: list[Expr]) -> Expr:
    places = range(1, len(x) + 1)
    return total(total((num(j**k) + 0.5) * ((a / j) ** k - 1) for j, a in enumerate(x, start=1)) ** 2 for k in places)


@FORMULAS.define("PermFunction2", smallest=1)
def perm_function2(x: list[Expr]) -> Expr:
    places = range(1, len(x) + 1)
    return total(total((j + 10) * (a**k - num(1) / j**k) for j, a in enumerate(x, start=1)) ** 2 for k in places)


@FORMULAS.define("Pinter", smallest=2)
def pinter(x: list[Expr]) -> Expr:
    def term(i: int, before: Expr, a: Expr, after: Expr) -> Expr:
        wave = before * sin(a) + sin(after)
        bend = before**2 - 2 * a + 3 * after - cos(a) + 1
        return i * a**2 + 20 * i * sin(wave) ** 2 + i * log10(1 + i * bend**2)

    ring = zip([x[-1], *x[:-1]], x, [*x[1:], x[0]], strict=True)
    return total(term(i, *three) for i, three in enumerate(ring, start=1))


@FORMULAS.define("Plateau", smallest=1)
def plateau(x: list[Expr]) -> Expr:
    return 30 + total(floor(abs(a)) for a in x)


@FORMULAS.define("Powell")
def powell(x: list[Expr]) -> Expr:
    x1, x2, x3, x4 = x
    return (x1 + 10 * x2) ** 2 + 5 * (x3 - x4) ** 2 + (x2 - 2 * x3) ** 4 + 10 * (x1 - x4) ** 4


@FORMULAS.define("PowellSum", smallest=1)
def powell_sum(x: list[Expr]) -> Expr:
    return total(abs(a) ** (i + 1) for i, a in enumerate(x, start=1))


@FORMULAS.define("PowerSum")
def power_sum(x: list[Expr]) -> Expr:
    return total((total(a**k for a in x) - b) ** 2 for k, b in enumerate((8, 18, 44, 114), start=1))


@FORMULAS.define("Price1")
def price1(x: list[Expr]) -> Expr:
    return total((abs(a) - 5) ** 2 for a in x)


@FORMULAS.define("Price2")
def price2(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 1 + sin(x1) ** 2 + sin(x2) ** 2 - 0.1 * exp(-(x1**2) - x2**2)


@FORMULAS.define("Price3")
def price3(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 100 * (x2 - x1**2) ** 2 + (6.4 * (x2 - 0.5) ** 2 - x1 - 0.6) ** 2


@FORMULAS.define("Price4")
def price4(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (2 * x1**3 * x2 - x2**3) ** 2 + (6 * x1 - x2**2 + x2) ** 2


@FORMULAS.define("Qing", smallest=1)
def qing(x: list[Expr]) -> Expr:
    return total((a**2 - i) ** 2 for i, a in enumerate(x, start=1))


@FORMULAS.define("Quadratic")
def quadratic(x: list[Expr]) -> Expr:
    x1, x2 = x
    return num(-3803.84) - 138.08 * x1 - 232.92 * x2 + 128.08 * x1**2 + 203.64 * x2**2 + 182.25 * x1 * x2


@FORMULAS.define("Quintic", smallest=1)
def quintic(x: list[Expr]) -> Expr:
    return total(abs(a**5 - 3 * a**4 + 4 * a**3 + 2 * a**2 - 10 * a - 4) for a in x)


@FORMULAS.define("Rana", smallest=2)
def rana(x: list[Expr]) -> Expr:
    def term(a: Expr, b: Expr) -> Expr:
        plus, minus = sqrt(abs(b + a + 1)), sqrt(abs(b - a + 1))
        return a * sin(minus) * cos(plus) + (b + 1) * sin(plus) * cos(minus)

    return total(term(a, b) for _, a, b in neighbours(x))


@FORMULAS.define("Rastrigin", smallest=1)
def rastrigin(x: list[Expr]) -> Expr:
    return 10 * len(x) + total(a**2 - 10 * cos(2 * pi * a) for a in x)


@FORMULAS.define("Ratkowsky1")
def ratkowsky1(x: list[Expr]) -> Expr:
    x1, x2, x3, x4 = x
    return total((y - x1 / (1 + exp(x2 - x3 * t)) ** (1 / x4)) ** 2 for t, y in enumerate(RATKOWSKY1, start=1))


@FORMULAS.define("Ratkowsky2")
def ratkowsky2(x: list[Expr]) -> Expr:
    x1, x2, x3 = x
    return total((y - x1 / (1 + exp(x2 - x3 * t))) ** 2 for t, y in RATKOWSKY2)


def _bell(a: Expr) -> Expr:
    return exp(-2 * ln(2) * ((a - 0.1) / 0.8) ** 2)


@FORMULAS.define("Ripple1")
def ripple1(x: list[Expr]) -> Expr:
    return -total(_bell(a) * (sin(5 * pi * a) ** 6 + 0.1 * cos(500 * pi * a) ** 2) for a in x)


@FORMULAS.define("Ripple25")
def ripple25(x: list[Expr]) -> Expr:
    return -total(_bell(a) * sin(5 * pi * a) ** 6 for a in x)


@FORMULAS.define("Rosenbrock", smallest=2)
def rosenbrock(x: list[Expr]) -> Expr:
    return total(100 * (b - a**2) ** 2 + (a - 1) ** 2 for _, a, b in neighbours(x))


@FORMULAS.define("RosenbrockModified")
def rosenbrock_modified(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 74 + 100 * (x2 - x1**2) ** 2 + (1 - x1) ** 2 - 400 * exp(-((x1 + 1) ** 2 + (x2 + 1) ** 2) / 0.1)


@FORMULAS.define("RotatedEllipse1")
def rotated_ellipse1(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 7 * x1**2 - 6 * sqrt(3) * x1 * x2 + 13 * x2**2


@FORMULAS.define("RotatedEllipse2")
def rotated_ellipse2(x: list[Expr]) -> Expr:
    x1, x2 = x
    return x1**2 - x1 * x2 + x2**2
