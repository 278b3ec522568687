"""`cpcbench minimize`: the least value of a problem, a formula or a function of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import cpcbench as cpc
from cpcbench.cli.guard import INTERRUPTED, NOT_CONFIRMED
from cpcbench.cli.output import number, print_facts, print_json
from cpcbench.cli.progress import ProgressLine
from cpcbench.cli.words import (
    PLACE,
    BoundsOption,
    JsonOption,
    RuleOption,
    SeedOption,
    SizeOption,
    SubjectOption,
    read_bounds,
    read_problem,
)
from cpcbench.errors import CpcbenchError
from cpcbench.solvers.ending import INTERRUPTED as STOPPED

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult


def minimize(
    problem: Annotated[
        str,
        typer.Argument(
            metavar="PROBLEM", help="An id, a formula in quotes, module:function, file.py:function, or a model."
        ),
    ],
    bounds: BoundsOption = None,
    subject_to: SubjectOption = None,
    budget: Annotated[int | None, typer.Option("--budget", min=1, help="Evaluations at most.")] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", help="Seconds at most.")] = None,
    seed: SeedOption = 0,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="auto, white-box (reads the formula), grey-box (watches a function) or black-box.",
        ),
    ] = "auto",
    workers: Annotated[int, typer.Option("--workers", help="Processes for a function; -1 for one a core.")] = 1,
    asynchronous: Annotated[
        bool,
        typer.Option("--asynchronous", help="No worker waits for others; the answer depends on which ends first."),
    ] = False,
    log: Annotated[
        Path | None, typer.Option("--log", help="A CSV file to which each evaluation of a function is added.")
    ] = None,
    state: Annotated[
        Path | None, typer.Option("--state", help="A file from which the same command goes on after a kill or Ctrl-C.")
    ] = None,
    known: Annotated[
        Path | None, typer.Option("--known", help="The log or state of another search, to learn from.")
    ] = None,
    all_optima: Annotated[bool, typer.Option("--all-optima", help="Print every point that is as good.")] = False,
    n: SizeOption = None,
    rule: RuleOption = "ieee",
    as_json: JsonOption = False,
) -> None:
    """Find the least value where much is undefined.

    Exits with 1 if nothing admissible was found. Ctrl-C prints the best so far and exits with 130.

    Examples:

    cpcbench minimize CPC-DF6

    cpcbench minimize "sqrt(x1 - 2*x2^2) - (0.5*cos(x1) - 0.4*x1)^0.2" --bounds -100:100

    cpcbench minimize model.py:cost --bounds 0:1,0:1,-5:5 --budget 2000 --workers -1

    cpcbench minimize model.py:cost --bounds 0:1,0:1,-5:5 --budget 2000 --log runs.csv --state search.state

    cpcbench minimize "x1 + x2" --bounds -2:2 --subject-to "x1^2 + x2^2 <= 1" --subject-to "x1 >= x2"

    cpcbench minimize model.nl --seconds 20

    A function is called; with --method white-box it is read as a formula first.
    """
    only_called = PLACE.fullmatch(problem) and method != "white-box"
    fun, box = _function(problem, bounds) if only_called else (read_problem(problem, n, rule, bounds, subject_to), None)
    settings: dict[str, Any] = {
        "budget": budget,
        "seconds": seconds,
        "seed": seed,
        "method": method,
        "workers": workers,
    }
    if only_called:
        settings["constraints"] = subject_to or ()
    settings |= {"asynchronous": asynchronous, "log": log, "state": state, "all_optima": all_optima, "rule": rule}
    found = _found(fun, box, {**settings, "known": None if known is None else cpc.read_log(known)})
    verdict = cpc.verify(fun, found.x, found.fun) if isinstance(fun, cpc.Problem) and found.x is not None else None
    if as_json:
        print_json({**_plain(found), "verdict": verdict})
    else:
        _print(found, verdict)
    if found.status == STOPPED:
        raise typer.Exit(INTERRUPTED)
    if found.x is None:
        raise typer.Exit(NOT_CONFIRMED)


def _found(fun: Any, box: list[tuple[float, float]] | None, settings: dict[str, Any]) -> OptimizeResult:
    with ProgressLine() as line:

        def show(intermediate_result: OptimizeResult) -> None:
            if line.due:
                line.say(f"best {intermediate_result.fun!r} after {intermediate_result.nfev:,} evaluations")

        return cpc.minimize(fun, box, **settings, callback=show, progress=line.begin)


def _function(place: str, bounds: str | None) -> tuple[Any, list[tuple[float, float]]]:
    from cpcbench.solvers.registry import from_place

    if bounds is None:
        raise CpcbenchError(f"{place} needs its box: --bounds lower:upper for each variable, with commas between")
    return from_place(place), read_bounds(bounds)


def _plain(found: OptimizeResult) -> dict[str, Any]:
    """The result in JSON's own types."""
    made = {name: value.tolist() if hasattr(value, "tolist") else value for name, value in found.items()}
    return {**made, **({"optima": [point.tolist() for point in _points(found)]} if "optima" in found else {})}


def _print(found: OptimizeResult, verdict: Any) -> None:
    rows = [("message", found.message)]
    if found.x is not None:
        rows = [("value", number(found.fun)), ("at", " ".join(map(repr, found.x.tolist()))), *rows]
    if verdict is not None:
        rows += [
            ("reference", f"{number(verdict.reference)} (correctly rounded doubles)"),
            ("enclosure", str(verdict.enclosure)),
            ("kind", verdict.kind),
        ]
    for kind in ("thin", "artefact"):
        apart = found.get(kind)
        if apart is not None:
            rows.append((f"lowest {kind}", f"{number(apart.value)} at {' '.join(map(repr, apart.x.tolist()))}"))
    undefined = f", {found.nundefined:,} of them undefined" if "nundefined" in found else ""
    rows.append(("evaluations", f"{found.nfev:,}{undefined}"))
    if found.get("nconstraint"):
        rows.append(("constraints", f"computed alone at {found.nconstraint:,} points more, to move points inside"))
    if found.get("nrecalled"):
        rows.append(("recalled", f"{found.nrecalled:,} of them, from the state"))
    if found.get("nfailed"):
        rows.append(("failed", f"{found.nfailed:,} calls of the function"))
    rows += [
        ("undefined", f"{failure.count:,} times: {failure.example}; first at {' '.join(map(repr, failure.x.tolist()))}")
        for failure in found.get("failures", ())
    ]
    if found.get("defined") is not None and found.nundefined:
        ends = zip(found.defined.lower.tolist(), found.defined.upper.tolist(), strict=True)
        rows.append(("defined", f"{found.defined.share:.1%} of the evaluations, within "
                     + ", ".join(f"{low:.6g}:{high:.6g}" for low, high in ends)))  # fmt: skip
    rows.append(("seconds", f"{found.seconds:.2f}"))
    print_facts(rows)
    for point in _points(found):
        typer.echo(" ".join(map(repr, point.tolist())))


def _points(found: OptimizeResult) -> list[Any]:
    """All optima as points, whether they come alone or with their values."""
    return [getattr(item, "x", item) for item in found.get("optima", ())]
