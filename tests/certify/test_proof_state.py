"""Proofs in threads, and proofs that are stopped and gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.certify.certificate.state import ProofState
from cpcbench.certify.lower.sums.chains import Chain
from cpcbench.certify.lower.sums.outer import lower_by_structure
from cpcbench.certify.lower.sums.structure import order_of, sums_of
from cpcbench.certify.lower.tree.grown import _joined, from_arrays
from cpcbench.certify.lower.tree.parts import put_back, share_out
from cpcbench.certify.lower.tree.proving import prove
from cpcbench.certify.making import certify
from cpcbench.certify.means import Means
from cpcbench.certify.threads import in_threads, slices, workers_or_cores
from cpcbench.errors import CpcbenchError
from cpcbench.intervals.tape import Tape
from cpcbench.intervals.tree.store import NODES, OPEN
from tests.material.chain_problems import gaps
from tests.material.proof_problems import HARD, KNOWN, Known

BOX = [(0.0, 1.0), (0.0, 1.0)]


def known(name: str) -> Known:
    return next(k for k in (*KNOWN, *HARD) if k.name == name)


def tape_of(problem: cpc.Problem) -> Tape:
    return Tape.of_formula(problem.expression, problem.dim)


@pytest.mark.parametrize("name", ["curved edge", "interior"])
@pytest.mark.parametrize("workers", [2, 3])
def test_threads_prove_what_one_alone_proves(name: str, workers: int) -> None:
    """Each box is dealt with by itself, so a finished tree is the same however it is shared out."""
    p = known(name).problem()
    target = known(name).infimum - 1e-9
    alone, shared = (prove(tape_of(p), p.lower, p.upper, target, seconds=60.0, workers=w) for w in (1, workers))
    assert alone.complete
    assert shared.complete
    assert shared.bound == alone.bound
    assert shared.text() == alone.text()


def test_threads_prove_nothing_above_the_infimum() -> None:
    p = known("curved edge").problem()
    above = known("curved edge").infimum + 1e-6
    tree = prove(tape_of(p), p.lower, p.upper, above, seconds=60.0, max_nodes=20_000, workers=2)
    assert not tree.complete
    assert tree.bound <= known("curved edge").infimum
    assert 20_000 <= tree.store.count[NODES] <= 60_000  # the limit is over all threads


def test_what_is_shared_out_is_put_back_as_it_was() -> None:
    p = known("edge of a product").problem()
    tree = prove(tape_of(p), p.lower, p.upper, -2.0 - 1e-9, seconds=60.0, max_nodes=5_000)
    leaves, before = tree.leaves(), tree.open_corners(10_000)
    keys = tree.store.heap_key[: tree.open_boxes].copy()
    limit = float(np.median(keys))
    parts = share_out(tree.store, limit, 3, 16, 16)
    assert sum(len(part.roots) for part in parts) == (keys < limit).sum()
    assert tree.open_boxes == (keys >= limit).sum()
    assert max(len(part.roots) for part in parts) - min(len(part.roots) for part in parts) <= 1
    store = put_back(tree.store, parts)
    assert store.count[OPEN] == len(keys)
    for old, new in zip(before, tree.open_corners(10_000), strict=True):
        assert sorted(map(tuple, old.tolist())) == sorted(map(tuple, new.tolist()))
    for old, new in zip(leaves, tree.leaves(), strict=True):
        assert (old == new).all()


def test_workers_are_checked() -> None:
    assert workers_or_cores(3) == 3
    assert workers_or_cores(None) >= 1
    for wrong in (0, 65, True, 1.5):
        with pytest.raises(CpcbenchError, match="workers is a whole number from 1 to 64"):
            workers_or_cores(wrong)  # type: ignore[arg-type]


def test_parts_come_back_in_their_order() -> None:
    assert in_threads(lambda part: part.stop, slices(100, 3), 3) == [part.stop for part in slices(100, 3)]
    covered = [i for part in slices(1000, 4) for i in range(1000)[part]]
    assert covered == list(range(1000))


def test_a_state_is_read_back(tmp_path: Path) -> None:
    place = tmp_path / "state.npz"
    first = ProofState(place, "x1 + x2", BOX)
    first.put("a", {"bound": 0.1}, {"nodes": np.array([0.5, 1.0])})
    first.save()
    second = ProofState(place, "x1 + x2", BOX)
    assert second.note("a") == {"bound": 0.1}
    assert second.note("b") is None
    arrays = second.arrays("a")
    assert arrays is not None
    assert arrays["nodes"].tolist() == [0.5, 1.0]
    assert [file.name for file in tmp_path.iterdir()] == ["state.npz"]


@pytest.mark.parametrize(("formula", "box"), [("x1 - x2", BOX), ("x1 + x2", [(0.0, 1.0), (0.0, 2.0)])])
def test_a_state_of_something_else_is_refused(tmp_path: Path, formula: str, box: list[tuple[float, float]]) -> None:
    ProofState(tmp_path / "state.npz", "x1 + x2", BOX).save()
    with pytest.raises(CpcbenchError, match="another formula or another box"):
        ProofState(tmp_path / "state.npz", formula, box)


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04 broken"])
def test_what_is_no_state_is_refused(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "state.npz"
    place.write_bytes(content)
    with pytest.raises(CpcbenchError, match="no saved state of a proof"):
        certify(known("corner").problem(), seconds=1.0, state=place)


def test_a_tree_is_gone_on_with(tmp_path: Path) -> None:
    """As after a kill: only what was kept while it grew is there."""
    p, place = known("edge of a product").problem(), tmp_path / "state.npz"
    state = ProofState(place, p.formula, p.bounds)
    settings: dict[str, Any] = {"target": -2.0 - 1e-9, "seconds": 60.0}
    first = prove(tape_of(p), p.lower, p.upper, **settings, max_nodes=5_000, keep=state)
    kept = ProofState(place, p.formula, p.bounds).arrays("tree")
    assert kept is not None
    assert 0 < kept["count"][NODES] <= first.store.count[NODES]
    begun = from_arrays(tape_of(p), kept, "kept")
    second = prove(tape_of(p), p.lower, p.upper, **settings, max_nodes=10_000, state=begun)
    assert second.bound >= first.bound
    assert second.store.count[NODES] >= 10_000


def _chain(settings: dict[str, Any]) -> Chain:
    problem = gaps(4)
    (found,) = sums_of(problem.root)
    links = [found.signed(part, "min") for part in found.chains[0]]
    return Chain(order_of(found.chains[0]), links, problem.bounds, problem.point.tolist(), problem.infimum, **settings)


def test_a_chain_goes_on_from_its_costs() -> None:
    begun = _chain({"tolerance": 1e-6})
    begun.prepare(0.0)  # there is no time for more than the first sweep
    assert begun.stage == 1
    later = _chain({"tolerance": 1e-6})
    later.restore(begun.arrays())
    assert later.stage == 1
    seen: list[int] = []
    later.prepare(float("inf"), lambda: seen.append(later.stage))
    assert seen[0] == 2
    assert min(len(layer.nodes) for layer in later.layers[1:-1]) > len(begun.layers[1].nodes)
    assert len(begun.layers[1].nodes) == len(_chain({"tolerance": 1e-6}).layers[1].nodes)  # nothing is shared


def test_costs_on_other_ranges_are_not_taken() -> None:
    begun = _chain({"tolerance": 1e-6})
    begun.prepare(0.0)
    arrays = begun.arrays()
    arrays["1 nodes"] = 2.0 * arrays["1 nodes"]
    other = _chain({"tolerance": 1e-6})
    other.restore(arrays)
    assert other.stage == 0


def test_finished_links_are_not_proven_again(tmp_path: Path) -> None:
    """The second proof has no time to make one of its own; its lines tell the gap."""
    problem, place = gaps(3), tmp_path / "state.npz"
    lines: list[str] = []
    state = ProofState(place, "gaps", problem.bounds)
    first = lower_by_structure(
        problem.root, problem.bounds, problem.infimum, problem.point, 1e-7, 60.0, Means(1, state, lines.append)
    )
    state.save()
    assert any("gap" in line and "no value is below" in line for line in lines)
    again = ProofState(place, "gaps", problem.bounds)
    second = lower_by_structure(
        problem.root, problem.bounds, problem.infimum, problem.point, 1e-7, 0.001, Means(1, again)
    )
    assert first is not None
    assert problem.infimum - first.bound <= 1e-7
    assert second == first
    finer = lower_by_structure(
        problem.root, problem.bounds, problem.infimum, problem.point, 1e-9, 0.001, Means(1, again)
    )
    assert finer != first  # what was kept does not reach this


@pytest.mark.parametrize("seed", range(5))
def test_boxes_that_touch_are_joined(seed: int) -> None:
    """As by joining any two hulls that touch until none do."""
    rng = np.random.default_rng(seed)
    low = rng.integers(0, 40, (30, 2)).astype(float)
    boxes = [(a, a + rng.integers(0, 3, 2)) for a in low]
    naive = list(boxes)
    while True:
        pair = next(
            (
                (i, j)
                for i in range(len(naive))
                for j in range(i)
                if (naive[i][0] <= naive[j][1]).all() and (naive[j][0] <= naive[i][1]).all()
            ),
            None,
        )
        if pair is None:
            break
        (a, b), (c, d) = naive.pop(pair[0]), naive.pop(pair[1])
        naive.append((np.minimum(a, c), np.maximum(b, d)))
    found = sorted((*a.tolist(), *b.tolist()) for a, b in _joined(boxes))
    assert found == sorted((*a.tolist(), *b.tolist()) for a, b in naive)
    assert 1 < len(found) < len(boxes)
