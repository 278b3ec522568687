"""The classics from Matyas to Odd Square."""

from __future__ import annotations

from functools import reduce
from math import factorial

from cpcbench.expr import (
    Expr,
    cos,
    exp,
    floor,
    ln,
    maximum,
    neighbours,
    num,
    pi,
    product,
    sign,
    sin,
    sqrt,
    tan,
    total,
    where,
)
from cpcbench.problems.definition import Definitions

FORMULAS = Definitions()

MEYER = (34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872)
"""Resistances of a thermistor at 50, 55, ..., 125 degrees."""

ODD_SQUARE = (1, 1.3, 0.8, -0.4, -1.3, 1.6, -0.2, -0.6, 0.5, 1.4) * 2


@FORMULAS.define("Matyas")
def matyas(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 0.26 * (x1**2 + x2**2) - 0.48 * x1 * x2


@FORMULAS.define("McCormick")
def mccormick(x: list[Expr]) -> Expr:
    x1, x2 = x
    return sin(x1 + x2) + (x1 - x2) ** 2 - 1.5 * x1 + 2.5 * x2 + 1


@FORMULAS.define("Meyer")
def meyer(x: list[Expr]) -> Expr:
    x1, x2, x3 = x
    return total((y - x1 * exp(x2 / (50 + 5 * i + x3))) ** 2 for i, y in enumerate(MEYER))


@FORMULAS.define("Michalewicz", smallest=1)
def michalewicz(x: list[Expr]) -> Expr:
    return -total(sin(a) * sin(i * a**2 / pi) ** 20 for i, a in enumerate(x, start=1))


@FORMULAS.define("MieleCantrell")
def miele_cantrell(x: list[Expr]) -> Expr:
    x1, x2, x3, x4 = x
    return (exp(-x1) - x2) ** 4 + 100 * (x2 - x3) ** 6 + tan(x3 - x4) ** 4 + x1**8


@FORMULAS.define("Mishra1", smallest=2)
def mishra1(x: list[Expr]) -> Expr:
    rest = len(x) - total(x[:-1])
    return (1 + rest) ** rest


@FORMULAS.define("Mishra2", smallest=2)
def mishra2(x: list[Expr]) -> Expr:
    rest = len(x) - total((a + b) / 2 for _, a, b in neighbours(x))
    return (1 + rest) ** rest


@FORMULAS.define("Mishra3")
def mishra3(x: list[Expr]) -> Expr:
    x1, x2 = x
    return sqrt(abs(cos(sqrt(x1**2 + x2**2)))) + 0.01 * (x1 + x2)


@FORMULAS.define("Mishra4")
def mishra4(x: list[Expr]) -> Expr:
    x1, x2 = x
    return sqrt(abs(sin(sqrt(x1**2 + x2**2)))) + 0.01 * (x1 + x2)


@FORMULAS.define("Mishra5")
def mishra5(x: list[Expr]) -> Expr:
    x1, x2 = x
    cosines, sines = (cos(x1) + cos(x2)) ** 2, (sin(x1) + sin(x2)) ** 2
    return (sin(cosines) ** 2 + cos(sines) ** 2 + x1) ** 2 + 0.01 * x1 + 0.1 * x2


@FORMULAS.define("Mishra6")
def mishra6(x: list[Expr]) -> Expr:
    x1, x2 = x
    cosines, sines = (cos(x1) + cos(x2)) ** 2, (sin(x1) + sin(x2)) ** 2
    return -ln((sin(cosines) ** 2 - cos(sines) ** 2 + x1) ** 2) + 0.1 * ((x1 - 1) ** 2 + (x2 - 1) ** 2)


@FORMULAS.define("Mishra7", smallest=1)
def mishra7(x: list[Expr]) -> Expr:
    return (product(x) - factorial(len(x))) ** 2


@FORMULAS.define("Mishra8")
def mishra8(x: list[Expr]) -> Expr:
    x1, x2 = x
    powers = (2624, -5120, 11520, -15360, 13340, -8064, 3360, -960, 180, -20)
    tenth = x1**10 + total(c * x1**k for k, c in reversed(list(enumerate(powers))) if k) + powers[0]
    fourth = x2**4 + 12 * x2**3 + 54 * x2**2 + 108 * x2 + 81
    return 0.001 * (abs(tenth) + abs(fourth)) ** 2


@FORMULAS.define("Mishra9")
def mishra9(x: list[Expr]) -> Expr:
    x1, x2, x3 = x
    a = 2 * x1**3 + 5 * x1 * x2 + 4 * x3 - 2 * x1**2 * x3 - 18
    b = x1 + x2**3 + x1 * x2**2 + x1 * x3**2 - 22
    c = 8 * x1**2 + 2 * x2 * x3 + 2 * x2**2 + 3 * x2**3 - 52
    return (a * b**2 * c + a * b * c**2 + b**2 + (x1 + x2 - x3) ** 2) ** 2


@FORMULAS.define("Mishra10")
def mishra10(x: list[Expr]) -> Expr:
    i, j = (sign(a) * floor(abs(a)) for a in x)
    return (i + j - i * j) ** 2


@FORMULAS.define("Mishra11", smallest=1)
def mishra11(x: list[Expr]) -> Expr:
    n = len(x)
    return (total(abs(a) for a in x) / n - product(abs(a) for a in x) ** (num(1) / n)) ** 2


@FORMULAS.define("ModifiedRastrigin")
def modified_rastrigin(x: list[Expr]) -> Expr:
    return total(10 * (1 + cos(2 * pi * k * a)) + 2 * k * a**2 for k, a in zip((2, 2, 3, 4), x, strict=True))


@FORMULAS.define("MultiModal", smallest=1)
def multi_modal(x: list[Expr]) -> Expr:
    return total(abs(a) for a in x) * product(abs(a) for a in x)


@FORMULAS.define("NeedleEye", smallest=1)
def needle_eye(x: list[Expr]) -> Expr:
    outside = total(where(abs(a) < 0.0001, 1, 100 + abs(a)) for a in x)
    return where(reduce(maximum, (abs(a) for a in x)) < 0.0001, 1, outside)


@FORMULAS.define("NewFunction1")
def new_function1(x: list[Expr]) -> Expr:
    x1, x2 = x
    return sqrt(abs(cos(sqrt(abs(x1**2 + x2))))) + (x1 + x2) / 100


@FORMULAS.define("NewFunction2")
def new_function2(x: list[Expr]) -> Expr:
    x1, x2 = x
    return sqrt(abs(sin(sqrt(abs(x1**2 + x2))))) + (x1 + x2) / 100


@FORMULAS.define("OddSquare")
def odd_square(x: list[Expr]) -> Expr:
    squares = [(a - b) ** 2 for a, b in zip(x, ODD_SQUARE, strict=False)]
    d, h = len(x) * reduce(maximum, squares), total(squares)
    return -exp(-d / (2 * pi)) * cos(pi * d) * (1 + 0.02 * h / (d + 0.01))
