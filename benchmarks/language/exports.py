"""Programs exported for single functions, run here: how far their values are from the kernels'."""

from __future__ import annotations

import importlib.util
import math
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.c_peer import c_batch
from cpcbench.errors import CpcbenchError, MissingExtraError
from cpcbench.points import Floats
from cpcbench.problems.problem import Problem
from cpcbench.studies.agreement import ulps_apart

OCTAVE = shutil.which("octave-cli") or shutil.which("octave")
SMALLEST = 2.3e-308
MOST = 99_999
"""Ulps are counted so far."""


def apart(ours: Floats, theirs: Floats) -> str:
    """The largest distance in ulps, and at how many points only one of the two is defined."""
    here, there = ~np.isnan(ours), ~np.isnan(theirs)
    both = here & there
    most = min(MOST, int(ulps_apart(ours[both], theirs[both]).max(initial=0)))
    disputed = int((here != there).sum())
    return f"{most}{'+' if most == MOST else ''}" + (f", {disputed} disputed" if disputed else "")


def by_c(problem: Problem, points: Floats) -> str:
    run = c_batch(problem)
    return "no compiler" if run is None else apart(problem(points), run(np.ascontiguousarray(points)))


def by_python(problem: Problem, points: Floats) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "exported.py"
        path.write_text(problem.export("python").text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("exported", path)
        if spec is None or spec.loader is None:
            raise CpcbenchError("the module is not found")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    function = getattr(module, problem.id)
    return apart(problem(points), np.array([function(point) for point in points.tolist()]))


def by_sympy(problem: Problem, points: Floats) -> str:
    """With 30 digits; where SymPy gives no real number there is none."""
    try:
        expression = problem.to_sympy()
    except MissingExtraError:
        return "not installed"
    except CpcbenchError:
        return "has none"
    import sympy

    symbols = [sympy.Symbol(name) for name in problem.names]
    values = []
    for point in points.tolist():
        numbers = [sympy.Rational(*value.as_integer_ratio()) for value in point]
        found: Any = expression.xreplace(dict(zip(symbols, numbers, strict=True)))
        found = found.doit().evalf(30, maxn=2000) if hasattr(found, "doit") else found
        values.append(float(found) if found.is_real and found.is_finite else math.nan)
    return apart(problem(points), np.array(values))


def by_jax(problem: Problem, points: Floats) -> str:
    """At points that are 0 or normal: XLA takes subnormal numbers for 0."""
    try:
        import jax
    except ImportError:
        return "not installed"
    jax.config.update("jax_enable_x64", True)
    points = points[((points == 0.0) | (np.abs(points) > SMALLEST)).all(axis=1)]
    return apart(problem(points), np.asarray(problem.as_jax()(points)))


def by_octave(problems: dict[str, tuple[Problem, Floats]]) -> dict[str, str]:
    """All at once, since it takes a second to start."""
    if OCTAVE is None:
        return dict.fromkeys(problems, "not installed")
    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for op, (problem, points) in problems.items():
            (Path(folder) / f"{problem.id}.m").write_text(problem.export("matlab").text, encoding="utf-8")
            np.savetxt(Path(folder) / f"{op}.txt", points, fmt="%.17g")
            lines.append(f"for x = load('{op}.txt')', printf('%.17g\\n', {problem.id}(x)); end")
        (Path(folder) / "all_of_them.m").write_text("\n".join(lines), encoding="utf-8")
        words = [OCTAVE, "--no-gui", "--quiet", "all_of_them.m"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    values = np.array([float(word) for word in done.stdout.split()])
    found, start = {}, 0
    for op, (problem, points) in problems.items():
        found[op] = apart(problem(points), values[start : start + len(points)])
        start += len(points)
    return found
