"""A process that checks parts of trees: a message on standard input, one line for each part on standard output."""

from __future__ import annotations

import json
import sys
from typing import Any

from cpcbench.certify.checker.checking import TREE_BITS, lower_tasks
from cpcbench.certify.checker.exact import precision
from cpcbench.certify.checker.guards import Guards
from cpcbench.certify.checker.link import Box
from cpcbench.certify.checker.subject import Subject
from cpcbench.certify.checker.sums import Task
from cpcbench.certify.checker.trees import Place, Watch, check_part
from cpcbench.certify.checker.verdict import RejectedError


def main() -> None:
    message = json.load(sys.stdin)
    precision(TREE_BITS)
    tasks, _ = lower_tasks(Subject.read(message["data"]), message["data"]["lower"])
    watches = [_watch(task, said) for task, said in zip(tasks, message["watches"], strict=True)]
    for part in message["parts"]:
        link, watch = tasks[part["task"]].link, watches[part["task"]]
        tokens = part["tokens"].split(" ")
        try:
            end, leaves = check_part(link, tokens, 0, Place(*map(_box, part["place"])), watch)
            if end != len(tokens):
                raise RejectedError("tokens are left over")
            answer: dict[str, Any] = {"leaves": leaves}
        except RejectedError as trouble:
            answer = {"rejected": str(trouble)}
        print(json.dumps(answer), flush=True)


def _watch(task: Task, said: Any) -> Watch | None:
    if said is None:
        return None
    boxes = None if said["boxes"] is None else [_box(box) for box in said["boxes"]]
    numbers = said["numbers"]
    guards = None if numbers is None else Guards.of(task, said["limit"], frozenset(numbers))
    return Watch(said["limit"], boxes, guards)


def _box(pairs: list[list[float]]) -> Box:
    return tuple((low, high) for low, high in pairs)


if __name__ == "__main__":
    main()
