"""`python -m benchmarks.gpu FOLDER` writes sources and points for `python benchmarks/gpu/there.py FOLDER` on a card.

The machine with the card needs NumPy and CuPy, and this repository for the few files that launch kernels; all that
reads formulas is done here.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

import cpcbench as cpc
from benchmarks.gpu.links import links_of
from cpcbench.intervals.boxes import lower_bounds
from cpcbench.intervals.gpu.source import boxes_source
from cpcbench.intervals.tape import Tape
from cpcbench.readings.gpu.draws import STREAMS
from cpcbench.readings.gpu.source import cuda_source
from cpcbench.sampling.points import admissible_points, boundary_points
from cpcbench.studies.feasible.draws import drawn_points, state_of, stream

REPEATS, SAMPLES = 5, 5_000_000
EACH = 1000
"""Points of each kind: drawn evenly, admissible, and at the edge of the domain to the last bits."""


def prepare(folder: Path, ids: list[str], counted: bool) -> None:
    (folder / "sources").mkdir(parents=True, exist_ok=True)
    facts = {}
    for name in ids:
        problem = cpc.problem(name)
        for way in STREAMS:
            text = cuda_source(problem.fast.plan, way)
            (folder / "sources" / f"{name}.{way}.cu").write_text(text, encoding="utf-8")
        keys = [stream(problem, 0, repeat) for repeat in range(REPEATS)]
        hits = [_hits(problem, key) for key in keys] if counted else None
        facts[name] = {"dim": problem.dim, "keys": keys, "hits": hits, "box": problem.bounds}
        rng = np.random.default_rng(1)
        kinds = [drawn_points(problem, 1, 0, 0, EACH), admissible_points(problem, EACH, rng)]
        points = np.concatenate([*kinds, boundary_points(problem, EACH, rng)])
        np.savez(folder / f"{name}.npz", points=points, reference=problem.reference(points), fast=problem(points))
        print(name, flush=True)
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")


def _hits(problem: cpc.Problem, key: int) -> int:
    from cpcbench.studies.feasible.counting import counted

    state, step = state_of(key, 0, problem.dim)
    return counted(problem)(state, step, SAMPLES)


def prepare_boxes(folder: Path, ids: list[str]) -> None:
    """Tapes, some boxes with the bounds that the processor finds, and how many a second one thread of it looks at."""
    (folder / "sources").mkdir(parents=True, exist_ok=True)
    facts = {}
    for name in ids:
        problem = cpc.problem(name)
        tape = Tape.of_formula(problem.expression, problem.dim)
        text = boxes_source(tape, problem.lower.tolist(), problem.upper.tolist())
        (folder / "sources" / f"{name}.boxes.cu").write_text(text, encoding="utf-8")
        low, high = _some_boxes(problem, 20_000)
        lower_bounds(tape, low[:1], high[:1], slopes=False)
        start = time.perf_counter()
        bounds, _ = lower_bounds(tape, low, high, slopes=False)
        facts[name] = {"dim": problem.dim, "processor": len(low) / (time.perf_counter() - start)}
        np.savez(folder / f"{name}.boxes.npz", low=low, high=high, bounds=bounds)
    (folder / "boxes.json").write_text(json.dumps(facts), encoding="utf-8")


def _some_boxes(problem: cpc.Problem, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Around even draws, of all sizes."""
    rng = np.random.default_rng(2)
    middle = rng.uniform(problem.lower, problem.upper, (count, problem.dim))
    width = (problem.upper - problem.lower) * 10.0 ** rng.uniform(-5.0, 0.0, (count, 1))
    return np.maximum(middle - width, problem.lower), np.minimum(middle + width, problem.upper)


def prepare_proof(folder: Path, name: str, n: int) -> None:
    """The links of a sum: kernels for points, and for boxes."""
    facts = []
    for link in links_of(cpc.problem(name, n=n)):
        word = f"{name}.link{link.variable}"
        plan = cpc.Problem("link", link.formula, [link.low], [link.high], rule="strict").fast.plan
        (folder / "sources" / f"{word}.philox.cu").write_text(cuda_source(plan), encoding="utf-8")
        text = boxes_source(link.tape, [link.low], [link.high])
        (folder / "sources" / f"{word}.boxes.cu").write_text(text, encoding="utf-8")
        facts.append({"name": word, "low": link.low, "high": link.high, "variable": link.variable})
    (folder / "links.json").write_text(json.dumps(facts), encoding="utf-8")


BOXES = [f"CPC-DF{i}" for i in (1, 3, 4, 7, 9, 12, 19, 20, 21, 24, 25)]

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--no-counts", action="store_true", help="leave out the counts on the processor (a minute)")
    parser.add_argument("--proof", type=int, metavar="N", help="only what the proof of CPC-DF7 with N variables needs")
    given = parser.parse_args()
    if given.proof is None:
        prepare(given.folder, [f"CPC-DF{i}" for i in range(1, 26)], not given.no_counts)
    prepare_boxes(given.folder, BOXES if given.proof is None else [])
    prepare_proof(given.folder, "CPC-DF7", given.proof or 8)
