"""Numbers that an option cannot mean, a short version of `python -m benchmarks.fuzzed_commands`."""

from __future__ import annotations

import pytest
from benchmarks.fuzzed_commands import CALLS, VALUES, _objection, fuzzed, options


def test_every_numeric_option_is_found() -> None:
    assert options("run") == ["--runs", "--workers", "--seed", "--budget", "--seconds", "--memory", "--bounds"]
    assert {"--proven", "--samples"} <= set(options("feasible"))
    assert all(options(command) for command in CALLS)


def test_what_speaks_against_a_call() -> None:
    assert _objection("--at", 2, "error: --at takes numbers", "") == ""
    assert "does not name --at" in _objection("--at", 2, "error: coordinates", "")
    assert _objection("--at", 130, "", "") == "status 130"
    assert _objection("--at", 1, "", "traceback: OverflowError()").startswith("traceback")


@pytest.mark.parametrize(
    "commands", [["run", "eval"], pytest.param(["compare", "feasible", "multiplicity"], marks=pytest.mark.slow)]
)
def test_numbers_that_mean_nothing(commands: list[str]) -> None:
    made = list(fuzzed(commands, VALUES[3:], seconds=120.0, first=("eval",)))
    assert len(made) == 4 * sum(len(options(command)) for command in commands)
    assert [call for call in made if call.objection] == []
