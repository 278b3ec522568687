"""Finding solvers by name: ours, installed packages', and a user's own function.

A solver is a function `solve(objective, rng, **parameters)` that returns SciPy's OptimizeResult with
`x` and `fun` (x may be None: nothing admissible was found). It knows nothing of the experiment.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from cpcbench.errors import CpcbenchError, MissingExtraError, UnknownNameError
from cpcbench.problems.undefined import POLICIES

GROUP = "cpcbench.solvers"

OWN = {
    "GA": "cpcbench.solvers.paper.genetic",
    "SA": "cpcbench.solvers.paper.annealing",
    "BFGS+MS": "cpcbench.solvers.paper.multistart",
    "GPSO": "cpcbench.solvers.paper.swarm",
    "B&B": "cpcbench.solvers.paper.branch_and_bound",
    "cpc": "cpcbench.solvers.search.solver",
    "cpc-white": "cpcbench.solvers.white_box.front",
}
"""Our own solvers and the modules that hold them, each as `SOLVER`; imported when asked for."""

PAPERS = ("GA", "SA", "BFGS+MS", "GPSO", "B&B")
"""The paper's algorithms that have an open method."""

USUAL = tuple(name for name in OWN if name != "cpc-white")
"""Those that a study runs if none are named: not the one that takes its time whatever the budget."""


ADAPTERS = {
    "scipy": (
        "scipy-de",
        "scipy-dual-annealing",
        "scipy-direct",
        "scipy-shgo",
        "scipy-basin-hopping",
        "scipy-cobyqa",
    ),
    "cma": ("cma-bipop",),
    "cmaes": ("cmaes",),
    "nevergrad": ("nevergrad-ngopt",),
    "pymoo": ("pymoo-de", "pymoo-pso", "pymoo-ga"),
    "nlopt": ("nlopt-crs2", "nlopt-isres", "nlopt-direct-l"),
    "optuna": ("optuna-tpe",),
    "pygmo": ("pygmo-sade", "pygmo-de1220"),
    "biteopt": ("biteopt",),
    "fcmaes": ("fcmaes-de", "fcmaes-bite"),
    "nomad": ("nomad",),
    "maingo": ("maingo",),
    "scip": ("scip",),
}
OUTSIDE = {name: adapter for adapter, names in ADAPTERS.items() for name in names}
"""Other people's solvers: the file under `adapters` that holds each, in its table `SOLVERS`."""

LIBRARIES = {"nomad": "PyNomad", "maingo": "maingopy", "scip": "pyscipopt"}
"""What an adapter's library is called when it is imported, where that is not the adapter's own name."""

REMEDIES = {
    "start": (
        "monte_carlo_start",
        "any solver that takes a start, begun at an admissible point found by uniform draws",
    ),
    "conditions": (
        "explicit_conditions",
        "any solver, with undefined points graded by the conditions read off the formula",
    ),
}
"""The paper's two remedies, for any solver (`SA+start`, `GA+conditions`): the function, and what it does."""


@dataclass(frozen=True)
class Solver:
    """A method and how it wants to be run.

    Parameters
    ----------
    name : str
        What it is called in studies.
    solve : callable
        `solve(objective, rng, **parameters)`, which returns SciPy's OptimizeResult with `x` and `fun`.
    undefined : str
        What it wants to get for an undefined value: "nan", "inf" or "penalty".
    parameters : dict
        Its own settings.
    budget : int, optional
        Limits its evaluations unless the study says otherwise; None: it stops by itself.
    seconds : float, optional
        Limits its time unless the study says otherwise.
    deterministic : bool
        Whether it is run once instead of many times.
    expression : bool
        Whether it reads the formula (`objective.problem.expression`); others only call the objective.
    summary : str
        What it is, in a line.
    prepare : callable, optional
        Called in every worker of a study before the time of its first run begins, to compile, for instance.
    """

    name: str
    solve: Callable[..., Any]
    undefined: str = "nan"
    parameters: dict[str, Any] = field(default_factory=dict)
    budget: int | None = None
    seconds: float | None = None
    deterministic: bool = False
    expression: bool = False
    summary: str = ""
    prepare: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        if not callable(self.solve):
            raise CpcbenchError(f"a solver is a function of (objective, rng), not {self.solve!r}")
        if self.undefined not in POLICIES:
            raise CpcbenchError(
                f"{self.name} wants {self.undefined!r} for undefined values: there are {', '.join(POLICIES)}"
            )

    def with_parameters(self, **parameters: Any) -> Solver:
        """The same method with other settings; unknown ones are refused."""
        known = inspect.signature(self.solve).parameters
        takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in known.values())
        for name in parameters:
            if not takes_any and name not in list(known)[2:]:
                raise CpcbenchError(
                    f"{self.name} has no parameter {name!r}: it has {', '.join(list(known)[2:]) or 'none'}"
                )
        return Solver(**{**self.__dict__, "parameters": {**self.parameters, **parameters}})


DEFAULT_BUDGET = 100_000
"""For a user's function that states none."""

_registered: dict[str, Solver] = {}
_lock = threading.RLock()
_plugins_loaded = False


def solvers() -> list[str]:
    """The names of all solvers that can be used.

    Returns
    -------
    list of str
        Ours, those of libraries that are installed, and registered ones.

    Examples
    --------
    >>> import cpcbench as cpc
    >>> cpc.solvers()[:3]
    ['GA', 'SA', 'BFGS+MS']
    """
    _load_plugins()
    return [*OWN, *(name for name in OUTSIDE if _installed(OUTSIDE[name])), *_registered]


def solver(name: str | Solver | Callable[..., Any]) -> Solver:
    """A solver by its name, by its place, or from a function.

    Parameters
    ----------
    name : str, Solver or callable
        A name, also with "+start" or "+conditions"; `module:function` or `file.py:function`; or a function
        `solve(objective, rng)`.

    Returns
    -------
    Solver

    Raises
    ------
    CpcbenchError
        For an unknown name, or one whose library is missing.
    """
    if isinstance(name, Solver):
        return name
    if callable(name):
        return as_solver(name)
    if not isinstance(name, str):
        raise UnknownNameError(f"a solver is asked for by its name, such as 'GA', not {name!r}")
    known = _ours(name)
    if known in OWN:
        found: Solver = importlib.import_module(OWN[known]).SOLVER
        return found
    if known is not None:
        return _outside(known)
    _load_plugins()
    if name in _registered:
        return _registered[name]
    base, plus, remedy = name.rpartition("+")
    if plus and remedy in REMEDIES:
        wrap = getattr(importlib.import_module("cpcbench.solvers.paper.remedies"), REMEDIES[remedy][0])
        wrapped: Solver = wrap(solver(base))
        return wrapped
    if ":" in name:
        return as_solver(from_place(name))
    names = solvers()
    close = difflib.get_close_matches(name, names, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    choices = f"{', '.join(names)}, each also with +start or +conditions, module:function or file.py:function"
    raise UnknownNameError(f"unknown solver {name!r}: there are {choices}{hint}")


def _ours(name: str) -> str | None:
    """The solver of this package that a name means, however it is spelled; None if there is none."""
    return next((known for known in (*OWN, *OUTSIDE) if known.upper() == name.strip().upper()), None)


def _outside(name: str) -> Solver:
    adapter = OUTSIDE[name]
    if not _installed(adapter):
        raise MissingExtraError(f'the solver {name} needs a library that is missing: pip install "cpcbench[{adapter}]"')
    table: dict[str, Solver] = importlib.import_module(f"cpcbench.solvers.adapters.{adapter}").SOLVERS
    return table[name]


def _installed(adapter: str) -> bool:
    return importlib.util.find_spec(LIBRARIES.get(adapter, adapter)) is not None


def register_solver(item: Solver | Callable[..., Any], *, replace: bool = False) -> Solver:
    """Makes a solver findable by its name, for this process.

    Parameters
    ----------
    item : Solver or callable
        A function `solve(objective, rng)` goes by its own name.
    replace : bool
        Whether it may take the place of a registered solver of the same name.

    Returns
    -------
    Solver

    Raises
    ------
    CpcbenchError
        If the name is taken.
    """
    found = as_solver(item)
    known = _ours(found.name)
    if known is not None:
        raise CpcbenchError(f"the name {found.name!r} means the solver {known}: choose another name")
    with _lock:
        if found.name in _registered and not replace:
            raise CpcbenchError(f"there is a solver {found.name} already: pass replace=True")
        _registered[found.name] = found
    return found


def as_solver(item: Solver | Callable[..., Any], name: str | None = None) -> Solver:
    """A function as a solver; attributes `undefined`, `budget` and `seconds` of it are its wishes."""
    if isinstance(item, Solver):
        return item
    wishes = {key: getattr(item, key) for key in ("undefined", "budget", "seconds") if hasattr(item, key)}
    return Solver(
        str(name or getattr(item, "__name__", type(item).__name__)), item, **{"budget": DEFAULT_BUDGET, **wishes}
    )


def from_place(place: str) -> Any:
    """What `package.module:name` or `path/file.py:name` names."""
    home, _, attribute = place.rpartition(":")
    module = _module(home, place)
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise UnknownNameError(f"{home} has no {attribute!r}") from None


def _module(home: str, place: str) -> Any:
    try:
        if not home.endswith(".py"):
            return importlib.import_module(home)
        path = Path(home).resolve()
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise ImportError(f"no such file: {home}")
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(path.stem, module)
        if str(path.parent) not in sys.path:  # as Python does for a script: files beside it, and worker processes
            sys.path.append(str(path.parent))
        spec.loader.exec_module(module)
        return module
    except SyntaxError as error:
        where = f"{error.filename}, line {error.lineno}: {error.msg}"
        raise CpcbenchError(f"{place!r} could not be loaded: {where}") from error
    except Exception as error:  # a user's module may raise anything while it is imported
        raise CpcbenchError(f"{place!r} could not be loaded: {error!r}") from error


def _load_plugins() -> None:
    global _plugins_loaded  # noqa: PLW0603
    with _lock:
        if _plugins_loaded:
            return
        _plugins_loaded = True
        for entry in entry_points(group=GROUP):
            try:
                found = as_solver(entry.load(), entry.name)
                if found.name not in _registered:  # what the user registered comes first
                    register_solver(found)
            except Exception as error:  # another package's code must not stop this one
                warnings.warn(f"the solver of entry point {entry.name!r} could not be loaded: {error!r}", stacklevel=2)
