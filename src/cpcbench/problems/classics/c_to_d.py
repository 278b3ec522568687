"""The classics from Carrom Table to Drop Wave."""

from __future__ import annotations

from cpcbench.expr import Expr, cos, exp, neighbours, num, pi, sin, sqrt, tanh, total, where
from cpcbench.problems.classic import corana
from cpcbench.problems.definition import Definitions

FORMULAS = Definitions()


@FORMULAS.define("CarromTable")
def carrom_table(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -((cos(x1) * cos(x2) * exp(abs(1 - sqrt(x1**2 + x2**2) / pi))) ** 2) / 30


@FORMULAS.define("ChenBird")
def chen_bird(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -_peak(x1 - 0.4 * x2 - 0.1) - _peak(2 * x1 + x2 - 1.5)


@FORMULAS.define("ChenV")
def chen_v(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -_peak(x1**2 + x2**2 - 1) - _peak(x1**2 + x2**2 - 0.5) - _peak(x1**2 - x2**2)


def _peak(a: Expr) -> Expr:
    """1000 where a = 0, and narrow."""
    return 0.001 / (num(0.001) ** 2 + a**2)


@FORMULAS.define("Chichinadze")
def chichinadze(x: list[Expr]) -> Expr:
    x1, x2 = x
    waves = 10 * cos(pi * x1 / 2) + 8 * sin(5 * pi * x1 / 2)
    return x1**2 - 12 * x1 + 11 + waves - 1 / sqrt(5) * exp(-((x2 - 0.5) ** 2) / 2)


@FORMULAS.define("ChungReynolds", smallest=1)
def chung_reynolds(x: list[Expr]) -> Expr:
    return total(a**2 for a in x) ** 2


@FORMULAS.define("Cigar", smallest=2)
def cigar(x: list[Expr]) -> Expr:
    return x[0] ** 2 + 1e6 * total(a**2 for a in x[1:])


COLA = (
    (1.27,),
    (1.69, 1.43),
    (2.04, 2.35, 2.43),
    (3.09, 3.18, 3.26, 2.85),
    (3.20, 3.22, 3.27, 2.88, 1.55),
    (2.86, 2.56, 2.58, 2.59, 3.12, 3.06),
    (3.17, 3.18, 3.18, 3.12, 1.31, 1.64, 3.00),
    (3.21, 3.18, 3.18, 3.17, 1.70, 1.36, 2.95, 1.32),
    (2.38, 2.31, 2.42, 1.94, 2.85, 2.81, 2.56, 2.91, 2.97),
)


@FORMULAS.define("Cola")
def cola(x: list[Expr]) -> Expr:
    """Ten points of the plane, the first at the origin and the second on an axis, at given distances."""
    across, up = [num(0), x[0], *x[1::2]], [num(0), num(0), *x[2::2]]
    return total(
        (sqrt((across[i] - across[j]) ** 2 + (up[i] - up[j]) ** 2) - COLA[i - 1][j]) ** 2
        for i in range(1, 10)
        for j in range(i)
    )


@FORMULAS.define("Colville")
def colville(x: list[Expr]) -> Expr:
    x1, x2, x3, x4 = x
    valleys = 100 * (x1 - x2**2) ** 2 + (1 - x1) ** 2 + (1 - x3) ** 2 + 90 * (x4 - x3**2) ** 2
    return valleys + 10.1 * ((x2 - 1) ** 2 + (x4 - 1) ** 2) + 19.8 * (x2 - 1) * (x4 - 1)


@FORMULAS.define("Complex")
def complex_(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (x1**3 - 3 * x1 * x2**2 - 1) ** 2 + (3 * x2 * x1**2 - x2**3) ** 2


FORMULAS.define("Corana")(corana)


@FORMULAS.define("CosineMixture", smallest=1)
def cosine_mixture(x: list[Expr]) -> Expr:
    return -0.1 * total(cos(5 * pi * a) for a in x) + total(a**2 for a in x)


@FORMULAS.define("CrossInTray")
def cross_in_tray(x: list[Expr]) -> Expr:
    return -0.0001 * _crossed(x) ** 0.1


@FORMULAS.define("CrossLegTable")
def cross_leg_table(x: list[Expr]) -> Expr:
    return -(_crossed(x) ** -0.1)


@FORMULAS.define("CrownedCross")
def crowned_cross(x: list[Expr]) -> Expr:
    return 0.0001 * _crossed(x) ** 0.1


def _crossed(x: list[Expr]) -> Expr:
    x1, x2 = x
    return abs(sin(x1) * sin(x2) * exp(abs(100 - sqrt(x1**2 + x2**2) / pi))) + 1


@FORMULAS.define("Csendes", smallest=1)
def csendes(x: list[Expr]) -> Expr:
    return total(a**6 * (2 + sin(1 / a)) for a in x)


@FORMULAS.define("Cube")
def cube(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 100 * (x2 - x1**3) ** 2 + (1 - x1) ** 2


@FORMULAS.define("Damavandi")
def damavandi(x: list[Expr]) -> Expr:
    x1, x2 = x
    waves = sin(pi * (x1 - 2)) * sin(pi * (x2 - 2)) / (pi**2 * (x1 - 2) * (x2 - 2))
    return (1 - abs(waves) ** 5) * (2 + (x1 - 7) ** 2 + 2 * (x2 - 7) ** 2)


@FORMULAS.define("Deb1", smallest=1)
def deb1(x: list[Expr]) -> Expr:
    return -total(sin(5 * pi * a) ** 6 for a in x) / len(x)


@FORMULAS.define("Deb3", smallest=1)
def deb3(x: list[Expr]) -> Expr:
    return -total(sin(5 * pi * (a**0.75 - 0.05)) ** 6 for a in x) / len(x)


@FORMULAS.define("Deceptive", smallest=1)
def deceptive(x: list[Expr]) -> Expr:
    n = len(x)

    def piece(a: Expr, top: Expr) -> Expr:
        """1 at the top, which is narrow, and 0.8 at the ends of the box."""
        rising = where(a < 0.8 * top, 0.8 - a / top, 5 * a / top - 4)
        falling = where(a < (1 + 4 * top) / 5, 1 - 5 * (a - top) / (1 - top), (a - 1) / (1 - top) + 0.8)
        return where(a < top, rising, falling)

    return -((total(piece(a, num(i) / (n + 1)) for i, a in enumerate(x, start=1)) / n) ** 2)


@FORMULAS.define("DeckkersAarts")
def deckkers_aarts(x: list[Expr]) -> Expr:
    x1, x2 = x
    square = x1**2 + x2**2
    return 1e5 * x1**2 + x2**2 - square**2 + 1e-5 * square**4


@FORMULAS.define("DeflectedCorrugatedSpring", smallest=1)
def deflected_corrugated_spring(x: list[Expr]) -> Expr:
    square = total((a - 5) ** 2 for a in x)
    return 0.1 * square - cos(5 * sqrt(square))


@FORMULAS.define("DeVilliersGlasser1")
def de_villiers_glasser1(x: list[Expr]) -> Expr:
    def wave(t: Expr, a: Expr, b: Expr, c: Expr, d: Expr) -> Expr:
        return a * b**t * sin(c * t + d)

    known = [num(c) for c in (60.137, 1.371, 3.112, 1.761)]
    return total((wave(num(i) / 10, *x) - wave(num(i) / 10, *known)) ** 2 for i in range(24))


@FORMULAS.define("DeVilliersGlasser2")
def de_villiers_glasser2(x: list[Expr]) -> Expr:
    def wave(t: Expr, a: Expr, b: Expr, c: Expr, d: Expr, e: Expr) -> Expr:
        return a * b**t * tanh(c * t + sin(d * t)) * cos(t * exp(e))

    known = [num(c) for c in (53.81, 1.27, 3.012, 2.13, 0.507)]
    return total((wave(num(i) / 10, *x) - wave(num(i) / 10, *known)) ** 2 for i in range(16))


@FORMULAS.define("DixonPrice", smallest=1)
def dixon_price(x: list[Expr]) -> Expr:
    chain = [(i + 1) * (2 * b**2 - a) ** 2 for i, a, b in neighbours(x)]
    return total([(x[0] - 1) ** 2, *chain])


@FORMULAS.define("Dolan")
def dolan(x: list[Expr]) -> Expr:
    x1, x2, x3, x4, x5 = x
    return abs((x1 + 1.7 * x2) * sin(x1) - 1.5 * x3 - 0.1 * x4 * cos(x4 + x5 - x1) + 0.2 * x5**2 - x2 - 1)


@FORMULAS.define("DropWave", smallest=1)
def drop_wave(x: list[Expr]) -> Expr:
    square = total(a**2 for a in x)
    return -(1 + cos(12 * sqrt(square))) / (0.5 * square + 2)
