"""Small certificates for the tests of the checker, made by hand or by a prover of a few lines."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any

from cpcbench.certify.checker.checking import TREE_BITS, tasks_of
from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.numbers import precision
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.trees import Place, follow, start_of
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder

Bounds = list[list[float]]


@dataclass(frozen=True)
class Known:
    """A certificate with what is known of its formula by mathematics: the infimum over the reals."""

    name: str
    data: dict[str, Any] = field(repr=False)
    infimum: float

    def __str__(self) -> str:
        return self.name


def certificate(
    formula: str, bounds: Bounds, lower: float, upper: float, low: Any, up: Any, part: str
) -> dict[str, Any]:
    return {
        "format": "cpcbench-certificate",
        "version": 1,
        "problem": {"name": "test", "formula": formula, "bounds": bounds},
        "part": part,
        "claim": {"kind": "infimum", "lower": lower, "upper": upper},
        "lower": low,
        "upper": up,
        "made": {"version": "test"},
    }


def number(formula: str, n: int, op: str, which: int = 0) -> int:
    """The number of the which-th node with an operation."""
    order = postorder(parse_formula(formula, n=n))
    return [place for place, node in enumerate(order) if node.op == op][which]


def planted(data: dict[str, Any]) -> dict[str, Any]:
    """The certificate with a tree grown wherever one is needed."""
    made = copy.deepcopy(data)
    precision(TREE_BITS)
    tasks, _ = tasks_of(Subject.read(made), made)
    links = [made["lower"]] if made["lower"]["by"] == "tree" else [k for s in made["lower"]["sums"] for k in s["links"]]
    for task, link in zip(tasks, links, strict=True):
        if link["tree"] == "?":
            link["tree"] = grown(task.link)
    return made


def grown(link: Link, most: int = 3000) -> str:
    """A tree for a link: the first kind of leaf that holds, or a table's breakpoint, or the widest side halved."""
    tokens: list[str] = []
    waiting = [start_of(link)]
    while waiting:
        assert len(tokens) < most, "the test's prover gives up"
        place = waiting.pop()
        token = next((token for token in (".", "m", *_faces(link, place)) if _holds(link, token, place)), None)
        token = token or _split(link, place)
        tokens.append(token)
        waiting += reversed(follow(link, token, place, None))
    return " ".join(tokens)


def _holds(link: Link, token: str, place: Place) -> bool:
    try:
        follow(link, token, place, None)
    except RejectedError:
        return False
    return True


def _faces(link: Link, place: Place) -> list[str]:
    return [f"{end}{axis}" for axis, (low, high) in enumerate(place.box) if low < high for end in "lh"]


def _split(link: Link, place: Place) -> str:
    for part in link.parts:
        inside = [j for j, t in enumerate(part.breaks) if place.box[part.axis][0] < t < place.box[part.axis][1]]
        if inside:
            return f"t{part.axis}:{inside[len(inside) // 2]}"
    widths = [high - low for low, high in place.box]
    return f"s{widths.index(max(widths))}:128"


def by_tree(
    name: str, formula: str, bounds: Bounds, infimum: float, lower: float, upper: float, up: Any, tree: str = "?"
) -> Known:
    low = {"by": "tree", "threshold": lower, "tree": tree}
    return Known(name, planted(certificate(formula, bounds, lower, upper, low, up, "regular")), infimum)


def point(*x: float) -> dict[str, Any]:
    return {"by": "point", "x": list(x)}


def root_and_edge() -> Known:
    formula = "sqrt(x1 - x2^2) + x1"
    return by_tree("root-and-edge", formula, [[-1.0, 1.0], [-1.0, 1.0]], 0.0, -0.02, 0.0, point(0.0, 0.0))


def quarter() -> Known:
    return by_tree("quarter", "x1 - sqrt(x1)", [[-1.0, 2.0]], -0.25, -0.26, -0.25, point(0.25))


def logarithm() -> Known:
    return by_tree("logarithm", "x1 - ln(x1)", [[-1.0, 3.0]], 1.0, 0.99, 1.0, point(1.0))


def pinned_power() -> Known:
    """At the edge x1 = 3/10, which is no double."""
    formula = "(x1 - 0.3)^1.5 + x1^x2"
    up = {
        "by": "pinned",
        "box": [[0.29999999, 0.30000001], [2.0, 2.0]],
        "equations": [{"node": number(formula, 2, "sub"), "value": "0"}],
        "solve": [0],
    }
    return by_tree("pinned-power", formula, [[0.0, 1.0], [1.0, 2.0]], 0.09, 0.085, 0.0900001, up)


def multiplied() -> Known:
    formula = "-x1 - x2 + sqrt(1 - x1 - x2)"
    box = [[0.0, 1.0], [0.0, 1.0]]
    return by_tree("multiplied", formula, box, -1.0, -1.0 - 1e-12, -1.0, point(0.5, 0.5), "m:1")


def filled_hole() -> Known:
    formula = "1 - sin(pi*(x1 - 2))/(x1 - 2) + sqrt(x1 - 1)*0"
    infimum = 1.0 - 3.141592653589793
    return by_tree("filled-hole", formula, [[0.0, 4.0]], infimum, infimum - 1e-9, infimum + 1e-9, point(2.00001))


def branches() -> Known:
    formula = "where(x1 < 0, -x1, sqrt(x1 - 0.25)) + x2^2"
    return by_tree("branches", formula, [[-1.0, 1.0], [-1.0, 1.0]], 0.0, 0.0, 0.0, point(0.25, 0.0))


def chain() -> Known:
    """Two links that share x2: without the table each is as low as -1."""
    formula = "exp(sqrt(x1) + x2^2 + x3^2 - x2^2)"
    bounds = [[-1.0, 1.0], [-1.0, 1.0], [-1.0, 1.0]]
    breaks = [-1.0 + 0.25 * k for k in range(9)]
    values = [[-t * t, (t * t - (t + 0.25) ** 2) / 0.25] for t in breaks[:-1]]
    links = [
        {"terms": [0, 1], "variables": [0, 1], "threshold": -0.016, "plus": [1], "minus": [], "tree": "?"},
        {"terms": [2, 3], "variables": [1, 2], "threshold": -0.03, "plus": [], "minus": [1], "tree": "?"},
    ]
    sum_ = {
        "node": len(postorder(parse_formula(formula, n=3))) - 2,
        "side": "min",
        "bound": -0.046,
        "links": links,
        "tables": {"1": {"breaks": breaks, "values": values}},
    }
    low = {"by": "sums", "sums": [sum_]}
    return Known("chain", planted(certificate(formula, bounds, 0.955, 1.0, low, point(0.0, 0.0, 0.0), "regular")), 1.0)


def largest_sum() -> Known:
    """A sum bounded from above, inside a function that falls."""
    formula = "-ln(3 - x1^2 - sqrt(x2))"
    terms = [(0, [], -3.0), (1, [0], 0.0), (2, [1], 0.0)]
    links = [{"terms": [t], "variables": v, "threshold": m, "plus": [], "minus": [], "tree": "?"} for t, v, m in terms]
    sums = [{"node": number(formula, 2, "sub", 1), "side": "max", "bound": 3.0, "links": links, "tables": {}}]
    infimum = -1.0986122886681098
    data = certificate(
        formula, [[-1.0, 1.0], [-1.0, 1.0]], infimum - 1e-9, infimum + 1e-9, {"by": "sums", "sums": sums},
        point(0.0, 0.0), "regular",
    )  # fmt: skip
    return Known("largest-sum", planted(data), infimum)


def thin_power() -> Known:
    """Under the rule `ieee` a negative base with a whole exponent counts: (-2)^3."""
    low = {"by": "sums", "sums": []}
    data = certificate("x1^x2", [[-2.0, 2.0], [1.0, 3.0]], -8.0, -8.0, low, point(-2.0, 3.0), "all")
    return Known("thin-power", data, -8.0)


def bounded() -> list[Known]:
    made = [
        root_and_edge, quarter, logarithm, pinned_power, multiplied, filled_hole, branches, chain, largest_sum,
        thin_power,
    ]  # fmt: skip
    return [make() for make in made]


def family(formula: str, bounds: Bounds, proof: dict[str, Any], part: str) -> dict[str, Any]:
    data = certificate(formula, bounds, 0.0, 0.0, None, {"by": "family", **proof}, part)
    return {**data, "claim": {"kind": "unbounded"}}


def falling_logarithm() -> dict[str, Any]:
    """The cosine goes to 0 from above, its logarithm to minus infinity, and so does the formula."""
    formula = "-ln(x1 - x2*ln(cos(x1)))"
    proof = {
        "box": [[1.55, 1.59], [1.5, 1.5]],
        "equations": [],
        "solve": [0],
        "vanishing": {"node": number(formula, 2, "cos"), "value": "0", "side": "+"},
        "eps": 0.001,
        "rule": "strict",
    }
    return family(formula, [[1.0, 2.0], [1.0, 2.0]], proof, "regular")


def thin_pole() -> dict[str, Any]:
    """A negative base to the power -1, on the thin set where the exponent is exactly that."""
    formula = "(2.5 - x1 + x1*x2^2)^(x1 - 0.5)"
    proof = {
        "box": [[-0.51, -0.49], [2.4, 2.5]],
        "equations": [{"node": number(formula, 2, "sub", 1), "value": "-1"}],
        "solve": [0, 1],
        "vanishing": {"node": number(formula, 2, "add"), "value": "0", "side": "-"},
        "eps": 0.001,
        "rule": "ieee",
    }
    return family(formula, [[-10.0, 10.0], [-10.0, 10.0]], proof, "all")
