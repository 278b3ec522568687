"""`python -m benchmarks.theorems [CPC-DF17 ...]`: which infima of the suite are theorems of Coq.

It compiles `formal/`, writes each packaged certificate as a file of Coq, has `coqc` check it, and prints the table in
docs/theorems.md, with the seconds of processor time that Coq needs. It ends with 1 if a file that was written is not
accepted.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import cpcbench as cpc
from cpcbench.certify.certificate.library import certificate, proven_for
from cpcbench.certify.coq.theorem import LEFT_OUT, theorem
from cpcbench.errors import CpcbenchError

FORMAL = Path(__file__).parents[2] / "formal"
THEORY = ("Language", "Ranges", "Slopes", "Tables", "Trees", "Parts")
"""Its files, each after those that it needs."""
KNOWN = frozenset((Path(__file__).parent / "axioms.txt").read_text(encoding="utf-8").split())
"""The axioms of Coq's real numbers, of functions and logic, and of the processor's numbers, by their names."""


def compiled(folder: Path) -> Path:
    """The theory, compiled in a folder of its own."""
    home = folder / "formal"
    shutil.copytree(FORMAL, home, ignore=shutil.ignore_patterns("*.vo*", "*.glob", ".*"))
    for name in THEORY:
        subprocess.run(["coqc", "-q", "-Q", ".", "CPC", f"{name}.v"], cwd=home, check=True, capture_output=True)
    return home


def checked(text: str, home: Path, seconds: float) -> tuple[bool, str]:
    """Whether Coq accepts a file, and what it prints."""
    file = home / "Theorem.v"
    file.write_text(text, encoding="utf-8")
    call = ["coqc", "-q", "-Q", ".", "CPC", file.name]
    try:
        done = subprocess.run(call, cwd=home, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return False, "the time was over"
    return done.returncode == 0, done.stdout + done.stderr


def other_axioms(printed: str) -> list[str]:
    """What theorems rest on beside the axioms that are known: every other line that `Print Assumptions` begins."""
    lines = [line for line in printed.splitlines() if line and not line[0].isspace() and line != "Axioms:"]
    return [line[:60] for line in lines if not _is_known(*line.partition(" ")[::2])]


def _is_known(name: str, rest: str) -> bool:
    """Whether a line names an axiom, and says its type and nothing else of it."""
    return name in KNOWN and (not rest or rest.startswith(": "))


def remarks(accepted: bool, printed: str) -> str:
    """The last column: what else a theorem rests on, or why there is none; `none` is all that is well."""
    if not accepted:
        return (printed.strip().splitlines() or ["coqc ended without a word"])[-1]
    if printed.count("Axioms:") != 1:
        return "the axioms were not listed"
    return ", ".join(other_axioms(printed)) or "none"


def _bounds(text: str, accepted: bool) -> list[str]:
    """What is a theorem, and how far its two bounds are apart."""
    if not accepted:
        return ["not accepted", "-", "-"]
    low, high = (
        re.search(rf"Definition {name} : rational := \(\((-?\d+)\)%Z, (\d+)%", text) for name in ("bound", "top")
    )
    lower = "theorem, regular part" if LEFT_OUT in text.partition("\n")[0] else "theorem"
    if low is None or high is None:
        return [lower, "-", "-"]
    return [lower, "theorem", _gap(Fraction(int(high[1]), int(high[2])), Fraction(int(low[1]), int(low[2])))]


def _gap(upper: Fraction | float | None, lower: Fraction | float | None) -> str:
    return "-" if upper is None or lower is None else f"{float(Fraction(upper) - Fraction(lower)):.1e}"


def _processor_seconds() -> float:
    """Of all commands that were run so far."""
    spent = os.times()
    return spent.children_user + spent.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", help="their names; the whole suite unless some are given")
    parser.add_argument("--seconds", type=float, default=3600.0, help="for each file")
    given = parser.parse_args()
    if shutil.which("coqc") is None:
        sys.exit("there is no coqc: install coq and libcoq-interval (Debian), or run `make theorems`")
    names = given.problems or [f"CPC-DF{k}" for k in range(1, 26)]
    print("| problem | lower bound | upper bound | gap | of the proof | KiB | seconds | other axioms |")
    print("|---|---|---|---:|---:|---:|---:|---|", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        home = compiled(Path(folder))
        for name in names:
            try:
                row = next(row for row in proven_for(cpc.problem(name)) if row.settles)
                proof = certificate(row.file)
                text = theorem(proof)
            except (CpcbenchError, StopIteration) as trouble:
                print(f"| {name} | {str(trouble) or 'there is no infimum'} | | | | | | |", flush=True)
                continue
            begin = _processor_seconds()
            accepted, printed = checked(text, home, given.seconds)
            took = _processor_seconds() - begin
            axioms = remarks(accepted, printed)
            failed += not accepted or axioms != "none"
            shown = [*_bounds(text, accepted), _gap(proof.said.claim.upper, proof.said.claim.lower)]
            print(f"| {name} | {' | '.join(shown)} | {len(text) / 1024:.0f} | {took:.0f} | {axioms} |", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
