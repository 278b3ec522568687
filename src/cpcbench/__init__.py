"""Global optimisation problems whose objective is undefined on most of its box.

`problem("CPC-DF3")` finds one, `problems()` lists them, `parse(...)` makes one from text. Each name
is imported when it is first used, so that `import cpcbench` costs next to nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cpcbench.certify.carrying import carry
    from cpcbench.certify.certificate.check import check
    from cpcbench.certify.making import certify
    from cpcbench.certify.systems.solving import solve_system
    from cpcbench.entrance.models.casadi import from_casadi
    from cpcbench.entrance.models.files import read
    from cpcbench.entrance.models.pyomo import from_pyomo
    from cpcbench.entrance.symbolic import from_sympy
    from cpcbench.entrance.trace import trace
    from cpcbench.errors import CpcbenchError
    from cpcbench.experiment.runner import run
    from cpcbench.experiment.verify.verification import verify
    from cpcbench.problems.problem import Problem
    from cpcbench.problems.registry import problem, problems, register
    from cpcbench.problems.user import parse
    from cpcbench.report.study.front import study
    from cpcbench.solvers.functions.black_box import black_box
    from cpcbench.solvers.functions.log import read_log
    from cpcbench.solvers.minimize import minimize
    from cpcbench.solvers.registry import Solver, register_solver, solver, solvers

    __version__: str

__all__ = [
    "CpcbenchError", "Problem", "Solver", "__version__", "black_box", "carry", "certify", "check", "from_casadi",
    "from_pyomo", "from_sympy", "minimize", "parse", "problem", "problems", "read", "read_log", "register",
    "register_solver", "run", "solve_system", "solver", "solvers", "study", "trace", "verify",
]  # fmt: skip

_HOMES = {
    "CpcbenchError": "cpcbench.errors",
    "carry": "cpcbench.certify.carrying",
    "check": "cpcbench.certify.certificate.check",
    "Problem": "cpcbench.problems.problem",
    "black_box": "cpcbench.solvers.functions.black_box",
    "minimize": "cpcbench.solvers.minimize",
    "parse": "cpcbench.problems.user",
    "problem": "cpcbench.problems.registry",
    "read_log": "cpcbench.solvers.functions.log",
    "register": "cpcbench.problems.registry",
    "Solver": "cpcbench.solvers.registry",
    "register_solver": "cpcbench.solvers.registry",
    "run": "cpcbench.experiment.runner",
    "solve_system": "cpcbench.certify.systems.solving",
    "solver": "cpcbench.solvers.registry",
    "study": "cpcbench.report.study.front",
    "from_casadi": "cpcbench.entrance.models.casadi",
    "from_pyomo": "cpcbench.entrance.models.pyomo",
    "from_sympy": "cpcbench.entrance.symbolic",
    "read": "cpcbench.entrance.models.files",
    "trace": "cpcbench.entrance.trace",
    "verify": "cpcbench.experiment.verify.verification",
}


class _Function:
    """A function that shares its name with a package of ours, and is what the name means here.

    The import system sets a package as an attribute of the one above it, whenever that happens: this attribute does not
    let it. The function has the package's attributes, so that `import cpcbench.certify.making as making` still works.
    """

    def __init__(self, home: str) -> None:
        self._home = home

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, module: ModuleType, owner: type | None = None) -> Any:
        if self._name not in module.__dict__:
            function = getattr(import_module(self._home), self._name)
            function.__dict__ = sys.modules[f"{__name__}.{self._name}"].__dict__
            module.__dict__[self._name] = function
        return module.__dict__[self._name]

    def __set__(self, module: ModuleType, value: Any) -> None:
        if not isinstance(value, ModuleType):
            module.__dict__[self._name] = value


class _Front(ModuleType):
    certify = _Function("cpcbench.certify.making")
    problems = _Function("cpcbench.problems.registry")
    solvers = _Function("cpcbench.solvers.registry")


sys.modules[__name__].__class__ = _Front


def __getattr__(name: str) -> Any:
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
