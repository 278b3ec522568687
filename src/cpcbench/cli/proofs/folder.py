"""Certificates of many problems in a folder, with an index of what they say."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

import cpcbench as cpc
from cpcbench.cli.progress import ProgressLine
from cpcbench.cli.words import cpc_functions
from cpcbench.cli.writing import STANDARD
from cpcbench.errors import CpcbenchError

if TYPE_CHECKING:
    from cpcbench.certify.certificate.certificate import Certificate
    from cpcbench.problems.proven import Proven


CHECKING = 10.0
"""The checker may take so many times as long as the proof; what it does not come to an end with is not kept."""


def made_of(problem: cpc.Problem, **settings: Any) -> Certificate:
    from cpcbench.certify.making import certify as make

    known = problem.best_known
    points = [] if known is None else [list(map(float, x)) for x in known.points[:4]]
    with ProgressLine() as line:
        return make(problem, points=points, progress=lambda text: line.say(f"{problem.id}: {text}"), **settings)


def make_all(ids: list[str], n: int | None, folder: Path | None, suite: str | None, **settings: Any) -> None:
    """Certificates of a suite, or of the problems named, into a folder; with a size, of those that can have it.

    Those there are replaced if better; of a suite that was named, they are not made again if they are about the same
    formula and box.
    """
    from cpcbench.certify.certificate.library import proven_for
    from cpcbench.problems.registry import check_suite

    if folder is None or folder == STANDARD:
        raise CpcbenchError("--all and --suite take --output FOLDER for the certificates and their index")
    whole = check_suite(suite or "cpc")
    chosen = [cpc.problem(word, n=n) for word in ids] if ids else cpc_functions(n, whole)
    folder.mkdir(parents=True, exist_ok=True)
    for problem in chosen:
        for part in ("regular", *(("thin",) if _may_be_thin(problem) else ())):
            kept = set() if suite is None else {claim.part for claim in proven_for(problem, folder)}
            if not kept & {part, "all"}:
                _make(problem, part, folder, **settings)


def _make(problem: cpc.Problem, part: str, folder: Path, **settings: Any) -> None:
    from cpcbench.certify.certificate.certificate import Certificate
    from cpcbench.certify.certificate.library import proven_for, row_of
    from cpcbench.certify.confirming import verdict_on

    started = time.monotonic()
    try:
        made = made_of(problem, part=part, **settings)
    except CpcbenchError as error:
        typer.echo(f"{problem.id} ({part}): {error}")
        return
    took = time.monotonic() - started
    verdict = made.checked or verdict_on(made.said, CHECKING * settings["seconds"], settings["workers"] or 1)
    typer.echo(f"{made} ({took:.1f} s; the checker: {verdict or 'no word in its time'})")
    if verdict is None or not verdict.accepted:
        return
    sized = problem.facts is None or problem.dim != problem.facts.n
    file = f"{problem.id}{f'-n{problem.dim}' if sized else ''}{'-thin' if part == 'thin' else ''}.json.gz"
    kept = next((claim for claim in proven_for(problem, folder) if claim.file == file), None)
    if kept is not None and kept.gap <= made.gap and (kept.attained is not None or made.attained is None):
        return
    asked = f"{f'--n {problem.dim} ' if sized else ''}--seconds {settings['seconds']:g} --seed {settings['seed']}"
    command = f"cpcbench certify {problem.id} {asked}{' --part thin' if part == 'thin' else ''}"
    said = replace(made.said, made={**made.said.made, "command": command})
    Certificate(said).save(folder / file)
    enter(folder, row_of(made, file, round(took, 1), command))


def enter(folder: Path, row: Proven) -> None:
    """Puts a row into the index of a folder, in the order of the suites."""
    from cpcbench.certify.certificate.library import read_index, write_index
    from cpcbench.problems.registry import definitions

    claims = {claim.file: claim for claim in read_index(folder)} | {row.file: row}
    order = {id_: i for i, id_ in enumerate(definitions())}
    write_index(folder, sorted(claims.values(), key=lambda c: (order.get(c.name, len(order)), c.n, c.file)))


def _may_be_thin(problem: cpc.Problem) -> bool:
    from cpcbench.certify.work import has_varying_power

    return has_varying_power(problem.expression)
