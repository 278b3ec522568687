"""What only POSIX has is used where it is there and not needed: import, evaluation, minimize and certify do without."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

HIDDEN = """
import os, signal, sys, types
import platformdirs, psutil, subprocess  # these look which system it is, and would be others elsewhere
sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=lambda *_: None)
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog"):
    sys.modules[name] = None
for name in ("fork", "forkpty", "killpg", "getpgrp", "getpgid", "setpgid", "setsid", "getuid", "geteuid", "getgid",
             "getegid", "fchmod", "fchown", "chown", "sched_getaffinity", "sched_setaffinity", "wait3", "wait4",
             "mkfifo", "nice", "O_NOFOLLOW", "O_CLOEXEC", "O_ASYNC", "O_NONBLOCK"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGALRM", "SIGHUP", "SIGUSR1", "pthread_sigmask", "setitimer", "ITIMER_REAL", "SIGCHLD"):
    if hasattr(signal, name):
        delattr(signal, name)
import multiprocessing
multiprocessing.get_all_start_methods = lambda: ["spawn"]
import cpcbench as cpc
"""
"""The beginning of a program that sees Python as it is on a system without these modules, functions and signals."""


def runs(program: str, folder: Path) -> list[str]:
    file = folder / "program.py"
    file.write_text(f"{HIDDEN}\nif __name__ == '__main__':\n{textwrap.indent(program, '    ')}")
    command = [sys.executable, "-W", "error", str(file)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_evaluating_and_minimising(tmp_path: Path) -> None:
    program = """
import math
p = cpc.problem("CPC-DF1")
x = p.published.points[0]
print(p(x) == p.reference(x), math.isnan(p([1e9, 1e9])), p.enclosure(x).defined)
print(cpc.verify(p, x).kind, len(p.conditions) > 0)
cost = lambda x: x[0] + math.sqrt(0.25 - x[0] ** 2)
found = cpc.minimize(cost, [(-3, 3)], budget=300, rng=1, log="log.csv")
print(found.fun < -0.4, found.nfev, len(cpc.read_log("log.csv")[0]) > 0)
"""
    assert runs(program, tmp_path) == ["True", "True", "True", "faithful", "True", "True", "300", "True"]


@pytest.mark.slow
def test_proving_and_checking(tmp_path: Path) -> None:
    program = """
p = cpc.parse("x1 + sqrt(1 - x1^2)", bounds=[(-1, 1)])
found = cpc.minimize(p, seconds=2)
proof = cpc.certify(p, seconds=20)
proof.save("mine.json.gz")
print(found.fun < -0.99, proof.gap < 1e-8, cpc.check("mine.json.gz", problem=p).accepted)
"""
    assert runs(program, tmp_path) == ["True", "True", "True"]


@pytest.mark.slow
def test_a_study(tmp_path: Path) -> None:
    program = """
records = cpc.run(["F138"], ["SA", "cpc"], 2, "study.db", budget=200, workers=1)
print(len(records), {r.status for r in records} <= {"budget", "finished"})
"""
    assert runs(program, tmp_path) == ["4", "True"]
