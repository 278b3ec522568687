"""All commands, and the one place where errors become messages and exit codes.

Exit codes: 0 all is well, 1 a claim was not confirmed, 2 the input was wrong, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from cpcbench.cli import agreement, claims, reading, suite
from cpcbench.errors import CpcbenchError

WRONG_INPUT = 2
INTERRUPTED = 130

app = typer.Typer(
    name="cpcbench",
    help="Global optimisation when the objective is undefined on most of its domain.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
)
suite.add_to(app)
reading.add_to(app)
claims.add_to(app)
agreement.add_to(app)


def _version(wanted: bool) -> None:
    if wanted:
        from cpcbench import __version__

        typer.echo(f"cpcbench {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Runs the command line; never shows a traceback for what a user can cause."""
    try:
        app()
    except BrokenPipeError:  # the reader of our output left, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (CpcbenchError, OSError) as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(WRONG_INPUT)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
