"""`cpcbench records`: the lowest points known of each kind; shown, hunted for, or checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import cpcbench as cpc
from cpcbench.cli.guard import NOT_CONFIRMED
from cpcbench.cli.output import number
from cpcbench.cli.words import SeedOption, SizeOption, SuiteOption, cpc_functions
from cpcbench.cli.writing import STANDARD, FormatOption, check_format, write_tables
from cpcbench.errors import CpcbenchError

if TYPE_CHECKING:
    from cpcbench.experiment.record_hunt import Hunted
    from cpcbench.problems.records import Record


def records(
    problems: Annotated[
        list[str] | None, typer.Argument(metavar="PROBLEM...", help="Ids; the CPC functions of the suite by default.")
    ] = None,
    suite: SuiteOption = "cpc",
    n: SizeOption = None,
    seconds: Annotated[
        float | None, typer.Option("--seconds", help="Hunt: search each problem for so long, and keep what is lower.")
    ] = None,
    seed: SeedOption = 0,
    workers: Annotated[int, typer.Option("--workers", min=1, max=1024, help="Processes that hunt side by side.")] = 1,
    output: Annotated[
        Path | None, typer.Option("--output", help="File the hunt writes to instead of the package's own.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Hunt, but write nothing.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Verify every record again, by all readings.")] = False,
    file: Annotated[
        Path | None, typer.Option("--file", help="Records to show or check instead of the package's own.")
    ] = None,
    style: FormatOption = "terminal",
) -> None:
    """Show, hunt or check the lowest points of each kind.

    Without --seconds or --check it prints the published optima beside the records.

    Example: cpcbench records CPC-DF3 CPC-DF9

    Example: cpcbench records --suite cf

    With --seconds it searches, by formula, and a lower point of its kind takes the old one's place;
    what was found so far is kept when it is interrupted.

    Example: cpcbench records CPC-DF9 --seconds 60 --output mine.jsonl

    Example: cpcbench records --n 8 --seconds 20

    With --check it exits with 1 if a record does not hold.

    Example: cpcbench records --check
    """
    from cpcbench.problems.records import read_records

    check_format(style)
    if seconds is None and (output is not None or dry_run):
        raise CpcbenchError("--output and --dry-run belong to a hunt: give --seconds, too")
    if seconds is not None and (check or file is not None):
        raise CpcbenchError("a hunt (--seconds) takes neither --check nor --file: use --output for another file")
    chosen = [cpc.problem(name, n=n) for name in problems] if problems else cpc_functions(n, suite)
    if seconds is not None:
        _show(chosen, _hunt(chosen, seconds, seed, workers, output, dry_run, n), style)
    elif check:
        _check(read_records(file), {p.id for p in chosen} if problems or suite != "cpc" else None)
    else:
        _show(chosen, read_records(file), style)


def _show(chosen: list[cpc.Problem], found: list[Record], style: str) -> None:
    from cpcbench.report.problems.records import records_table

    write_tables([records_table(chosen, found)], style, None)


def _hunt(
    chosen: list[cpc.Problem],
    seconds: float,
    seed: int,
    workers: int,
    output: Path | None,
    dry_run: bool,
    n: int | None,
) -> list[Record]:
    """The records after the hunt; the file is written whenever a problem is done."""
    from cpcbench.experiment.record_hunt import hunts
    from cpcbench.problems.records import merged, own_file, write_records

    if output == STANDARD:
        raise CpcbenchError("a hunt goes on from its file, which is never standard output: give --output a name")
    target = output or own_file()
    held = _held(target)
    if not dry_run:
        write_records(held, target)  # fails now, not after the first search
    typer.echo(f"{len(chosen)} problems, {seconds:g} s each, {workers} at a time", err=True)
    for i, one in enumerate(hunts([p.id for p in chosen], seconds, seed, workers, n), start=1):
        if not dry_run:
            held = merged(_held(target), held)  # what another hunt wrote meanwhile is not lost
        before, held = held, merged(held, _succeeding(one, held))
        typer.echo(f"{i}/{len(chosen)} {_told(one, before)}", err=True)
        if not dry_run and held != before:
            write_records(held, target)
    return held


def _succeeding(one: Hunted, held: list[Record]) -> list[Record]:
    """The new records, each with the places of the one it beats where its value is the same there."""
    from cpcbench.problems.record_check import successor

    old = {record.key: record for record in held}
    return [successor(cpc.problem(r.problem, n=len(r.x)), r, old.get(r.key)) for r in one.records]


def _held(target: Path) -> list[Record]:
    """What is on record: in the package, and in the file that is written to."""
    from cpcbench.problems.records import merged, read_records

    return merged(read_records(), read_records(target) if target.exists() else [])


def _told(one: Hunted, before: list[Record]) -> str:
    """What a search came back with, beside what there was."""
    old = {record.key: record.value for record in before}
    parts = []
    for record in one.records:
        was = old.get(record.key)
        news = "first" if was is None else "lower" if record.value < was else "same" if record.value == was else "above"
        parts.append(f"{record.kind} {number(record.value)} ({news})")
    return f"{one.problem}: {', '.join(parts) or 'nothing'}, {one.seconds:.0f} s"


def _check(found: list[Record], ids: set[str] | None) -> None:
    from cpcbench.problems.record_check import objections, remarks

    wanted = [record for record in found if ids is None or record.problem in ids]
    bad = 0
    for record in wanted:
        try:
            p = cpc.problem(record.problem, n=len(record.x))
        except CpcbenchError as error:
            against, more = [str(error)], []
        else:
            against = objections(p, record)
            more = [] if against else remarks(p, record)
        bad += bool(against)
        words = f"NO: {'; '.join(against)}" if against else "holds" + "".join(f" ({remark})" for remark in more)
        typer.echo(f"{record.problem} {record.kind} {number(record.value)}: {words}")
    typer.echo(f"{len(wanted) - bad} of {len(wanted)} records hold")
    if bad:
        raise typer.Exit(NOT_CONFIRMED)
