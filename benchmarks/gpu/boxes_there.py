"""`python benchmarks/gpu/boxes_there.py FOLDER` on the machine with the card: boxes a second, and trees of a proof."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.gpu.there import Prepared, seconds
from cpcbench.intervals.gpu.growing import Levels, grow
from cpcbench.readings.gpu.device import CardModule, cupy
from cpcbench.readings.gpu.draws import threads_of


def rates(folder: Path, name: str, fact: dict[str, Any]) -> dict[str, float]:
    """Boxes a second, and how the bounds compare with the processor's: how many are unlike by more than rounding."""
    xp = cupy()
    module = CardModule((folder / "sources" / f"{name}.boxes.cu").read_text(encoding="utf-8"))
    kept = np.load(folder / f"{name}.boxes.npz")
    low, high = xp.asarray(kept["low"]), xp.asarray(kept["high"])
    bound = xp.empty(len(low))
    module.launch("cpc_look", len(low), low, high, np.int64(len(low)), bound)
    found, expected = bound.get(), kept["bounds"]
    with np.errstate(invalid="ignore"):
        near = (found == expected) | (np.abs(found - expected) <= 1e-10 * (1.0 + np.abs(expected)))
    times = 500
    many_low, many_high = xp.tile(low, (times, 1)), xp.tile(high, (times, 1))
    count = len(many_low)
    out = xp.empty(count)

    def look(times: int) -> None:
        for _ in range(times):
            module.launch("cpc_look", threads_of(xp), many_low, many_high, np.int64(count), out)

    look(1)
    took, _ = seconds(lambda: look(3))
    return {"card": 3 * count / took, "processor": fact["processor"], "unlike": int((~near).sum())}


def lowest(reading: Prepared, low: float, high: float, points: int) -> tuple[float, float]:
    """The lowest value over one variable and where: the lowest of many points, and of finer and finer ones there."""
    x = reading.draws().low_points(0, points, 5, 500)[:, 0]
    width = 200.0 * (high - low) / points
    values = np.full(len(x), np.inf)
    for _ in range(14):
        near = (x[:, None] + np.linspace(-width, width, 2001)).clip(low, high)
        found = reading(near.reshape(-1, 1)).reshape(near.shape)
        found[np.isnan(found)] = np.inf
        place = found.argmin(axis=1)
        rows = np.arange(len(x))
        x, values = near[rows, place], found[rows, place]
        width /= 50.0
    best = int(values.argmin())
    return float(x[best]), float(values[best])


def packed(levels: Levels) -> dict[str, Any]:
    """Of a tree in one variable: which boxes were halved, as bits, and the last level."""
    halved = np.concatenate([level >= 0 for level in levels.axes[:-1]] or [np.empty(0, dtype=bool)])
    sizes = np.array([len(level) for level in levels.axes])
    return {"bits": np.packbits(halved), "sizes": sizes, "last": levels.axes[-1], "boxes": np.array(levels.boxes)}


def proven(folder: Path, fact: dict[str, Any], points: int, most: int, gap: float) -> tuple[dict[str, Any], Levels]:
    """The lowest value of a link, and the tree that proves it."""
    reading = Prepared(folder, fact["name"], {"dim": 1})
    box = fact["low"], fact["high"]
    searched, (x, value) = seconds(lambda: lowest(reading, *box, points))
    module = CardModule((folder / "sources" / f"{fact['name']}.boxes.cu").read_text(encoding="utf-8"))
    target = value - gap
    close = target + 1e-13 * (1.0 + abs(target))
    grow(module, *box, close, most=1000)
    took, levels = seconds(lambda: grow(module, *box, close, most=most))
    found = {"x": x, "value": value, "target": target, "nodes": levels.nodes, "left": levels.left}
    return {**fact, **found, "boxes": levels.boxes, "seconds": took, "searched": searched}, levels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", type=Path, default=Path())
    parser.add_argument("--points", type=float, default=2**35)
    parser.add_argument("--most", type=float, default=4e8)
    parser.add_argument("--gap", type=float, default=1e-8, help="how far below its lowest value a link's proof aims")
    parser.add_argument("--first", type=int, default=0, help="trees are kept of links from this variable on")
    given = parser.parse_args()
    out: dict[str, Any] = {"boxes": {}, "links": []}
    for name, fact in json.loads((given.folder / "boxes.json").read_text(encoding="utf-8")).items():
        found = out["boxes"][name] = rates(given.folder, name, fact)
        ratio = found["card"] / found["processor"]
        print(f"{name}: {found['card']:.2e} boxes/s, {ratio:.0f} x one thread, {found['unlike']} unlike", flush=True)
    for fact in json.loads((given.folder / "links.json").read_text(encoding="utf-8")):
        entry, levels = proven(given.folder, fact, int(given.points), int(given.most), given.gap)
        out["links"].append(entry)
        print(entry, flush=True)
        if fact["variable"] >= given.first:
            np.savez_compressed(given.output / f"{fact['name']}.npz", **packed(levels))
    (given.output / "boxes.json").write_text(json.dumps(out))


if __name__ == "__main__":
    main()
