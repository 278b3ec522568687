"""`python -m benchmarks.hostile_files`: every file that a command reads, broken in every way, one command each.

A command must end by itself, with a message and not with a traceback, within its memory and time; it must leave the
file as it was, and say yes to nothing that is not whole. Full disks and planted links are tried on what is written.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import cpcbench

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(cpcbench.__file__).parent.parent)}
"""The commands are given elsewhere: they are those of this very cpcbench."""

MEMORY, SECONDS = 6 << 30, 240
FULL = 1 << 10
"""Bytes that fit onto a full disk."""

FORMULA = ["x1^2 - sqrt(x1 - 0.1)", "--bounds", "0:1", "--seconds", "10"]
READERS: dict[str, list[list[str]]] = {
    "study": [["report"], ["runs", "FILE", "--to", "-"], ["merge", "into.db"], ["report", "FILE", "--statistics"]],
    "certificate": [["certify", "--check"], ["certify", "--renew"]],
    "proof": [["certify", *FORMULA, "--state"]],
    "ratios": [["feasible", "CPC-DF1", "--samples", "1e4", "--repeats", "1", "--state"]],
    "records": [["records", "--check", "--file"], ["records", "CPC-DF1", "--file"]],
}
"""The commands that read each kind of file; its name goes to FILE, or to the end."""

OPTIONAL = ("no made", "odd made", "no optima", "no attained")
"""Certificates that still prove what they claim, or are made to by --renew."""

WRITERS = {
    "report": (["report", "study", "--output"], "txt"),
    "export": (["export", "CPC-DF22", "--to", "python", "--output"], "py"),
    "plot": (["plot", "CPC-DF1", "--resolution", "60", "--output"], "svg"),
    "runs": (["runs", "study", "--to"], "csv"),
    "certify": (["certify", *FORMULA, "--output"], "json.gz"),
    "proof": (["certify", *FORMULA, "--state"], "state"),
    "ratios": (["feasible", "CPC-DF1", "CPC-DF8", "--samples", "1e4", "--repeats", "40", "--state"], "state"),
}
"""The commands that write, without the name of the file, and its ending."""


@dataclass(frozen=True)
class Trial:
    """A command, where it is given, what it is about, and how the file must be afterwards."""

    name: str
    words: list[str]
    folder: Path
    file: Path
    may_be_accepted: bool
    full: bool = False


def program(full: bool) -> str:
    """The command line, for which there is only so much memory, and on a full disk room for only so large a file."""
    lines = ["import resource, signal", f"resource.setrlimit(resource.RLIMIT_AS, ({MEMORY},) * 2)"]
    if full:
        lines += ["signal.signal(signal.SIGXFSZ, signal.SIG_IGN)"]
        lines += [f"resource.setrlimit(resource.RLIMIT_FSIZE, ({FULL},) * 2)"]
    return "\n".join([*lines, "from cpcbench.cli import main", "main()"])


def whole_files(folder: Path) -> dict[str, Path]:
    """One sound file of each kind, made by the commands themselves."""
    made = {kind: folder / kind for kind in READERS}
    for words in (
        [
            "run",
            "--problems",
            "CPC-DF1,CPC-DF9",
            "--solvers",
            "GA",
            "--runs",
            "3",
            "--budget",
            "500",
            "--store",
            "study",
        ],
        ["certify", *FORMULA, "--output", "certificate", "--state", "proof"],
        [*READERS["ratios"][0], "ratios"],
    ):
        subprocess.run(
            [sys.executable, "-m", "cpcbench", *words], cwd=folder, check=True, capture_output=True, env=ENVIRONMENT
        )
    from cpcbench.problems.records import own_file

    made["records"].write_bytes(own_file().read_bytes())
    return made


def damages(whole: bytes, kind: str, seed: int) -> Iterator[tuple[str, bytes]]:
    """The file, broken: by accident, and then as only its kind can be, on purpose."""
    dice = random.Random(seed)  # noqa: S311
    yield "empty", b""
    yield "one byte", whole[:1]
    yield "half", whole[: len(whole) // 2]
    yield "last byte missing", whole[:-1]
    yield "twice", whole * 2
    yield "zeros", bytes(len(whole))
    yield "noise", dice.randbytes(5000)
    yield "begins right", whole[:100] + dice.randbytes(5000)
    yield "text", b"not what was wanted\n"
    for i in range(6):
        flipped = bytearray(whole)
        for _ in range(1 + 3 * i):
            flipped[dice.randrange(len(flipped))] ^= 1 << dice.randrange(8)
        yield f"bits flipped {i}", bytes(flipped)
    yield from ON_PURPOSE[kind](whole)


def bad_studies(whole: bytes) -> Iterator[tuple[str, bytes]]:
    scripts = {
        "newer version": "PRAGMA user_version = 99",
        "another program's": "PRAGMA application_id = 7",
        "no table": "DROP TABLE runs",
        "a view for a table": "ALTER TABLE runs RENAME TO old; CREATE VIEW runs AS SELECT * FROM old",
        "a view without end": "DROP TABLE runs; CREATE VIEW runs AS WITH RECURSIVE t(n) AS "
        "(SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n AS problem FROM t",
        "a trigger": "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
        "text for numbers": "UPDATE runs SET evaluations = 'many', n = 'two'",
        "no JSON": "UPDATE runs SET x = '[1,', trajectory = '{'",
        "deep JSON": "UPDATE runs SET parameters = replace(hex(zeroblob(50000)), '00', '[')",
        "another length": "UPDATE runs SET x = '[1.0]'",
        "large text": "UPDATE runs SET message = replace(hex(zeroblob(20000000)), '00', 'ab')",
        "nothing": "UPDATE runs SET kind = NULL, status = NULL, x = NULL",
        "unknown problem": "UPDATE runs SET problem = '<script>' || problem, rule = 'none'",
        "column missing": "ALTER TABLE runs DROP COLUMN trajectory",
    }
    for name, script in scripts.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "study.db")
            file.write_bytes(whole)
            with closing(sqlite3.connect(file)) as db:
                db.executescript(script)
            yield name, file.read_bytes()


def bad_certificates(whole: bytes) -> Iterator[tuple[str, bytes]]:
    data = json.loads(gzip.decompress(whole))
    yield "oversized", gzip.compress(b" " * (3 << 29), 1)
    yield "deep", gzip.compress(b"[" * 1_000_000)
    yield "another claim", packed({**data, "claim": {**data["claim"], "lower": data["claim"]["lower"] + 1.0}})
    for name in data:
        yield f"no {name}", packed({key: value for key, value in data.items() if key != name})
        yield f"odd {name}", packed({**data, name: [[]]})
    yield "not a number", gzip.compress(gzip.decompress(whole).replace(b"1", b"NaN"))
    yield "a long number", gzip.compress(b'{"version": ' + b"9" * 1_000_000 + b"}")
    yield "a list", packed([])


def bad_proof_states(whole: bytes) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(whole)) as kept:
        parts = {name: kept.read(name) for name in kept.namelist()}
    yield "no head", zipped({name: part for name, part in parts.items() if name != "head.npy"})
    yield "pickled", zipped({**parts, "more.npy": b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, "
                             b"'shape': (1,), }" + b" " * 60 + b"\ncos\nsystem\n(S'false'\ntR."})  # fmt: skip
    yield "huge array", zipped({**parts, "more.npy": _header(1 << 50)})
    yield "oversized", zipped({**parts, "more.npy": _header(1 << 33) + bytes(1 << 33 >> 3)})


def _header(length: int) -> bytes:
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({length},), }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def bad_ratios(whole: bytes) -> Iterator[tuple[str, bytes]]:
    data = json.loads(whole)
    (key, done), *_ = data["done"].items()
    changes: dict[str, dict[str, object]] = {
        "negative": {"hits": [-1]}, "more hits than points": {"hits": [10**9]}, "text": {"blocks": ["many"]},
        "another length": {"blocks": []}, "unknown field": {"more": 1}, "huge": {"hits": [10**400]},
    }  # fmt: skip
    for name, change in changes.items():
        yield name, json.dumps({**data, "done": {key: {**done, **change}}}).encode()
    yield "deep", b"[" * 1_000_000
    yield "a long number", b'{"format": ' + b"9" * 1_000_000 + b"}"


def bad_records(whole: bytes) -> Iterator[tuple[str, bytes]]:
    first, *rest = whole.splitlines(keepends=True)
    entry = json.loads(first)
    for name, change in {
        "unknown problem": {"problem": "none"}, "text": {"value": "low"}, "lower": {"value": entry["value"] - 1.0},
        "not finite": {"where": [[1e999, 0.0]]}, "huge": {"where": [[0.0] * 100_000]}, "another kind": {"kind": "good"},
    }.items():  # fmt: skip
        yield name, json.dumps({**entry, **change}).encode() + b"\n" + b"".join(rest)
    yield "deep", b"[" * 1_000_000
    yield "a long number", b'{"value": ' + b"9" * 1_000_000 + b"}"


ON_PURPOSE: dict[str, Callable[[bytes], Iterator[tuple[str, bytes]]]] = {
    "study": bad_studies, "certificate": bad_certificates, "proof": bad_proof_states, "ratios": bad_ratios,
    "records": bad_records,
}  # fmt: skip


def packed(data: object) -> bytes:
    return gzip.compress(json.dumps(data).encode())


def zipped(parts: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for name, part in parts.items():
            file.writestr(name, part)
    return made.getvalue()


def readings(whole: dict[str, Path], folder: Path, seed: int, only: str) -> Iterator[Trial]:
    """Every kind of file, in every way, read by every command that reads it."""
    for kind, commands in READERS.items():
        if only not in kind:
            continue
        for name, content in damages(whole[kind].read_bytes(), kind, seed):
            for command in commands:
                place = Path(tempfile.mkdtemp(dir=folder))
                file = place / kind
                file.write_bytes(content)
                words = [str(file) if word == "FILE" else word for word in command]
                words += [] if "FILE" in command else [str(file)]
                sound = kind != "certificate" or name in OPTIONAL
                yield Trial(f"{kind}, {name}: {' '.join(command[:2])}", words, place, file, sound)


def writings(whole: dict[str, Path], folder: Path, only: str) -> Iterator[Trial]:
    """Every command that writes, onto a full disk, over an old file of its own; through links that are loops."""
    for name, (command, ending) in WRITERS.items() if only in "written" else ():
        place = Path(tempfile.mkdtemp(dir=folder))
        (place / "study").write_bytes(whole["study"].read_bytes())
        file = place / f"old.{ending}"
        sound = [sys.executable, "-m", "cpcbench", *command, str(file)]
        subprocess.run(sound, cwd=place, check=True, capture_output=True, env=ENVIRONMENT)
        yield Trial(f"full disk: {name}", [*command, str(file)], place, file, True, full=True)
        loop = Path(tempfile.mkdtemp(dir=folder)) / f"loop.{ending}"
        loop.symlink_to(loop)
        yield Trial(f"a link to itself: {name}", [*command, str(loop)], place, loop, False)


def outcome(trial: Trial) -> str:
    """What went wrong, or how it ended."""
    before = _content(trial.file)
    call = [sys.executable, "-c", program(trial.full), *trial.words]
    try:
        done = subprocess.run(
            call,
            cwd=trial.folder,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "WRONG: it did not end"
    if "Traceback" in done.stderr:
        return f"WRONG: a traceback, {done.stderr.strip().splitlines()[-1][:150]}"
    if done.returncode not in (0, 1, 2):
        return f"WRONG: ended with {done.returncode}: {done.stderr[-150:]}"
    if done.returncode == 2 and not done.stderr.strip():
        return "WRONG: no message"
    if done.returncode == 0 and not trial.may_be_accepted:
        return "WRONG: it was accepted"
    if done.returncode != 0 and _content(trial.file) != before:
        return "WRONG: the file was changed"
    if left := [path.name for path in trial.folder.iterdir() if path.suffix == ".part"]:
        return f"WRONG: left behind {left}"
    return {0: "read, as far as it is sound", 1: "not confirmed", 2: "refused"}[done.returncode]


def _content(file: Path) -> bytes:
    return os.readlink(file).encode() if file.is_symlink() else file.read_bytes()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", choices=["", *READERS, "written"], help="one kind of file")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = whole_files(folder)
        trials = [*readings(whole, folder, given.seed, given.only), *writings(whole, folder, given.only)]
        counts = Counter[str]()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for trial, result in zip(trials, pool.map(outcome, trials), strict=True):
                counts[result.partition(":")[0].lower()] += 1
                if result.startswith("WRONG"):
                    print(f"{trial.name}: {result}", flush=True)
                if counts.total() % 50 == 0:
                    print(f"{counts.total()} of {len(trials)} trials", file=sys.stderr, flush=True)
    print(f"{len(trials)} trials: " + ", ".join(f"{count} {name}" for name, count in sorted(counts.items())))
    if counts["wrong"]:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
