"""The checker's two arithmetics accept the same, leave the caller's precision alone, and are waited for."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import flint
import gmpy2
import pytest

import cpcbench as cpc
from cpcbench.certify.checker import check
from cpcbench.certify.checker.checking import TREE_BITS
from cpcbench.certify.checker.core.numbers import arithmetic
from cpcbench.certify.checker.ground.verdict import Verdict
from cpcbench.errors import CpcbenchError
from cpcbench.readings.reals.exact import working_precision
from tests.material.checker_certificates import Known, bounded

KNOWN = bounded()


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
