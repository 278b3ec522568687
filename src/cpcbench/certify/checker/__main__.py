"""`python -m cpcbench.certify.checker FILE...`: prints a verdict for each file; status 1 if one is rejected."""

from __future__ import annotations

import argparse
import sys
import time

from cpcbench.certify.checker.checking import Progress
from cpcbench.certify.checker.files import check_file


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m cpcbench.certify.checker", description="Checks certificates.")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes check at once")
    chosen = parser.parse_args()
    accepted = True
    for file in chosen.files:
        try:
            verdict = check_file(file, jobs=chosen.jobs, progress=_progress())
        except KeyboardInterrupt:
            return 130
        print(f"{file}: {verdict}")
        accepted = accepted and verdict.accepted
    return 0 if accepted else 1


def _progress() -> Progress:
    """Tells on standard error every few seconds."""
    last = [time.monotonic()]

    def tell(done: int, total: int) -> None:
        if time.monotonic() - last[0] > 5.0:
            last[0] = time.monotonic()
            print(f"{done:,} of {total:,} steps checked", file=sys.stderr)

    return tell


if __name__ == "__main__":
    sys.exit(main())
