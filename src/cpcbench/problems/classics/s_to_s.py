"""The classics from Salomon to Styblinski-Tang."""

from __future__ import annotations

from functools import reduce

from cpcbench.expr import Expr, cos, floor, maximum, neighbours, pi, product, sin, sqrt, total
from cpcbench.problems.classic import step2
from cpcbench.problems.definition import Definitions

FORMULAS = Definitions()

SHEKEL = (
    (0.1, 4, 4, 4, 4), (0.2, 1, 1, 1, 1), (0.2, 8, 8, 8, 8), (0.4, 6, 6, 6, 6), (0.4, 3, 7, 3, 7),
    (0.6, 2, 9, 2, 9), (0.3, 5, 5, 3, 3), (0.7, 8, 1, 8, 1), (0.5, 6, 2, 6, 2), (0.5, 7, 3.6, 7, 3.6),
)  # fmt: skip
"""The widths of the hollows, and where they are."""


@FORMULAS.define("Salomon", smallest=1)
def salomon(x: list[Expr]) -> Expr:
    radius = sqrt(total(a**2 for a in x))
    return 1 - cos(2 * pi * radius) + 0.1 * radius


@FORMULAS.define("Sargan", smallest=2)
def sargan(x: list[Expr]) -> Expr:
    n = len(x)
    return total(n * (a**2 + 0.4 * total(a * b for b in x if b is not a)) for a in x)


@FORMULAS.define("Schaffer1")
def schaffer1(x: list[Expr]) -> Expr:
    r = x[0] ** 2 + x[1] ** 2
    return 0.5 + (sin(r) ** 2 - 0.5) / (1 + 0.001 * r) ** 2


@FORMULAS.define("Schaffer2")
def schaffer2(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 0.5 + (sin(x1**2 - x2**2) ** 2 - 0.5) / (1 + 0.001 * (x1**2 + x2**2)) ** 2


@FORMULAS.define("Schaffer3")
def schaffer3(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 0.5 + (sin(cos(abs(x1**2 - x2**2))) ** 2 - 0.5) / (1 + 0.001 * (x1**2 + x2**2)) ** 2


@FORMULAS.define("Schaffer4")
def schaffer4(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 0.5 + (cos(sin(abs(x1**2 - x2**2))) ** 2 - 0.5) / (1 + 0.001 * (x1**2 + x2**2)) ** 2


@FORMULAS.define("Schwefel1", smallest=1)
def schwefel1(x: list[Expr]) -> Expr:
    return total(a**2 for a in x) ** sqrt(pi)


@FORMULAS.define("Schwefel2", smallest=1)
def schwefel2(x: list[Expr]) -> Expr:
    return total(total(x[:i]) ** 2 for i in range(1, len(x) + 1))


@FORMULAS.define("Schwefel4", smallest=1)
def schwefel4(x: list[Expr]) -> Expr:
    return total((a - 1) ** 2 + (x[0] - a**2) ** 2 for a in x)


@FORMULAS.define("Schwefel6")
def schwefel6(x: list[Expr]) -> Expr:
    x1, x2 = x
    return maximum(abs(x1 + 2 * x2 - 7), abs(2 * x1 + x2 - 5))


@FORMULAS.define("Schwefel20", smallest=1)
def schwefel20(x: list[Expr]) -> Expr:
    return total(abs(a) for a in x)


@FORMULAS.define("Schwefel21", smallest=1)
def schwefel21(x: list[Expr]) -> Expr:
    return reduce(maximum, (abs(a) for a in x))


@FORMULAS.define("Schwefel22", smallest=1)
def schwefel22(x: list[Expr]) -> Expr:
    return total(abs(a) for a in x) + product(abs(a) for a in x)


@FORMULAS.define("Schwefel26", smallest=1)
def schwefel26(x: list[Expr]) -> Expr:
    return -total(a * sin(sqrt(abs(a))) for a in x)


@FORMULAS.define("Schwefel36")
def schwefel36(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -x1 * x2 * (72 - 2 * x1 - 2 * x2)


def _shekel(x: list[Expr], hollows: int) -> Expr:
    return -total(
        1 / (total((a - b) ** 2 for a, b in zip(x, place, strict=True)) + width) for width, *place in SHEKEL[:hollows]
    )


@FORMULAS.define("Shekel5")
def shekel5(x: list[Expr]) -> Expr:
    return _shekel(x, 5)


@FORMULAS.define("Shekel7")
def shekel7(x: list[Expr]) -> Expr:
    return _shekel(x, 7)


@FORMULAS.define("Shekel10")
def shekel10(x: list[Expr]) -> Expr:
    return _shekel(x, 10)


@FORMULAS.define("Shubert1", smallest=1)
def shubert1(x: list[Expr]) -> Expr:
    return product(total(j * cos((j + 1) * a + j) for j in range(1, 6)) for a in x)


@FORMULAS.define("Shubert3", smallest=1)
def shubert3(x: list[Expr]) -> Expr:
    return -total(j * sin((j + 1) * a + j) for a in x for j in range(1, 6))


@FORMULAS.define("Shubert4", smallest=1)
def shubert4(x: list[Expr]) -> Expr:
    return -total(j * cos((j + 1) * a + j) for a in x for j in range(1, 6))


@FORMULAS.define("SineEnvelope", smallest=2)
def sine_envelope(x: list[Expr]) -> Expr:
    return total(
        0.5 + (sin(sqrt(a**2 + b**2)) ** 2 - 0.5) / (1 + 0.001 * (a**2 + b**2)) ** 2 for _, a, b in neighbours(x)
    )


@FORMULAS.define("SixHumpCamel")
def six_hump_camel(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (4 - 2.1 * x1**2 + x1**4 / 3) * x1**2 + x1 * x2 + (4 * x2**2 - 4) * x2**2


@FORMULAS.define("Sphere", smallest=1)
def sphere(x: list[Expr]) -> Expr:
    return total(a**2 for a in x)


@FORMULAS.define("Step", smallest=1)
def step(x: list[Expr]) -> Expr:
    return total(floor(abs(a)) for a in x)


FORMULAS.define("Step2", smallest=1)(step2)


@FORMULAS.define("StretchedV", smallest=2)
def stretched_v(x: list[Expr]) -> Expr:
    return total((a**2 + b**2) ** 0.25 * (sin(50 * (a**2 + b**2) ** 0.1) ** 2 + 0.1) for _, a, b in neighbours(x))


@FORMULAS.define("StyblinskiTang", smallest=1)
def styblinski_tang(x: list[Expr]) -> Expr:
    return total(a**4 - 16 * a**2 + 5 * a for a in x) / 2
