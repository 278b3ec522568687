"""The classics: every entry builds, parses back, and has the listed values at the listed points, or says it has not."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.problems.classics.all import classics, formulas, gathered, key, named, names
from cpcbench.problems.classics.entry import Listed, read_classics
from cpcbench.problems.classics.meeting import meets
from cpcbench.problems.collections.fits import curve_fits
from cpcbench.problems.registry import SUITE
from cpcbench.readings.doubles.arrays import evaluate
from tests.cases import one_in

IDS = list(formulas())


@pytest.mark.parametrize("id_", IDS)
def test_it_is_found_on_its_box(id_: str) -> None:
    p, known = cpc.problem(id_), classics()[id_]
    assert (p.id, p.title, p.dim) == (id_, known.title, known.n)
    assert p.bounds == list(known.box * known.n if len(known.box) == 1 else known.box)
    assert p.bounded
    assert p.facts is not None and p.facts.proposed == known.source  # noqa: PT018
    assert pickle.loads(pickle.dumps(p)) == p  # noqa: S301
    for name in (id_.upper(), *known.also):
        assert cpc.problem(name) is p, name


@pytest.mark.parametrize("id_", IDS)
def test_it_parses_back(id_: str) -> None:
    p = cpc.problem(id_)
    assert cpc.parse(p.formula, bounds=p.bounds).expression is p.expression


@pytest.mark.parametrize("id_", IDS)
def test_listed_points_are_in_the_box_and_have_the_listed_value(id_: str) -> None:
    p, known = cpc.problem(id_), classics()[id_]
    for one in known.listed:
        assert all(p.in_box(x) for x in one.at), one
        if one.at:
            assert meets(p, one) == one.met, (one, [p.reference(x) for x in one.at])
        assert one.met or known.notes, "what is not met needs a note"


@pytest.mark.parametrize("id_", IDS)
def test_what_is_published_is_what_is_listed(id_: str) -> None:
    p, listed = cpc.problem(id_), classics()[id_].listed
    first = next((one for one in listed if one.at and one.met), None)
    if first is None:
        assert p.published is None
        assert p.best_known is None or p.best_known.kind == "proven"
        return
    assert p.published is not None
    assert p.published.listed == listed
    assert (p.published.value, p.published.source) == (first.value, first.whom)
    assert p.published.points.tolist() == [list(x) for x in first.at]
    assert p.best_known is not None


@pytest.mark.parametrize("id_", [id_ for id_, definition in formulas().items() if definition.smallest])
def test_it_takes_other_sizes(id_: str) -> None:
    known = classics()[id_]
    smallest = formulas()[id_].smallest
    assert smallest is not None
    assert len(known.box) == 1, "a box for each variable fits one size only"
    for n in (smallest, known.n + 3):
        p = cpc.problem(id_, n=n)
        assert p.dim == n
        assert (p.published is None) == (n != known.n or not any(one.at and one.met for one in known.listed))
        assert p.lower.tolist() == [known.box[0][0]] * n


def test_the_suite() -> None:
    found = [p.id for p in cpc.problems(suite="classics")]
    assert found == IDS
    every = [p.id for p in cpc.problems(suite="all")]
    assert set(found) <= set(every)
    assert not set(found) & {p.id for p in cpc.problems()}
    assert len(set(every)) == len(every)


def test_no_name_means_two_problems() -> None:
    taken = {id_.removeprefix("CPC-") for id_ in (*SUITE, *curve_fits())}
    assert not {id_.upper() for id_ in IDS} & taken
    assert not set(names()) & taken
    assert set(names().values()) == set(IDS)


def test_no_function_is_there_twice() -> None:
    """On one box, two that agree at many points are one."""
    rows: dict[tuple[object, ...], str] = {}
    for p in cpc.problems(suite="classics"):
        spread = np.random.default_rng(p.dim).uniform(p.lower, p.upper, (20, p.dim))
        values = tuple(f"{value:.9g}" for value in evaluate(p.expression, spread))  # nothing to be compiled
        assert rows.setdefault((*p.bounds, *values), p.id) == p.id


@pytest.mark.parametrize("name", ["Ackley1", "ackley1", "ACKLEY01", " Ackley 1 ", "ackley-1", "Ackley"])
def test_names_are_forgiving(name: str) -> None:
    assert cpc.problem(name) is cpc.problem("Ackley1")


def test_a_zero_that_counts_stays() -> None:
    assert key("Problem20") == "PROBLEM20"
    assert key("Schwefel_06") == "SCHWEFEL6"


def test_a_registered_problem_may_have_another_name_of_a_classic(monkeypatch: pytest.MonkeyPatch) -> None:
    from cpcbench.problems import registry

    monkeypatch.setattr(registry, "_registered", {})
    mine = cpc.parse("x1", bounds=(0, 1), id="Ackley")
    cpc.register(mine)
    assert cpc.problem("ackley") is mine
    assert cpc.problem("ackley-1").id == "Ackley1"
    with pytest.raises(CpcbenchError, match="Ackley1 names a problem of the suite"):
        cpc.register(cpc.parse("x1", bounds=(0, 1), id="Ackley1"))


ENTRY = 'title = "T"\nn = 2\nbox = [[0, 1]]\nsource = "S"\nlisted = [{by = "scipy", value = 0.50, at = [[0, 1]]}]\n'


def test_an_entry_is_read_as_printed() -> None:
    (found,) = read_classics(f"[A]\n{ENTRY}", "f").values()
    assert found.listed == (Listed("scipy", "0.50", ((0.0, 1.0),)),)
    assert found.listed[0].value == 0.5
    assert (found.box, found.also, found.notes) == (((0.0, 1.0),), (), ())


@pytest.mark.parametrize(
    ("old", "new", "trouble"),
    [
        ("[A]", "[A", "f: "),
        ("[A]", '["A b"]', "f, A b: an id has letters and digits only"),
        ("[A]", "[1A]", "f, 1A: an id has letters and digits only, a letter first"),
        ("n = 2\n", "", "f, A: 'n' is missing: there are title, n, box"),
        ("n = 2\n", "n = 2\nm = 3\n", "f, A: 'm' is no key: there are title, n, box"),
        ("n = 2\n", "n = 2.0\n", "n is int, not Decimal"),
        ("n = 2\n", "n = 0\n", "n is a number of variables, not 0"),
        ("n = 2\n", "n = true\n", "n is int, not True"),
        ("[[0, 1]]\nsource", "[[0, 1], [0, 1], [0, 1]]\nsource", "one for each of 2 variables, not 3"),
        ("[[0, 1]]\nsource", "[[1, 0]]\nsource", "the lower bound 1.0 is above the upper bound 0.0"),
        ("[[0, 1]]\nsource", "[[0, inf]]\nsource", "a finite number is needed"),
        ("[[0, 1]]\nsource", "[0, 1]\nsource", "a pair of bounds has 2 numbers, not 0"),
        ('by = "scipy"', 'by = "me"', "by is one of scipy, opfunu, smoof, survey, not 'me'"),
        ("value = 0.50", 'value = "0.5"', "a finite number is needed, not '0.5'"),
        ("value = 0.50", "value = nan", "a finite number is needed"),
        ("value = 0.50, ", "", "'value' is missing"),
        ("at = [[0, 1]]", "at = [[0]]", r"a point has 2 coordinates, not \[0\]"),
        ("at = [[0, 1]]", "where = [[0, 1]]", "'where' is no key: there are by, value, at, met"),
        ('title = "T"', 'title = ""\nalso = [1]', r"also holds texts, not \[1\]"),
    ],
)
def test_bad_entries_are_refused(old: str, new: str, trouble: str) -> None:
    text = f"[A]\n{ENTRY}"
    assert text.count(old) == 1
    with pytest.raises(CpcbenchError, match=trouble):
        read_classics(text.replace(old, new), "f")


def test_an_entry_is_a_table() -> None:
    with pytest.raises(CpcbenchError, match="f, A: an entry is a table, not 3"):
        read_classics("A = 3", "f")


def test_ids_and_names_are_unique() -> None:
    with pytest.raises(CpcbenchError, match="A, B is there twice"):
        gathered([{"A": 1, "B": 2}, {"B": 3, "A": 4}])
    one = read_classics(f'[A]\nalso = ["b-01"]\n{ENTRY}[B1]\n{ENTRY}', "f")
    with pytest.raises(CpcbenchError, match="B1 means both A and B1"):
        named(one)


def test_numbers_are_ordered_by_size() -> None:
    assert list(gathered([dict.fromkeys(("B10", "b2", "A"), 0)])) == ["A", "b2", "B10"]


def test_digits_decide_what_is_met() -> None:
    p = cpc.parse("x1^2", bounds=[(-5, 5)])
    assert meets(p, Listed("scipy", "2.00", ((2**0.5,),)))
    assert meets(p, Listed("scipy", "2", ((1.41421356,),))), "the point is rounded"
    assert meets(p, Listed("scipy", "1.3", ((1.15,),)))
    assert not meets(p, Listed("scipy", "1.34", ((1.15,),))), "1.15 is taken as exact"
    assert not meets(p, Listed("scipy", "2", ((1.415,),)))
    assert not meets(p, Listed("scipy", "2.01001", ((2**0.5,),)))
    assert not meets(p, Listed("scipy", "0", ((0.0,), (0.1,)))), "every point counts"


def test_unknown_names_are_told_of_the_classics() -> None:
    with pytest.raises(CpcbenchError, match=rf"CPC-CF38, {len(IDS)} classics; did you mean Ackley1\?"):
        cpc.problem("aklley1")


@pytest.mark.parametrize("id_", one_in(12, IDS))
def test_single_and_many_points_agree(id_: str) -> None:
    p = cpc.problem(id_)
    points = np.random.default_rng(7).uniform(p.lower, p.upper, (50, p.dim))
    assert np.array_equal(p(points), [p(x) for x in points], equal_nan=True)
    assert re.fullmatch("[A-Za-z][A-Za-z0-9]*", id_)


def test_formulas_and_facts_are_read_when_they_are_needed() -> None:
    program = """
import sys
import cpcbench as cpc
cpc.problem("DF3"), cpc.problems(), cpc.problems(suite="cf"), cpc.problem("DF4", n=8)
from cpcbench.problems.classics import all
assert "cpcbench.problems.classics.a_to_b" not in sys.modules
assert all.classics.cache_info().misses == 0
cpc.problem("Ackley1")
assert "cpcbench.problems.classics.a_to_b" in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
