"""Every numeric option of every command with numbers that it cannot mean: no traceback, a documented status, in time.

`python -m benchmarks.fuzzed_commands [--seconds 20] [COMMAND...]` prints a table, and ends with 1 if a call did not
hold. Each call is made in a worker process that is killed after its time; a status of 2 must come with the option's
name.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, get_args, get_type_hints

from typer.models import OptionInfo

VALUES = ("-1", "0", "1e400", "nan", "inf", "abc", "9" * 20)
SECONDS = 20.0
STATUSES = (0, 1, 2)
"""What a call may end with: all is well, not confirmed, wrong input."""

FORMULA = ("x1^2 + sqrt(x2)", "--bounds", "0:1,0:1")

CALLS: dict[str, tuple[str, ...]] = {
    "show": ("DF1",),
    "eval": (*FORMULA, "0.5", "0.5"),
    "conditions": ("DF1",),
    "verify": ("DF1", "0.5", "0.5"),
    "export": ("DF1", "--to", "c"),
    "agreement": ("DF1", "--points", "100"),
    "feasible": (*FORMULA, "--samples", "1000", "--repeats", "1", "--workers", "1"),
    "structure": ("DF1",),
    "multiplicity": ("DF1",),
    "sensitivity": ("DF1",),
    "modality": (*FORMULA, "--cells", "100", "--starts", "2"),
    "plot": ("DF1", "--resolution", "8", "--output", "{folder}/plot.png"),
    "run": (
        *FORMULA, "--solvers", "SA", "--budget", "50", "--runs", "1", "--workers", "0", "--store", "{folder}/{call}.db",
    ),
    "reproduce": ("--quick", "--store", "{folder}"),
    "compare": (
        "DF1", "--solvers", "SA", "--budgets", "50", "--runs", "1", "--workers", "0", "--store", "{folder}/{call}.db",
    ),
    "minimize": (*FORMULA, "--budget", "200", "--seconds", "1"),
    "certify": (*FORMULA, "--seconds", "1", "--workers", "1"),
    "records": ("DF1", "--seconds", "0.1", "--dry-run"),
}  # fmt: skip
"""A quick call of each command that has numbers to give."""

STOPPED = "is a folder, not a study's file"
"""What `reproduce` says, which would take minutes, once it has taken all its options."""

TEXTS = ("budgets", "memory", "at", "ulps", "bounds", "window", "axes")
"""Options that are texts with numbers in them."""


@dataclass(frozen=True)
class Call:
    """One call, and what it came to: the status (None: it did not end in time), and what speaks against it."""

    words: tuple[str, ...]
    option: str
    status: int | None
    objection: str = ""


def options(command: str) -> list[str]:
    """The options of a command that take numbers."""
    from cpcbench.cli.app import app

    (function,) = [info.callback for info in app.registered_commands if info.name == command]
    found = []
    for hint in get_type_hints(function, include_extras=True).values():
        for info in getattr(hint, "__metadata__", ()):
            if isinstance(info, OptionInfo):
                kinds = set(get_args(hint.__origin__) or (hint.__origin__,))
                names = [str(word) for word in (*(info.param_decls or ()), info.default)]
                name = next(word for word in names if word.startswith("--"))
                if kinds & {int, float} or name.removeprefix("--") in TEXTS:
                    found.append(name)
    return found


def calls(commands: Sequence[str], values: Sequence[str], folder: Path) -> Iterator[tuple[tuple[str, ...], str]]:
    number = 0
    for command in commands:
        for option in options(command):
            for value in values:
                number += 1
                base = [word.format(folder=folder, call=number) for word in CALLS[command]]
                yield (command, *_without(base, option), f"{option}={value}"), option


def _without(words: list[str], option: str) -> list[str]:
    """The words without an option's usual value."""
    if option not in words:
        return words
    at = words.index(option)
    return words[:at] + words[at + 2 :]


def fuzzed(
    commands: Sequence[str] | None = None,
    values: Sequence[str] = VALUES,
    seconds: float = SECONDS,
    first: Sequence[str] = ("minimize", "certify"),
) -> Iterator[Call]:
    """Makes the calls one by one; those made first, whose time does not count, import and compile what takes long."""
    chosen = list(commands or CALLS)
    with tempfile.TemporaryDirectory() as folder:
        worker: _Worker | None = None
        try:
            for words, option in calls(chosen, values, Path(folder)):
                worker = worker or _Worker(first)
                answer = worker.ask(words, seconds)
                if answer is None:
                    worker.kill()
                    worker = None
                    yield Call(words, option, None, f"did not end in {seconds:g} s")
                else:
                    yield Call(words, option, answer[0], _objection(option, *answer))
        finally:
            if worker is not None:
                worker.kill()


def _objection(option: str, status: int, output: str, error: str) -> str:
    if error:
        return error
    if status not in STATUSES:
        return f"status {status}"
    if status == 2 and STOPPED not in output and not _names(output, option.removeprefix("--")):
        return f"the message does not name {option}: {output.strip()[-200:]}"
    return ""


def _names(output: str, name: str) -> bool:
    """Whether the word is in a message, with or without its dashes."""
    return re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", output, re.IGNORECASE) is not None


class _Worker:
    """A process that makes calls."""

    def __init__(self, first: Sequence[str]) -> None:
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_work, args=(there,), daemon=False)
        self._process.start()
        for name in first:
            self._here.send((name, *CALLS[name]))
            self._here.recv()

    def ask(self, words: tuple[str, ...], seconds: float) -> tuple[int, str, str] | None:
        self._here.send(words)
        if not self._here.poll(seconds):
            return None
        answer: tuple[int, str, str] = self._here.recv()
        return answer

    def kill(self) -> None:
        self._process.kill()
        self._process.join()


def _work(connection: Connection) -> None:
    from typer.testing import CliRunner

    from cpcbench.cli.app import app

    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - for good
    while True:
        try:
            words: Any = connection.recv()
        except EOFError:
            return
        done = CliRunner().invoke(app, list(words), prog_name="cpcbench")
        fine = done.exception is None or isinstance(done.exception, SystemExit)
        connection.send((done.exit_code, done.output, "" if fine else f"traceback: {done.exception!r}"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="*", help="commands, all by default")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="time a call may take")
    parser.add_argument("--verbose", action="store_true", help="print every call")
    given = parser.parse_args()
    made = []
    for call in fuzzed(given.commands or None, seconds=given.seconds):
        made.append(call)
        if call.objection or given.verbose:
            print(f"{' '.join(call.words)}: status {call.status} {call.objection}", flush=True)
    print("\n| command | options | calls | status 0 | 1 | 2 | did not hold |\n|---|---|---|---|---|---|---|")
    for command in (*dict.fromkeys(call.words[0] for call in made), "all"):
        mine = [call for call in made if command in (call.words[0], "all")]
        counts = Counter(call.status for call in mine)
        names = len({(call.words[0], call.option) for call in mine})
        bad = sum(bool(call.objection) for call in mine)
        print(f"| {command} | {names} | {len(mine)} | {counts[0]} | {counts[1]} | {counts[2]} | {bad} |")
    sys.exit(any(call.objection for call in made))


if __name__ == "__main__":
    main()
