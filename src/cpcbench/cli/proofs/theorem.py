"""`cpcbench certify --coq FILE`: a certificate as a theorem of Coq."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import cpcbench as cpc
from cpcbench.cli.words import read_problem
from cpcbench.cli.writing import STANDARD, place, write
from cpcbench.errors import CpcbenchError

if TYPE_CHECKING:
    from cpcbench.certify.certificate.certificate import Certificate


def write_theorem(word: str, n: int | None, output: Path, *, force: bool) -> None:
    """Writes the theorem of a certificate's file, or of the package's own certificate of a problem."""
    from cpcbench.certify.certificate.certificate import Certificate
    from cpcbench.certify.coq.theorem import theorem

    file = Path(word)
    place(output, "coq", file if file.is_file() else None, force=force)
    text = theorem(Certificate.load(file) if file.is_file() else _packaged(read_problem(word, n, "strict", None)))
    write(text, None if output == STANDARD else output)


def _packaged(problem: cpc.Problem) -> Certificate:
    from cpcbench.certify.certificate.library import certificate, proven_for

    row = next((row for row in proven_for(problem) if row.settles), None)
    if row is None:
        raise CpcbenchError(f"the package has no proof of the infimum of {problem.id}: make one with --output FILE")
    return certificate(row.file)
