"""`cpcbench cache`: the folder of compiled code, seen and emptied."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from cpcbench.cli.output import print_facts, print_json
from cpcbench.cli.words import JsonOption
from cpcbench.errors import CpcbenchError

MEGABYTE = 2**20


def cache(
    days: Annotated[
        float | None, typer.Option("--prune", metavar="DAYS", help="Remove what was not used for so many days.")
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Remove all compiled code.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show, prune or clear the compiled code on disk.

    It is made again when it is needed, which takes about a second a formula.

    Examples:

    cpcbench cache

    cpcbench cache --prune 30
    """
    from cpcbench.readings.doubles.cache import MOST, contents, place, prune, wanted_folder

    if days is not None and (clear or not days >= 0.0):
        raise CpcbenchError("--prune takes a number of days, 0 or more, and does not go with --clear")
    wanted = wanted_folder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is told below
        used = place()
    folder = wanted if used.trouble is None else None
    removed = None if folder is None or not (clear or days is not None) else prune(folder, days=days or 0.0)
    there = None if folder is None else contents(folder)
    if as_json:
        facts = {"folder": wanted, "used": folder is not None, "trouble": used.trouble, "limit": MOST}
        print_json({**facts, "contents": there, "removed": removed})
        return
    rows = [("folder", f"{wanted}{'' if folder else ', not used'}")]
    if used.trouble is not None:
        rows.append(("trouble", f"{used.trouble}; code is kept only while a command runs"))
    if removed is not None:
        rows.append(("removed", f"removed {removed.functions:,}, {removed.size / MEGABYTE:.1f} MB"))
    if there is not None:
        rows.append(("holds", f"{there.functions:,} compiled functions, {there.size / MEGABYTE:.1f} MB"))
        rows.append(("oldest", f"last used {there.days:.0f} days ago"))
        rows.append(("limit", f"{MOST // MEGABYTE} MB; of more, what was not used for longest goes, once a day"))
    print_facts(rows)
