"""The classics from Test Tube Holder to Zirilli."""

from __future__ import annotations

from functools import reduce

from cpcbench.expr import Expr, cos, exp, ln, maximum, neighbours, num, pi, sign, sin, sqrt, total, where
from cpcbench.problems.classic import xin_she_yang3
from cpcbench.problems.definition import Definitions

FORMULAS = Definitions()

THURBER = (
    (-3.067, 80.574), (-2.981, 84.248), (-2.921, 87.264), (-2.912, 87.195), (-2.84, 89.076), (-2.797, 89.608),
    (-2.702, 89.868), (-2.699, 90.101), (-2.633, 92.405), (-2.481, 95.854), (-2.363, 100.696), (-2.322, 101.06),
    (-1.501, 401.672), (-1.46, 390.724), (-1.274, 567.534), (-1.212, 635.316), (-1.1, 733.054), (-1.046, 759.087),
    (-0.915, 894.206), (-0.714, 990.785), (-0.566, 1090.109), (-0.545, 1080.914), (-0.4, 1122.643),
    (-0.309, 1178.351), (-0.109, 1260.531), (-0.103, 1273.514), (0.01, 1288.339), (0.119, 1327.543),
    (0.377, 1353.863), (0.79, 1414.509), (0.963, 1425.208), (1.006, 1421.384), (1.115, 1442.962), (1.572, 1464.35),
    (1.841, 1468.705), (2.047, 1447.894), (2.2, 1457.628),
)  # fmt: skip
"""Logarithms of densities, and the mobilities of electrons measured there."""


@FORMULAS.define("TestTubeHolder")
def test_tube_holder(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -4 * abs(sin(x1) * cos(x2) * exp(abs(cos((x1**2 + x2**2) / 200))))


@FORMULAS.define("ThreeHumpCamel")
def three_hump_camel(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 2 * x1**2 - 1.05 * x1**4 + x1**6 / 6 + x1 * x2 + x2**2


@FORMULAS.define("Thurber")
def thurber(x: list[Expr]) -> Expr:
    def model(t: float) -> Expr:
        upper = x[0] + x[1] * t + x[2] * num(t) ** 2 + x[3] * num(t) ** 3
        return upper / (1 + x[4] * t + x[5] * num(t) ** 2 + x[6] * num(t) ** 3)

    return total((y - model(t)) ** 2 for t, y in THURBER)


@FORMULAS.define("Treccani")
def treccani(x: list[Expr]) -> Expr:
    x1, x2 = x
    return x1**4 + 4 * x1**3 + 4 * x1**2 + x2**2


@FORMULAS.define("Trefethen")
def trefethen(x: list[Expr]) -> Expr:
    x1, x2 = x
    waves = sin(60 * exp(x2)) + sin(70 * sin(x1)) + sin(sin(80 * x2)) - sin(10 * (x1 + x2))
    return exp(sin(50 * x1)) + waves + (x1**2 + x2**2) / 4


@FORMULAS.define("Trid10")
@FORMULAS.define("Trid", smallest=2)
def trid(x: list[Expr]) -> Expr:
    return total((a - 1) ** 2 for a in x) - total(a * b for _, a, b in neighbours(x))


@FORMULAS.define("Trigonometric1", smallest=1)
def trigonometric1(x: list[Expr]) -> Expr:
    rest = len(x) - total(cos(a) for a in x)
    return total((rest + i * (1 - cos(a) - sin(a))) ** 2 for i, a in enumerate(x, start=1))


@FORMULAS.define("Trigonometric2", smallest=1)
def trigonometric2(x: list[Expr]) -> Expr:
    squares = [(a - 0.9) ** 2 for a in x]
    return 1 + total(8 * sin(7 * s) ** 2 + 6 * sin(14 * s) ** 2 + s for s in squares)


@FORMULAS.define("Tripod")
def tripod(x: list[Expr]) -> Expr:
    x1, x2 = x
    p1, p2 = where(x1 >= 0, 1, 0), where(x2 >= 0, 1, 0)
    return p2 * (1 + p1) + abs(x1 + 50 * p2 * (1 - 2 * p1)) + abs(x2 + 50 * (1 - 2 * p2))


@FORMULAS.define("Ursem1")
def ursem1(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -sin(2 * x1 - 0.5 * pi) - 3 * cos(x2) - 0.5 * x1


@FORMULAS.define("Ursem3")
def ursem3(x: list[Expr]) -> Expr:
    return -total(sin(2.2 * pi * a + 0.5 * pi) * (2 - abs(a)) / 2 * (3 - abs(a)) / 2 for a in x)


@FORMULAS.define("Ursem4")
def ursem4(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -3 * sin(0.5 * pi * x1 + 0.5 * pi) * (2 - sqrt(x1**2 + x2**2)) / 4


@FORMULAS.define("UrsemWaves")
def ursem_waves(x: list[Expr]) -> Expr:
    x1, x2 = x
    waves = cos(3 * x1 - x2**2 * (2 + x1)) * sin(2.5 * pi * x1)
    return -0.9 * x1**2 + (x2**2 - 4.5 * x2**2) * x1 * x2 + 4.7 * waves


@FORMULAS.define("VenterSobiezcczanskiSobieski")
def venter_sobieski(x: list[Expr]) -> Expr:
    return total(a**2 - 100 * cos(a) ** 2 - 100 * cos(a**2 / 30) for a in x)


@FORMULAS.define("Vincent", smallest=1)
def vincent(x: list[Expr]) -> Expr:
    return -total(sin(10 * ln(a)) for a in x)


@FORMULAS.define("Watson")
def watson(x: list[Expr]) -> Expr:
    def residual(t: Expr) -> Expr:
        slope = total(j * x[j] * t ** (j - 1) for j in range(1, 6))
        return slope - total(a * t**j for j, a in enumerate(x)) ** 2 - 1

    return total(residual(num(i) / 29) ** 2 for i in range(1, 30)) + x[0] ** 2 + (x[1] - x[0] ** 2 - 1) ** 2


@FORMULAS.define("Wavy", smallest=1)
def wavy(x: list[Expr]) -> Expr:
    return 1 - total(cos(10 * a) * exp(-(a**2) / 2) for a in x) / len(x)


@FORMULAS.define("WayburnSeader1")
def wayburn_seader1(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (x1**6 + x2**4 - 17) ** 2 + (2 * x1 + x2 - 4) ** 2


@FORMULAS.define("WayburnSeader2")
def wayburn_seader2(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (1.613 - 4 * (x1 - 0.3125) ** 2 - 4 * (x2 - 1.625) ** 2) ** 2 + (x2 - 1) ** 2


@FORMULAS.define("Weierstrass", smallest=1)
def weierstrass(x: list[Expr]) -> Expr:
    waves = total(0.5**k * cos(2 * pi * 3**k * (a + 0.5)) for a in x for k in range(21))
    return waves - len(x) * total(0.5**k * cos(pi * 3**k) for k in range(21))


@FORMULAS.define("Whitley", smallest=1)
def whitley(x: list[Expr]) -> Expr:
    valleys = [100 * (a**2 - b) ** 2 + (1 - b) ** 2 for a in x for b in x]
    return total(v**2 / 4000 - cos(v) + 1 for v in valleys)


@FORMULAS.define("Wolfe")
def wolfe(x: list[Expr]) -> Expr:
    x1, x2, x3 = x
    return num(4) / 3 * (x1**2 + x2**2 - x1 * x2) ** 0.75 + x3


@FORMULAS.define("XinSheYang2", smallest=1)
def xin_she_yang2(x: list[Expr]) -> Expr:
    return total(abs(a) for a in x) * exp(-total(sin(a**2) for a in x))


FORMULAS.define("XinSheYang3", smallest=1)(xin_she_yang3)


@FORMULAS.define("XinSheYang4", smallest=1)
def xin_she_yang4(x: list[Expr]) -> Expr:
    peak = total(sin(a) ** 2 for a in x) - exp(-total(a**2 for a in x))
    return peak * exp(-total(sin(sqrt(abs(a))) ** 2 for a in x))


@FORMULAS.define("Xor")
def xor(x: list[Expr]) -> Expr:
    def answer(first: int, second: int) -> Expr:
        """What the network says to two bits."""
        left = x[6] / (1 + exp(-(first * x[0]) - second * x[1] - x[4]))
        right = x[7] / (1 + exp(-(first * x[2]) - second * x[3] - x[5]))
        return 1 / (1 + exp(-left - right - x[8]))

    return answer(1, 1) ** 2 + answer(0, 0) ** 2 + (1 - answer(1, 0)) ** 2 + (1 - answer(0, 1)) ** 2


@FORMULAS.define("Zakharov", smallest=1)
def zakharov(x: list[Expr]) -> Expr:
    half = total(i * a for i, a in enumerate(x, start=1)) / 2
    return total(a**2 for a in x) + half**2 + half**4


@FORMULAS.define("ZeroSum", smallest=1)
def zero_sum(x: list[Expr]) -> Expr:
    off = abs(total(x))
    return where(off <= 0, 0, 1 + sqrt(10000 * off))


@FORMULAS.define("Zettl")
def zettl(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (x1**2 + x2**2 - 2 * x1) ** 2 + x1 / 4


@FORMULAS.define("Zimmerman")
def zimmerman(x: list[Expr]) -> Expr:
    x1, x2 = x
    circle, product_ = (x1 - 3) ** 2 + (x2 - 2) ** 2 - 16, x1 * x2 - 14
    pairs = ((circle, circle), (product_, product_), (-x1, x1), (-x2, x2))
    return reduce(maximum, (100 * (1 + t) * sign(s) for t, s in pairs), 9 - x1 - x2)


@FORMULAS.define("Zirilli")
def zirilli(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 0.25 * x1**4 - 0.5 * x1**2 + 0.1 * x1 + 0.5 * x2**2
