"""The checker accepts what is proven, says why it rejects the rest, and never bounds a value away."""

from __future__ import annotations

import contextlib
import copy
import gzip
import json
import math
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import flint
import gmpy2
import pytest

import cpcbench as cpc
from cpcbench.certify import checker
from cpcbench.certify.checker import check, check_file
from cpcbench.certify.checker.checking import TREE_BITS
from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.mean_value import mean_value_bound
from cpcbench.certify.checker.core.numbers import arithmetic, is_finite, of_double, precision
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.trees import Watch, path_of
from cpcbench.certify.checker.extensions.fillers import removable
from cpcbench.certify.checker.extensions.fillers.all import FILLERS
from cpcbench.certify.checker.extensions.sums.tables import read_table
from cpcbench.certify.checker.ground.verdict import RejectedError, Verdict
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.parser import parse_formula
from cpcbench.expr.walk import postorder
from cpcbench.readings.reals.enclosure import enclose
from cpcbench.readings.reals.exact import working_precision
from tests.material.checker_certificates import (
    Known,
    bounded,
    certificate,
    chain,
    falling_logarithm,
    number,
    point,
    thin_pole,
)
from tests.material.random_formulas import ELEMENTARY, RATIONAL, formula, seeded

KNOWN = bounded()


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_proofs_of_known_infima_are_accepted(known: Known) -> None:
    verdict = check(known.data)
    assert verdict.accepted, verdict.reason
    assert verdict.lower is not None
    assert verdict.upper is not None
    assert verdict.lower <= known.infimum <= verdict.upper + 1e-15


@pytest.mark.parametrize("data", [falling_logarithm(), thin_pole()], ids=["strict", "ieee"])
def test_proofs_that_there_is_no_lower_bound_are_accepted(data: dict[str, Any]) -> None:
    verdict = check(data)
    assert verdict.accepted, verdict.reason
    assert verdict.lower == -math.inf


def test_a_thin_family_says_nothing_of_the_regular_part() -> None:
    assert not check({**thin_pole(), "part": "regular"}).accepted


def test_the_problem_can_be_compared() -> None:
    data = KNOWN[1].data
    about = data["problem"]
    assert check(data, problem=about).accepted
    assert check(data, problem=(about["formula"].replace(" ", ""), about["bounds"])).accepted
    assert "formula" in check(data, problem=("x1 - sqrt(x1) + 0", about["bounds"])).reason
    assert "bounds" in check(data, problem=(about["formula"], [[-1.0, 3.0]])).reason


@pytest.mark.parametrize(
    ("text", "names", "bounds", "x"),
    [
        ("x2 + 10*x1", ["x2", "x1"], [(0, 1), (1, 2)], [0.0, 1.0]),  # other names: 10*x2 + x1, from 10 on
        ("n", ["n"], [(5, 6)], [5.0]),  # a name that is a number to the parser: x1, from 5 on
    ],
)
def test_the_names_of_a_problem_are_not_read_as_others(
    text: str, names: list[str], bounds: list[tuple[float, float]], x: list[float], tmp_path: Path
) -> None:
    problem = cpc.parse(text, names=names, bounds=bounds)
    low = {"by": "tree", "threshold": 1.0, "tree": "."}
    forged = certificate(text, [list(pair) for pair in bounds], 1.0, 1.0, low, point(*x), "all")
    assert problem(x) >= 5.0
    assert check(forged).accepted  # as a proof about the text alone
    assert not cpc.check(forged, problem=problem).accepted
    place = tmp_path / "forged.json"
    place.write_text(json.dumps(forged), encoding="utf-8")
    assert not cpc.check(place, problem=problem).accepted


def test_a_problem_with_names_of_its_own_is_known_by_its_certificate() -> None:
    problem = cpc.parse("b - sqrt(a)", names=["a", "b"], bounds=[(0, 1), (1, 2)])
    low = {"by": "tree", "threshold": 0.0, "tree": "."}
    data = certificate("x2 - sqrt(x1)", [[0.0, 1.0], [1.0, 2.0]], 0.0, 0.0, low, point(1.0, 1.0), "all")
    assert cpc.check(data, problem=problem).accepted


def test_the_reason_names_the_place() -> None:
    data = copy.deepcopy(KNOWN[0].data)
    data["lower"]["tree"] = data["lower"]["tree"].replace("s1:128", "s1:0", 1)
    reason = check(data).reason
    assert "'s1:0'" in reason
    assert "token 1 (path L)" in reason
    assert path_of(["s0:128", "l0", ".", "s1:128", ".", "."], 5) == "token 5 (path UU)"


def test_parts_in_processes_give_the_same_verdict() -> None:
    data = copy.deepcopy(chain().data)
    link = data["lower"]["sums"][0]["links"][0]
    link["tree"] = _halved(9)
    link["threshold"] = -1.5
    link["plus"], data["lower"]["sums"][0]["links"][1]["minus"] = [], []
    data["lower"]["sums"][0]["tables"] = {}
    data["lower"]["sums"][0]["links"][1].update(tree=_halved(9), threshold=-1.5)
    data["lower"]["sums"][0]["bound"] = -3.0
    data["claim"]["lower"] = 0.04
    one, two = check(data), check(data, workers=2)
    assert one.accepted, one.reason
    assert (two.accepted, two.leaves) == (True, one.leaves)
    link["tree"] = link["tree"][:-1] + "m:-1"
    assert "multiplier" in check(data, workers=2).reason


def _halved(depth: int) -> str:
    tree = ["."]
    for level in range(depth):
        tree = [f"s{level % 2}:128", *tree, *tree]
    return " ".join(tree)


def test_boxes_of_the_optima() -> None:
    low = {"by": "tree", "threshold": 0.0, "tree": "s0:64 . s0:64 . ."}
    data = certificate("(x1 - 1)^2", [[-3.0, 5.0]], 0.0, 0.5, low, point(1.0), "regular")
    assert check({**data, "optima": [[[-1.0, 5.0]]]}).accepted  # [-1, 0.5] is not above 0.5 either
    assert "optima" in check({**data, "optima": [[[0.5, 5.0]]]}).reason
    faces = {"by": "tree", "threshold": 0.0, "tree": "s0:128 h0 . l0 ."}
    moved = certificate("(x1 - 1)^2", [[-3.0, 5.0]], 0.0, 0.5, faces, point(1.0), "regular")
    assert check(moved).accepted
    assert "optima" in check({**moved, "optima": [[[1.0, 1.0]]]}).reason  # a face speaks for its whole box


def test_files(tmp_path: Path) -> None:
    good = gzip.compress(json.dumps(KNOWN[1].data).encode())
    place = tmp_path / "a.json.gz"
    for raw, word in [
        (good, "proven"),
        (good[:-9], "gzip"),
        (b"no gzip", "gzip"),
        (gzip.compress(b"{"), "JSON"),
        (gzip.compress(b"[" * 100_000), "deep"),
        (gzip.compress(b'{"a": NaN}'), "NaN"),
        (gzip.compress(b'{"a": 1, "a": 2}'), "twice"),
        (gzip.compress(b"3"), "object"),
        (gzip.compress(json.dumps({**KNOWN[1].data, "version": 5}).encode()), "version"),
    ]:
        place.write_bytes(raw)
        verdict = check_file(place)
        assert word in verdict.reason
        assert verdict.accepted == (word == "proven")
    assert "no file" in check_file(tmp_path / "b").reason


def test_it_is_a_program(tmp_path: Path) -> None:
    place = tmp_path / "a.json.gz"
    for data, status in ((KNOWN[1].data, 0), ({}, 1)):
        place.write_bytes(gzip.compress(json.dumps(data).encode()))
        command = [sys.executable, "-m", "cpcbench.certify.checker", str(place)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == status
        assert ("accepted" if status == 0 else "rejected") in done.stdout


@pytest.mark.parametrize("odd", [None, 3, [], "x", {}, {"format": "cpcbench-certificate", "version": 1}])
def test_malformed_data_is_rejected_with_a_reason(odd: object) -> None:
    verdict = check(odd)
    assert not verdict.accepted
    assert verdict.reason


def test_every_missing_or_odd_entry_is_rejected() -> None:
    count = 0
    odds: list[Any] = [None, True, "?", [[]], {"a": 1}, 1e999]
    for known in KNOWN:
        for path in _paths(known.data):
            for odd in odds:
                data = copy.deepcopy(known.data)
                _set(data, path, odd)
                if path[0] == "made" or path[-1] == "name" or (path == ("part",) and odd == "all"):
                    continue
                verdict = check(data)
                assert not verdict.accepted, (known.name, path, odd)
                count += 1
    assert count > 500


def _paths(data: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all entries but the numbers inside tables and boxes."""
    found: list[tuple[Any, ...]] = []
    items = data.items() if isinstance(data, dict) else enumerate(data[:2]) if isinstance(data, list) else ()
    for key, value in items:
        found.append((*before, key))
        found += _paths(value, (*before, key))
    return found


def _set(data: Any, path: tuple[Any, ...], value: object) -> None:
    for key in path[:-1]:
        data = data[key]
    data[path[-1]] = value


def test_nothing_of_the_prover_or_the_readings_is_used() -> None:
    for path in Path(checker.__file__).parent.rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip().startswith(("import ", "from ")) and "cpcbench" in line:
                module = line.split()[1]
                shared = module in ("cpcbench.arb", "cpcbench.errors")  # a lock, and the base of all errors
                assert shared or module.startswith(("cpcbench.certify.checker", "cpcbench.expr")), line


def test_the_precision_of_the_caller_is_left_alone() -> None:
    flint.ctx.prec = 77
    try:
        check(KNOWN[3].data)
        assert flint.ctx.prec == 77
    finally:
        flint.ctx.prec = 53


def test_threads_that_check_and_threads_that_enclose_leave_each_other_alone() -> None:
    interval = sys.getswitchinterval()
    known, p, x = KNOWN[3].data, cpc.parse("sin(x1)^2 + ln(x2)/3 - exp(x1*x2)", bounds=[(0, 1), (1, 2)]), [0.3, 1.7]
    expected, before = p.enclosure(x), flint.ctx.prec
    leaves = check(known).leaves

    def checks(_turn: int) -> bool:
        verdict = check(known)
        return verdict.accepted and verdict.leaves == leaves

    def encloses(_turn: int) -> bool:
        return all(p.enclosure(x) == expected for _ in range(20))

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            done = [pool.submit(work, turn) for turn in range(6) for work in (checks, encloses)]
            assert all(each.result() for each in done)
    finally:
        sys.setswitchinterval(interval)
    assert flint.ctx.prec == before


def test_a_check_waits_for_whoever_has_set_the_precision() -> None:
    verdicts: list[Verdict] = []
    other = threading.Thread(target=lambda: verdicts.append(check(KNOWN[0].data)))
    with working_precision(200):
        other.start()
        other.join(0.3)
        assert flint.ctx.prec == 200
        assert not verdicts
    other.join()
    assert verdicts[0].accepted


def test_a_table_counts_both_sides_of_a_jump() -> None:
    table = read_table({"breaks": [0.0, 1.0, 2.0], "values": [[5.0, 1.0], [-3.0, 2.0]]}, 0.0, 2.0)
    for (low, high), (least, most) in {
        (0.0, 0.5): (5.0, 5.5),
        (0.5, 1.0): (5.5, 6.0),
        (1.0, 1.5): (-3.0, -2.0),
        (1.0, 1.0): (-3.0, 6.0),
        (0.5, 1.5): (-3.0, 6.0),
        (2.0, 2.0): (-1.0, -1.0),
        (0.0, 0.0): (5.0, 5.0),
    }.items():
        found = table.range(low, high)
        assert (float(found[0]), float(found[1])) == (least, most)


def test_a_centre_that_rounds_to_an_end_still_counts_the_slopes() -> None:
    low, high = 1.0, math.nextafter(1.0, 2.0)
    link = _link(parse_formula("(x1 - 1)^2 - (x1 - 1)*3 + (x1 - 1)*x1*2", n=1), [(low, high)])
    values, maybe = link.natural(((low, high),)) or (None, set())
    assert values is not None
    bound = mean_value_bound(link, ((low, high),), values, maybe, None, of_double(1e9))
    assert float(bound) < 0.0  # the least value is about -2.2e-16, at the upper end


def _link(root: Expr, box: list[tuple[float, float]], ieee: bool = False) -> Link:
    precision(TREE_BITS)
    numbers = {id(node): place for place, node in enumerate(postorder(root))}
    program = Program([root], numbers, ieee=ieee, fillers=FILLERS)
    return Link("a formula", program, list(range(len(box))), [(program.slots[id(root)], 1)], 0.0, tuple(box))


def _random_link(seed: int, rule: str) -> tuple[Link, Expr, list[list[float]]] | None:
    """A random formula over a random box, and points of the box."""
    r = seeded(seed)
    root = formula(r, r.randrange(1, 8), ELEMENTARY if seed % 3 else [*RATIONAL, *ELEMENTARY])
    width = r.choice([0.0, 1e-6, 0.01, 0.3, 2.0])
    lows = [r.choice([-2.0, -1.0, 0.0, 0.5, 1.0, r.uniform(-3.0, 3.0)]) for _ in range(2)]
    box = [(low, low + width) for low in lows]
    points = [[r.choice([low, high, r.uniform(low, high), 0.5 * (low + high)]) for low, high in box] for _ in range(4)]
    try:
        return _link(root, box, rule == "ieee"), root, points
    except RejectedError:
        return None  # an exponent such as arcsin(0.5)*0 whose being whole is not decided


@pytest.mark.parametrize("rule", ["strict", "ieee"])
def test_no_value_is_bounded_away(rule: str) -> None:
    seen = [0, 0]
    for seed in range(300):
        made = _random_link(seed, rule)
        if made is None:
            continue
        link, root, points = made
        precision(TREE_BITS)
        evaluated = link.natural(link.box)
        bound = None
        if evaluated is not None and not link.program.has_where:
            r = seeded(seed)
            held = [step for step in link.program.domains if step.slot in evaluated[1]]
            weights = [Fraction(r.choice([0.0, 0.3, 2.0]) * step.has_sign) for step in held]
            bound = mean_value_bound(link, link.box, *evaluated, weights or None, of_double(1e300))
        for x in points:
            found = enclose(root, x, rule=rule, max_bits=256)
            if found.defined is False:
                assert evaluated is None or evaluated[1], (seed, x)
            if found.defined is not True or math.isnan(found.upper):
                continue
            assert evaluated is not None, (seed, x)
            low, high = evaluated[0][link.program.slots[id(root)]]
            assert not low > of_double(min(found.upper, 1e308)), (seed, x)
            assert not high < of_double(max(found.lower, -1e308)), (seed, x)
            seen[0] += 1
            if bound is not None and is_finite(bound):
                assert not bound > of_double(min(found.upper, 1e308)), (seed, x)
                seen[1] += 1
    assert seen[0] > 200
    assert seen[1] > 80


def test_slopes_hold_the_steepness_between_points() -> None:
    seen = 0
    for seed in range(500):
        made = _random_link(seed, "strict")
        if made is None or made[0].program.has_where:
            continue
        link, root, points = made
        precision(TREE_BITS)
        evaluated = link.natural(link.box)
        if evaluated is None or evaluated[1]:
            continue
        slopes = link.slopes(evaluated[0], link.box, {}, {})
        for axis in range(2):
            first, second = points[0], [points[1][i] if i == axis else v for i, v in enumerate(points[0])]
            step = of_double(second[axis]) - of_double(first[axis])
            ends = [enclose(root, x, max_bits=256) for x in (first, second)]
            if step.is_zero() or any(not e.defined or not math.isfinite(e.upper - e.lower) for e in ends):
                continue
            low, high = slopes[axis]
            steep = sorted(
                [(of_double(ends[1].lower) - ends[0].upper) / step, (of_double(ends[1].upper) - ends[0].lower) / step],
                key=float,
            )
            assert not low > steep[1], (seed, axis)
            assert not high < steep[0], (seed, axis)
            seen += 1
    assert seen > 100


def test_optima_boxes_hold_leaves() -> None:
    watch = Watch(Fraction(0), [((0.0, 1.0),)])
    watch.check(of_double(-1.0), ((0.25, 1.0),))
    watch.check(of_double(0.5), ((5.0, 6.0),))
    with pytest.raises(RejectedError):
        watch.check(of_double(0.0), ((0.25, 1.5),))


# One turn of a variable


def turning(formula: str, periods: dict[str, list[float]]) -> dict[str, Any]:
    """sin(x1) + cos(2 x2) is at least -2 wherever it repeats; the trees look at one turn only."""
    links = [
        {"terms": [i], "variables": [i], "threshold": -1.0, "plus": [], "minus": [], "tree": "."} for i in range(2)
    ]
    total = {"node": number(formula, 2, "add"), "side": "min", "bound": -2.0, "links": links, "tables": {}}
    proof = {"by": "sums", "sums": [{**total, "periods": periods}]}
    return certificate(formula, [[-50.0, 50.0], [-50.0, 50.0]], -2.0, 2.0, proof, point(0.0, 0.0), "regular")


TURN = [-3.15, 3.15]


def test_one_turn_of_what_repeats_is_enough() -> None:
    assert check(turning("sin(x1) + cos(2*x2)", {"0": TURN, "1": TURN})).accepted


@pytest.mark.parametrize(
    ("formula", "periods", "why"),
    [
        ("sin(x1) + cos(2*x2)", {"0": [-3.14, 3.14]}, "shorter than a period"),
        ("sin(x1) + cos(2.5*x2)", {"1": TURN}, "does not repeat"),
        ("sin(x1)*x1 + cos(2*x2)", {"0": TURN}, "does not repeat"),
        ("sin(x1^2) + cos(2*x2)", {"0": TURN}, "does not repeat"),
        ("sin(x1 + x2) + cos(2*x2)", {"0": TURN}, "does not repeat"),
        ("sin(x1) + cos(2*x2)", {"2": TURN}, "is no variable"),
        ("sin(x1) + cos(2*x2)", {"0": "all"}, ""),
    ],
)
def test_what_does_not_repeat_is_refused(formula: str, periods: dict[str, list[float]], why: str) -> None:
    verdict = check(turning(formula, periods))
    assert not verdict.accepted
    assert why in verdict.reason


# What straight conditions leave of a variable

SLOPED = "sqrt(x1 - x2) + sqrt(2*x2 + x1) + x1"
"""Defined only where x1 is at least 0: twice the first condition and the second add up to 3 x1."""


def narrowing(*entries: dict[str, Any]) -> Verdict:
    """All terms are at least 0 on what is left of x1, and one look at it shows that; on all of x1 it would not."""
    order = postorder(parse_formula(SLOPED, n=2))
    conditions = [node.args[0] for node in order if node.op == "sqrt"]
    places = {name: order.index(node) for name, node in zip("ab", conditions, strict=True)}
    made = [{**e, "by": [[places.get(str(node), node), weight] for node, weight in e["by"]]} for e in entries]
    link = {"terms": [0, 1, 2], "variables": [0, 1], "threshold": 0.0, "plus": [], "minus": [], "tree": "."}
    total = {"node": len(order) - 1, "side": "min", "bound": 0.0, "links": [link], "tables": {}}
    proof = {"by": "sums", "sums": [{**total, "ranges": made}]}
    return check(certificate(SLOPED, [[-4.0, 4.0], [-4.0, 4.0]], 0.0, 0.0, proof, point(0.0, 0.0), "regular"))


def test_a_range_that_the_conditions_leave_is_taken() -> None:
    assert narrowing({"variable": 0, "low": 0.0, "by": [["a", "2"], ["b", "1"]]}).accepted
    assert not narrowing().accepted


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"variable": 0, "low": 1e-9, "by": [["a", "2"], ["b", "1"]]}, "do not narrow"),
        ({"variable": 0, "low": 0.0, "by": [["a", "1"], ["b", "1"]]}, "do not add up"),
        ({"variable": 1, "low": 0.0, "by": [["a", "2"], ["b", "1"]]}, "do not add up"),
        ({"variable": 0, "low": 0.0, "by": [["a", "-2"], ["b", "-1"]]}, "negative weight"),
        ({"variable": 0, "low": 0.0, "by": [[0, "1"]]}, "is not what a root"),
        ({"variable": 0, "low": 5.0, "by": [["a", "2"], ["b", "1"]]}, "narrow"),
        ({"variable": 0, "low": 0.0, "by": []}, "do not add up"),
        ({"variable": 7, "low": 0.0, "by": [["a", "2"], ["b", "1"]]}, ""),
    ],
)
def test_a_range_that_the_conditions_do_not_leave_is_refused(entry: dict[str, Any], why: str) -> None:
    verdict = narrowing(entry)
    assert not verdict.accepted
    assert why in verdict.reason


@pytest.mark.parametrize("known", KNOWN, ids=str)
def test_the_second_arithmetic_accepts_the_same_whatever_its_library_is_set_to(known: Known) -> None:
    before = gmpy2.get_context()
    try:
        gmpy2.set_context(gmpy2.ieee(16))
        verdict = check(known.data, arithmetic="mpfr")
    finally:
        gmpy2.set_context(before)
    assert verdict.accepted, verdict.reason


def test_an_unknown_arithmetic_is_no_arithmetic() -> None:
    with pytest.raises(CpcbenchError, match="arb"):
        check(KNOWN[0].data, arithmetic="doubles")


@pytest.mark.parametrize("name", ["arb", "mpfr"])
def test_the_least_cardinal_sine(name: str) -> None:
    """It is cos(t) where tan(t) = t: between these two places t - tan(t) changes its sign."""
    with flint.ctx.workprec(200) if hasattr(flint.ctx, "workprec") else contextlib.nullcontext():
        low, high = flint.arb("4.4934094579090641753078"), flint.arb("4.4934094579090641753079")
        assert low - low.tan() > 0
        assert high - high.tan() < 0
        least = low.cos().union(high.cos())
        assert least > flint.arb(flint.fmpq(removable.DEEPEST.numerator, removable.DEEPEST.denominator))
    with arithmetic(name, 64):
        found = removable.sinc((of_double(4.0), of_double(5.0)))
        assert found[0] < of_double(-0.21723362821122164)
        assert found[0] > of_double(-0.21723362821122172)


def test_a_check_waits_for_its_turn_no_longer_than_its_time() -> None:
    """Another thread has Arb's precision, and keeps it until this check has given up."""
    taken, over = threading.Event(), threading.Event()

    def hold() -> None:
        with arithmetic("arb", TREE_BITS):
            taken.set()
            over.wait(60.0)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(hold)
        taken.wait()
        try:
            verdict = check(KNOWN[0].data, seconds=0.01)
        finally:
            over.set()
    assert not verdict.accepted
    assert not verdict.checked
    assert "time was over" in verdict.reason
    assert check(KNOWN[0].data).accepted
