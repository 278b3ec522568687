"""Changes of certificates after which they claim what is false, or prove less than they claim."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable
from typing import Any

import cpcbench
from cpcbench.errors import CpcbenchError
from tests.material.checker_certificates import Known

Data = dict[str, Any]
Change = Callable[[Known, random.Random], Data | None]


def trees_of(data: Data) -> list[Data]:
    """The objects of a certificate that hold a tree."""
    lower = data["lower"]
    return [lower] if lower["by"] == "tree" else [link for sum_ in lower["sums"] for link in sum_["links"]]


def ends_of(tokens: list[str]) -> list[int]:
    """For each token the end of its part."""
    ends = [0] * len(tokens)
    for start in reversed(range(len(tokens))):
        end = start + 1
        for _ in range({"s": 2, "t": 2, "l": 1, "h": 1}.get(tokens[start][0], 0)):
            end = ends[end]
        ends[start] = end
    return ends


def shaken(data: Data, r: random.Random) -> None:
    """Changes the proof at random: splits, leaves, multipliers, tables, thresholds shifted between links."""
    for tree in trees_of(data):
        tokens = tree["tree"].split(" ")
        for place in range(len(tokens)):
            if r.random() < 0.15:
                tokens[place] = _other(tokens[place], r)
        tree["tree"] = " ".join(tokens)
    for sum_ in data["lower"].get("sums", ()):
        for table in sum_["tables"].values():
            for row in table["values"]:
                if r.random() < 0.3:
                    row[r.randrange(2)] += r.uniform(-0.2, 0.2)
        if len(sum_["links"]) > 1:
            moved = r.choice([0.0, 0.01, -0.02])
            sum_["links"][0]["threshold"] += moved
            sum_["links"][1]["threshold"] -= moved


def _other(token: str, r: random.Random) -> str:
    if token[0] == "s":
        axis = token[1 : token.index(":")]
        return f"s{axis}:{r.choice([1, 64, 100, 127, 129, 200, 255])}"
    if token[0] in "lh":
        return ("h" if token[0] == "l" else "l") + token[1:]
    return r.choice([".", "m", "m:0.5", "m:1", "m:3,1"]) if token[0] != "t" else token


def above_the_infimum(known: Known, r: random.Random) -> Data:
    """Claims a lower bound that is above the infimum, with all thresholds raised to match."""
    data = copy.deepcopy(known.data)
    rise = r.choice([1e-6, 1e-3, 0.05, 0.5]) * r.uniform(0.5, 1.0)
    lower = known.infimum + rise
    data["claim"] = {"kind": "infimum", "lower": lower, "upper": lower + r.choice([0.0, rise])}
    if data["lower"]["by"] == "tree":
        data["lower"]["threshold"] = lower
    for sum_ in data["lower"].get("sums", ()):
        gained = r.uniform(0.1, 0.5)
        sum_["links"][0]["threshold"] += gained
        total = math.fsum(link["threshold"] for link in sum_["links"]) - 1e-9
        sum_["bound"] = total if sum_["side"] == "min" else -total
    if r.random() < 0.7:
        shaken(data, r)
    return data


def proof_below_the_claim(known: Known, r: random.Random) -> Data:
    """Raises the claim but not the proof, or the bound of a sum but not its links."""
    data = copy.deepcopy(known.data)
    rise = known.data["claim"]["upper"] - known.data["claim"]["lower"] + r.uniform(1e-9, 0.1)
    data["claim"]["lower"] += rise
    data["claim"]["upper"] += 2.0 * rise
    return data


def below_the_infimum(known: Known, r: random.Random) -> Data:
    """Claims an upper bound that is below the infimum."""
    data = copy.deepcopy(known.data)
    data["claim"]["upper"] = known.infimum - r.choice([1e-9, 1e-6, 1e-3, 1.0]) * r.uniform(0.5, 1.0)
    data["claim"]["lower"] = min(data["claim"]["lower"], data["claim"]["upper"])
    return data


def part_dropped(known: Known, r: random.Random) -> Data:
    """Takes a whole part out of a tree, or adds one."""
    data = copy.deepcopy(known.data)
    tree = r.choice(trees_of(data))
    tokens = tree["tree"].split(" ")
    start = r.randrange(len(tokens))
    if r.random() < 0.7:
        del tokens[start : ends_of(tokens)[start]]
    else:
        tokens.insert(start, ".")
    tree["tree"] = " ".join(tokens)
    return data


def part_replaced(known: Known, r: random.Random) -> Data | None:
    """Puts a leaf where the test's prover found that none is enough."""
    data = copy.deepcopy(known.data)
    tree = r.choice(trees_of(data))
    tokens = tree["tree"].split(" ")
    inner = [place for place, token in enumerate(tokens) if token[0] in "stlh"]
    if not inner:
        return None
    start = r.choice(inner)
    tokens[start : ends_of(tokens)[start]] = [r.choice([".", "m"])]
    tree["tree"] = " ".join(tokens)
    return data


def children_swapped(known: Known, r: random.Random) -> Data | None:
    """Exchanges the parts of a split of which one is a natural leaf and the other had to be split."""
    data = copy.deepcopy(known.data)
    tree = r.choice(trees_of(data))
    tokens = tree["tree"].split(" ")
    ends = ends_of(tokens)
    uneven = []
    for place, token in enumerate(tokens):
        if token[0] in "st":
            first, second = tokens[place + 1], tokens[ends[place + 1]]
            if (first == ".") != (second == ".") and (first[0] in "st" or second[0] in "st"):
                uneven.append(place)
    if not uneven:
        return None
    start = r.choice(uneven)
    middle, end = ends[start + 1], ends[start]
    tokens[start + 1 : end] = tokens[middle:end] + tokens[start + 1 : middle]
    tree["tree"] = " ".join(tokens)
    return data


def bad_token(known: Known, r: random.Random) -> Data:
    """Writes something that is no token, or a split that splits nothing."""
    data = copy.deepcopy(known.data)
    tree = r.choice(trees_of(data))
    tokens = tree["tree"].split(" ")
    odd = [
        "",
        "x",
        "s0",
        "s0:0",
        "s0:256",
        "s9:128",
        "t0:99",
        "l7",
        "m:-1",
        "m:nan",
        "m:inf",
        "m:1e9999",
        "m:",
        "s0:1.5",
    ]
    place = r.randrange(len(tokens))
    kept = {"s": "s", "t": "s", "l": "l", "h": "l"}.get(tokens[place][0], "")
    tokens[place] = r.choice([o for o in odd if o[:1] == kept] if kept else [o for o in odd if o[:1] in ("", "x", "m")])
    tree["tree"] = " ".join(tokens)
    return data


def links_broken(known: Known, r: random.Random) -> Data | None:
    """Drops or repeats a link, a term or one side of a table."""
    data = copy.deepcopy(known.data)
    sums = data["lower"].get("sums")
    if not sums:
        return None
    sum_ = r.choice(sums)
    link = r.choice(sum_["links"])
    kind = r.randrange(7)
    if kind == 0:
        sum_["links"].remove(link)
    elif kind == 1:
        sum_["links"].append(copy.deepcopy(link))
    elif kind == 2:
        link["terms"].pop()
    elif kind == 3:
        link["terms"].append(r.choice(r.choice(sum_["links"])["terms"]))
    elif kind == 4:
        link["variables"] = [v + 1 for v in link["variables"]] or [0]
    elif not sum_["tables"]:
        return None
    elif kind == 5:
        link["plus"], link["minus"] = r.choice([([1], [1]), (link["minus"], link["plus"]), ([], [])])
    else:
        table = sum_["tables"]["1"]
        row, place = r.choice(table["values"]), r.randrange(4)
        if place == 0:
            table["breaks"][r.choice([0, -1])] *= r.choice([0.5, 2.0])
        elif place == 1:
            table["values"].pop()
        elif place == 2:
            row[0] = r.choice([math.inf, math.nan, None])
        else:
            table["breaks"][3] = table["breaks"][4]
    return data


def other_formula(known: Known, r: random.Random) -> Data | None:
    """Changes a constant or an operation so that some admissible point is below the claimed bound."""
    data = copy.deepcopy(known.data)
    text = data["problem"]["formula"]
    swaps = [("+", "-"), ("-", "+"), ("sqrt", "-sqrt"), ("^2", "^3"), ("ln", "exp"), ("0.3", "0.1"), ("1", "2")]
    old, new = r.choice(swaps)
    data["problem"]["formula"] = text.replace(old, new, 1)
    return data if text != data["problem"]["formula"] and _is_lower(data, r) else None


def wider_bounds(known: Known, r: random.Random) -> Data | None:
    """Widens the box so that some admissible point is below the claimed bound."""
    data = copy.deepcopy(known.data)
    pair = r.choice(data["problem"]["bounds"])
    pair[r.randrange(2)] *= r.choice([-3.0, 2.0, 5.0, 20.0])
    return data if pair[0] < pair[1] and _is_lower(data, r) else None


def _is_lower(data: Data, r: random.Random) -> bool:
    """Whether the real value of the formula at some point is below the claimed lower bound."""
    about = data["problem"]
    rule = "strict" if data["part"] == "regular" else "ieee"
    try:
        problem = cpcbench.parse(about["formula"], bounds=[tuple(pair) for pair in about["bounds"]], rule=rule)
    except CpcbenchError:
        return False
    for _ in range(40):
        x = [r.choice([low, high, r.uniform(low, high), r.uniform(low, high)]) for low, high in about["bounds"]]
        found = problem.enclosure(x)
        if found.defined and found.upper < data["claim"]["lower"]:
            return True
    return False


def other_problem(known: Known, r: random.Random) -> Data | None:
    """Moves the bounds: a proof for another box, or a witness outside it."""
    data = copy.deepcopy(known.data)
    if data["upper"]["by"] != "point":
        return None
    axis = r.randrange(len(data["upper"]["x"]))
    x, (low, high) = data["upper"]["x"][axis], data["problem"]["bounds"][axis]
    away = r.uniform(0.01, 0.5)
    data["problem"]["bounds"][axis] = [x + away, high + 1.0] if r.random() < 0.5 else [low - 1.0, x - away]
    return data


def other_point(known: Known, r: random.Random) -> Data | None:
    """Moves the witness to a point that is outside, undefined or above the claimed upper bound."""
    data = copy.deepcopy(known.data)
    about, upper = data["problem"], data["upper"]
    if upper["by"] != "point":
        return None
    rule = "strict" if data["part"] == "regular" else "ieee"
    problem = cpcbench.parse(about["formula"], bounds=[tuple(pair) for pair in about["bounds"]], rule=rule)
    x = [r.uniform(low, high) for low, high in about["bounds"]]
    found = problem.enclosure(x)
    if found.defined and not found.lower > data["claim"]["upper"]:
        return None
    upper["x"] = x if r.random() < 0.8 else [v + 100.0 for v in x]
    return data


def other_pins(known: Known, r: random.Random) -> Data | None:
    """Moves the box of a pinned witness off the solution, or asks for what is not there."""
    data = copy.deepcopy(known.data)
    upper = data["upper"]
    if upper["by"] != "pinned":
        return None
    low, high = upper["box"][0]
    kind = r.randrange(6)
    if kind == 0:
        shift = r.choice([-1.0, 1.0]) * r.uniform(1.01, 1000.0) * (high - low)
        upper["box"][0] = [low + shift, high + shift]
    elif kind == 1:
        upper["equations"][0]["value"] = r.choice(["1/7", "-1", "1/0", "0.0", "nan", "1e-7", ""])
    elif kind == 2:
        upper["equations"][0]["node"] = r.choice([0, 1, 99, -1])
    elif kind == 3:
        upper["solve"] = r.choice([[], [1], [0, 1], [0, 0], [7]])
    elif kind == 4:
        upper["equations"] = r.choice([[], upper["equations"] * 2])
    else:
        middle = 0.5 * (low + high) + r.uniform(1e-12, 1e-9) * r.choice([-1.0, 1.0])
        width = r.uniform(0.1, 0.9) * abs(middle - 0.3)
        upper["box"][0] = [middle - width, middle + width]
    return data


CHANGES: list[Change] = [
    above_the_infimum, proof_below_the_claim, below_the_infimum, part_dropped, part_replaced, children_swapped,
    bad_token, links_broken, other_formula, wider_bounds, other_problem, other_point, other_pins,
]  # fmt: skip
NEEDS_TREE = {"part_dropped", "part_replaced", "children_swapped", "bad_token"}
