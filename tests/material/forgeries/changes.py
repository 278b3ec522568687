"""Ways to forge a certificate: each changes a copy in place, at random, and may leave it true, false or nonsense."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

from tests.material.forgeries import nasty
from tests.material.forgeries.cases import Case, Data, cases

Change = Callable[[Data, Case, random.Random], None]
Place = tuple[Any, Any]
"""A list or an object, and the index or key of an entry."""

PROOF = ("lower", "upper", "attained", "optima")


def places(data: Any) -> Iterator[Place]:
    """Every entry inside a value, however deep."""
    waiting = [data]
    while waiting:
        part = waiting.pop()
        keys: Any = part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        for key in keys:
            yield part, key
            waiting.append(part[key])


def _in_proof(data: Data) -> list[Place]:
    return [place for name in PROOF if data.get(name) is not None for place in places({name: data[name]})]


def trees(data: Data) -> list[Place]:
    return [(part, key) for part, key in _in_proof(data) if key == "tree" and isinstance(part[key], str)]


def _ends(tokens: list[str]) -> list[int] | None:
    """For each token the end of its part; None if it is no tree."""
    ends = [0] * (len(tokens) + 1)
    for start in reversed(range(len(tokens))):
        end = start + 1
        for _ in range({"s": 2, "t": 2, "l": 1, "h": 1}.get(tokens[start][:1], 0)):
            if end >= len(tokens):
                return None
            end = ends[end]
        ends[start] = end
    return ends


def _token(r: random.Random) -> str:
    axis = r.randrange(3)
    return r.choice(
        [
            ".", "m", "m:0", "m:1", "m:0.5", "m:1e3", "m:1,1", "m:0,0,2.5", "c:0", _convex(r, 2),
            f"l{axis}", f"h{axis}", f"t{axis}:{r.randrange(9)}",
            f"s{axis}:{r.choice([0, 1, 64, 100, 127, 128, 129, 255, 256])}",
        ]
    )  # fmt: skip


def _convex(r: random.Random, axes: int) -> str:
    """A leaf with a place on each side."""
    return "c:" + ",".join(
        str(r.choice([0, 1, 1 << 47, 1 << 48, (1 << 48) + 1, r.getrandbits(48)])) for _ in range(axes)
    )


def small_tree(r: random.Random, axes: int, depth: int = 3) -> str:
    """A well-formed tree of splits, faces and leaves."""
    way = r.random()
    if depth == 0 or way < 0.35:
        return r.choice([".", "m", "m", "m:1", "m:0.5", "m:0", "m:3,1", "m:1e-9", "m:1e9", *2 * [_convex(r, axes)]])
    axis = r.randrange(axes)
    if way < 0.6:
        return f"{r.choice('lh')}{axis} {small_tree(r, axes, depth - 1)}"
    k = r.choice([1, 64, 127, 128, 128, 128, 200, 255])
    return f"s{axis}:{k} {small_tree(r, axes, depth - 1)} {small_tree(r, axes, depth - 1)}"


def subtrees(data: Data, _case: Case, r: random.Random) -> None:
    """Swaps two parts of trees, or grafts one, from this certificate or another."""
    own = trees(data)
    if not own:
        return
    here = r.choice(own)
    other = r.choice(cases()).data if r.random() < 0.4 else data
    there = r.choice(trees(other) or own)
    first, second = here[0][here[1]].split(" "), there[0][there[1]].split(" ")
    ends, others = _ends(first), _ends(second)
    if ends is None or others is None:
        return
    i, j = r.randrange(len(first)), r.randrange(len(second))
    cut, graft = first[i : ends[i]], second[j : others[j]]
    if other is data and here != there and r.random() < 0.5:
        there[0][there[1]] = " ".join([*second[:j], *cut, *second[others[j] :]])
    here[0][here[1]] = " ".join([*first[:i], *graft, *first[ends[i] :]])


def tokens(data: Data, case: Case, r: random.Random) -> None:
    """Tokens of other kinds, split points at and beyond the ends, or another tree altogether."""
    own = trees(data)
    if not own:
        return
    part, key = r.choice(own)
    if r.random() < 0.4:
        part[key] = small_tree(r, max(1, len(case.data["problem"]["bounds"])))
        return
    found = part[key].split(" ")
    for _ in range(r.randrange(1, 4)):
        found[r.randrange(len(found))] = _token(r)
    part[key] = " ".join(found)


def left_out(data: Data, _case: Case, r: random.Random) -> None:
    """A premise left out: an entry of the proof, at any depth."""
    found = [(part, key) for part, key in _in_proof(data) if not (part is data or key in PROOF)]
    if found:
        part, key = r.choice(found)
        del part[key]


def numbers(data: Data, _case: Case, r: random.Random) -> None:
    """Numbers of the proof replaced by others: neighbours, near whole numbers, near 0, the ends of doubles."""
    found = [(p, k) for p, k in _in_proof(data) if isinstance(p[k], int | float) and not isinstance(p[k], bool)]
    for part, key in r.sample(found, min(len(found), r.randrange(1, 4))):
        value = part[key]
        if isinstance(value, int) and r.random() < 0.7:
            part[key] = value + r.choice([-1, 1, 2, 5])
        else:
            part[key] = r.choice(
                [
                    nasty.double(r), math.nextafter(value, math.inf), math.nextafter(value, -math.inf), -value, -0.0,
                    round(value), round(value) + 2.0**-52, 1e308, -1e308, 5e-324, value * 2, value / 2, True,
                ]
            )  # fmt: skip


def swapped(data: Data, _case: Case, r: random.Random) -> None:
    """Two entries of the proof exchanged, or one put in the place of another."""
    found = _in_proof(data)
    alike = [(a, b) for a in found[:200] for b in found[:200] if a[1] == b[1] and a is not b]
    if not alike:
        return
    (p, k), (q, m) = r.choice(alike)
    first, second = copy.deepcopy(p[k]), copy.deepcopy(q[m])
    p[k] = second
    if r.random() < 0.5:
        q[m] = first


def nodes(data: Data, _case: Case, r: random.Random) -> None:
    """Other node numbers, variables and axes."""
    found = [(p, k) for p, k in _in_proof(data) if k in ("node", "variable", "solve", "terms", "variables")]
    if found:
        part, key = r.choice(found)
        part[key] = r.randrange(12) if not isinstance(part[key], list) else r.sample(range(6), r.randrange(4))


TURNED: dict[Any, list[Any]] = {
    "min": ["max"], "max": ["min"], "+": ["-"], "-": ["+"], "regular": ["all", "thin"], "all": ["regular", "thin"],
    "thin": ["all", "regular", "point", "tree"], "strict": ["ieee"], "ieee": ["strict"], "point": ["pinned", "family"],
    "pinned": ["point"], "tree": ["sums", "thin"], "sums": ["tree"], "family": ["pinned"], 2: [1, 3, 2.0, True],
    "compact": ["bounds", "least", "oscillation"], "bounds": ["compact", "least"], "least": ["compact", "bounds"],
    "oscillation": ["compact"], "infimum": ["unbounded", "empty"], "unbounded": ["empty", "infimum"],
}  # fmt: skip


def turned(data: Data, _case: Case, r: random.Random) -> None:
    """Sides, signs, kinds, parts and versions turned into others."""
    found = [(p, k) for p, k in places(data) if k in ("side", "part", "by", "version", "rule", "kind", "attained")]
    words = [(p, k) for p, k in found if not isinstance(p[k], dict | list) and p[k] in TURNED]
    for part, key in r.sample(words, min(len(words), r.randrange(1, 3))):
        part[key] = r.choice(TURNED[part[key]])
    said = data["claim"].get("attained") if isinstance(data["claim"], dict) else None
    if said is not None and r.random() < 0.5:
        data["claim"]["attained"] = not said
    links = [part for part, key in _in_proof(data) if key == "plus"]
    if links and r.random() < 0.5:
        link = r.choice(links)
        link["plus"], link["minus"] = link["minus"], link["plus"]


def attained(data: Data, _case: Case, r: random.Random) -> None:
    """Another claim about being attained, with a proof of some kind."""
    if data["claim"]["kind"] != "infimum":
        return
    by = r.choice(["compact", "bounds", "least", "oscillation"])
    data["claim"]["attained"] = by != "oscillation" if r.random() < 0.9 else r.random() < 0.5
    data["attained"] = {"by": by}
    if by == "oscillation":
        n = len(data["problem"]["bounds"])
        boxes = [copy.deepcopy(data["problem"]["bounds"])]
        data["attained"] |= {"node": r.randrange(12), "variable": r.randrange(n), "boxes": boxes}


def optima(data: Data, case: Case, r: random.Random) -> None:
    """Boxes of the optima made smaller, moved or dropped."""
    boxes = data.get("optima") or [copy.deepcopy(data["problem"]["bounds"])]
    box = r.choice(boxes)
    side = r.choice(box)
    low, high = side
    at = r.choice(case.points)[box.index(side)] if case.points else r.uniform(low, high)
    side[:] = r.choice(
        [
            [low, math.nextafter(at, -math.inf)], [math.nextafter(at, math.inf), high], [at, at], [low, at],
            [low, low + (high - low) * 0.9],
        ]
    )  # fmt: skip
    data["optima"] = boxes if r.random() < 0.9 else []


def grafted(data: Data, case: Case, r: random.Random) -> None:
    """The proof of another certificate."""
    other = r.choice(cases()).data
    name = r.choice(["lower", "upper", "attained", "claim"])
    if name in other:
        data[name] = copy.deepcopy(other[name])
    if r.random() < 0.3:
        data["lower"], data["upper"] = copy.deepcopy(other["lower"]), copy.deepcopy(other["upper"])


CHANGES: dict[str, Change] = {
    "parts of trees swapped or grafted": subtrees,
    "tokens of other kinds": tokens,
    "a premise left out": left_out,
    "numbers replaced": numbers,
    "entries exchanged": swapped,
    "other nodes and variables": nodes,
    "sides, kinds, parts turned": turned,
    "another proof of attained": attained,
    "boxes of optima shrunk": optima,
    "the proof of another": grafted,
}
