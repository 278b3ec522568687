"""A process that checks parts of trees: a message on standard input, one line for each part on standard output."""

from __future__ import annotations

import json
import sys
import time
from fractions import Fraction
from typing import Any

from cpcbench.certify.checker.checking import TREE_BITS, tasks_of
from cpcbench.certify.checker.core.link import Box
from cpcbench.certify.checker.core.numbers import use
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.task import Task
from cpcbench.certify.checker.core.trees import Place, Watch, check_part
from cpcbench.certify.checker.extensions.attained.approached import NeverAt
from cpcbench.certify.checker.extensions.settled import Guards
from cpcbench.certify.checker.files.isolated import limit_memory
from cpcbench.certify.checker.ground.clock import until
from cpcbench.certify.checker.ground.verdict import NotCheckedError, RejectedError


def main(memory: int = 0) -> None:
    limit_memory(memory)
    message = json.load(sys.stdin)
    try:
        with until(time.perf_counter() + message["seconds"]):
            _check(message)
    except (NotCheckedError, MemoryError) as trouble:
        print(json.dumps({"late": str(trouble) or "the memory ran out"}), flush=True)


def _check(message: Any) -> None:
    use(message["arithmetic"], TREE_BITS)
    tasks, _ = tasks_of(Subject.read(message["data"]), message["data"])
    use(message["arithmetic"], TREE_BITS)
    watches = [_watch(task, said) for task, said in zip(tasks, message["watches"], strict=True)]
    for part in message["parts"]:
        link, watch = tasks[part["task"]].link, watches[part["task"]]
        tokens = part["tokens"].split(" ")
        try:
            end, leaves = check_part(link, tokens, 0, Place(*map(_box, part["place"])), watch)
            if end != len(tokens):
                raise RejectedError("tokens are left over")
            answer: dict[str, Any] = {"leaves": leaves, "quick": link.quick is not None and link.quick.used}
        except RejectedError as trouble:
            answer = {"rejected": str(trouble)}
        print(json.dumps(answer), flush=True)


def _watch(task: Task, said: Any) -> Watch | None:
    if said is None:
        return None
    boxes = None if said["boxes"] is None else [_box(box) for box in said["boxes"]]
    nodes, limit = said["numbers"], Fraction(said["limit"])
    if said["never"]:
        return Watch(limit, boxes, NeverAt.of(task.subject, limit))
    guards = None if nodes is None else Guards.of(task, limit, frozenset(nodes))
    return Watch(limit, boxes, guards)


def _box(pairs: list[list[float]]) -> Box:
    return tuple((low, high) for low, high in pairs)
