"""Settings shared by all tests."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from threading import Lock

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("house")

SHARED = (
    "from cpcbench.solvers.white_box.start import compile_searches; compile_searches()\n"
    "from cpcbench.certify.lower.sums.link_search import search; search()\n",
    "from cpcbench.solvers.paper.box_search import compile_growth; compile_growth()\n"
    "import cpcbench; cpcbench.certify('x1 - ln(x1)', [(0.1, 2)], seconds=600)\n",
)
"""Two programs that compile what tests of all rooms need; they take about as long as each other."""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before several workers begin, what they share is compiled and kept: once, and not by each of them."""
    config = session.config
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput") and not config.option.collectonly:
        programs = [subprocess.Popen([sys.executable, "-c", program]) for program in SHARED]
        ends = [program.wait() for program in programs]
        if any(ends):
            raise pytest.UsageError("what the tests share could not be compiled: see above")


class Calm:
    """A clock that goes only while the machine works for this process, and never faster than others."""

    def __init__(self) -> None:
        self._clocks = time.monotonic, time.process_time
        self._seen, self._now, self._lock = [clock() for clock in self._clocks], 0.0, Lock()

    def __call__(self) -> float:
        with self._lock:
            now = [clock() for clock in self._clocks]
            self._now += min(new - old for new, old in zip(now, self._seen, strict=True))
            self._seen = now
            return self._now


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of time count what this process has of the processor: what is found and proven within them does not
    depend on how busy the machine is."""
    from cpcbench.certify.upper import candidates
    from cpcbench.solvers.unbounded import solve_anywhere

    calm = Calm()
    for name in ("monotonic", "perf_counter"):
        monkeypatch.setattr(time, name, calm)
    monkeypatch.setattr(candidates, "solve_anywhere", partial(solve_anywhere, clock=calm))
