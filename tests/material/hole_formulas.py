"""Formulas with quotients 0/0 and products 0 times infinity, and their infima by hand."""

from __future__ import annotations

import math

from tests.material.proof_problems import Known

ROUND = 1.0 - math.exp(-1.0)

ONE = (
    # u^p ln(u) is least at exp(-1/p), where it is -1/(p e); u^u = exp(u ln(u)).
    Known("entropy", "x1*ln(x1)", ((0, 1),), -math.exp(-1.0)),
    Known("entropy on more", "x1*ln(x1)", ((0, 3),), -math.exp(-1.0)),
    Known("power of itself", "x1^x1", ((0, 1),), math.exp(-math.exp(-1.0))),
    Known("power of itself on more", "x1^x1", ((0, 2),), math.exp(-math.exp(-1.0))),
    Known("square", "x1^2*ln(x1)", ((0, 1),), -0.5 * math.exp(-1.0)),
    Known("root", "sqrt(x1)*ln(x1)", ((0, 1),), -2.0 * math.exp(-1.0)),
    # The larger of -u ln(u) on [0, 1] is 1/e, and (u ln(u)^2)' = ln(u) (ln(u) + 2): 4/e^2 at e^-2.
    Known("turned", "-x1*ln(x1)^2/2", ((0, 1),), -2.0 * math.exp(-2.0)),
    # Even, and falling from 1/2 at 0 to 2 pi.
    Known("versed sine", "(1 - cos(x1))/x1^2", ((-1, 2),), (1.0 - math.cos(2.0)) / 4.0),
    # The mean of exp from 0 to x1, which rises.
    Known("mean of exp", "(exp(x1) - 1)/x1", ((-1, 1),), ROUND),
    # The mean of 1/(1 + t) from 0 to x1, which falls.
    Known("mean of 1/(1 + t)", "ln(1 + x1)/x1", ((-0.9, 2),), 0.5 * math.log(3.0)),
    # Not attained, at the hole.
    Known("turned versed sine", "-(1 - cos(x1))/x1^2", ((-1, 2),), -0.5),
    Known("edge at a hole", "(exp(x1) - 1)/x1", ((0, 1),), 1.0),
    Known("one", "x1/x1", ((-1, 1),), 1.0),
    # tan(x)/x is at least 1, and tends to it.
    Known("tangent", "tan(x1)/x1", ((-1, 1),), 1.0),
    Known("cardinal sine", "sin(x1)/x1", ((-1, 1),), math.sin(1.0)),
    # (exp(x) - 1)/x = 1 + x/2 + x^2/6 + ..., so the infimum is at the hole, where the slope is 0.
    Known("flat at the hole", "(exp(x1) - 1)/x1 - x1/2 + x1^2", ((-1, 1),), 1.0),
    # The mean of 1/t from 1 to x1, which falls.
    Known("hole at 1", "ln(x1)/(x1 - 1)", ((0.1, 3),), 0.5 * math.log(3.0)),
)
SUM = Known("sum", "(x1 + x2)*ln(x1 + x2) + x1^2", ((0, 1), (0, 1)), -math.exp(-1.0))
"""u ln(u) at u = x1 + x2 = 1/e with x1 = 0."""

SEVERAL = (
    # The mean of exp from 0 to u rises with u = x1 x2, so x1 = -1 for x2 > 0: (1 - exp(-y))/y + y^2 at y = 0.2...
    Known("product", "(exp(x1*x2) - 1)/(x1*x2) + x2^2", ((-1, 1), (-1, 1)), 0.9460291027921446),
    Known("two entropies", "x1*ln(x1) + x2*ln(x2) + (x1 - x2)^2", ((0, 1), (0, 1)), -2.0 * math.exp(-1.0)),
    # u ln(u) at u = x1 x2 = 1/e is least; turned, at most 1/e.
    Known("factors apart", "x1*ln(x1*x2)*x2", ((0, 1), (0, 1)), -math.exp(-1.0)),
    # ln(1 + x)/x falls, x/(2^x - 1) too: their product is least at 1.
    Known("two to the x", "ln(1 + x1)/(2^x1 - 1)", ((-0.5, 1), (0, 1)), math.log(2.0)),
    # exp(x2 x1 ln(x1)) with x2 = 1 or x1 at most 1.
    Known("exponent of two", "x1^(x1*x2)", ((0, 1), (0, 1)), math.exp(-math.exp(-1.0))),
    # (x - sin(x))/x^3 is even and falls from 1/6.
    Known("third order", "(x1 - sin(x1))/x1^3*x2", ((-1, 1), (-1, 1)), -1.0 / 6.0),
)
