"""Reads boxes and settings off the authors' public scripts: `python -m benchmarks.published_scripts FOLDER > FILE`.

FOLDER is a checkout of CPC-Opt/CPC-Benchmark. The rows are those of `experiment/plan/scripts.csv`.
"""

from __future__ import annotations

import csv
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from cpcbench.experiment.plan.problems import CPC

NAMES = {"1stOpt": "UGO", "LINGO": "B&B", "GA": "GA", "SA": "SA", "BFGS": "BFGS+MS", "GPSO": "GPSO"}
"""How a script's file begins, and the algorithm it is of."""

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:\*pi)?"
BOX = (
    rf"^\s*ParameterDomain\s*=\s*\[({NUMBER}),({NUMBER})\]",
    rf"^\s*Parameters?\s+x\([^)]*\)\s*=\s*\[({NUMBER}),({NUMBER})\]",
    rf"@BND\(\s*({NUMBER})\s*,\s*\w+\s*,\s*({NUMBER})\s*\)",
)
SETTINGS = {
    "algorithm": r"^\s*Algorithm\s*=\s*([^;]+);",
    "hardness": r"^\s*Hardness\s*=\s*(\d+)",
    "runs": r"^\s*(?:MultiRun|numRuns)\s*=\s*(\d+)",
    "starts": r"^\s*numStarts\s*=\s*(\d+)",
    "population": r"^\s*PopSz\s*=\s*(\d+)",
    "iterations": r"'MaxIterations',\s*(\d+)",
    "generations": r"'MaxGenerations',\s*(\S+?),",
    "evaluations": r"'maxFE',\s*(\d+)",
}


def main(folder: Path) -> None:
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("problem", "algorithm", "lower", "upper", "settings"))
    for number, id_ in enumerate(CPC, start=1):
        (place,) = folder.glob(f"*/CPC_DF_Detail/{number:02d}-{id_}")
        for begin, algorithm in NAMES.items():
            (file,) = (f for f in place.glob("*.txt") if re.match(rf"{begin}\b", f.name))
            text = file.read_text(encoding="utf-8", errors="replace")
            out.writerow((id_, algorithm, *box(text), " ".join(settings(text))))


def box(text: str) -> tuple[str, str]:
    """The bounds of every variable, empty where the script sets none; bounds that differ are refused."""
    found = {(_number(a), _number(b)) for form in BOX for a, b in re.findall(form, text, re.MULTILINE)}
    lower, upper = (re.search(rf"^\s*{side}\s*=\s*\[([^\]]*)\]", text, re.MULTILINE) for side in ("lb", "ub"))
    if lower and upper:
        found |= {(_number(a), _number(b)) for a, b in zip(lower[1].split(","), upper[1].split(","), strict=True)}
    if len(found) > 1:
        raise SystemExit(f"a script with different boxes: {sorted(found)}")
    return next(((repr(a), repr(b)) for a, b in found), ("", ""))


def settings(text: str) -> Iterator[str]:
    for name, form in SETTINGS.items():
        found = re.search(form, text, re.MULTILINE)
        if found:
            word = found[1].strip()
            yield f"{name}={float(word):.0f}" if re.fullmatch(r"[\d.]+E\d+", word) else f"{name}={word}"


def _number(word: str) -> float:
    factor, pi, _ = word.strip().partition("*pi")
    return float(factor) * (math.pi if pi else 1.0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
