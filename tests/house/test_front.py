"""What `import cpcbench as cpc` offers is ordinary Python: plain functions, whatever was imported before."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import cpcbench as cpc
from cpcbench.progress import Line
from cpcbench.studies.feasible.ratio import feasible_ratio
from tests.cases import one_in

SHARED = {"certify": "making", "problems": "registry", "solvers": "registry"}
"""The functions that share their names with packages, and the modules that hold them."""

CHECKS = """
import sys, types
import cpcbench
for name, home in {shared!r}.items():
    function = getattr(cpcbench, name)
    assert type(function) is types.FunctionType, (name, function)
    assert function is getattr(sys.modules[f"cpcbench.{{name}}.{{home}}"], name)
    assert type(sys.modules[f"cpcbench.{{name}}"]) is types.ModuleType
"""


@pytest.mark.parametrize("name", SHARED)
def test_functions_that_share_a_name_with_a_package_are_functions(name: str) -> None:
    function = getattr(cpc, name)
    assert type(function) is FunctionType
    assert function.__name__ == name
    assert function.__doc__
    assert pickle.loads(pickle.dumps(function)) is function  # noqa: S301
    assert type(sys.modules[f"cpcbench.{name}"]) is ModuleType


def test_signatures_can_be_read() -> None:
    certify = inspect.signature(cpc.certify).parameters
    assert list(certify)[:2] == ["problem", "bounds"]
    assert {"tolerance", "seconds", "points", "part", "state", "workers", "progress"} <= set(certify)
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in list(certify.values())[2:])
    assert list(inspect.signature(cpc.problems).parameters) == ["rule", "suite"]
    assert not inspect.signature(cpc.solvers).parameters
    for name in cpc.__all__:
        if inspect.isfunction(getattr(cpc, name)):
            kinds = {p.kind for p in inspect.signature(getattr(cpc, name)).parameters.values()}
            assert not kinds & {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}, name


ORDERS = [pytest.param(order, marks=[pytest.mark.slow] * (i % 2)) for i, order in enumerate(permutations(SHARED))]
"""In every second one, which are the quick tests, each package comes first once."""


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
def test_importing_the_packages_does_not_replace_the_functions(order: tuple[str, ...]) -> None:
    imports = [f"import cpcbench.{name}.{SHARED[name]}" for name in order]
    _runs("\n".join([*imports, CHECKS.format(shared=SHARED)]))


@pytest.mark.parametrize("first", one_in(3, [f"import cpcbench; cpcbench.{name}" for name in SHARED]))
def test_functions_asked_for_before_their_package_is_imported_stay(first: str) -> None:
    later = "import cpcbench.problems.cpc, cpcbench.solvers.minimize, cpcbench.certify.checker"
    _runs(f"{first}\n{later}\n{CHECKS.format(shared=SHARED)}")


def test_modules_below_are_found_under_their_names() -> None:
    _runs(
        "import cpcbench.certify.checker as checker\n"
        "import cpcbench.solvers.registry as registry\n"
        "import cpcbench.problems.cpc\n"
        "assert checker.__name__ == 'cpcbench.certify.checker'\n"
        "assert registry.solvers is cpcbench.solvers\n"
        "assert cpcbench.problems.cpc.CPC\n"
        "from cpcbench import certify\n"
        "from cpcbench.certify.making import certify as same\n"
        "assert certify is same\n"
    )


def test_a_function_is_sent_to_another_process() -> None:
    packed = pickle.dumps((cpc.certify, cpc.problems, cpc.solvers))
    _runs(
        f"import pickle; sent = pickle.loads({packed!r})\n"
        "import cpcbench as cpc\n"
        "assert sent == (cpc.certify, cpc.problems, cpc.solvers)\n"
        "assert len(sent[1]()) == 28\n"
    )


def test_a_function_can_be_replaced_for_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(cpc, "solvers", lambda: ["mine"])
        assert cpc.solvers() == ["mine"]
    assert "GA" in cpc.solvers()


def _runs(program: str) -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_progress_callback_is_called_with_one_line(tmp_path: Path) -> None:
    told: list[str] = []
    cpc.minimize("x1^2", [(-1.0, 1.0)], budget=10, rng=0, progress=told.append)
    feasible_ratio(cpc.parse("ln(x1)", bounds=(-1, 1)), 1000, 1, workers=1, progress=told.append)
    cpc.run(["F138"], ["SA"], 1, tmp_path / "s.db", budget=20, progress=told.append)
    assert all(isinstance(line, str) and line for line in told)
    assert told[0] == "compiling the formula"
    assert "user: 1,000 of 1,000 points" in told
    counted = [line for line in told if isinstance(line, Line)]
    assert [(str(line), line.done, line.total) for line in counted[-2:]] == [
        ("0 of 1 runs", 0, 1),
        ("1 of 1 runs", 1, 1),
    ]
