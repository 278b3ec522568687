"""`python -m cpcbench.certify.checker FILE...`: prints a verdict for each file; status 1 if one is not accepted."""

from __future__ import annotations

import argparse
import sys

from cpcbench.certify.checker.core.numbers import ARITHMETICS
from cpcbench.certify.checker.files.guarded import MEMORY, SECONDS, check_file_apart


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m cpcbench.certify.checker", description="Checks certificates.")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--workers", type=int, default=1, help="how many processes check at once")
    parser.add_argument("--jobs", dest="workers", type=int, help=argparse.SUPPRESS, default=argparse.SUPPRESS)
    parser.add_argument("--arithmetic", choices=ARITHMETICS, default="arb", help="what the numbers are computed with")
    parser.add_argument("--seconds", type=int, default=int(SECONDS), help="how long the check of a file may take")
    parser.add_argument("--memory", type=int, default=MEMORY >> 20, help="how much memory it may take, in MiB")
    chosen = parser.parse_args()
    limits = {"seconds": chosen.seconds, "memory": chosen.memory << 20}
    accepted = True
    for file in chosen.files:
        try:
            verdict = check_file_apart(file, workers=chosen.workers, arithmetic=chosen.arithmetic, **limits)
        except KeyboardInterrupt:
            return 130
        print(f"{file}: {verdict}")
        for line in verdict.lines:
            print(f"  {line}")
        accepted = accepted and verdict.accepted
    return 0 if accepted else 1


if __name__ == "__main__":
    sys.exit(main())
