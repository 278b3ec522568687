"""The fast reading: kernels compiled from the expression, kept on disk for later processes.

A kernel is one compiled function that evaluates any number of points, so a single point and a
batch run the very same instructions. Numba compiles, caches and calls it; a small generated module
in the cache folder gives Numba a file to hang its cache on.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.readings.lowering import Plan
from cpcbench.readings.walk import WALK

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

SOURCES = ("counting", "gradient", "kernels", "llvm", "lowering", "ranges", "requirements", "reference")
"""The modules that decide which instructions an expression becomes: a change in them is another kernel."""

CACHE_VARIABLE = "CPCBENCH_CACHE"

SOURCE = '''"""A kernel of cpcbench; made by the program, safe to delete."""

from numba import njit

from cpcbench.readings.kernels import point_function

point = point_function("{kind}", "{key}")


@njit("{signature}", nogil=True, cache=True)
def kernel(x, out):
    last = {initial}
    for i in range(out.size // {width}):
        last = point(x, i * {n}, out, i * {width})
    return last
'''

TALLIED = '''"""A kernel of cpcbench; made by the program, safe to delete."""

from numba import njit

from cpcbench.readings.kernels import point_function

point = point_function("boxed", "{key}")


@njit("UniTuple(int64, 2)(float64[::1], float64[::1], int64[::1], float64, float64)", nogil=True, cache=True)
def kernel(x, out, lows, least, substitute):
    undefined = improved = 0
    for i in range(out.size):
        value = point(x, i * {n}, out, i)
        if value < least:
            least = value
            lows[improved] = i
            improved += 1
        elif value != value:
            undefined += 1
            out[i] = substitute
    return undefined, improved
'''

COUNTED = '''"""A kernel of cpcbench; made by the program, safe to delete."""

from numba import njit

from cpcbench.readings.kernels import drawn_function

drawn = drawn_function("{key}")


@njit("int64(uint64, uint64, int64)", nogil=True, cache=True)
def kernel(state, step, count):
    found = 0
    for _ in range(count):
        found += drawn(state)
        state += step
    return found
'''

KINDS = {
    "value": ("float64(float64[::1], float64[::1])", "0.0"),
    "boxed": ("float64(float64[::1], float64[::1])", "0.0"),
    "admissible": ("boolean(float64[::1], boolean[::1])", "False"),
    "gradient": ("float64(float64[::1], float64[::1])", "0.0"),
    "violations": ("float64(float64[::1], float64[::1])", "0.0"),
}

MOST_THREADS = 256
"""However many are asked for: more never help, and the system refuses thousands."""

_loading = threading.Lock()


class FastReading:
    """The compiled kernels of one expression under one rule; each is built when first used."""

    def __init__(self, root: Expr, lower: Floats, upper: Floats, rule: str = "ieee") -> None:
        self.n = len(lower)
        self._root = root
        self._lower, self._upper, self._rule = lower, upper, rule
        self._scratch = np.empty(1)

    @cached_property
    def plan(self) -> Plan:
        with np.errstate(all="ignore"):  # whatever NumPy was told: a sample of the box decides the order of the tests
            return Plan(self._root, self._lower.tolist(), self._upper.tolist(), self._rule)

    def point(self, x: Floats) -> float:
        """The value at one point, a contiguous array of n doubles; NaN if undefined."""
        return self.kernel(x, self._scratch)

    @cached_property
    def kernel(self) -> Callable[[Floats, Floats], float]:
        """`kernel(points, out)` fills `out` from the flat `points` and returns the last value."""
        return self._load("value", 1)

    @cached_property
    def boxed(self) -> Callable[[Floats, Floats], float]:
        """As `kernel`, and NaN outside the box."""
        return self._load("boxed", 1)

    @cached_property
    def tallied(self) -> Callable[[Floats, Floats, npt.NDArray[np.int64], float, float], tuple[int, int]]:
        """As `boxed`, with the objective's bookkeeping done in passing.

        `tallied(points, out, lows, least, substitute)` writes `substitute` for undefined values and
        into `lows` the places of values below `least` and all before them; it returns the number of
        undefined values and of places.
        """
        return self.compiled("tallied", TALLIED.format(key=fingerprint(self.plan), n=self.n))

    @cached_property
    def counted(self) -> Callable[[int, int, int], int]:
        """`counted(state, step, count)`: how many of the points drawn from these states are admissible.

        A state is a place of the sequence in `readings.counting`; no point is ever stored.
        """
        return self.compiled("counted", COUNTED.format(key=fingerprint(self.plan)))

    def violations(self, points: Floats) -> Floats:
        """By how much each point misses each test, in the plan's order: 0 if it holds, NaN if it is undefined."""
        out = np.zeros((len(points), len(self.plan.tests)))
        if out.size:
            self._violations(points.reshape(-1), out.reshape(-1))
        return out

    @cached_property
    def walk(self) -> Callable[..., None]:
        """The kernel of multilevel splitting, described in `readings.walk`."""
        settings = {"key": fingerprint(self.plan), "n": self.n, "tests": len(self.plan.tests)}
        return self.compiled("walk", WALK.format(**settings))

    @cached_property
    def _violations(self) -> Callable[[Floats, Floats], float]:
        return self._load("violations", len(self.plan.tests))

    @cached_property
    def _admissible(self) -> Callable[[Floats, Flags], bool]:
        return self._load("admissible", 1)

    @cached_property
    def _gradient(self) -> Callable[[Floats, Floats], float]:
        return self._load("gradient", self.n)

    def batch(self, points: Floats, threads: int = 1) -> Floats:
        out = np.empty(len(points))
        self._run(self.kernel, points.reshape(-1), out, 1, threads)
        return out

    def admissible(self, points: Floats, threads: int = 1) -> Flags:
        out = np.empty(len(points), dtype=np.bool_)
        self._run(self._admissible, points.reshape(-1), out, 1, threads)
        return out

    def gradient(self, points: Floats, threads: int = 1) -> Floats:
        out = np.empty((len(points), self.n))
        self._run(self._gradient, points.reshape(-1), out.reshape(-1), self.n, threads)
        return out

    def _run(self, kernel: Callable[..., object], x: Floats, out: npt.NDArray[Any], width: int, threads: int) -> None:
        count = len(out) // width
        parts = min(threads, count, MOST_THREADS)
        if parts <= 1:
            kernel(x, out)
            return
        edges = [count * i // parts for i in range(parts + 1)]
        with ThreadPoolExecutor(parts) as pool:
            jobs = [
                pool.submit(kernel, x[a * self.n : b * self.n], out[a * width : b * width]) for a, b in pairwise(edges)
            ]
            for job in jobs:
                job.result()

    def _load(self, kind: str, width: int) -> Callable[..., Any]:
        signature, initial = KINDS[kind]
        settings = {"signature": signature, "initial": initial, "n": self.n, "width": width}
        return self.compiled(kind, SOURCE.format(kind=kind, key=fingerprint(self.plan), **settings))

    def compiled(self, kind: str, source: str) -> Callable[..., Any]:
        """The function `kernel` of a module with this text, which may ask `kernels` for functions of this formula."""
        from cpcbench.readings import kernels

        key = fingerprint(self.plan)
        with _loading, kernels.offered(key, self.plan):
            return _module(f"{kind}_{key}", source).kernel  # type: ignore[no-any-return]


def fingerprint(plan: Plan) -> str:
    """A name for the kernel: everything its instructions depend on, hashed."""
    order = postorder(plan.root)
    place = {id(node): i for i, node in enumerate(order)}
    digest = hashlib.sha256(f"{_sources()} {plan.rule}".encode())
    for node in order:
        digest.update(f"{node.op} {node.payload} {[place[id(a)] for a in node.args]};".encode())
    for test in plan.tests:
        digest.update(f"{test.relation} {[place[id(o)] for o in test.operands]};".encode())
    digest.update(repr([(a.hex(), b.hex()) for a, b in plan.box]).encode())
    return digest.hexdigest()[:32]


@lru_cache(maxsize=1)
def _sources() -> str:
    """The code that makes kernels, hashed."""
    folder = Path(__file__).parent
    return hashlib.sha256(b"".join((folder / f"{name}.py").read_bytes() for name in SOURCES)).hexdigest()


def cache_folder() -> Path:
    """Where kernels are kept: $CPCBENCH_CACHE, or the user's cache folder."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("cpcbench")


def _module(name: str, source: str) -> ModuleType:
    try:
        return _import(name, _write_once(cache_folder(), f"{name}.py", source))
    except Exception:  # a folder that cannot be written, or files broken by a crash: build it anew, unkept
        return _import(name, _write_once(_private_folder(), f"{name}.py", source))


def _import(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"cpcbench_kernel_{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # Numba looks its own cached functions up by module name
    spec.loader.exec_module(module)
    return module


@lru_cache(maxsize=1)
def _private_folder() -> Path:
    """A folder for this process alone, removed at its end."""
    folder = tempfile.mkdtemp(prefix="cpcbench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _write_once(folder: Path, name: str, text: str) -> Path:
    """Writes the file whole or not at all; an existing one with this text stays as it is."""
    path = folder / name
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return path
    folder.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    Path(temporary).replace(path)
    return path
