"""The reading of a formula on a card: values of arrays that are there, and drawn points counted without being kept."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cpcbench.errors import CpcbenchError, PointError
from cpcbench.points import as_points
from cpcbench.readings.gpu.device import CardModule
from cpcbench.readings.gpu.draws import STREAMS, Draws, Module, Stream, threads_of
from cpcbench.readings.gpu.walks import Walked, walk

if TYPE_CHECKING:
    from cpcbench.readings.doubles.lowering import Plan

IMPORTERS = {"jax": "jax.dlpack", "jaxlib": "jax.dlpack", "torch": "torch"}
"""Where a library takes arrays of others."""


class GpuReading:
    """The kernels of one formula on a card; each module is built when first used."""

    def __init__(
        self, plan: Callable[[], Plan], names: tuple[str, ...] = (), build: Callable[[str], Module] | None = None
    ) -> None:
        self._make_plan, self._names, self._build = plan, names, build
        self._modules: dict[str, Module] = {}

    @cached_property
    def plan(self) -> Plan:
        return self._make_plan()

    @property
    def dim(self) -> int:
        return len(self.plan.lower)

    def source(self, stream: Stream = "philox") -> str:
        """The CUDA source, for anyone to read or to compile."""
        from cpcbench.readings.gpu.source import cuda_source

        return cuda_source(self.plan, stream)

    def module(self, stream: Stream = "philox") -> Module:
        if stream not in STREAMS:
            raise CpcbenchError(f"points are drawn by {' or '.join(STREAMS)}, not {stream!r}")
        if stream not in self._modules:
            self._modules[stream] = (self._build or CardModule)(self.source(stream))
        return self._modules[stream]

    # Points that are given

    def __call__(self, points: Any) -> Any:
        """The values in doubles of points whose last axis is the point; NaN where undefined.

        Arrays of CuPy, and of JAX or PyTorch on a card, stay there, and the values are an array of the same library;
        all else goes to the card and comes back as NumPy's.
        """
        module = self.module()
        if isinstance(points, module.xp.ndarray) and module.xp is not np:
            return self._values(module, points)
        if hasattr(points, "__dlpack__") and not isinstance(points, np.ndarray):
            return self._of_another_library(module, points)
        given = as_points(points, self.dim, self._names or None)
        found = self._values(module, module.xp.asarray(given))
        values = found if module.xp is np else found.get()
        return float(values) if given.ndim == 1 else values

    def _of_another_library(self, module: Module, points: Any) -> Any:
        found = self._values(module, module.xp.from_dlpack(points))
        library = IMPORTERS.get(type(points).__module__.partition(".")[0])
        return found if library is None else importlib.import_module(library).from_dlpack(found)

    def _values(self, module: Module, points: Any) -> Any:
        xp = module.xp
        if points.dtype != np.float64:
            raise PointError(f"points on a card are doubles here, not {points.dtype}")
        if not points.shape or points.shape[-1] != self.dim:
            raise PointError(
                f"points here have {self.dim} coordinates: expected shape (..., {self.dim}), got {points.shape}"
            )
        points = xp.ascontiguousarray(points)
        out = xp.empty(points.shape[:-1])
        if out.size:
            module.launch("cpc_values", min(out.size, threads_of(xp)), points, out, np.int64(out.size))
        return out

    # Points that are drawn

    def draws(self, stream: Stream = "philox") -> Draws:
        """Drawn points: looked at, counted or evaluated by their numbers."""
        return Draws(self.module(stream), self.dim)

    def search(self, seconds: float, key: int = 0, steps: int = 1000) -> Walked:
        """The lowest point of many short searches, each from an admissible point that is drawn."""
        return walk(self.module(), self.dim, key, seconds, steps=steps)
