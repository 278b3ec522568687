"""Boxes by CUDA source, compiled for the host: bounds, trees grown with them, and proofs that begin with those."""

from __future__ import annotations

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.certify.checker.core.trees import leaves_of
from cpcbench.certify.lower.tree import grown
from cpcbench.certify.lower.tree import planted as planting
from cpcbench.certify.lower.tree.grown import closing
from cpcbench.certify.lower.tree.planted import on_card, patient, planted
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.errors import CpcbenchError
from cpcbench.intervals.boxes import lower_bounds
from cpcbench.intervals.gpu.growing import CLOSED, LEFT, Levels, grow
from cpcbench.intervals.gpu.source import NotOnCardError, boxes_source
from cpcbench.intervals.tape import Tape
from cpcbench.readings.gpu.host import HostModule, compiler
from tests.material.checker_certificates import certificate, point

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C++ compiler for the CUDA source")

MANY = cpc.parse(
    "sqrt(sin(3*x1^2 - x2) + 0.3) + ln(x1 + exp(-x2) - 0.2)*arcsin(x1 - x2) + (x1*x2 + 0.5)^0.7/(x2 - 0.25)"
    " + abs(cos(sqrt(x1 + 2)) - 0.4)^x2 + (x1 - ln(x2 + 1.5))^3 - min(x1, arctan(x2))/max(x1^4, 0.1)",
    bounds=[(-1.5, 2), (-1, 2)],
)
BOWL = cpc.parse("(x1 - 0.3)^2 + 2*(x2 + 0.1)^2 - sqrt(x1 + x2 + 1.5)/3", bounds=[(-2, 2), (-2, 2)])


def tape_of(problem: cpc.Problem) -> Tape:
    return Tape.of_formula(problem.expression, problem.dim)


def module_of(problem: cpc.Problem) -> HostModule:
    return HostModule(boxes_source(tape_of(problem), problem.lower.tolist(), problem.upper.tolist()))


def bounds_by(module: HostModule, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    found = np.empty(len(low))
    module.launch("cpc_look", 512, low, high, np.int64(len(low)), found)
    return found


def test_bounds_hold_and_are_as_good_as_the_processor_s() -> None:
    rng = np.random.default_rng(1)
    middle = rng.uniform(MANY.lower, MANY.upper, (3000, 2))
    width = (MANY.upper - MANY.lower) * 10.0 ** rng.uniform(-5.0, 0.0, (3000, 1))
    low, high = np.maximum(middle - width, MANY.lower), np.minimum(middle + width, MANY.upper)
    found = bounds_by(module_of(MANY), low, high)
    expected, _ = lower_bounds(tape_of(MANY), low, high, slopes=False)
    finite = np.isfinite(expected)
    assert (found[finite] >= expected[finite] - 1e-13 * (1.0 + np.abs(expected[finite]))).all()
    assert np.array_equal(found == np.inf, expected == np.inf)
    assert (found > -np.inf).sum() > 1000
    for _ in range(20):
        values = MANY.with_rule("strict")(rng.uniform(low, high))
        defined = ~np.isnan(values)
        assert (values[defined] >= found[defined] - 1e-12 * (1.0 + np.abs(values[defined]))).all()


def test_a_tree_is_grown_and_proves_the_target_once_gone_on_with() -> None:
    tape, target = tape_of(BOWL), -0.5
    levels = grow(module_of(BOWL), BOWL.lower, BOWL.upper, closing(target), most=2000)
    assert levels.left == 0
    tree = planted(tape, BOWL.lower, BOWL.upper, target, levels)
    assert tree.complete
    assert tree.bound >= target
    assert tree.text().count(".") == (levels.nodes + 1) // 2
    early = grow(module_of(BOWL), BOWL.lower, BOWL.upper, closing(target), most=20)
    assert early.left > 0
    begun = planted(tape, BOWL.lower, BOWL.upper, target, early)
    assert not begun.complete
    done = prove(tape, BOWL.lower, BOWL.upper, target, seconds=20.0, state=begun)
    assert done.complete
    assert done.text().startswith("s")


def test_a_long_tree_is_written_with_parts_that_are_halved_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer tokens, few more leaves, and the checker takes it."""
    text = "sin(200*x1) + sin(283*x1)"
    problem = cpc.parse(text, bounds=[(-1, 1)])
    target = float(problem(np.linspace(-1.0, 1.0, 20_001)[:, None]).min()) - 2e-4
    tree = planted(tape_of(problem), [-1.0], [1.0], target, grow(module_of(problem), [-1.0], [1.0], closing(target)))
    plain = tree.text().split(" ")
    monkeypatch.setattr(grown, "LONG", 100)
    even = tree.text().split(" ")
    assert any(token.startswith("e0:") for token in even)
    assert len(even) < 0.6 * len(plain)
    leaves = sum(leaves_of(token) for token in even if token[0] != "s")
    assert plain.count(".") <= leaves <= 1.5 * plain.count(".")
    proven = min(tree.bound, target)
    lower = {"by": "tree", "threshold": proven, "tree": " ".join(even)}
    made = certificate(text, [[-1.0, 1.0]], proven, 2.0, lower, point(0.5), "all")
    for arithmetic in ("arb", "mpfr"):
        verdict = cpc.check(made, arithmetic=arithmetic)
        assert verdict.accepted, verdict.reason


def test_only_leaves_that_fall_short_are_gone_on_with() -> None:
    levels = grow(module_of(BOWL), BOWL.lower, BOWL.upper, closing(-0.5), most=2000)
    tree = planted(tape_of(BOWL), BOWL.lower, BOWL.upper, -0.5, levels)
    assert list(tree.short_leaves(closing(-0.5))) == []
    low, high, bound = tree.leaves()
    short = bound < closing(-0.45)
    assert 0 < short.sum() < len(bound)
    found = sorted((*a, *b) for _, a, b in tree.short_leaves(closing(-0.45)))
    assert np.array_equal(found, sorted((*a, *b) for a, b in zip(low[short], high[short], strict=True)))


def test_bounds_from_elsewhere_are_not_believed() -> None:
    """A tree that says of a box with low values that it is closed is no proof."""
    levels = Levels([np.array([0], dtype=np.int8), np.array([CLOSED, CLOSED], dtype=np.int8)], 3)
    tree = planted(tape_of(BOWL), BOWL.lower, BOWL.upper, 10.0, levels)
    assert not tree.complete
    wrong = Levels([np.array([0], dtype=np.int8), np.full(3, LEFT, dtype=np.int8)], 4)
    with pytest.raises(CpcbenchError, match="has 3 boxes"):
        planted(tape_of(BOWL), BOWL.lower, BOWL.upper, 0.0, wrong)
    with pytest.raises(CpcbenchError, match="splits an axis"):
        planted(tape_of(BOWL), BOWL.lower, BOWL.upper, 0.0, Levels([np.array([2], dtype=np.int8)], 1))
    with pytest.raises(CpcbenchError, match="last level"):
        planted(tape_of(BOWL), BOWL.lower, BOWL.upper, 0.0, Levels([np.array([1], dtype=np.int8)], 1))


def test_a_proof_that_does_not_close_soon_begins_with_the_card_s_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planting, "CardModule", HostModule)
    monkeypatch.setattr(planting, "PATIENCE", 0.0)
    low, high = BOWL.lower.tolist(), BOWL.upper.tolist()
    tree = patient(tape_of(BOWL), low, high, -0.5, 20.0, 100_000, first=on_card)
    assert tree.complete
    sinc = cpc.parse("sin(x1)/x1", bounds=[(-5, 5)])
    with pytest.raises(NotOnCardError, match="not for a card"):
        boxes_source(tape_of(sinc), [-5.0], [5.0])
    assert on_card(tape_of(sinc), [-5.0], [5.0], -0.3) is None


@pytest.mark.slow
def test_a_certificate_with_trees_of_the_card_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planting, "CardModule", HostModule)
    monkeypatch.setattr(planting, "PATIENCE", 0.0)
    made = cpc.certify(cpc.parse("x1^2 + 0.1*sin(20*x1) + x2^2", bounds=[(-1, 1), (-1, 1)]), seconds=20, gpu=True)
    assert made.checked is not None
    assert made.checked.accepted
    assert made.upper - made.lower < 1e-6
