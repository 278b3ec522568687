"""A zoo of solvers that go wrong, each in one way, beside one that behaves."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

Result = SimpleNamespace  # as SciPy's OptimizeResult, without the wait for its import


def behaves(objective: Any, rng: np.random.Generator) -> Result:
    for _ in range(5):
        objective(rng.uniform(objective.lower, objective.upper, (100, objective.dim)))
    return Result(x=objective.best_x, fun=objective.best_value)


def look(objective: Any, rng: np.random.Generator) -> Result:
    """A short honest part, so that there is something to lose."""
    objective(rng.uniform(objective.lower, objective.upper, (50, objective.dim)))
    return Result(x=objective.best_x, fun=objective.best_value)


# They raise


def raises(objective: Any, rng: np.random.Generator) -> NoReturn:
    look(objective, rng)
    raise ValueError("a solver may fail")


def interrupts_itself(objective: Any, rng: np.random.Generator) -> NoReturn:
    look(objective, rng)
    raise KeyboardInterrupt


def leaves(objective: Any, rng: np.random.Generator) -> NoReturn:
    raise SystemExit(3)


def ends_a_generator(objective: Any, rng: np.random.Generator) -> NoReturn:
    raise GeneratorExit


def recurses(objective: Any, rng: np.random.Generator) -> Any:
    return recurses(objective, rng)


class Unspeakable(Exception):  # noqa: N818
    def __str__(self) -> str:
        raise RuntimeError("no words")


def unspeakable(objective: Any, rng: np.random.Generator) -> NoReturn:
    raise Unspeakable


def verbose(objective: Any, rng: np.random.Generator) -> NoReturn:
    raise ValueError("\udcff\0" + "a" * 10_000_000)


def warned(objective: Any, rng: np.random.Generator) -> NoReturn:
    warnings.simplefilter("error")
    warnings.warn("this is an error now", stacklevel=1)
    raise AssertionError


def misuses(objective: Any, rng: np.random.Generator) -> Any:
    return objective(np.zeros(objective.dim + 1))


# They do not come back


def hangs(objective: Any, rng: np.random.Generator) -> NoReturn:
    look(objective, rng)
    while True:
        pass


def hangs_in_native_code(objective: Any, rng: np.random.Generator) -> NoReturn:
    look(objective, rng)
    while True:
        ctypes.PyDLL(None).sleep(600)  # the interpreter's lock is not released


def swallows_the_stop(objective: Any, rng: np.random.Generator) -> NoReturn:
    while True:
        with contextlib.suppress(BaseException):
            look(objective, rng)


def patient(objective: Any, rng: np.random.Generator) -> NoReturn:
    """Well behaved: it asks the objective, which stops it in time."""
    while True:
        look(objective, rng)


# They take the process with them


def exits(objective: Any, rng: np.random.Generator) -> NoReturn:
    look(objective, rng)
    os._exit(3)


def segfaults(objective: Any, rng: np.random.Generator) -> Any:
    look(objective, rng)
    return ctypes.string_at(0)


def aborts(objective: Any, rng: np.random.Generator) -> NoReturn:
    os.abort()


def closes_everything(objective: Any, rng: np.random.Generator) -> Any:
    os.closerange(0, 256)
    return look(objective, rng)


# They take too much


def eats_memory(objective: Any, rng: np.random.Generator) -> NoReturn:
    look(objective, rng)
    kept = []
    while True:
        kept.append(np.ones(1_000_000))


def wants_a_giant(objective: Any, rng: np.random.Generator) -> Any:
    look(objective, rng)
    return np.zeros(2**40)


def feeds_processes(objective: Any, rng: np.random.Generator) -> NoReturn:
    """Each of them is small enough."""
    program = "import time; kept = b'x' * 160_000_000; time.sleep(613)"
    for _ in range(2):
        subprocess.Popen([sys.executable, "-c", program])
    time.sleep(600)
    raise AssertionError


# They return something else


def returns_garbage(objective: Any, rng: np.random.Generator) -> str:
    return "no result"


def returns_wrong_shape(objective: Any, rng: np.random.Generator) -> Result:
    return Result(x=np.zeros(objective.dim + 1), fun=0.0)


def returns_complex(objective: Any, rng: np.random.Generator) -> Result:
    return Result(x=np.full(objective.dim, 1 + 2j), fun=0.0)


def returns_text(objective: Any, rng: np.random.Generator) -> Result:
    return Result(x=["1.5"] * objective.dim, fun=0.0)


def returns_a_trap(objective: Any, rng: np.random.Generator) -> Any:
    class Trap:
        @property
        def x(self) -> NoReturn:
            raise ZeroDivisionError

    return Trap()


def returns_nan(objective: Any, rng: np.random.Generator) -> Result:
    return Result(x=np.full(objective.dim, np.nan), fun=np.nan)


def returns_outside(objective: Any, rng: np.random.Generator) -> Result:
    return Result(x=objective.upper + 1.0, fun=0.0)


def lies(objective: Any, rng: np.random.Generator) -> Result:
    return Result(x=look(objective, rng).x, fun=-1e9)


# They reach for what is not theirs


def writes_into_the_box(objective: Any, rng: np.random.Generator) -> Any:
    objective.lower[:] = 0.0
    return look(objective, rng)


def opens_the_box(objective: Any, rng: np.random.Generator) -> Any:
    """Every array it can reach is made writable and overwritten."""
    for array in (objective.problem.lower, objective.problem.upper):
        array.flags.writeable = True
        array[:] = 0.25
    objective.bounds[:] = []
    objective.evaluations, objective.trajectory = -5, ["nonsense"]
    return Result(x=np.full(objective.dim, 0.25), fun=0.0)


def spoils_the_best(objective: Any, rng: np.random.Generator) -> NoReturn:
    look(objective, rng)
    objective.best_x[:] = np.nan
    objective.best_value = -1e9
    raise ValueError("after spoiling")


def uses_global_random(objective: Any, rng: np.random.Generator) -> Result:
    points = np.random.uniform(objective.lower, objective.upper, (50, objective.dim))  # noqa: NPY002
    points[0] = objective.lower + random.random() * (objective.upper - objective.lower)  # noqa: S311
    objective(points)
    return Result(x=objective.best_x, fun=objective.best_value)


def replaces_global_random(objective: Any, rng: np.random.Generator) -> Result:
    np.random.set_bit_generator(np.random.PCG64(1))  # type: ignore[attr-defined]
    random.seed(0)
    return look(objective, rng)


def prints(objective: Any, rng: np.random.Generator) -> Result:
    print("hello" * 1000)
    print("hello", file=sys.stderr)
    os.write(1, b"cpcbench" + b"\xff" * 5000)
    os.write(2, b"native")
    ctypes.CDLL(None).puts(b"from C")
    ctypes.CDLL(None).fflush(None)
    return look(objective, rng)


def closes_output(objective: Any, rng: np.random.Generator) -> Result:
    sys.stdout.close()
    for descriptor in range(3):
        os.close(descriptor)
    return look(objective, rng)


def rearranges(objective: Any, rng: np.random.Generator) -> Result:
    """Leaves the process another place than it found it."""
    os.chdir("/")
    os.environ.clear()
    sys.path.clear()
    sys.setrecursionlimit(60)
    gc.disable()
    np.seterr(all="raise")
    warnings.simplefilter("error")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    return Result(x=objective.best_x, fun=objective.best_value)


def surroundings_are_kept(objective: Any, rng: np.random.Generator) -> Result:
    """Not hostile: it looks whether another one has left its traces."""
    print("still possible")
    time.sleep(0.4)  # an alarm that was left behind would ring
    assert sys.path
    assert os.environ
    assert Path.cwd() != Path("/")
    assert sys.getrecursionlimit() > 500
    assert gc.isenabled()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert np.geterr()["invalid"] != "raise"
    assert isinstance(np.random.get_bit_generator(), np.random.MT19937)  # type: ignore[attr-defined]
    return look(objective, rng)


def breaks_numpy(objective: Any, rng: np.random.Generator) -> NoReturn:
    """Breaks what the record of its own run needs."""
    look(objective, rng)
    np.asarray = np.array = np.random.SeedSequence = None  # type: ignore[assignment,misc]
    raise ValueError("after breaking")


def leaves_processes(objective: Any, rng: np.random.Generator) -> Result:
    for _ in range(3):
        subprocess.Popen(["sleep", "613"])
    return look(objective, rng)


def leaves_a_thread(objective: Any, rng: np.random.Generator) -> Result:
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    return look(objective, rng)


def forks(objective: Any, rng: np.random.Generator) -> Result:
    """Two processes come back from one run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the process has threads
        copy = os.fork()
    return Result(x=None, fun=None) if copy == 0 else look(objective, rng)


# What each of them is recorded as

EXPECTED = {
    "behaves": "finished",
    "surroundings_are_kept": "finished",
    "raises": "failed",
    "interrupts_itself": "failed",
    "leaves": "failed",
    "ends_a_generator": "failed",
    "recurses": "failed",
    "unspeakable": "failed",
    "verbose": "failed",
    "warned": "failed",
    "misuses": "failed",
    "hangs": "hung",
    "hangs_in_native_code": "hung",
    "swallows_the_stop": "hung",
    "patient": "time",
    "exits": "crashed",
    "segfaults": "crashed",
    "aborts": "crashed",
    "closes_everything": "crashed",
    "eats_memory": "memory",
    "wants_a_giant": "memory",
    "feeds_processes": "memory",
    "returns_garbage": "failed",
    "returns_wrong_shape": "failed",
    "returns_complex": "failed",
    "returns_text": "failed",
    "returns_a_trap": "failed",
    "returns_nan": "finished",
    "returns_outside": "finished",
    "lies": "finished",
    "writes_into_the_box": "failed",
    "opens_the_box": "finished",
    "spoils_the_best": "failed",
    "uses_global_random": "finished",
    "replaces_global_random": "finished",
    "prints": "finished",
    "closes_output": "finished",
    "rearranges": "finished",
    "breaks_numpy": "failed",
    "leaves_processes": "finished",
    "leaves_a_thread": "finished",
    "forks": "finished",
}

for _name in EXPECTED:
    globals()[_name].budget = 10**9
