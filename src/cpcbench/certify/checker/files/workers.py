"""Trees checked one after another, or in parts by several processes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from cpcbench.certify.checker.core import numbers
from cpcbench.certify.checker.core.task import Task
from cpcbench.certify.checker.core.trees import Watch, check_part, path_of, start_of
from cpcbench.certify.checker.extensions.attained.approached import NeverAt
from cpcbench.certify.checker.extensions.settled import Guards
from cpcbench.certify.checker.files import isolated
from cpcbench.certify.checker.files.shares import ends, parts
from cpcbench.certify.checker.ground import clock
from cpcbench.certify.checker.ground.verdict import NotCheckedError, RejectedError

PARTS_PER_JOB = 16
SHORTEST = 500
"""Parts shorter than this are not worth a message."""

Watches = Sequence[Watch | None]
"""One for each task."""


def check_tasks(tasks: list[Task], data: Any, watches: Watches, workers: int) -> int:
    """The number of leaves of trees that all hold."""
    total = sum(len(task.tokens) for task in tasks)
    for task in tasks:
        ends(task.tokens, task.link.name)
    if workers > 1 and total > 4 * SHORTEST:
        return _in_processes(tasks, data, watches, workers, total)
    parts_done = [
        check_part(task.link, task.tokens, 0, start_of(task.link), watch)
        for task, watch in zip(tasks, watches, strict=True)
    ]
    return sum(leaves for _, leaves in parts_done)


def _in_processes(tasks: list[Task], data: Any, watches: Watches, workers: int, total: int) -> int:
    longest = max(SHORTEST, total // (PARTS_PER_JOB * workers))
    work: list[dict[str, Any]] = []
    for number, task in enumerate(tasks):
        for part in parts(task.link, task.tokens, longest, watches[number]):
            tokens = task.tokens[part.start : part.end]
            where = f"{task.link.name}, in the part from {path_of(task.tokens, part.start)}"
            work.append({"task": number, "tokens": " ".join(tokens), "place": part.place, "where": where})
    work.sort(key=lambda w: -len(w["tokens"]))
    shares = [share for k in range(workers) if (share := work[k::workers])]
    children = [isolated.start("cpcbench.certify.checker.files.worker") for _ in shares]
    told = {
        "data": without_trees(data),
        "watches": [_written(watch) for watch in watches],
        "arithmetic": numbers.in_use(),
        "seconds": min(max(clock.left(), 0.0), 1e9),
    }

    def ask(child: subprocess.Popen[str], share: list[dict[str, Any]]) -> int:
        return _ask(child, share, told, tasks)

    try:
        with ThreadPoolExecutor(len(children)) as pool:
            try:
                return sum(pool.map(ask, children, shares))
            finally:
                for child in children:
                    child.kill()
    finally:
        for child in children:
            child.wait()


def _ask(child: subprocess.Popen[str], share: list[dict[str, Any]], told: dict[str, Any], tasks: Sequence[Task]) -> int:
    """Hands one process its share and adds up its answers."""
    if child.stdin is None or child.stdout is None:
        raise RejectedError("a process that checks parts has no pipes")
    message = {**told, "parts": [{key: part[key] for key in ("task", "tokens", "place")} for part in share]}
    with child.stdin, child.stdout:
        json.dump(message, child.stdin)
        child.stdin.close()
        leaves = 0
        for part in share:
            line = child.stdout.readline()
            if not line:
                raise NotCheckedError(f"{part['where']}: a process that checked it ended early")
            answer = json.loads(line)
            if "late" in answer:
                raise NotCheckedError(answer["late"])
            if "rejected" in answer:
                raise RejectedError(f"{part['where']}: {answer['rejected']}")
            leaves += int(answer["leaves"])
            quick = tasks[part["task"]].link.quick
            if quick is not None:
                quick.used |= answer["quick"] is True
    return leaves


def _written(watch: Watch | None) -> dict[str, Any] | None:
    """A watch for a message; its guards by the numbers of their nodes."""
    if watch is None:
        return None
    nodes = sorted(watch.guard.numbers) if isinstance(watch.guard, Guards) else None
    never = isinstance(watch.guard, NeverAt)
    return {"limit": str(watch.limit), "boxes": watch.boxes, "numbers": nodes, "never": never}


def without_trees(data: Any) -> dict[str, Any]:
    """What a process needs of a certificate to build the same tasks, each with the tree `.`."""
    kept = {name: data.get(name) for name in ("problem", "part", "claim", "reach")}
    return {**kept, "lower": _without_trees(data["lower"])}


def _without_trees(proof: Any) -> dict[str, Any]:
    lower = dict(proof)
    if "tree" in lower:
        lower["tree"] = "."
    elif lower["by"] in ("thin", "cases"):
        name = "sets" if lower["by"] == "thin" else "cases"
        lower[name] = [{**part, "lower": {**part["lower"], "tree": "."}} for part in lower[name]]
    elif lower["by"] == "parts":
        lower["pieces"] = [{**piece, "lower": _without_trees(piece["lower"])} for piece in lower["pieces"]]
    else:
        lower["sums"] = [{**sum_, "links": [{**link, "tree": "."} for link in sum_["links"]]} for sum_ in lower["sums"]]
    return lower
