"""Certificates that an infimum is attained where it is not, or is not where it is, and of sums with too high links."""

from __future__ import annotations

import math
import random
from typing import Any

from cpcbench.expr.nodes import Expr
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder, variables
from cpcbench.readings.reals.enclosure import enclose
from cpcbench.readings.text import formula as written
from tests.material.checker_certificates import certificate, point
from tests.material.forgeries.changes import small_tree
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula

Data = dict[str, Any]

OPEN = (
    "exp(ln(x1))", "x1*x1/x1", "(x1^(-1))^(-1)", "sqrt(exp(ln(x1)))", "1/(1 + 1/x1)", "x1 + floor(1 - x1)",
    "x1 - sign(x1) + 1", "x1*(1/x1)^0.5", "exp(-1/x1)", "exp(-x1^(-0.5))", "x1^2*x1^(-1)", "x1^1.5*x1^(-0.5)",
    "-1/(-1 - 1/x1)", "abs(1/(1/x1))",
    "x1^(1/x1)", "0*ln(x1) + x1", "x1/cos(0*ln(x1))", "x1*exp(0/x1)", "sqrt(x1) + 0*x1^(-0.5)", "ln(exp(1/x1))^(-1)",
    "arcsin(x1*x1/x1)", "x1*tan(1/(1 + 1/x1))/tan(1/(1 + 1/x1))", "(x1^x2)*x1/x1 + x1 - x1", "x1^x2*0 + 1/(1/x1)",
)  # fmt: skip
"""On [0, 1], and x2 from 1 to 2: the infimum is 0, which is tended to only where x1 tends to 0, and 0 is outside or
higher."""

REACHED = (
    ("-x1 + sin(x1^(-0.5))", 0.0450316371), ("sin(x1^(-0.5))", 0.0450316371),
    ("(x1 - 1)^2 + sin(x1^(-0.5))", 0.0450316371),
    ("-sqrt(x1) + sin(x1^(-0.5))", 0.0450316371), ("x1 + sin((x1 + 1)^(-0.5))", 0.0), ("x1 + cos(x1^0.5)", 1.0),
    ("-x1 - cos(x1^(-0.5))", 0.0253302959), ("x2 + sin(x1^(-0.5))", 0.0450316371),
    ("x1 + sin((x1 + 0.001)^(-0.5))", 0.0440316371),
)  # fmt: skip
"""On the same box: continuous, and lower at some point than any limit towards x1 = 0 is; and such a point."""

AT_ZERO = (
    "x1", "x1^2", "abs(x1)", "sqrt(x1)", "x1*x1", "x1^0.5", "1 - cos(x1)", "exp(x1) - 1", "x1*exp(x1)", "x1/(1 + x1)",
    "sin(x1)", "ln(1 + x1)", "x1^2/(x1^2 + 1)", "x1*x2", "x1 - x1", "x1 + 0*ln(x2)", "x1/(x1 + 1e-300)", "x1^x2",
    "arcsin(x1)*x2", "x1*exp(-x1)", "x1^1.5/x2", "sqrt(x1^2)", "x1*ln(x2 + 1)", "tan(x1)/x2", "exp(ln(x2))*x1",
    "floor(x1)", "sign(x1)", "x1*(x1 + 1)", "abs(sin(x1))", "(x1 + x2)^2*x1", "x1*(1/x2)", "exp(x1 - 1/x2)*x1",
)  # fmt: skip
"""On the same box: the infimum 0 is the value at x1 = 0."""

BOX = [[0.0, 1.0], [1.0, 2.0]]


def not_attained(r: random.Random) -> Data | None:
    """The infimum 0 is said to be attained."""
    text = r.choice(OPEN)
    x = r.choice([1.0, 0.25, 1e-3, 1e-9, 1e-300])
    found = enclose(parse_formula(text, n=2), [x, 1.5], rule="strict", max_bits=4096)
    if not found.defined or not math.isfinite(found.upper):
        return None
    low: Data = r.choice([{"by": "sums", "sums": []}, {"by": "tree", "threshold": 0.0, "tree": small_tree(r, 2)}])
    data = certificate(text, [list(side) for side in BOX], 0.0, max(found.upper, 0.0), low, point(x, 1.5), "regular")
    data["claim"]["attained"] = True
    optima = {"optima": [[[0.0, r.choice([1.0, 0.5])], [1.0, 2.0]]]} if r.random() < 0.2 else {}
    return {**data, **optima, "version": 2, "attained": {"by": r.choice(["compact", "compact", "bounds", "least"])}}


def attained_after_all(r: random.Random) -> Data | None:
    """An infimum that is attained is said not to be, by a wave."""
    text, x = r.choice(REACHED)
    root = parse_formula(text, n=2)
    found = enclose(root, [x, 1.0], rule="strict", max_bits=1024)
    if not found.defined:
        return None
    upper = found.upper + r.choice([0.0, 0.01, 0.5])
    waves = [k for k, node in enumerate(postorder(root)) if node.op in ("sin", "cos")]
    sides = [[[0.0, r.choice([1.0, 0.01, 0.06])], [1.0, 2.0]] for _ in range(r.randrange(1, 3))]
    data = certificate(
        text, [list(side) for side in BOX], -9.0, upper, {"by": "sums", "sums": []}, point(x, 1.0), "regular"
    )
    data["claim"]["attained"] = False
    proof = {"by": "oscillation", "node": r.choice(waves), "variable": r.randrange(2), "boxes": sides}
    if r.random() < 0.3:
        data["lower"] = {"by": "tree", "threshold": -9.0, "tree": small_tree(r, 2)}
        data["optima"] = sides
    return {**data, "version": 2, "attained": proof}


def approached(r: random.Random) -> Data | None:
    """An infimum 0 that is attained at x1 = 0 is said to be approached only."""
    text = r.choice(AT_ZERO)
    low: Data = r.choice([{"by": "sums", "sums": []}, {"by": "tree", "threshold": 0.0, "tree": small_tree(r, 2)}])
    data = certificate(text, [list(side) for side in BOX], 0.0, 9.0, low, point(r.choice([0.0, 0.5]), 1.0), "regular")
    data["claim"]["attained"] = False
    path = {
        "by": "path",
        "x": [["0", *r.sample(["1", "2", "0", "1/3"], r.randrange(3))], [r.choice(["1", "3/2", "2"])]],
    }
    return {**data, "version": 2, "attained": {"by": "approached", "path": path}}


def links_too_high(r: random.Random) -> Data | None:
    """A sum of random terms, each with a link whose threshold is about its value at a point; together above it."""
    builders = [*RATIONAL[:-2], *ELEMENTARY]
    terms = [formula(r, r.choice([1, 2, 3]), builders) for _ in range(r.randrange(2, 4))]
    if any(term.op in ("add", "sub", "neg") for term in terms):
        return None
    signs = [1, *(r.choice([1, -1]) for _ in terms[1:])]
    root = terms[0]
    for sign, term in zip(signs[1:], terms[1:], strict=True):
        root = root + term if sign > 0 else root - term
    x = [r.choice([r.uniform(-2.0, 2.0), r.randrange(-4, 5) / 2]) for _ in range(2)]
    values = [enclose(term, x, rule="strict", max_bits=512) for term in terms]
    whole = enclose(root, x, rule="strict", max_bits=512)
    if not whole.defined or not all(v.defined and math.isfinite(v.midpoint) and abs(v.upper) < 1e200 for v in values):
        return None
    slack = r.choice([1e-12, 1e-6, 0.01, 0.5])
    thresholds = [(v.lower if s > 0 else -v.upper) - slack * r.random() for s, v in zip(signs, values, strict=True)]
    rise = whole.upper - math.fsum(thresholds) + r.choice([1e-12, 1e-6, 1e-3, 1.0]) * max(1.0, abs(whole.upper))
    thresholds[r.randrange(len(terms))] += rise
    lower = math.nextafter(math.fsum(thresholds), -math.inf)
    if not lower > whole.upper:
        return None
    text = written(root)
    parsed = parse_formula(text, n=2)
    box = [[v - r.choice([0.0, 2.0**-20, 0.5]), v + r.choice([0.0, 2.0**-30, 0.5])] for v in x]
    links = [_link(r, k, term, threshold) for k, (term, threshold) in enumerate(zip(terms, thresholds, strict=True))]
    sum_ = {"node": len(postorder(parsed)) - 1, "side": "min", "bound": lower, "links": links, "tables": {}}
    data = certificate(text, box, lower, lower, {"by": "sums", "sums": [sum_]}, point(*x), "regular")
    return {**data, "version": 2}


def _link(r: random.Random, place: int, term: Expr, threshold: float) -> Data:
    used = variables(term)
    tree = small_tree(r, max(1, len(used)), 2) if used else "."
    return {"terms": [place], "variables": used, "threshold": threshold, "plus": [], "minus": [], "tree": tree}
