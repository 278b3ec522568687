"""The 25 functions of the CPC benchmark, each as written and evaluated from left to right.

Sums start at i = 1. A quotient of two numbers is written `num(1) / 5`, so that it stays the
division of the formula and is not rounded by Python beforehand.
"""

from __future__ import annotations

from cpcbench.expr import Expr, arcsin, cos, exp, ln, neighbours, num, pi, sin, sqrt, total
from cpcbench.problems.definition import Definitions

CPC = Definitions()


@CPC.define("CPC-DF1")
def df1(x: list[Expr]) -> Expr:
    x1, x2 = x
    a, b = x1 - 0.125, x2 + 0.25
    return (sin(a + b) + ln((a - b) ** 2 - 1.5 * a + 2.5 * b + 1)) ** 0.6 + sqrt(sin(a**2 + b**2))


@CPC.define("CPC-DF2", smallest=1)
def df2(x: list[Expr]) -> Expr:
    return total(
        sqrt((10 * ln(a) * sin(pi * a / 5)) ** 1.5 - (10 * ln(a) * cos(a * pi * (i - 1) / 5) - i) ** 1.5)
        for i, a in enumerate(x, start=1)
    )


@CPC.define("CPC-DF3")
def df3(x: list[Expr]) -> Expr:
    x1, x2 = x
    first = -ln(x1 - x2 * ln(cos(-(num(2) / 3) * x1**3 - 8 * x1**2)))
    return first - ln(33 * x1 - x1 * x2 + 5 - ((x1 - 4) ** 2 + (x2 - 5) ** 2 - 4) ** 2)


@CPC.define("CPC-DF4", smallest=2)
def df4(x: list[Expr]) -> Expr:
    return total(-(b + 47) * sin(sqrt(b + a / 2 + 47)) + ln(sin(sqrt(a - b - 47))) * (-a) for _, a, b in neighbours(x))


@CPC.define("CPC-DF5", smallest=1)
def df5(x: list[Expr]) -> Expr:
    s = total(sqrt(i * a**2 - (a**2 / i - 10 * cos(2 * pi * i * a)) ** (num(i) / 5)) for i, a in enumerate(x, start=1))
    return -ln(5 - s + 1)


@CPC.define("CPC-DF6", smallest=2)
def df6(x: list[Expr]) -> Expr:
    return total(
        sin(sqrt(b**2 - 20 * a**2)) ** 2 - 0.5 * a + 0.001 * (b**2 - 2 * a * b + a**2) ** (num(1) / 5) + 1.5
        for _, a, b in neighbours(x)
    )


@CPC.define("CPC-DF7", smallest=1)
def df7(x: list[Expr]) -> Expr:
    return -total(
        ln(0.1 - j * sin((j + 1) * a**i / j + j)) + ln(num(5) + j - a)
        for i, a in enumerate(x, start=1)
        for j in range(1, 6)
    )


@CPC.define("CPC-DF8")
def df8(x: list[Expr]) -> Expr:
    x1, x2 = x
    waves = sin(pi * (x1 - 2)) * sin(pi * (x2 - 2)) / (pi**2 * x1 * (x1 - 2) * (x2 - 2))
    return 1 - waves**1.03 + (2 + (x1 - 7) ** 2 - 2 * (x2 - 7) ** 2) ** 0.65


@CPC.define("CPC-DF9")
def df9(x: list[Expr]) -> Expr:
    x1, x2 = x
    first = (x1**2 + x2 - 10) ** (1.02 * cos(x1))
    return first + (x1 + x2**2 - 7) ** (1.02 + sin(x2)) * (x1**2 + x2**3 - 1) ** (1.02 + cos(x1 * x2))


@CPC.define("CPC-DF10")
def df10(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (x1**2 + x2**2 / x1 - 5) ** 0.01 + 25 * (sin(x1 + 1) ** 2 - sin(x2 - 1) ** 2) ** 0.25


@CPC.define("CPC-DF11")
def df11(x: list[Expr]) -> Expr:
    x1, x2 = x
    base = abs(sin(x2)) - 8 * abs(cos(x1 / (x2**2 + 1)))
    return cos(x1) * base ** (1 + sqrt(0.001 - abs(sin(x1 * x2))))


@CPC.define("CPC-DF12", smallest=2)
def df12(x: list[Expr]) -> Expr:
    return -total(
        sqrt(sin(sqrt(b**2 - a**2) - 0.5) - 0.5) / (10 * (b**2 + a**2) - 0.85) ** 0.2 + 0.5 for _, a, b in neighbours(x)
    )


@CPC.define("CPC-DF13")
def df13(x: list[Expr]) -> Expr:
    x1, x2 = x
    root = sqrt(x1 - 2 * x2**2 - exp(x2 - x1**2))
    return root - (0.5 * cos(3 * pi * x1 + 4 * pi * x2 + 5) - 0.495 * x1) ** (num(1) / 5)


@CPC.define("CPC-DF14")
def df14(x: list[Expr]) -> Expr:
    x1, x2 = x
    first = (1.5 - x1 + x1 * x2) ** 0.2
    middle = (2.5 - x1 + x1 * x2**2) ** (x1 - 0.5)
    return first + middle + (2.625 - x1 + x1 * x2**3) ** 0.2


@CPC.define("CPC-DF15")
def df15(x: list[Expr]) -> Expr:
    x1, x2 = x
    gap = 0.01 - sqrt(cos(12 * sqrt(x1**x2 - x2**x1) + 5) - x1 / x2)
    return 10 - gap**1.35 + (0.5 * (x1**2 - x2**2) * cos(x1 - x2) + 2) ** 1.5


@CPC.define("CPC-DF16", smallest=2)
def df16(x: list[Expr]) -> Expr:
    return (num(1) / 2e7) * total(
        (-(i * b + 27) * sin(sqrt(b - a / 2 + 27)) + sin(sqrt(a - i * b - 27)) * (-a)) ** i for i, a, b in neighbours(x)
    )


@CPC.define("CPC-DF17")
def df17(x: list[Expr]) -> Expr:
    x1, x2 = x
    waves = 0.3 * cos(3 * pi * x1 - x2 + 1) * cos(4 * pi * x2 + 2 * x1 - 1) - 0.29
    return 1 - ln((x1**2 - x2**2 + 0.25) ** 0.5 - waves**0.5)


@CPC.define("CPC-DF18")
def df18(x: list[Expr]) -> Expr:
    x1, x2, x3, x4 = x
    w = 2 / ln(x3 + x4 - x2 - x1)
    f1 = 2 * x1 - (x2 - x3 + x4) ** (10.3 - x1)
    f2 = 2 - ln(-2 * x3 - x4 - 2 * x2) - (-x2 * ln(x1 - exp(x1 / x2 - x3 / x4))) ** 0.75
    f3 = 0.0463 * x3 - (x1**2 / x2) * w
    f4 = 0.651 - (x4 * x2**5 / x3) * (x4 * x1 - w) ** 0.5
    return f1**2.01 + f2**2.02 + f3**2.03 + f4**2.04


@CPC.define("CPC-DF19")
def df19(x: list[Expr]) -> Expr:
    x1, x2, x3, x4, x5, x6 = x
    equations = (
        -1.29 * ln(x1**2 - x2) - 1.1 * (num(50) ** 2 - x2**2) ** 0.25,
        -1.59 * ln(x3**2 - x4) - 1.2 * ln(-(x2**2) + x4**2),
        -1.99 * ln(x5**2 - x6) - 1.3 * ln(x4**2 - num(50) ** 2),
        (x6 + x5 - x1) ** 0.1 - x3 / x4,
        (-20 + x1 - x3) ** 0.2 - 1.2,
        (-40 + x3 - x5) ** 0.3 - 1.3,
    )
    return total(f**2 for f in equations)


@CPC.define("CPC-DF20", smallest=2)
def df20(x: list[Expr]) -> Expr:
    n = len(x)
    return -total(sqrt(ln(sin(a * b - i) + 0.1) + a * cos(a - i * b) ** (num(1) / n)) for i, a, b in neighbours(x))


@CPC.define("CPC-DF21", smallest=2)
def df21(x: list[Expr]) -> Expr:
    terms = (-ln(sin(b) ** 2 - sin(a) ** 2 + 0.02) + (a - 0.25) ** 0.15 for _, a, b in neighbours(x))
    return total(terms) - ln(x[-1])


@CPC.define("CPC-DF22")
def df22(x: list[Expr]) -> Expr:
    x1, x2 = x
    first = x1 * x2 - (1 / x2 - cos(-x1 + x2) / x1) ** (x1 - x2) - 0.01 * x1
    second = (-x1 - x2) ** (x1 / x2) - (1 / x1 - x1 * ln(x1 + sin(x2 * x1) * x2)) + 0.02 * x2
    return first**1.01 + second**1.01


@CPC.define("CPC-DF23", smallest=2)
def df23(x: list[Expr]) -> Expr:
    n = len(x)
    a_sum = total(a**2 / i - b**i for i, a, b in neighbours(x))
    b_sum = total(sin(sqrt(cos(i * a) - sin(i * b))) for i, a, b in neighbours(x))
    return -20 * exp(-0.2 * sqrt(a_sum / n)) - ln(b_sum / n)


@CPC.define("CPC-DF24")
def df24(x: list[Expr]) -> Expr:
    x1, x2 = x
    first = sin(x1) * sin((0.55 - cos(x2)) ** -0.2)
    inner = first + cos(x2) * cos((0.45 - sin(x1)) ** 0.2) + sqrt(sin((x1 - x2) ** 2))
    return -ln(sqrt(arcsin(ln(inner)))) * 1000


@CPC.define("CPC-DF25", smallest=2)
def df25(x: list[Expr]) -> Expr:
    return -total(
        ln(sqrt(sin(a - pi / 2) + cos(b - pi)) + 0.25 * a + 1)
        / (sqrt(ln(sin(a * pi) - (cos(2 * a - b + pi / 2) - a / i))) + 0.1)
        for i, a, b in neighbours(x)
    )
