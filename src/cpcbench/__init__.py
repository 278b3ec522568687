"""Global optimisation problems whose objective is undefined on most of its box.

`problem("CPC-DF3")` finds one, `problems()` lists them, `parse(...)` makes one from text. Each name
is imported when it is first used, so that `import cpcbench` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cpcbench.certify.certificate.check import check
    from cpcbench.certify.making import certify
    from cpcbench.errors import CpcbenchError
    from cpcbench.experiment.runner import run
    from cpcbench.experiment.verify.verification import verify
    from cpcbench.problems.problem import Problem
    from cpcbench.problems.registry import problem, problems, register
    from cpcbench.problems.user import parse
    from cpcbench.solvers.functions.black_box import black_box
    from cpcbench.solvers.minimize import minimize
    from cpcbench.solvers.registry import Solver, register_solver, solver, solvers

    __version__: str

__all__ = [
    "CpcbenchError", "Problem", "Solver", "__version__", "black_box", "certify", "check", "minimize", "parse",
    "problem", "problems", "register", "register_solver", "run", "solver", "solvers", "verify",
]  # fmt: skip

_HOMES = {
    "CpcbenchError": "cpcbench.errors",
    "check": "cpcbench.certify.certificate.check",
    "Problem": "cpcbench.problems.problem",
    "black_box": "cpcbench.solvers.functions.black_box",
    "minimize": "cpcbench.solvers.minimize",
    "parse": "cpcbench.problems.user",
    "problem": "cpcbench.problems.registry",
    "register": "cpcbench.problems.registry",
    "Solver": "cpcbench.solvers.registry",
    "register_solver": "cpcbench.solvers.registry",
    "run": "cpcbench.experiment.runner",
    "solver": "cpcbench.solvers.registry",
    "verify": "cpcbench.experiment.verify.verification",
}


def __getattr__(name: str) -> Any:
    if name in ("certify", "problems", "solvers"):
        return import_module(f"cpcbench.{name}")  # a package that can be called, as it shares the name
    if name == "__version__":
        value: Any = _version()
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'cpcbench' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("cpcbench")
    except PackageNotFoundError:
        return "0+unknown"
