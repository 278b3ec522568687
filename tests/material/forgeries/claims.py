"""False claims: certificates changed in every way, and random formulas with a bound above a value that is reached."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable

from cpcbench.certify.checker import check
from cpcbench.certify.checker.checking import TREE_BITS, tasks_of
from cpcbench.certify.checker.core.numbers import precision
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.extensions.cases import cases_of
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.errors import CpcbenchError
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from cpcbench.readings.reals.enclosure import enclose
from cpcbench.readings.text import formula as written
from tests.material.checker_certificates import certificate, grown, point
from tests.material.forgeries import nasty
from tests.material.forgeries.attaining import approached, attained_after_all, links_too_high, not_attained
from tests.material.forgeries.cases import Case, Data, cases, copied
from tests.material.forgeries.changes import CHANGES, small_tree
from tests.material.forgeries.formulas import HOSTILE
from tests.material.forgeries.tally import Tally
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula

FALSE_REJECTED, TRUE_ACCEPTED, TRUE_REJECTED, VIOLATION = (
    "false, rejected",
    "not false, accepted",
    "not false, rejected",
    "violations",
)
RISES = (0.0, 1e-300, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.05, 1.0, 1e300)


def tried(tally: Tally, kind: str, data: Data, false: bool, r: random.Random) -> None:
    """Lets the checker judge a certificate; one that is known to be false must not be accepted."""
    arithmetic = r.choice(["arb", "mpfr"])
    accepted = check(data, arithmetic=arithmetic, seconds=20.0).accepted
    if not accepted:
        tally.add(kind, FALSE_REJECTED if false else TRUE_REJECTED)
    elif not false:
        tally.add(kind, TRUE_ACCEPTED)
    else:
        tally.add(kind, VIOLATION)
        tally.violations.append(f"{kind} ({arithmetic}): {data!r}")


def raised(data: Data, case: Case, r: random.Random) -> None:
    """Claims a lower bound above the infimum, or an upper bound below it, with all thresholds moved to match."""
    claim = data["claim"]
    if claim["kind"] != "infimum":
        return
    if case.least is not None and r.random() < 0.25:
        claim["upper"] = _off(case.least, -r.choice(RISES))
        claim["lower"] = min(claim["lower"], claim["upper"])
        return
    if not math.isfinite(case.reached):
        return
    before, claim["lower"] = claim["lower"], _off(case.reached, r.choice(RISES))
    claim["upper"] = max(claim["upper"], claim["lower"])
    rise = claim["lower"] - before
    lower = data["lower"]
    if "threshold" in lower:
        lower["threshold"] = claim["lower"]
    for part in lower.get("sets", ()):
        part["lower"]["threshold"] = claim["lower"]
    for sum_ in lower.get("sums", ()):
        sign = 1.0 if sum_["side"] == "min" else -1.0
        gained = r.choice([rise, 2 * rise, 0.1, 1.0])
        sum_["bound"] += sign * gained
        r.choice(sum_["links"])["threshold"] += gained * 1.0000001


def _off(value: float, by: float) -> float:
    """A double away from a number, at least the next one."""
    moved = value + by
    way = math.inf if by >= 0 and not math.copysign(1.0, by) < 0 else -math.inf
    return moved if moved != value and math.isfinite(moved) else math.nextafter(value, way)


def changed(r: random.Random, tally: Tally) -> None:
    """A true certificate with one to three changes, and mostly a false claim."""
    case = r.choice(cases())
    data = copied(case)
    kind = r.choice(list(CHANGES))
    try:
        if r.random() < 0.7:
            raised(data, case, r)
        CHANGES[kind](data, case, r)
        for _ in range(r.choice([0, 0, 1, 2])):
            CHANGES[r.choice(list(CHANGES))](data, case, r)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError):
        return  # one change took away what another needs
    if data != case.data:
        tried(tally, kind, data, case.is_false(data, r), r)


def only_raised(r: random.Random, tally: Tally) -> None:
    """The claim alone is made false."""
    case = r.choice(cases())
    data = copied(case)
    raised(data, case, r)
    if data != case.data:
        tried(tally, "claims beyond the infimum", data, case.is_false(data, r), r)


def _near(r: random.Random, x: list[float], wide: float) -> list[list[float]]:
    """A box that holds a point: of one point, one ulp, or wide."""
    found = []
    for value in x:
        way = r.randrange(5)
        if way == 0:
            found.append([value, value])
        elif way == 1:
            found.append(sorted([value, math.nextafter(value, r.choice([-math.inf, math.inf]))]))
        else:
            width = wide * 2.0 ** -r.choice([0, 0, 1, 3, 10, 30, 50])
            found.append([value - r.choice([0.0, width]), value + r.choice([0.0, width, width / 3])])
    return found


def around(r: random.Random, tally: Tally) -> None:
    """Small boxes around a point with a known value, and a bound above that value by as little as one ulp."""
    case = r.choice([case for case in cases() if case.points and case.data["part"] == "regular"])
    data = copied(case)
    x = list(r.choice(case.points))
    whole = data["problem"]["bounds"]
    box = [[max(a, c), min(b, d)] for (a, b), (c, d) in zip(_near(r, x, 1.0), whole, strict=True)]
    data["problem"]["bounds"] = box
    lower = _off(case.reached, r.choice(RISES))
    data["claim"] = {"kind": "infimum", "lower": lower, "upper": max(lower, case.reached)}
    data["lower"] = {"by": "tree", "threshold": lower, "tree": small_tree(r, len(x))}
    data["upper"] = point(*x)
    data.pop("attained", None)
    data.pop("optima", None)
    tried(tally, "boxes of one point, one ulp and more", data, True, r)


def random_formula(r: random.Random, tally: Tally) -> None:
    """A random formula, a point of a box with its real value, and a bound above or below that value."""
    root = formula(r, r.choice([2, 3, 4, 5]), [*RATIONAL, *ELEMENTARY, *HOSTILE])
    x = [r.choice([nasty.double(r), r.uniform(-2.0, 2.0), r.randrange(-4, 5) / 2]) for _ in range(2)]
    if any(abs(v) > 1e100 for v in x) or len(postorder(root)) < 3:
        return
    box = _near(r, x, 2.0)
    part = r.choice(["regular", "regular", "all"])
    rule = "strict" if part == "regular" else "ieee"
    try:
        text = written(root)
        found = enclose(parse_formula(text, n=2), x, rule=rule, max_bits=512)
    except (CpcbenchError, OverflowError):
        return
    if not found.defined or not math.isfinite(found.upper) or not math.isfinite(found.lower):
        return
    false = r.random() < 0.7
    lower = _off(found.upper, r.choice(RISES)) if false else _off(found.lower, -r.choice([1e-6, 1e-3, 0.1, 1.0]))
    upper = max(lower, found.upper)
    low = {"by": "tree", "threshold": lower, "tree": small_tree(r, 2)}
    data = {**certificate(text, box, lower, upper, low, point(*x), part), "version": 2}
    if r.random() < 0.5:
        low["tree"] = _grown(data) or low["tree"]
    way = r.random()
    if way < 0.2:
        data["lower"] = {"by": "sums", "sums": []}
    elif way < 0.3:
        false, data["claim"], data["upper"] = True, {"kind": "empty"}, None
        data["lower"] = {"by": "tree", "tree": low["tree"]}
    elif "where" in text:
        data["lower"] = {"by": "cases", "cases": _cases(data, lower, r)}
    tried(tally, f"random formulas, bound {'above a value' if false else 'below'}", data, false, r)


def _cases(data: Data, lower: float, r: random.Random) -> list[Data]:
    """A tree for each case of a formula with where()."""
    try:
        found = cases_of(Subject.read(data))
    except RejectedError:
        return []
    trees = [{"by": "tree", "threshold": lower, "tree": small_tree(r, 2)} for _ in found]
    return [{"holds": list(case.outcomes), "lower": tree} for case, tree in zip(found, trees, strict=True)]


def _grown(data: Data) -> str | None:
    """A tree from a prover that asks the checker itself, for a claim that may be false."""
    precision(TREE_BITS)
    try:
        tasks, _ = tasks_of(Subject.read(data), data)
        return grown(tasks[0].link, 40)
    except (RejectedError, AssertionError):
        return None


BOUNDED = (
    "1/(x1^2 + 1e-20)", "ln(x1 + 1e-300)", "x1*ln(x1)", "sin(1/x1)", "1/x1 - 1/x1", "exp(-1/x1)", "1/x1", "x1^(-2)",
    "-exp(-1/x1)", "ln(1 + x1)/x1", "x1^x2", "-x1^x2", "sqrt(x1)*ln(x1)", "ln(x1)/(1/x1)", "1/x1 + ln(x1)",
    "-1/(x1 - 2)", "abs(ln(x1))", "-ln(x1)", "exp(ln(x1))", "-1/(1/x1 + 1)", "sin(x1)/x1", "-cos(ln(x1))",
    "-(x1 + 1)^(1/x1)",
    "-arcsin(x1)/x1", "-x1/x1", "x1^(-0.5)*x1", "-(1/x1)^x1", "-(x1*x2)/x1",
)  # fmt: skip
"""Formulas with a lower bound on [0, 1] x [0, 1], with parts that tend to 0 or have no bound."""


COEFFICIENTS = ("0", "0", "0", "1", "1", "-1", "1/2", "2", "1/2*pi", "1*pi", "1/1000000")


def family(r: random.Random, tally: Tally) -> None:
    """A family that should show that one of these has no lower bound."""
    text = r.choice(BOUNDED)
    count = len(postorder(parse_formula(text, n=2)))
    eps = r.choice([1e-3, 0.1, 1e-300, 5e-324, 0.5, 2.0, -1.0])
    near = r.choice([[0.0, 1.0], [0.0, 0.5], [0.0, 5e-324], [1e-300, 1.0], [0.5, 1.0], [0.0, 0.0]])
    proof = {
        "by": "family",
        "box": [near, r.choice([[0.5, 0.5], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0]])],
        "equations": r.choice([[], [], [{"node": r.randrange(count), "value": r.choice(["0", "1", "1/2"])}]]),
        "solve": r.choice([[0], [0], [0, 1], [1], []]),
        "vanishing": {
            "node": r.randrange(count), "value": r.choice(["0", "0", "1", "1/1000000000000"]), "side": r.choice("+-"),
        },
        "eps": eps,
        "rule": r.choice(["strict", "ieee"]),
    }  # fmt: skip
    wide = [[-1.0, 1.0], [0.0, 1.0]] if text in ("1/(x1^2 + 1e-20)", "x1^(-2)", "abs(ln(x1))") else [[0.0, 1.0]] * 2
    if wide[0][0] < 0:
        proof["box"] = [[-0.5, 0.5], [0.5, 0.5]]
    if r.random() < 0.5:
        proof = {"by": "path", "x": [[r.choice(COEFFICIENTS) for _ in range(r.randrange(1, 4))] for _ in wide]}
    data = certificate(text, copy.deepcopy(wide), 0.0, 0.0, None, proof, r.choice(["regular", "all"]))
    tried(tally, f"bounded formulas, by a {proof['by']}", {**data, "claim": {"kind": "unbounded"}}, True, r)


def made_up(r: random.Random, tally: Tally) -> None:
    """Claims about being attained, and sums, that are false by what is known of them."""
    makes = {
        "attained where it is not": not_attained,
        "not attained where it is": attained_after_all,
        "approached where it is attained": approached,
        "sums above a value": links_too_high,
    }
    kind = r.choice(list(makes))
    data = makes[kind](r)
    if data is not None:
        tried(tally, kind, data, True, r)


FORGERIES: list[Callable[[random.Random, Tally], None]] = [
    changed, changed, changed, changed, only_raised, around, random_formula, random_formula, family, made_up, made_up,
]  # fmt: skip
