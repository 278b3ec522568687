"""The fast reading: kernels compiled from the expression, kept on disk for later processes.

A kernel is one compiled function that evaluates any number of points, so a single point and a
batch run the very same instructions. Numba compiles and calls it, as the function `kernel` of a
small module made from one of the texts below.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cpcbench.expr.nodes import Expr
from cpcbench.expr.walk import postorder
from cpcbench.points import Flags, Floats
from cpcbench.readings.doubles.lowering import Plan

SOURCES = (
    "doubles/kernels", "doubles/llvm", "doubles/lowering", "doubles/ranges", "domain/requirements",
    "gradient", "reals/reference", "../expr/walk", "doubles/filter/vectors", "doubles/filter/known",
    "doubles/filter/operations", "doubles/filter/lanes", "doubles/filter/kernels",
    "doubles/filter/usual", "doubles/filter/stages",
)  # fmt: skip
"""The modules that decide which instructions an expression becomes: a change in them is another kernel."""

SOURCE = '''"""A kernel of cpcbench."""

from cpcbench.readings.doubles.kernels import {kind}_function, point_function

SIGNATURE = "{signature}"
point = point_function({kind}_function, "{key}")


def kernel(x, out):
    last = {initial}
    for i in range(out.size // {width}):
        last = point(x, i * {n}, out, i * {width})
    return last
'''

TALLIED = '''"""A kernel of cpcbench."""

from cpcbench.readings.doubles.kernels import boxed_function, point_function

SIGNATURE = "UniTuple(int64, 2)(float64[::1], float64[::1], int64[::1], float64, float64)"
point = point_function(boxed_function, "{key}")


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

KINDS = {
    "value": ("float64(float64[::1], float64[::1])", "0.0"),
    "boxed": ("float64(float64[::1], float64[::1])", "0.0"),
    "admissible": ("boolean(float64[::1], boolean[::1])", "False"),
    "gradient": ("float64(float64[::1], float64[::1])", "0.0"),
    "violations": ("float64(float64[::1], float64[::1])", "0.0"),
}

FEW = 1024
"""A batch of fewer points goes straight to the kernel."""
SOME, MANY = 2**18, 2**24
"""After so many points in larger batches a filter is taken if it was kept, and compiled if not."""

MOST_THREADS = 256
"""However many are asked for: more never help, and the system refuses thousands."""

_loading = threading.RLock()
"""Numba is imported, compiles and loads what was kept in one thread at a time."""


class FastReading:
    """The compiled kernels of one expression under one rule; each is built when first used."""

    def __init__(self, root: Expr, lower: Floats, upper: Floats, rule: str = "ieee") -> None:
        self.n = len(lower)
        self._root = root
        self._lower, self._upper, self._rule = lower, upper, rule
        self._scratch = np.empty(1)
        self._compiled: dict[str, Callable[..., Any]] = {}
        self._asked: dict[str, int] = {}
        self._filters: dict[str, Callable[..., Any] | None] = {}

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
        return self.compiled("tallied", TALLIED)

    def violations(self, points: Floats) -> Floats:
        """By how much each point misses each test, in the plan's order: 0 if it holds, NaN if it is undefined."""
        out = np.zeros((len(points), len(self.plan.tests)))
        if out.size:
            self._violations(points.reshape(-1), out.reshape(-1))
        return out

    @cached_property
    def _violations(self) -> Callable[[Floats, Floats], float]:
        return self._load("violations", len(self.plan.tests))

    @cached_property
    def admissibility(self) -> Callable[[Floats, Flags], bool]:
        """As `kernel`, for whether the value is defined."""
        return self._load("admissible", 1)

    @cached_property
    def _gradient(self) -> Callable[[Floats, Floats], float]:
        return self._load("gradient", self.n)

    def batch(self, points: Floats, threads: int = 1) -> Floats:
        out = np.empty(len(points))
        self._run(self._for("value", len(points)) or self.kernel, points.reshape(-1), out, 1, threads)
        return out

    def admissible(self, points: Floats, threads: int = 1) -> Flags:
        out = np.empty(len(points), dtype=np.bool_)
        self._run(self._for("admissible", len(points)) or self.admissibility, points.reshape(-1), out, 1, threads)
        return out

    def _for(self, kind: str, count: int) -> Callable[..., Any] | None:
        """The kernel with a filter, if so many points were asked for that it is worth its compilation."""
        if count < FEW:
            return None
        before, now = self._asked.get(kind, 0), self._asked.get(kind, 0) + count
        self._asked[kind] = now
        if before < SOME <= now or before < MANY <= now:
            self._filters[kind] = self.filtered(kind, kept=now < MANY)
        return self._filters.get(kind)

    def filtered(self, kind: str, *, kept: bool = False) -> Callable[..., Any] | None:
        """The kernel of values or of admissibility for large batches, of the same bits: a filter goes before it.

        None where the filter could decide nothing, or, if so wanted, where none was `kept` on disk.
        """
        with _loading:
            from cpcbench.readings.doubles.filter import kernels

            use = kernels.use(self.plan)
            if not (use.rejects or (use.certain and kind == "admissible")):
                return None
            text = kernels.text(self.plan, kind, *KINDS[kind])
            return (self.compiled_before if kept else self.compiled)(f"filtered.{kind}", text)

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
        return self.compiled(kind, SOURCE, kind=kind, signature=signature, initial=initial, width=width)

    def compiled(self, name: str, source: str, made_by: str | None = None, **settings: object) -> Callable[..., Any]:
        """The function `kernel` of a module with this text, which may ask `kernels` for functions of this formula.

        `{key}` and `{n}` in the text stand for the formula and its number of variables, other words for the settings.
        A file that writes functions of its own is `made_by`: a change in it is another kernel, too.
        """
        key, text = self._text(source, made_by, settings)
        with _loading:
            if text not in self._compiled:
                from cpcbench.readings.doubles import kernels
                from cpcbench.readings.doubles.compiling import kernel_of

                with kernels.offered(key, self.plan):
                    self._compiled[text] = kernel_of(f"{name}_{key}", text)
            return self._compiled[text]

    def compiled_before(
        self, name: str, source: str, made_by: str | None = None, **settings: object
    ) -> Callable[..., Any] | None:
        """The same if it was compiled before, here or in another process; None if that is still to be done."""
        key, text = self._text(source, made_by, settings)
        with _loading:
            from cpcbench.readings.doubles.compiling import is_kept

            there = text in self._compiled or is_kept(f"{name}_{key}", text)
            return self.compiled(name, source, made_by, **settings) if there else None

    def _text(self, source: str, made_by: str | None, settings: dict[str, object]) -> tuple[str, str]:
        key = fingerprint(self.plan)
        text = source.format(key=key, n=self.n, **settings)
        if made_by is not None:
            text += f"# {hashlib.sha256(Path(made_by).read_bytes()).hexdigest()}\n"
        return key, text


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
    folder = Path(__file__).parents[1]
    return hashlib.sha256(b"".join((folder / f"{name}.py").read_bytes() for name in SOURCES)).hexdigest()
