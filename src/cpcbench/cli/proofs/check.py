"""`cpcbench certify --check`: verdicts on files of certificates, each with what it is about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import cpcbench as cpc
from cpcbench.cli.guard import NOT_CONFIRMED
from cpcbench.cli.output import print_json
from cpcbench.errors import CpcbenchError, UnknownNameError

if TYPE_CHECKING:
    from cpcbench.certify.checker import Verdict

BOTH = "both"


def check_files(files: list[Path], problem: cpc.Problem | None, arithmetic: str, as_json: bool, **limits: Any) -> None:
    """Prints the verdicts; exits with 1 unless every file is accepted, by both arithmetics if that is asked."""
    if not files:
        raise CpcbenchError("--check takes the files to check")
    names = ["arb", "mpfr"] if arithmetic == BOTH else [arithmetic]
    verdicts = []
    for file, name in [(file, name) for file in files for name in names]:
        verdict = cpc.check(file, problem=problem, arithmetic=name, **limits)
        verdicts.append((str(file), verdict))
        if not as_json:  # each as soon as it is there: a long one may take minutes
            typer.echo("\n  ".join([f"{file}: {verdict}", *verdict.lines, *_warnings(verdict)]))
    if as_json:
        print_json([{"file": file, **verdict.__dict__} for file, verdict in verdicts])
    if not all(verdict.accepted for _, verdict in verdicts):
        raise typer.Exit(NOT_CONFIRMED)


def _warnings(verdict: Verdict) -> list[str]:
    """Says so if the name is that of a known problem, but the formula or the box is not, also not at another size."""
    from cpcbench.certify.certificate.schema import About

    try:
        known = cpc.problem(verdict.about["name"])
    except (KeyError, UnknownNameError):
        return []
    bounds = [tuple(pair) for pair in verdict.about["bounds"]]
    if known.smallest_dim is not None and len(bounds) >= known.smallest_dim:
        known = cpc.problem(known.id, n=len(bounds))
    if (verdict.about["formula"], bounds) == About.of(known).meant:
        return []
    return [f"it is NOT about the problem {known.id} of the suite, whose name it bears"]
