"""A process that checks parts of trees: a message on standard input, one line for each part on standard output."""

from __future__ import annotations

import json
import sys
from typing import Any

from cpcbench.certify.checker.checking import TREE_BITS, lower_tasks
from cpcbench.certify.checker.exact import precision
from cpcbench.certify.checker.link import Box
from cpcbench.certify.checker.subject import Subject
from cpcbench.certify.checker.trees import Optima, Place, check_part
from cpcbench.certify.checker.verdict import RejectedError


def main() -> None:
    message = json.load(sys.stdin)
    precision(TREE_BITS)
    tasks, _ = lower_tasks(Subject.read(message["data"]), message["data"]["lower"])
    limits = message["optima"]
    optima = None if limits is None else Optima([_box(box) for box in limits["boxes"]], limits["limit"])
    for part in message["parts"]:
        link = tasks[part["task"]].link
        tokens = part["tokens"].split(" ")
        try:
            end, leaves = check_part(link, tokens, 0, Place(*map(_box, part["place"])), optima)
            if end != len(tokens):
                raise RejectedError("tokens are left over")
            answer: dict[str, Any] = {"leaves": leaves}
        except RejectedError as trouble:
            answer = {"rejected": str(trouble)}
        print(json.dumps(answer), flush=True)


def _box(pairs: list[list[float]]) -> Box:
    return tuple((low, high) for low, high in pairs)


if __name__ == "__main__":
    main()
