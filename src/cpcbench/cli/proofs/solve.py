"""`cpcbench solve`: all real solutions of a system of equations in a box, each proven."""

from __future__ import annotations

import math
from typing import Annotated

import typer

import cpcbench as cpc
from cpcbench.cli.guard import NOT_CONFIRMED
from cpcbench.cli.output import number, print_facts, print_json
from cpcbench.cli.words import JsonOption, SeedOption, read_bounds


def solve(
    equations: Annotated[
        list[str], typer.Argument(metavar="EQUATION...", help="Equations in quotes, or CPC-SE1 or CPC-SE2.")
    ],
    bounds: Annotated[
        str | None,
        typer.Option("--bounds", help="lower:upper for all variables, or one pair each; -inf:inf by default."),
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="Seconds at most.")] = 30.0,
    rule: Annotated[str, typer.Option("--rule", help="How powers are read: strict (real powers) or ieee.")] = "strict",
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Solve a system of equations, and prove each solution.

    In a finite box it tries to prove that there is no other solution. Exits with 1 if no solution was found and
    none was excluded.

    Example: cpcbench solve "x1^2 + x2^2 = 4" "x1 * x2 = 1" --bounds -5:5

    Example: cpcbench solve CPC-SE2 --bounds -1e15:1e15
    """
    from cpcbench.problems.collections.systems import systems

    known = systems().get(equations[0].strip().upper()) if len(equations) == 1 else None
    given = list(known or equations)
    pairs = [(-math.inf, math.inf)] if bounds is None else read_bounds(bounds)
    box = pairs * len(given) if len(pairs) == 1 else pairs
    found = cpc.solve_system(given, box, seconds=seconds, rule=rule, rng=seed)
    if as_json:
        print_json({"message": found.message, "complete": found.complete, "open_boxes": found.open_boxes,
                    "solutions": found.solutions, "on_edge": found.on_edge})  # fmt: skip
    else:
        rows = [("result", found.message), ("seconds", f"{found.seconds:.1f}")]
        for i, root in enumerate(found.solutions, start=1):
            for j, (low, high) in enumerate(zip(root.lower, root.upper, strict=True), start=1):
                rows.append((f"solution {i}, x{j}", f"[{number(low)}, {number(high)}]"))
        print_facts(rows)
    if not found.solutions and not found.complete:
        raise typer.Exit(NOT_CONFIRMED)
