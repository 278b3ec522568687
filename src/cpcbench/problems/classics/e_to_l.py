"""The classics from Easom to Levy."""

from __future__ import annotations

from itertools import combinations

from cpcbench.expr import Expr, arctan2, cos, exp, floor, ln, neighbours, num, pi, product, sin, sqrt, total
from cpcbench.expr.nodes import node
from cpcbench.problems.definition import Definitions

FORMULAS = Definitions()


@FORMULAS.define("Easom")
def easom(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -cos(x1) * cos(x2) * exp(-((x1 - pi) ** 2 + (x2 - pi) ** 2))


ECKERLE = (
    (400, 1.575e-4), (405, 1.699e-4), (410, 2.35e-4), (415, 3.102e-4), (420, 4.917e-4), (425, 8.71e-4),
    (430, 1.7418e-3), (435, 4.64e-3), (436.5, 6.5895e-3), (438, 9.7302e-3), (439.5, 0.0149002), (441, 0.023731),
    (442.5, 0.0401683), (444, 0.0712559), (445.5, 0.1264458), (447, 0.2073413), (448.5, 0.2902366), (450, 0.3445623),
    (451.5, 0.3698049), (453, 0.3668534), (454.5, 0.3106727), (456, 0.2078154), (457.5, 0.1164354), (459, 0.0616764),
    (460.5, 0.03372), (462, 0.0194023), (463.5, 0.0117831), (465, 7.4357e-3), (470, 2.2732e-3), (475, 8.8e-4),
    (480, 4.579e-4), (485, 2.345e-4), (490, 1.586e-4), (495, 1.143e-4), (500, 7.1e-5),
)  # fmt: skip
"""Wavelengths and transmittances (NIST, statistical reference datasets)."""


@FORMULAS.define("Eckerle4")
def eckerle4(x: list[Expr]) -> Expr:
    x1, x2, x3 = x
    return total((y - x1 / x2 * exp(-((t - x3) ** 2) / (2 * x2**2))) ** 2 for t, y in ECKERLE)


@FORMULAS.define("EggCrate")
def egg_crate(x: list[Expr]) -> Expr:
    x1, x2 = x
    return x1**2 + x2**2 + 25 * (sin(x1) ** 2 + sin(x2) ** 2)


@FORMULAS.define("EggHolder", smallest=2)
def egg_holder(x: list[Expr]) -> Expr:
    return total(
        -(b + 47) * sin(sqrt(abs(b + a / 2 + 47))) - a * sin(sqrt(abs(a - (b + 47)))) for _, a, b in neighbours(x)
    )


@FORMULAS.define("ElAttarVidyasagarDutta")
def el_attar_vidyasagar_dutta(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (x1**2 + x2 - 10) ** 2 + (x1 + x2**2 - 7) ** 2 + (x1**2 + x2**3 - 1) ** 2


@FORMULAS.define("Engvall")
def engvall(x: list[Expr]) -> Expr:
    x1, x2 = x
    return x1**4 + x2**4 + 2 * x1**2 * x2**2 - 4 * x1 + 3


@FORMULAS.define("Exp2")
def exp2(x: list[Expr]) -> Expr:
    x1, x2 = x
    times = [num(i) / 10 for i in range(10)]
    return total((exp(-t * x1) - 5 * exp(-t * x2) - exp(-t) + 5 * exp(-10 * t)) ** 2 for t in times)


@FORMULAS.define("Exponential", smallest=1)
def exponential(x: list[Expr]) -> Expr:
    return -exp(-0.5 * total(a**2 for a in x))


@FORMULAS.define("FreudensteinRoth")
def freudenstein_roth(x: list[Expr]) -> Expr:
    x1, x2 = x
    first = x1 - 13 + ((5 - x2) * x2 - 2) * x2
    return first**2 + (x1 - 29 + ((x2 + 1) * x2 - 14) * x2) ** 2


@FORMULAS.define("Gear")
def gear(x: list[Expr]) -> Expr:
    x1, x2, x3, x4 = map(floor, x)
    return (1 / num(6.931) - x1 * x2 / (x3 * x4)) ** 2


@FORMULAS.define("Giunta")
def giunta(x: list[Expr]) -> Expr:
    angles = [16 * a / 15 - 1 for a in x]
    return 0.6 + total(sin(a) + sin(a) ** 2 + sin(4 * a) / 50 for a in angles)


@FORMULAS.define("GoldsteinPrice")
def goldstein_price(x: list[Expr]) -> Expr:
    x1, x2 = x
    first = 19 - 14 * x1 + 3 * x1**2 - 14 * x2 + 6 * x1 * x2 + 3 * x2**2
    second = 18 - 32 * x1 + 12 * x1**2 + 48 * x2 - 36 * x1 * x2 + 27 * x2**2
    return (1 + (x1 + x2 + 1) ** 2 * first) * (30 + (2 * x1 - 3 * x2) ** 2 * second)


@FORMULAS.define("Griewank", smallest=1)
def griewank(x: list[Expr]) -> Expr:
    waves = product(cos(a / sqrt(i)) for i, a in enumerate(x, start=1))
    return total(a**2 for a in x) / 4000 - waves + 1


@FORMULAS.define("Gulf")
def gulf(x: list[Expr]) -> Expr:
    x1, x2, x3 = x
    shares = [num(i) / 100 for i in range(1, 100)]
    seen = [25 + (-50 * ln(t)) ** (num(2) / 3) for t in shares]
    return total((exp(-(abs(u - x2) ** x3) / x1) - t) ** 2 for t, u in zip(shares, seen, strict=True))


@FORMULAS.define("Hansen")
def hansen(x: list[Expr]) -> Expr:
    x1, x2 = x
    first = total((i + 1) * cos(i * x1 + i + 1) for i in range(5))
    return first * total((i + 1) * cos((i + 2) * x2 + i + 1) for i in range(5))


HARTMANN_HEIGHTS = (1.0, 1.2, 3.0, 3.2)
HARTMANN3 = (
    ((3, 10, 30), (0.3689, 0.1170, 0.2673)),
    ((0.1, 10, 35), (0.4699, 0.4387, 0.7470)),
    ((3, 10, 30), (0.1091, 0.8732, 0.5547)),
    ((0.1, 10, 35), (0.03815, 0.5743, 0.8828)),
)
HARTMANN6 = (
    ((10, 3, 17, 3.5, 1.7, 8), (0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886)),
    ((0.05, 10, 17, 0.1, 8, 14), (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991)),
    ((3, 3.5, 1.7, 10, 17, 8), (0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650)),
    ((17, 8, 0.05, 10, 0.1, 14), (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381)),
)
"""Of each of the four wells how steep it is along each axis, and where it lies."""

Wells = tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]


@FORMULAS.define("Hartmann3")
def hartmann3(x: list[Expr]) -> Expr:
    return _hartmann(x, HARTMANN3)


@FORMULAS.define("Hartmann4")
def hartmann4(x: list[Expr]) -> Expr:
    return _hartmann(x, HARTMANN6)


@FORMULAS.define("Hartmann6")
def hartmann6(x: list[Expr]) -> Expr:
    return _hartmann(x, HARTMANN6)


def _hartmann(x: list[Expr], wells: Wells) -> Expr:
    return -total(
        c * exp(-total(a * (b - p) ** 2 for b, a, p in zip(x, steep, place, strict=False)))
        for c, (steep, place) in zip(HARTMANN_HEIGHTS, wells, strict=True)
    )


@FORMULAS.define("HelicalValley")
def helical_valley(x: list[Expr]) -> Expr:
    x1, x2, x3 = x
    turn = arctan2(x2, x1) / (2 * pi)
    return 100 * ((x3 - 10 * turn) ** 2 + (sqrt(x1**2 + x2**2) - 1) ** 2) + x3**2


@FORMULAS.define("Himmelblau")
def himmelblau(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (x1**2 + x2 - 11) ** 2 + (x1 + x2**2 - 7) ** 2


@FORMULAS.define("HolderTable1")
def holder_table1(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -abs(cos(x1) * cos(x2) * exp(abs(1 - sqrt(x1**2 + x2**2) / pi)))


@FORMULAS.define("HolderTable2")
def holder_table2(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -abs(sin(x1) * cos(x2) * exp(abs(1 - sqrt(x1**2 + x2**2) / pi)))


@FORMULAS.define("Hosaki")
def hosaki(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (1 - 8 * x1 + 7 * x1**2 - 7 * x1**3 / 3 + x1**4 / 4) * x2**2 * exp(-x2)


@FORMULAS.define("HyperEllipsoid", smallest=1)
def hyper_ellipsoid(x: list[Expr]) -> Expr:
    return total(i * a**2 for i, a in enumerate(x, start=1))


@FORMULAS.define("JennrichSampson")
def jennrich_sampson(x: list[Expr]) -> Expr:
    x1, x2 = x
    return total((2 + 2 * i - (exp(i * x1) + exp(i * x2))) ** 2 for i in range(1, 11))


JUDGE = (
    (4.284, 0.286, 0.645), (4.149, 0.973, 0.585), (3.877, 0.384, 0.310), (0.533, 0.276, 0.058), (2.211, 0.973, 0.455),
    (2.389, 0.543, 0.779), (2.145, 0.957, 0.259), (3.231, 0.948, 0.202), (1.998, 0.543, 0.028), (1.379, 0.797, 0.099),
    (2.106, 0.936, 0.142), (1.428, 0.889, 0.296), (1.011, 0.006, 0.175), (2.179, 0.828, 0.180), (2.858, 0.399, 0.842),
    (1.388, 0.617, 0.039), (1.651, 0.939, 0.103), (1.593, 0.784, 0.620), (1.046, 0.072, 0.158), (2.152, 0.889, 0.704),
)  # fmt: skip


@FORMULAS.define("Judge")
def judge(x: list[Expr]) -> Expr:
    x1, x2 = x
    return total((x1 + b * x2 + c * x2**2 - a) ** 2 for a, b, c in JUDGE)


@FORMULAS.define("Katsuura", smallest=1)
def katsuura(x: list[Expr]) -> Expr:
    def digits(a: Expr) -> Expr:
        return total(node("round", 2**k * a) / 2**k for k in range(1, 33))

    return product(1 + i * digits(a) for i, a in enumerate(x, start=1))


@FORMULAS.define("Keane")
def keane(x: list[Expr]) -> Expr:
    x1, x2 = x
    return -(sin(x1 - x2) ** 2) * sin(x1 + x2) ** 2 / sqrt(x1**2 + x2**2)


@FORMULAS.define("Kearfott")
def kearfott(x: list[Expr]) -> Expr:
    x1, x2 = x
    return (x1**2 + x2**2 - 2) ** 2 + (x1**2 - x2**2 - 1) ** 2


KOWALIK = (
    (0.25, 0.1957), (0.5, 0.1947), (1, 0.1735), (2, 0.1600), (4, 0.0844), (6, 0.0627), (8, 0.0456), (10, 0.0342),
    (12, 0.0323), (14, 0.0235), (16, 0.0246),
)  # fmt: skip


@FORMULAS.define("Kowalik")
def kowalik(x: list[Expr]) -> Expr:
    x1, x2, x3, x4 = x
    data = [(1 / num(a), y) for a, y in KOWALIK]
    return total((y - x1 * (b**2 + b * x2) / (b**2 + b * x3 + x4)) ** 2 for b, y in data)


LANGERMANN = ((1, 3, 5), (2, 5, 2), (5, 2, 1), (2, 1, 4), (3, 7, 9))


@FORMULAS.define("Langermann")
def langermann(x: list[Expr]) -> Expr:
    x1, x2 = x
    squares = [(c, (x1 - a) ** 2 + (x2 - b) ** 2) for c, a, b in LANGERMANN]
    return -total(c * exp(-s / pi) * cos(pi * s) for c, s in squares)


@FORMULAS.define("LennardJones")
def lennard_jones(x: list[Expr]) -> Expr:
    """Atoms with three coordinates each."""
    atoms = [x[i : i + 3] for i in range(0, len(x), 3)]
    cubes = [total((p - q) ** 2 for p, q in zip(a, b, strict=True)) ** 3 for a, b in combinations(atoms, 2)]
    return total((1 / cube - 2) / cube for cube in cubes)


@FORMULAS.define("Leon")
def leon(x: list[Expr]) -> Expr:
    x1, x2 = x
    return 100 * (x2 - x1**2) ** 2 + (1 - x1) ** 2


@FORMULAS.define("Levy3", smallest=1)
def levy3(x: list[Expr]) -> Expr:
    y = [1 + (a - 1) / 4 for a in x]
    chain = [(a - 1) ** 2 * (1 + 10 * sin(pi * b) ** 2) for _, a, b in neighbours(y)]
    return total([sin(pi * y[0]) ** 2, *chain, (y[-1] - 1) ** 2])


@FORMULAS.define("Levy5")
def levy5(x: list[Expr]) -> Expr:
    x1, x2 = x
    first = total(i * cos((i - 1) * x1 + i) for i in range(1, 6))
    second = total(i * cos((i + 1) * x2 + i) for i in range(1, 6))
    return first * second + (x1 + 1.42513) ** 2 + (x2 + 0.80032) ** 2


@FORMULAS.define("Levy13")
def levy13(x: list[Expr]) -> Expr:
    x1, x2 = x
    first = sin(3 * pi * x1) ** 2 + (x1 - 1) ** 2 * (1 + sin(3 * pi * x2) ** 2)
    return first + (x2 - 1) ** 2 * (1 + sin(2 * pi * x2) ** 2)
