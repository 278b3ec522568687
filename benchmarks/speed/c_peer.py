"""The exported C text, compiled here, as the yardstick the kernels are measured against."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cpcbench import Problem
from cpcbench.readings.text.languages.c import c_text

Floats = npt.NDArray[np.float64]
FLAGS = ["-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC"]

LOOP = """
void batch(const double *x, double *out, long count) {{
    for (long i = 0; i < count; i++) out[i] = f(x + i * {n});
}}
"""


def compiler() -> str | None:
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def c_batch(problem: Problem) -> Callable[[Floats], Floats] | None:
    """A function over many points compiled from the problem's C text; None without a compiler."""
    cc = compiler()
    if cc is None:
        return None
    text = c_text(problem.expression, "f", problem.lower.tolist(), problem.upper.tolist(), problem.rule)
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "f.c", Path(folder) / "f.so"
        source.write_text(text.replace("double f(", "static double f(") + LOOP.format(n=problem.dim))
        subprocess.run([cc, *FLAGS, str(source), "-o", str(library), "-lm"], check=True)
        batch = ctypes.CDLL(str(library)).batch
    pointer = np.ctypeslib.ndpointer(np.float64, flags="C_CONTIGUOUS")
    batch.argtypes = [pointer, pointer, ctypes.c_long]
    batch.restype = None

    def run(points: Floats) -> Floats:
        out = np.empty(len(points))
        batch(points, out, len(points))
        return out

    return run
