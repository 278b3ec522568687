"""Three classics that are discontinuous, or nearly so, for other reasons (Jamil and Yang, 2013)."""

from __future__ import annotations

from cpcbench.expr import Expr, cos, exp, floor, product, sign, total, where
from cpcbench.problems.definition import Definitions

CLASSIC = Definitions()


@CLASSIC.define("F37")
def corana(x: list[Expr]) -> Expr:
    def term(a: Expr, d: int) -> Expr:
        z = 0.2 * floor(abs(a / 0.2) + 0.49999) * sign(a)
        return where(abs(a - z) < 0.05, 0.15 * (z - 0.05 * sign(z)) ** 2 * d, d * a**2)

    return total(term(a, d) for a, d in zip(x, (1, 1000, 10, 100), strict=True))


@CLASSIC.define("F138", smallest=1)
def step2(x: list[Expr]) -> Expr:
    return total(floor(a + 0.5) ** 2 for a in x)


@CLASSIC.define("F170", smallest=1)
def xin_she_yang3(x: list[Expr]) -> Expr:
    b, m = 15, 5
    plateau = exp(-total((a / b) ** (2 * m) for a in x))
    return plateau - 2 * exp(-total(a**2 for a in x)) * product(cos(a) ** 2 for a in x)
