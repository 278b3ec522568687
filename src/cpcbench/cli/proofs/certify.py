"""`cpcbench certify`: proofs of global optimality, made and checked."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import cpcbench as cpc
from cpcbench.cli.guard import NOT_CONFIRMED
from cpcbench.cli.output import print_facts, print_json, width
from cpcbench.cli.proofs.check import check_files
from cpcbench.cli.proofs.folder import enter, made_of, make_all
from cpcbench.cli.proofs.theorem import write_theorem
from cpcbench.cli.words import (
    BoundsOption,
    JsonOption,
    SeedOption,
    SizeOption,
    SubjectOption,
    read_problem,
)
from cpcbench.cli.writing import STANDARD, ForceOption, FormatOption, place, write
from cpcbench.errors import CpcbenchError

if TYPE_CHECKING:
    from cpcbench.certify.certificate.certificate import Certificate


MOST_SHOWN = 5
"""Boxes of optima that are printed."""


def certify(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROBLEM or FILES", help="An id or a formula with --bounds; with --check files."),
    ] = None,
    bounds: BoundsOption = None,
    subject_to: SubjectOption = None,
    tolerance: Annotated[float, typer.Option("--tolerance", help="The gap to reach, relative above 1.")] = 1e-9,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", help="Seconds at most for a problem; 60 unless given, and 3600 for a --check."),
    ] = None,
    seed: SeedOption = 0,
    part: Annotated[
        str, typer.Option("--part", help="regular, or thin: sets with whole varying exponents.")
    ] = "regular",
    output: Annotated[
        Path | None, typer.Option("--output", help="The file to write, - to print; with --all a folder with an index.")
    ] = None,
    force: ForceOption = False,
    state: Annotated[
        Path | None, typer.Option("--state", help="A file in which the proof is kept as it grows, to go on from.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Threads of a proof (all cores), processes of a --check (1).")
    ] = None,
    gpu: Annotated[
        bool, typer.Option("--gpu", help="Parts of sums that do not close soon: on a graphics card.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Certify the whole suite, or with --n what is scalable.")
    ] = False,
    suite: Annotated[
        str | None,
        typer.Option("--suite", help="As --all, of cpc, classics, cf or all; what the folder has is not made again."),
    ] = None,
    carried: Annotated[
        bool, typer.Option("--carry", help="Of an instance, NAME@7: carry the package's proof of NAME over.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Check files with the independent checker.")] = False,
    renew: Annotated[
        bool, typer.Option("--renew", help="Add to files what was not said before: whether the infimum is attained.")
    ] = False,
    table: Annotated[
        bool, typer.Option("--table", help="What the package's own certificates prove; at other sizes with --n.")
    ] = False,
    coq: Annotated[
        Path | None,
        typer.Option("--coq", help="Write the certificate FILE, or the package's own of PROBLEM, as a theorem of Coq."),
    ] = None,
    about: Annotated[
        str | None,
        typer.Option("--problem", help="With --check: refuse a proof about anything but this id or formula."),
    ] = None,
    arithmetic: Annotated[
        str, typer.Option("--arithmetic", help="With --check: arb, mpfr or both, which must then both accept.")
    ] = "arb",
    memory: Annotated[int, typer.Option("--memory", min=256, help="With --check: MiB at most for a file.")] = 4096,
    n: SizeOption = None,
    style: FormatOption = "terminal",
    as_json: JsonOption = False,
) -> None:
    """Prove how low a formula can be, or check a proof.

    Exits with 1 if a file does not check, or if the gap was not reached.

    Examples:

    cpcbench certify CPC-DF13

    cpcbench certify "sqrt(x1 - x2^2) - x1/4" --bounds 0:4,-2:2 --output mine.json.gz

    cpcbench certify "x1 + x2" --bounds -2:2 --subject-to "x1^2 + x2^2 <= 1"

    cpcbench certify CPC-DF13@7 --carry --output instance.json.gz

    cpcbench certify --check mine.json.gz

    cpcbench certify --check mine.json.gz --problem CPC-DF13 --arithmetic both

    cpcbench certify --renew mine.json.gz

    cpcbench certify CPC-DF17 --coq df17.v

    cpcbench certify --suite classics --seconds 60 --output classics
    """
    given = words or []
    if carried and (subject_to or every or suite or check or renew or table or part != "regular" or state):
        raise CpcbenchError("--carry takes an instance as it is, and of other options only --n, --output and --json")
    if about is not None and not check:
        raise CpcbenchError("--problem goes with --check: it says what the files have to be about")
    most = 60.0 if seconds is None else seconds
    if style != "terminal" and not table:
        raise CpcbenchError("--format is for the table of --table: a certificate prints text, or JSON with --json")
    if table:
        _print_table(as_json, style, n)
    elif check:
        problem = None if about is None else read_problem(about, n, "strict", bounds, subject_to)
        limits = {"workers": workers or 1, "seconds": 3600.0 if seconds is None else seconds, "memory": memory << 20}
        check_files([Path(word) for word in given], problem, arithmetic, as_json, **limits)
    elif renew:
        _renew([Path(word) for word in given], workers or 1)
    elif every or suite is not None:
        make_all(given, n, output, suite, tolerance=tolerance, seconds=most, seed=seed, workers=workers)
    elif len(given) != 1:
        raise CpcbenchError("certify takes one problem; --all or --suite; --check or --renew with files; or --table")
    elif coq is not None:
        if bounds or subject_to or carried or output or state:
            raise CpcbenchError("--coq writes a certificate that there is: of other options it takes --n and --force")
        write_theorem(given[0], n, coq, force=force)
    else:
        problem = read_problem(given[0], n, "strict", bounds, subject_to)
        settings = {"tolerance": tolerance, "seconds": most, "seed": seed, "workers": workers, "gpu": gpu}
        place(output, "certificate", state, force=force)
        name = given[0] if carried else None
        _make_one(problem, output, as_json, name, part=part, state=state, **settings)


def _carried(name: str, problem: cpc.Problem) -> Certificate:
    """The package's proof of the problem that this is an instance of, carried over."""
    from cpcbench.certify.carrying import carry
    from cpcbench.certify.certificate.library import certificate, proven_for
    from cpcbench.problems.registry import original

    home = original(name)
    if home == name:
        raise CpcbenchError(f"--carry is for instances, such as {name[:40]}@7")
    known = cpc.problem(home, n=problem.dim if cpc.problem(home).scalable else None)
    row = next((row for row in proven_for(known) if row.settles), None)
    if row is None:
        raise CpcbenchError(f"the package has no proof of the infimum of {known.id}: without --carry one is made")
    return carry(certificate(row.file), known, int(name.rpartition("@")[2]))


def _make_one(problem: cpc.Problem, output: Path | None, as_json: bool, carried: str | None, **settings: Any) -> None:
    """Proves a problem, or carries over what is known of the one that it is an instance of, by its name."""
    started = time.monotonic()
    made = made_of(problem, **settings) if carried is None else _carried(carried, problem)
    took = time.monotonic() - started
    if output is not None:
        write(made.packed(), None if output == STANDARD else output, quiet=True)
    reached = made.relative_gap <= settings["tolerance"]
    if output == STANDARD:
        typer.echo(str(made), err=True)  # the file itself is all that is printed
    elif as_json:
        print_json({**_claim(made), "seconds": took, "file": None if output is None else str(output)})
    else:
        word = "proven" if made.checked is not None else "claimed"
        rows = [("problem", made.name), (word, str(made).partition(": ")[2].removeprefix("proven to be "))]
        if made.bounded:
            rows.append(("gap", f"{made.gap:.3g}{'' if reached else ' (not what was asked for)'}"))
            rows += _places(made)
        rows += [("proof", f"{made.steps:,} steps"), ("checked", _checked(made)), ("seconds", f"{took:.1f}")]
        rows += [("file", str(output))] if output is not None else []
        print_facts(rows)
    if not reached:
        raise typer.Exit(NOT_CONFIRMED)


def _claim(made: Certificate) -> dict[str, Any]:
    bounds = {"lower": made.lower, "upper": made.upper, "gap": made.gap}
    return {
        "problem": made.name,
        "part": made.part,
        "unbounded": made.unbounded,
        "empty": made.empty,
        **(bounds if made.bounded else dict.fromkeys(bounds)),
        "attained": made.attained,
        "x": made.x,
        "optima": made.optima,
        "steps": made.steps,
        "checked": made.checked is not None,
        "verdict": _checked(made),
    }


def _places(made: Certificate) -> list[tuple[str, str]]:
    """Where a value of at most the upper bound is, and boxes that hold all such points, as far as they are known."""
    rows = [] if made.x is None else [("at", " ".join(map(repr, made.x)))]
    boxes = made.optima or []
    sides = [" x ".join(f"[{low!r}, {high!r}]" for low, high in box) for box in boxes[:MOST_SHOWN]]
    rows += [("optima in", side) for side in sides]
    left = len(boxes) - MOST_SHOWN
    return rows + ([("optima in", f"{left} more boxes, in the file and with --json")] if left > 0 else [])


def _checked(made: Certificate) -> str:
    """What the checker said, in words."""
    if made.checked is None:
        return "not checked: the time for checking ran out"
    return f"{'accepted' if made.checked.accepted else 'rejected'} in {made.checked.seconds:.1f} s"


def _renew(files: list[Path], workers: int) -> None:
    """Certificates in the newest version, each written back only if the checker takes it; indices follow."""
    from cpcbench.certify.certificate.certificate import Certificate
    from cpcbench.certify.certificate.library import read_index, row_of
    from cpcbench.certify.confirming import confirmed

    if not files:
        raise CpcbenchError("--renew takes the files to renew")
    for file in files:
        made = Certificate.load(file)
        verdict = made.check(workers)  # before anything in it is believed
        if verdict.accepted:
            made = confirmed(made.said, workers=workers)
            verdict = made.checked or verdict
        typer.echo(f"{file}: {verdict}")
        if not verdict.accepted:
            raise typer.Exit(NOT_CONFIRMED)
        made.save(file)
        for row in read_index(file.parent):
            if row.file == file.name:
                enter(file.parent, row_of(made, row.file, row.seconds, row.command))


def _print_table(as_json: bool, style: str, n: int | None) -> None:
    from cpcbench.problems.proven import proven
    from cpcbench.report.problems.proven import proven_table
    from cpcbench.report.render import render

    if as_json:
        print_json([row.__dict__ for row in proven()])
        return
    problems = [p for p in cpc.problems() if p.category == "domain-induced"]
    if n is not None:
        problems = [cpc.problem(p.id, n=n) for p in problems if p.scalable]
    typer.echo(render([proven_table(problems)], style, width() if style == "terminal" else None))
