"""`python benchmarks/gpu/there.py FOLDER` on the machine with the card: values checked, draws counted, both timed."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from cpcbench.readings.gpu.device import cupy
from cpcbench.readings.gpu.draws import Draws, Stream
from cpcbench.readings.gpu.reading import GpuReading

SAMPLES = 5_000_000
RATE_POINTS = 2**34
VALUE_POINTS = 2**25


class Prepared(GpuReading):
    """The reading of a problem whose source was written beforehand."""

    def __init__(self, folder: Path, name: str, fact: dict[str, Any]) -> None:
        super().__init__(lambda: None)  # type: ignore[arg-type, return-value]
        self._folder, self._name, self._fact = folder, name, fact

    @property
    def dim(self) -> int:
        return int(self._fact["dim"])

    def source(self, stream: Stream = "philox") -> str:
        return (self._folder / "sources" / f"{self._name}.{stream}.cu").read_text(encoding="utf-8")


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """How long it takes until the card is done, and what it gave."""
    xp = cupy()
    xp.cuda.Device().synchronize()
    start = time.perf_counter()
    found = work()
    xp.cuda.Device().synchronize()
    return time.perf_counter() - start, found


def ulps(found: Any, expected: Any) -> tuple[float, int, int]:
    """The largest distance in units of the last place, how many values agree to the bit, and how many are disputed."""
    disputed = int((np.isnan(found) != np.isnan(expected)).sum())
    both = ~np.isnan(found) & ~np.isnan(expected)
    far = np.abs(found[both] - expected[both]) / np.spacing(np.abs(expected[both]))
    return float(far.max(initial=0.0)), int((far == 0.0).sum()), disputed


def checked(folder: Path, name: str, reading: Prepared) -> dict[str, Any]:
    """The values beside the reference, by kind of points: even, inside, at the edge."""
    kept = np.load(folder / f"{name}.npz")
    found = reading(kept["points"])
    each = len(found) // 3
    kinds = {}
    for place, kind in enumerate(("even", "inside", "edge")):
        part = slice(place * each, (place + 1) * each if place < 2 else None)
        worst, same, disputed = ulps(found[part], kept["reference"][part])
        defined = int((~np.isnan(kept["reference"][part])).sum())
        kinds[kind] = {"ulps": worst, "same": same, "defined": defined, "disputed": disputed}
    return kinds


def study(readings: dict[str, Prepared], facts: dict[str, Any]) -> tuple[float, dict[str, int]]:
    """The paper's feasible ratios: five times five million points of each problem, those that processors count."""

    def work() -> dict[str, int]:
        counts = {}
        for name, reading in readings.items():
            draws = reading.draws("splitmix")
            counts[name] = sum(draws.count(0, SAMPLES, key) for key in facts[name]["keys"])
        return counts

    work()
    return seconds(work)


def rates(reading: Prepared, points: int) -> dict[str, float]:
    """Points a second: counted, evaluated as they are drawn, evaluated from an array on the card."""
    xp = cupy()
    draws: Draws = reading.draws()
    draws.count(0, 2**28, 7)
    draws.survey(0, 2**28, 7)
    counted, _ = seconds(lambda: draws.count(2**40, points, 7))
    valued, _ = seconds(lambda: draws.survey(2**41, points // 4, 7))
    array = xp.asarray(draws.points(0, VALUE_POINTS, 11))
    reading(array)
    given, _ = seconds(lambda: [reading(array) for _ in range(10)])
    return {"count": points / counted, "survey": points // 4 / valued, "array": 10 * VALUE_POINTS / given}


def libraries(reading: Prepared, points: Any) -> dict[str, bool]:
    """Whether arrays of other libraries on the card are taken, with the same bits."""
    expected, found = reading(points), {}
    try:
        import torch

        values = reading(torch.from_numpy(points).cuda())
        found["torch"] = np.array_equal(values.cpu().numpy(), expected, equal_nan=True)
    except ImportError:
        pass
    try:
        import jax

        jax.config.update("jax_enable_x64", True)
        values = reading(jax.device_put(points, jax.devices("gpu")[0]))
        found["jax"] = isinstance(values, jax.Array) and np.array_equal(np.asarray(values), expected, equal_nan=True)
    except ImportError:
        pass
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--points", type=float, default=RATE_POINTS)
    parser.add_argument("--searches", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--long", nargs=2, metavar=("PROBLEM", "POINTS"), default=None)
    parser.add_argument("--output", type=Path, default=Path("gpu.json"))
    given = parser.parse_args()
    facts = json.loads((given.folder / "facts.json").read_text(encoding="utf-8"))
    facts = {name: fact for name, fact in facts.items() if given.only is None or name in given.only}
    xp = cupy()
    card = xp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    out: dict[str, Any] = {"card": card, "cupy": xp.__version__, "driver": xp.cuda.runtime.driverGetVersion()}
    print(out, flush=True)
    readings = {name: Prepared(given.folder, name, fact) for name, fact in facts.items()}
    took, _ = seconds(lambda: [(r.module("philox"), r.module("splitmix")) for r in readings.values()])
    print(f"{2 * len(readings)} modules compiled in {took:.1f} s", flush=True)
    out["compiled"] = took
    out["study"], counts = study(readings, facts)
    wrong = {
        n: (c, sum(facts[n]["hits"])) for n, c in counts.items() if facts[n]["hits"] and c != sum(facts[n]["hits"])
    }
    print(f"study: {out['study']:.3f} s; counts unlike the processor's: {wrong or 'none'}", flush=True)
    out["counts"] = counts
    out["problems"] = {}
    for name, reading in readings.items():
        found = {"check": checked(given.folder, name, reading), "rates": rates(reading, int(given.points))}
        out["problems"][name] = found
        shown = " ".join(f"{k} {v:.2e}" for k, v in found["rates"].items())
        kinds = " ".join(
            f"{k}: {v['same']}/{v['defined']} same, {v['ulps']:.3g} ulps, {v['disputed']} disputed;"
            for k, v in found["check"].items()
        )
        print(f"{name}: {shown} | {kinds}", flush=True)
        given.output.write_text(json.dumps(out))
    first = next(iter(readings))
    out["libraries"] = libraries(readings[first], np.load(given.folder / f"{first}.npz")["points"])
    print(out["libraries"], flush=True)
    for name, reading in readings.items() if given.searches else ():
        took, walked = seconds(lambda reading=reading: reading.search(given.searches))  # type: ignore[misc]
        entry = {"value": walked.value, "point": walked.point.tolist(), "starts": walked.starts, "seconds": took}
        out.setdefault("searches", {})[name] = entry
        print(f"{name}: {walked.value!r} from {walked.starts:,} starts in {took:.1f} s", flush=True)
    given.output.write_text(json.dumps(out))
    if given.long:
        name, points = given.long[0], int(float(given.long[1]))
        took, hits = seconds(lambda: readings[name].draws().count(0, points, 2024))
        out["long"] = {"problem": name, "points": points, "hits": hits, "seconds": took}
        print(out["long"], flush=True)
    given.output.write_text(json.dumps(out))


if __name__ == "__main__":
    main()
