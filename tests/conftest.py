"""Settings shared by all tests."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial

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


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of time count what this process has of the processor: what is found and proven within them does not
    depend on how busy the machine is."""
    from cpcbench.certify.upper import candidates
    from cpcbench.solvers.unbounded import solve_anywhere

    for name in ("monotonic", "perf_counter"):
        monkeypatch.setattr(time, name, time.process_time)
    monkeypatch.setattr(candidates, "solve_anywhere", partial(solve_anywhere, clock=time.process_time))
