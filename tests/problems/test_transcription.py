"""Every formula of the suite against a second transcription, in plain doubles, at points well inside its domain."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import asin, cos, exp, floor, log, pi, pow, sin, sqrt  # noqa: A004 (the double's power)

import numpy as np
import pytest

from cpcbench.problems.registry import SUITE, problem

Row = list[float]

ADMISSIBLE: dict[str, list[Row]] = {
    "CPC-DF1": [[20.02, 45.712], [-30.808, 2.213], [24.151, -22.872]],
    "CPC-DF2": [[1.562], [2.653], [1.562, 1.832], [1.562, 1.832, 4.165],
                [1.562, 1.832, 4.165, 3.565, 2.239, 4.226, 3.386]],
    "CPC-DF3": [[6.568, 5.767], [1.623, 5.692], [5.276, 6.55]],
    "CPC-DF4": [[353.76, 105.978], [353.76, 105.978, -27.119], [300.5, 250.25, 199.5, 150.0, 99.0, 49.5, -1.0]],
    "CPC-DF5": [[2.523], [-4.372], [2.523, -1.851], [2.523, -1.851, -1.19]],
    "CPC-DF6": [[14.626, 97.177], [1.5, 12.3, 80.1], [0.007, 0.034, 0.16, 0.75, 3.5, 16.2, 75.3]],
    "CPC-DF7": [[5.02], [5.415], [5.02, 2.338], [5.02, 2.338, 2.234]],
    "CPC-DF8": [[5.854, 7.235], [2.093, 4.688], [10.316, 8.348]],
    "CPC-DF9": [[8.895, 1.965], [8.537, 0.023], [7.987, 1.798]],
    "CPC-DF10": [[6.123, -8.972], [-5.888, -2.927], [-6.088, 1.895]],
    "CPC-DF11": [[5.719, -1.648], [-5.712, -1.65], [-4.61, 1.363]],
    "CPC-DF12": [[10.5, -18.173], [-23.284, 68.884, -83.395],
                 [-23.284, 68.884, -83.395, 92.201, -96.398, -96.736, -97.88]],
    "CPC-DF13": [[0.729, 0.019], [0.968, 0.356], [0.757, -0.442]],
    "CPC-DF14": [[1.5, 3.548], [-5.95, -0.502], [-7.98, -0.922]],
    "CPC-DF15": [[3.366, 3.453], [2.675, 3.278], [3.28, 3.4]],
    "CPC-DF16": [[238.725, 182.47], [238.725, 182.47, 66.972],
                 [238.725, 182.47, 66.972, 12.463, -15.401, -22.499, -35.321]],
    "CPC-DF17": [[-12.702, -11.904], [62.03, 57.699], [99.856, 15.43]],
    "CPC-DF18": [[12.431, -0.158, -1990.806, 3980.899], [10.811, -0.116, -2067.652, 4132.731]],
    "CPC-DF19": [[-19.109, -1.886, -40.579, -75.039, -81.709, 81.064],
                 [54.448, 1.685, 32.857, 53.541, -12.243, 90.94]],
    "CPC-DF20": [[9.109, -3.012], [8.017, 0.931, 3.955], [8.017, 0.931, 3.955, 5.653, 4.554, 8.529, 4.379]],
    "CPC-DF21": [[21.083, 11.089], [21.083, 11.089, 23.547],
                 [21.083, 11.089, 23.547, 17.346, 4.784, 7.761, 11.112]],
    "CPC-DF22": [[-0.128, -89.622], [-1.703, -7.102], [-9.252, -9.344]],
    "CPC-DF23": [[96.088, -64.954], [96.088, -64.954, -79.637],
                 [96.088, -64.954, -79.637, -84.061, 16.871, -88.211, -41.085]],
    "CPC-DF24": [[-0.013, 5.138], [2.804, -5.28], [0.341, 4.773]],
    "CPC-DF25": [[8.453, -9.288], [2.967, 7.443, 2.558],
                 [2.967, 7.443, 2.558, 4.196, -1.461, 2.066, 3.648]],
    "F37": [[0.26, -0.33, 17.21, 4.04], [-0.21, 0.41, -0.19, 0.61], [0.03, 499.0, -0.12, 0.02]],
    "F138": [[-0.6], [1.5, -2.51], [0.4, -99.7, 3.2], [0.5, 1.4, -0.5, 2.6, -7.1, 99.9, 0.0]],
    "F170": [[0.3], [-0.2, 0.7], [0.1, -0.4, 14.0], [0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7]],
}  # fmt: skip
"""Points a good way inside the domain, where a last bit of one operation does not blow up."""


def total(term: Callable[[int], float], first: int, last: int) -> float:
    result = term(first)
    for i in range(first + 1, last + 1):
        result = result + term(i)
    return result


def coordinate(x: Row) -> Callable[[int], float]:
    return lambda i: x[i - 1]


def df1(x: Row) -> float:
    a, b = x[0] - 0.125, x[1] + 0.25
    inner = sin(a + b) + log(pow(a - b, 2) - 1.5 * a + 2.5 * b + 1)
    return pow(inner, 0.6) + sqrt(sin(pow(a, 2) + pow(b, 2)))


def df2(x: Row) -> float:
    result = 0.0
    for i in range(1, len(x) + 1):
        xi = x[i - 1]
        wave = 10 * log(xi) * sin(pi * xi / 5)
        shifted = 10 * log(xi) * cos(xi * pi * (i - 1) / 5) - i
        result += sqrt(pow(wave, 1.5) - pow(shifted, 1.5))
    return result


def df3(x: Row) -> float:
    x1, x2 = x
    wave = cos(-(2 / 3) * pow(x1, 3) - 8 * pow(x1, 2))
    ring = pow(x1 - 4, 2) + pow(x2 - 5, 2) - 4
    return -log(x1 - x2 * log(wave)) - log(33 * x1 - x1 * x2 + 5 - pow(ring, 2))


def df4(x: Row) -> float:
    result = 0.0
    for i in range(len(x) - 1):
        egg = -(x[i + 1] + 47) * sin(sqrt(x[i + 1] + x[i] / 2 + 47))
        result += egg + log(sin(sqrt(x[i] - x[i + 1] - 47))) * (-x[i])
    return result


def df5(x: Row) -> float:
    s = 0.0
    for i in range(1, len(x) + 1):
        square = pow(x[i - 1], 2)
        s += sqrt(i * square - pow(square / i - 10 * cos(2 * pi * i * x[i - 1]), i / 5))
    return -log(5 - s + 1)


def df6(x: Row) -> float:
    result = 0.0
    for i in range(len(x) - 1):
        a, b = x[i], x[i + 1]
        fifth_root = pow(pow(b, 2) - 2 * a * b + pow(a, 2), 1 / 5)
        result += pow(sin(sqrt(pow(b, 2) - 20 * pow(a, 2))), 2) - 0.5 * a + 0.001 * fifth_root + 1.5
    return result


def df7(x: Row) -> float:
    result = 0.0
    for i in range(1, len(x) + 1):
        for j in range(1, 6):
            angle = (j + 1) * pow(x[i - 1], i) / j + j
            result += log(0.1 - j * sin(angle)) + log(5 + j - x[i - 1])
    return -result


def df8(x: Row) -> float:
    x1, x2 = x
    top = sin(pi * (x1 - 2)) * sin(pi * (x2 - 2))
    bottom = pow(pi, 2) * x1 * (x1 - 2) * (x2 - 2)
    return 1 - pow(top / bottom, 1.03) + pow(2 + pow(x1 - 7, 2) - 2 * pow(x2 - 7, 2), 0.65)


def df9(x: Row) -> float:
    x1, x2 = x
    first = pow(pow(x1, 2) + x2 - 10, 1.02 * cos(x1))
    second = pow(x1 + pow(x2, 2) - 7, 1.02 + sin(x2))
    third = pow(pow(x1, 2) + pow(x2, 3) - 1, 1.02 + cos(x1 * x2))
    return first + second * third


def df10(x: Row) -> float:
    x1, x2 = x
    slow = pow(pow(x1, 2) + pow(x2, 2) / x1 - 5, 0.01)
    return slow + 25 * pow(pow(sin(x1 + 1), 2) - pow(sin(x2 - 1), 2), 0.25)


def df11(x: Row) -> float:
    x1, x2 = x
    base = abs(sin(x2)) - 8 * abs(cos(x1 / (pow(x2, 2) + 1)))
    return cos(x1) * pow(base, 1 + sqrt(0.001 - abs(sin(x1 * x2))))


def df12(x: Row) -> float:
    result = 0.0
    for i in range(len(x) - 1):
        a, b = x[i], x[i + 1]
        top = sqrt(sin(sqrt(pow(b, 2) - pow(a, 2)) - 0.5) - 0.5)
        result += top / pow(10 * (pow(b, 2) + pow(a, 2)) - 0.85, 0.2) + 0.5
    return -result


def df13(x: Row) -> float:
    x1, x2 = x
    wave = 0.5 * cos(3 * pi * x1 + 4 * pi * x2 + 5) - 0.495 * x1
    return sqrt(x1 - 2 * pow(x2, 2) - exp(x2 - pow(x1, 2))) - pow(wave, 1 / 5)


def df14(x: Row) -> float:
    x1, x2 = x
    bases = [1.5 - x1 + x1 * x2, 2.5 - x1 + x1 * pow(x2, 2), 2.625 - x1 + x1 * pow(x2, 3)]
    return pow(bases[0], 0.2) + pow(bases[1], x1 - 0.5) + pow(bases[2], 0.2)


def df15(x: Row) -> float:
    x1, x2 = x
    wave = cos(12 * sqrt(pow(x1, x2) - pow(x2, x1)) + 5)
    last = pow(0.5 * (pow(x1, 2) - pow(x2, 2)) * cos(x1 - x2) + 2, 1.5)
    return 10 - pow(0.01 - sqrt(wave - x1 / x2), 1.35) + last


def df16(x: Row) -> float:
    result = 0.0
    for i in range(1, len(x)):
        a, b = x[i - 1], x[i]
        egg = -(i * b + 27) * sin(sqrt(b - a / 2 + 27))
        result += pow(egg + sin(sqrt(a - i * b - 27)) * (-a), i)
    return (1 / 2e7) * result


def df17(x: Row) -> float:
    x1, x2 = x
    wave = 0.3 * cos(3 * pi * x1 - x2 + 1) * cos(4 * pi * x2 + 2 * x1 - 1) - 0.29
    return 1 - log(pow(pow(x1, 2) - pow(x2, 2) + 0.25, 0.5) - pow(wave, 0.5))


def df18(x: Row) -> float:
    x1, x2, x3, x4 = x
    w = 2 / log(x3 + x4 - x2 - x1)
    f1 = 2 * x1 - pow(x2 - x3 + x4, 10.3 - x1)
    f2 = 2 - log(-2 * x3 - x4 - 2 * x2) - pow(-x2 * log(x1 - exp(x1 / x2 - x3 / x4)), 0.75)
    f3 = 0.0463 * x3 - (pow(x1, 2) / x2) * w
    f4 = 0.651 - (x4 * pow(x2, 5) / x3) * pow(x4 * x1 - w, 0.5)
    return pow(f1, 2.01) + pow(f2, 2.02) + pow(f3, 2.03) + pow(f4, 2.04)


def df19(x: Row) -> float:
    x1, x2, x3, x4, x5, x6 = x
    f1 = -1.29 * log(pow(x1, 2) - x2) - 1.1 * pow(2500 - pow(x2, 2), 0.25)
    f2 = -1.59 * log(pow(x3, 2) - x4) - 1.2 * log(-pow(x2, 2) + pow(x4, 2))
    f3 = -1.99 * log(pow(x5, 2) - x6) - 1.3 * log(pow(x4, 2) - 2500)
    f4 = pow(x6 + x5 - x1, 0.1) - x3 / x4
    f5 = pow(-20 + x1 - x3, 0.2) - 1.2
    f6 = pow(-40 + x3 - x5, 0.3) - 1.3
    return f1 * f1 + f2 * f2 + f3 * f3 + f4 * f4 + f5 * f5 + f6 * f6


def df20(x: Row) -> float:
    n, at = len(x), coordinate(x)

    def term(i: int) -> float:
        root = pow(cos(at(i) - i * at(i + 1)), 1 / n)
        return sqrt(log(sin(at(i) * at(i + 1) - i) + 0.1) + at(i) * root)

    return -total(term, 1, n - 1)


def df21(x: Row) -> float:
    at = coordinate(x)

    def term(i: int) -> float:
        return -log(pow(sin(at(i + 1)), 2) - pow(sin(at(i)), 2) + 0.02) + pow(at(i) - 0.25, 0.15)

    return total(term, 1, len(x) - 1) - log(x[-1])


def df22(x: Row) -> float:
    x1, x2 = x
    first = x1 * x2 - pow(1 / x2 - cos(-x1 + x2) / x1, x1 - x2) - 0.01 * x1
    second = pow(-x1 - x2, x1 / x2) - (1 / x1 - x1 * log(x1 + sin(x2 * x1) * x2)) + 0.02 * x2
    return pow(first, 1.01) + pow(second, 1.01)


def df23(x: Row) -> float:
    n, at = len(x), coordinate(x)
    a = total(lambda i: pow(at(i), 2) / i - pow(at(i + 1), i), 1, n - 1)
    b = total(lambda i: sin(sqrt(cos(i * at(i)) - sin(i * at(i + 1)))), 1, n - 1)
    return -20 * exp(-0.2 * sqrt(a / n)) - log(b / n)


def df24(x: Row) -> float:
    x1, x2 = x
    inner = sin(x1) * sin(pow(0.55 - cos(x2), -0.2)) + cos(x2) * cos(pow(0.45 - sin(x1), 0.2))
    return -log(sqrt(asin(log(inner + sqrt(sin(pow(x1 - x2, 2))))))) * 1000


def df25(x: Row) -> float:
    at = coordinate(x)

    def term(i: int) -> float:
        top = log(sqrt(sin(at(i) - pi / 2) + cos(at(i + 1) - pi)) + 0.25 * at(i) + 1)
        return top / (sqrt(log(sin(at(i) * pi) - (cos(2 * at(i) - at(i + 1) + pi / 2) - at(i) / i))) + 0.1)

    return -total(term, 1, len(x) - 1)


def f37(x: Row) -> float:
    result = 0.0
    for xi, d in zip(x, (1, 1000, 10, 100), strict=True):
        z = 0.2 * floor(abs(xi / 0.2) + 0.49999) * np.sign(xi)
        if abs(xi - z) < 0.05:
            result += 0.15 * pow(z - 0.05 * np.sign(z), 2) * d
        else:
            result += d * pow(xi, 2)
    return result


def f138(x: Row) -> float:
    return float(sum(floor(xi + 0.5) ** 2 for xi in x))


def f170(x: Row) -> float:
    first = exp(-total(lambda i: pow(x[i - 1] / 15, 10), 1, len(x)))
    product = 1.0
    for xi in x:
        product *= pow(cos(xi), 2)
    return first - 2 * exp(-total(lambda i: pow(x[i - 1], 2), 1, len(x))) * product


TRANSCRIPTION: dict[str, Callable[[Row], float]] = {
    **{f"CPC-DF{i}": globals()[f"df{i}"] for i in range(1, 26)},
    "F37": f37, "F138": f138, "F170": f170,
}  # fmt: skip

CASES = [(id_, x) for id_, rows in ADMISSIBLE.items() for x in rows]


@pytest.mark.parametrize(("id_", "x"), CASES, ids=[f"{id_} n={len(x)}" for id_, x in CASES])
def test_second_transcription_agrees(id_: str, x: Row) -> None:
    n = len(x) if SUITE[id_].smallest is not None else None
    expected = TRANSCRIPTION[id_](x)
    assert math.isfinite(expected)
    assert problem(id_, n=n).reference(x) == pytest.approx(expected, rel=1e-12, abs=0)
