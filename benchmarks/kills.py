"""`python -m benchmarks.kills`: one study, killed a hundred times at random moments, beside one left in peace.

Each time the command is started anew and, a moment later, either it alone, one of its workers, or all of them
get kill -9. In the end the killed study must hold every run exactly once, equal to the undisturbed study's.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store.store import Store, same_run

PROBLEMS = "CPC-DF1,CPC-DF8,CPC-DF9,CPC-DF14,CPC-DF17,CPC-DF24"
SOLVERS = "GA,SA,GPSO"
TARGETS = ("parent", "worker", "all")


def command(store: Path, runs: int) -> list[str]:
    words = ["run", "--problems", PROBLEMS, "--solvers", SOLVERS, "--runs", str(runs), "--workers", "2"]
    return [sys.executable, "-m", "cpcbench", *words, "--store", str(store)]


def kill(parent: psutil.Popen, target: str) -> bool:
    """kill -9 of the parent, one worker, or everything; False if there was nothing left to kill."""
    with contextlib.suppress(psutil.NoSuchProcess):
        workers = parent.children(recursive=True)
        victims = {"parent": [parent], "worker": workers[:1], "all": [parent, *workers]}[target]
        for victim in victims:
            with contextlib.suppress(psutil.NoSuchProcess):
                victim.kill()
        return bool(victims) and parent.poll() in (None, -9)
    return False


def kept(store: Path) -> int:
    if not store.exists() or store.stat().st_size == 0:
        return 0
    try:
        with Store(store) as study:
            return len(study)
    except CpcbenchError:  # killed before the study was begun in the file
        return 0


def wait(process: psutil.Popen, store: Path, before: int, dice: random.Random) -> None:
    """Half of the kills come while the study starts, half of them a moment after it has written a run."""
    if dice.random() < 0.5:
        time.sleep(dice.uniform(0.0, 3.0))
        return
    end = time.monotonic() + 60.0
    while process.poll() is None and time.monotonic() < end and kept(store) == before:
        time.sleep(0.02)
    time.sleep(dice.uniform(0.0, 0.5))


def disturbed(store: Path, runs: int, kills: int, seed: int) -> Counter[str]:
    """Starts the study again and again until it was killed often enough; returns who was killed how often."""
    dice, done = random.Random(seed), Counter[str]()  # noqa: S311
    before = 0
    while done.total() < kills:
        process = psutil.Popen(command(store, runs), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        target = dice.choice(TARGETS)
        wait(process, store, before, dice)
        if process.poll() == 0:
            raise SystemExit(f"the study ended after {done.total()} kills: give it more --runs")
        if kill(process, target):
            done[target] += 1
        if target == "worker":  # the study survives a worker's death by itself; it is stopped a little later
            time.sleep(dice.uniform(0.0, 1.0))
            process.kill()
        process.wait()
        now = kept(store)
        if now < before:
            raise SystemExit(f"runs were lost: {before} before the kill, {now} after it")
        before = now
        if done.total() % 10 == 0:
            print(f"{done.total()} kills, {now} runs kept", flush=True)
    return done


def compare(killed: Path, calm: Path) -> str | None:
    """What differs between the two studies, or None."""
    with Store(killed) as a, Store(calm) as b:
        mine, theirs = list(a.records()), list(b.records())
    if len(mine) != len(theirs):
        return f"{len(mine)} runs after the kills, {len(theirs)} without"
    for x, y in zip(mine, theirs, strict=True):
        if not same_run(x, y):
            return f"{x.problem} {x.solver} run {x.run} is not the same: {x.status} {x.reference!r}, {y.reference!r}"
    return None


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--kills", type=int, default=100)
    options.add_argument("--runs", type=int, default=40)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        killed, calm = Path(folder, "killed.db"), Path(folder, "calm.db")
        counts = disturbed(killed, given.runs, given.kills, given.seed)
        for store in (killed, calm):
            subprocess.run(command(store, given.runs), check=True, stdout=subprocess.DEVNULL)
        wrong = compare(killed, calm)
        who = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
        if wrong:
            raise SystemExit(f"after {counts.total()} kills ({who}): {wrong}")
        print(f"{counts.total()} kills ({who}): all {kept(calm)} runs are there once, the same as without kills")


if __name__ == "__main__":
    main()
