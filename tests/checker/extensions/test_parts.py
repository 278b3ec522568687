"""Parts as variables: what is proven so is true, and each condition of the theorem is needed and asked for."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from cpcbench.certify.checker import check
from cpcbench.certify.checker.extensions import parts
from cpcbench.certify.checker.ground.verdict import Verdict
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from tests.material.checker_certificates import Bounds, certificate, number, point

MIDDLE = 1 << 47
BOX: Bounds = [[-1.0, 2.0], [-1.0, 2.0]]

ALONE = "(x1 + x2)^2 - 2*(x1 + x2)"
"""A function of its part x1 + x2, which goes from -2 to 4; least, -1, where that is 1."""
LEAF = f"l0 l1 c:0,0,{MIDDLE}"

SUM = "x1^2 + x2^2 - 2*(x1 + x2)"
"""With the multiplier -2 all terms of the part, and s, come out with x1 and x2 alone: -1 each."""

PRODUCT = "ln(x1*x2) + x1 + x2"
"""With the multiplier 1 the logarithm of the part cancels: ln(x1) + x1 and ln(x2) + x2 are left."""
FROM_1: Bounds = [[1.0, 4.0], [1.0, 4.0]]


def verdict(
    text: str, bounds: Bounds, lower: float, proof: Any, x: list[float], part: str = "all", **more: Any
) -> Verdict:
    """Of the claim that the formula is at least `lower`; the upper bound is a loose one at a point."""
    return check({**certificate(text, bounds, lower, 1e6, proof, point(*x), part), "version": 5, **more})


def alone(**changed: Any) -> dict[str, Any]:
    """The proof that `ALONE` is at least -1, with some entries changed."""
    piece = {"multiplier": "0", "lower": {"by": "tree", "threshold": -1.0, "tree": LEAF}}
    node = number(ALONE, 2, "add")
    return {"by": "parts", "node": node, "form": "sum", "cuts": [-2.0, 4.0], "pieces": [piece], **changed}


def link(terms: list[int], variable: int, threshold: float, tree: str) -> dict[str, Any]:
    given = {"terms": terms, "variables": [variable], "threshold": threshold, "tree": tree}
    return {**given, "plus": [], "minus": []}


def by_links(root: str, bound: float, links: list[Any], k: str) -> dict[str, Any]:
    """A piece whose formula is this one, with x3 for s."""
    node = len(postorder(parse_formula(root, n=3))) - 1
    sums = [{"node": node, "side": "min", "bound": bound, "links": links, "tables": {}}]
    return {"multiplier": k, "lower": {"by": "sums", "sums": sums}}


def of_sum() -> dict[str, Any]:
    """The proof that `SUM` is at least -2."""
    root = "x1^2 + x2^2 - 2*x3 - 2*x1 - 2*x2 + 2*x3"
    links = [
        link([0, 3], 0, -1.0, "c:187649984473771"),
        link([1, 4], 1, -1.0, "c:187649984473771"),
        link([2, 5], 2, 0.0, "m"),
    ]
    piece = by_links(root, -2.0, links, "-2")
    node = number(SUM, 2, "add", 1)
    return {"by": "parts", "node": node, "form": "sum", "cuts": [-2.0, 4.0], "pieces": [piece]}


def of_product() -> dict[str, Any]:
    """The proof that `PRODUCT` is at least 2."""
    root = "ln(x3) + x1 + x2 + 1*ln(x1) + 1*ln(x2) - 1*ln(x3)"
    links = [link([1, 3], 0, 1.0, "."), link([2, 4], 1, 1.0, "."), link([0, 5], 2, 0.0, "m")]
    piece = by_links(root, 2.0, links, "1")
    node = number(PRODUCT, 2, "mul")
    return {"by": "parts", "node": node, "form": "product", "cuts": [1.0, 16.0], "pieces": [piece]}


def test_a_function_of_a_part_is_bounded_over_the_range_of_the_part() -> None:
    found = verdict(ALONE, BOX, -1.0, alone(), [0.0, 0.0])
    assert found.accepted, found.reason
    assert "parts" in found.rests_on
    assert verdict(ALONE, BOX, -1.0, alone(cuts=[-3.0, 5.0]), [0.0, 0.0]).accepted  # wider, with 1 in its middle
    assert not verdict(ALONE, BOX, -0.999999999, alone(), [0.0, 0.0]).accepted


def test_multipliers_hold_a_sum_and_its_terms_together() -> None:
    found = verdict(SUM, BOX, -2.0 - 1e-12, of_sum_within(1e-12), [0.0, 0.0])
    assert found.accepted, found.reason
    assert not verdict(SUM, BOX, -2.0 + 1e-9, of_sum_within(-1e-9), [0.0, 0.0]).accepted


def of_sum_within(room: float) -> dict[str, Any]:
    """The proof with thresholds that much lower together: the place of the tangent, a third of 2^48, is rounded."""
    proof = of_sum()
    sum_ = proof["pieces"][0]["lower"]["sums"][0]
    sum_["bound"] -= room
    for each in sum_["links"][:2]:
        each["threshold"] -= 0.5 * room
    sum_["bound"] = sum(each["threshold"] for each in sum_["links"])
    return proof


def test_multipliers_hold_a_product_and_its_factors_together() -> None:
    found = verdict(PRODUCT, FROM_1, 2.0, of_product(), [1.0, 1.0])
    assert found.accepted, found.reason
    assert {"parts", "sums"} <= set(found.rests_on)
    assert not verdict(PRODUCT, FROM_1, 2.0 + 1e-12, of_product(), [1.0, 1.0]).accepted


def pieces(*changes: dict[str, Any]) -> list[dict[str, Any]]:
    """The piece of `alone` with one entry after another changed."""
    (piece,) = alone()["pieces"]
    return [{**piece, **change} for change in changes]


TREE = alone()["pieces"][0]["lower"]


@pytest.mark.parametrize(
    "changed",
    [
        {"cuts": [-2.0, 3.999999999999999]},  # not all values of the part are in a piece
        {"cuts": [-1.999999999999999, 4.0]},
        {"cuts": [4.0, -2.0]},
        {"cuts": [-2.0]},
        {"cuts": [-2.0, 1.0, 4.0]},  # two pieces, one proof
        {"cuts": [-2.0, "inf"]},
        {"cuts": [-2.0, float("inf")]},
        {"cuts": [float("nan"), 4.0]},
        {"cuts": [-2.0, True]},
        {"pieces": []},
        {"pieces": [], "cuts": [0.0]},
        {"pieces": [], "cuts": []},
        {"pieces": pieces({}, {}), "cuts": [-2.0, -2.0, 4.0]},
        {"pieces": pieces({}, {}), "cuts": [-2.0, 5.0, 4.0]},
        {"pieces": pieces({"multiplier": 0})},
        {"pieces": pieces({"multiplier": "nan"})},
        {"pieces": pieces({"multiplier": "1/3"})},
        {"pieces": pieces({"multiplier": ""})},
        {"pieces": pieces({"multiplier": "1e999"})},
        {"pieces": pieces({"multiplier": "1"})},  # F + x1 + x2 - s is lower somewhere
        {"pieces": pieces({"multiplier": "-1"})},
        {"pieces": pieces({"more": 1})},
        {"pieces": [{"lower": TREE}]},
        {"pieces": pieces({"lower": {**TREE, "threshold": -1.1}})},  # true, and not enough
        {"pieces": pieces({"lower": {**TREE, "tree": "."}})},
        {"pieces": pieces({"lower": {"by": "cases", "cases": []}})},
        {"pieces": pieces({"lower": alone()})},
        {"pieces": pieces({"lower": {"by": "sums", "sums": []}})},
        {"form": "product"},  # x1 + x2 is not positive
        {"form": "none"},
        {"form": None},
        {"node": 0},  # a variable
        {"node": number(ALONE, 2, "const")},
        {"node": number(ALONE, 2, "pow")},  # another part, with another range
        {"node": 99},
        {"node": -1},
        {"more": 1},
    ],
)
def test_forged_proofs_are_rejected(changed: dict[str, Any]) -> None:
    assert not verdict(ALONE, BOX, -1.0, alone(**changed), [0.0, 0.0]).accepted


def test_forged_links_of_a_piece_are_rejected() -> None:
    assert verdict(PRODUCT, FROM_1, 2.0, of_product(), [1.0, 1.0]).accepted
    forgeries: tuple[Callable[[dict[str, Any]], object], ...] = (
        lambda p: p.update(multiplier="0"),
        lambda p: p.update(multiplier="-1"),
        lambda p: p.update(multiplier="1.0000001"),
        lambda p: p["lower"]["sums"][0]["links"].pop(),
        lambda p: p["lower"]["sums"][0]["links"][0].update(terms=[1]),
        lambda p: p["lower"]["sums"][0]["links"][2].update(variables=[1]),
        lambda p: p["lower"]["sums"][0]["links"][2].update(threshold=0.5),
        lambda p: p["lower"]["sums"][0]["links"][0].update(threshold=0.5),
        lambda p: p["lower"]["sums"][0].update(side="max"),
        lambda p: p["lower"]["sums"][0].update(node=0),
        lambda p: p["lower"].update(sums=[]),
    )
    for forge in forgeries:
        proof = copy.deepcopy(of_product())
        forge(proof["pieces"][0])
        assert not verdict(PRODUCT, FROM_1, 2.0, proof, [1.0, 1.0]).accepted


@pytest.mark.parametrize("low", [0.0, -1.0])
def test_factors_must_be_positive(low: float) -> None:
    """Where one is 0 or less it has no logarithm, and such points would not count."""
    text, bounds = "(x1*x2)*x1 + x1*x2 + x2", [[low, 1.0], [0.5, 1.0]]
    piece = {"multiplier": "0", "lower": {"by": "tree", "threshold": -9.0, "tree": "."}}
    cuts = [min(low, 0.0), 1.0]
    proof = {"by": "parts", "node": number(text, 2, "mul"), "form": "product", "cuts": cuts, "pieces": [piece]}
    assert verdict(text, bounds, -9.0, {**proof, "form": "sum"}, [0.5, 0.5]).accepted
    found = verdict(text, bounds, -9.0, proof, [0.5, 0.5])
    assert not found.accepted
    assert "logarithm" in found.reason


def test_a_part_that_is_constant_would_make_an_exponent_vary() -> None:
    """(x1 - 3)^s has no value for x1 < 3 in the regular part, so that nothing would be below anything."""
    text = "(x1 - 3)^(1 + 1) + 0*x2"
    piece = {"multiplier": "0", "lower": {"by": "tree", "threshold": 100.0, "tree": "."}}
    node = number(text, 2, "add")
    proof = {"by": "parts", "node": node, "form": "sum", "cuts": [2.0, 2.5], "pieces": [piece]}
    found = verdict(text, BOX, 100.0, proof, [-1.0, 0.0], "regular")
    assert not found.accepted
    assert "depends on none" in found.reason


@pytest.mark.parametrize(
    ("text", "bounds"),
    [("(x1 - x2*0)^2 + 0*x2", [[0.0, 1.0]] * 2), ("x1^2 + 0*(x2 - 3)*0", [[0.0, 1.0], [3.0, 3.0]])],
)
def test_a_part_with_one_value_needs_a_piece(text: str, bounds: Bounds) -> None:
    """One cut covers its range, and without a piece nothing would be shown: the infimum is 0."""
    piece = {"multiplier": "0", "lower": {"by": "tree", "threshold": 0.0, "tree": "."}}
    proof = {"by": "parts", "node": number(text, 2, "mul"), "form": "sum", "cuts": [0.0, 1e-9], "pieces": [piece]}
    assert verdict(text, bounds, 0.0, proof, [1.0, bounds[1][1]]).accepted
    found = verdict(text, bounds, 0.5, {**proof, "cuts": [0.0], "pieces": []}, [1.0, bounds[1][1]])
    assert not found.accepted
    assert "no piece" in found.reason


def test_no_more_pieces_than_there_is_memory_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a program of its own."""
    operations = len(postorder(parse_formula(ALONE, n=2)))
    proof = alone(cuts=[-2.0, -1.5, 4.0], pieces=pieces({}, {}))
    for most, checked in ((2 * operations, True), (2 * operations - 1, False)):
        monkeypatch.setattr(parts, "MOST_OPERATIONS", most)
        assert verdict(ALONE, BOX, -1.0, proof, [0.0, 0.0]).checked == checked


def test_a_part_need_not_be_defined_with_where() -> None:
    """In a branch that is not taken ln(x1 + x2) has no value, where the formula is -5."""
    text = "where(x1 <= 0, -5, ln(x1 + x2))"
    piece = {"multiplier": "0", "lower": {"by": "tree", "threshold": -5.0, "tree": "."}}
    proof = {"by": "parts", "node": number(text, 2, "add"), "form": "sum", "cuts": [-2.0, 4.0], "pieces": [piece]}
    found = verdict(text, BOX, -5.0, proof, [-1.0, 0.0])
    assert not found.accepted
    assert "where()" in found.reason


def test_a_constraint_is_no_branch() -> None:
    """What it asks for is a condition of the piece's formula as well."""
    text = f"where(x1 <= 1, {ALONE}, undefined)"
    tree = {**TREE, "threshold": -1.1, "tree": f"l1 {halves(6)}"}
    proof = {**alone(), "node": number(text, 2, "add"), "pieces": pieces({"lower": tree})}
    found = verdict(text, BOX, -1.1, proof, [0.0, 0.0])
    assert found.accepted, found.reason
    tree["threshold"] = -0.9
    assert not verdict(text, BOX, -0.9, proof, [0.0, 0.0]).accepted


def test_a_power_of_a_part_keeps_its_rule() -> None:
    """(x1 + x2)^x1 at x1 + x2 = -1, x1 = -1 counts for the part `all`, and -1 is its value there."""
    text = "(x1 + x2)^x1"
    piece = {"multiplier": "0", "lower": {"by": "tree", "threshold": 0.0, "tree": "."}}
    proof = {"by": "parts", "node": number(text, 2, "add"), "form": "sum", "cuts": [-2.0, 4.0], "pieces": [piece]}
    assert verdict(text, BOX, 0.0, proof, [1.0, 1.0], "regular").accepted
    assert not verdict(text, BOX, 0.0, proof, [1.0, 1.0], "all").accepted


def test_where_the_part_has_no_finite_range_there_are_no_pieces() -> None:
    text = "1/(x1 + x2) + exp(-1/(x1 + x2))"
    piece = {"multiplier": "0", "lower": {"by": "tree", "threshold": -1e307, "tree": "."}}
    proof = {"by": "parts", "node": number(text, 2, "div"), "form": "sum", "cuts": [-1e308, 1e308], "pieces": [piece]}
    found = verdict(text, BOX, -1e307, proof, [1.0, 1.0])
    assert not found.accepted
    assert "do not cover" in found.reason


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_older_versions_have_none(version: int) -> None:
    found = verdict(ALONE, BOX, -1.0, alone(), [0.0, 0.0], version=version)
    assert not found.accepted
    assert "parts" in found.reason


def test_the_trees_of_pieces_show_no_optima() -> None:
    assert not verdict(ALONE, BOX, -1.0, alone(), [0.0, 0.0], optima=[BOX]).accepted


def test_attained_is_decided_on_the_whole_box() -> None:
    """Of ln(x1 + x2) nothing is settled at 0, whatever the trees of pieces say: they are about another formula."""

    def asked(text: str, bounds: Bounds, low: float, proof: Any) -> Verdict:
        data = certificate(text, bounds, low, 0.0, proof, point(*(side[0] for side in bounds)), "all")
        data["claim"] |= {"attained": True, "upper": 1e3}
        return check({**data, "version": 5, "attained": {"by": "compact"}})

    assert asked(ALONE, BOX, -1.0, alone()).accepted
    text = "(x1 + x2)*0 + exp(-ln(x1 + x2))"
    piece = {"multiplier": "0", "lower": {"by": "tree", "threshold": -1.0, "tree": "."}}
    proof = {"by": "parts", "node": number(text, 2, "add"), "form": "sum", "cuts": [0.0, 4.0], "pieces": [piece]}
    assert verdict(text, [[0.0, 2.0]] * 2, -1.0, proof, [1.0, 1.0]).accepted
    bounds = [[1e-3, 2.0], [0.0, 2.0]]
    assert asked(text, bounds, -1.0, proof).accepted  # positive on the box
    assert not asked("floor(x1 + x2) + exp(x1 + x2)", BOX, -2.0, alone_floor()).accepted


def alone_floor() -> dict[str, Any]:
    text = "floor(x1 + x2) + exp(x1 + x2)"
    piece = {"multiplier": "0", "lower": {"by": "tree", "threshold": -2.0, "tree": "."}}
    return {"by": "parts", "node": number(text, 2, "add"), "form": "sum", "cuts": [-2.0, 4.0], "pieces": [piece]}


def test_in_several_processes_the_verdict_is_the_same() -> None:
    """Enough tokens for shares: the range cut into halves again and again."""
    tree = "l0 l1 " + halves(11)
    proof = alone(pieces=pieces({"lower": {"by": "tree", "threshold": -1.1, "tree": tree}}))
    data = {**certificate(ALONE, BOX, -1.1, 1e6, proof, point(0.0, 0.0), "all"), "version": 5}
    assert check(data, workers=2).accepted
    proof["pieces"][0]["lower"]["threshold"] = data["claim"]["lower"] = -0.9
    assert not check(data, workers=2).accepted


def halves(depth: int) -> str:
    return "m" if depth == 0 else f"s2:128 {halves(depth - 1)} {halves(depth - 1)}"
