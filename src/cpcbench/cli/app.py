"""All commands, put together."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cpcbench.cli import cache, minimize, plot, reading, records, suite
from cpcbench.cli.guard import INTERRUPTED, abandon_output, prepare_output
from cpcbench.cli.proofs import certify
from cpcbench.cli.runs import claims, compare, study, tables
from cpcbench.cli.studies import agreement, feasible, modality, sensitivity, structure

HELP = """Global optimisation when the objective is undefined on most of its domain.

Start with `cpcbench list`, then `cpcbench show CPC-DF3`. Each command has examples: `cpcbench verify --help`.

Exit codes: 0 all is well, 1 a claim was not confirmed, nothing was found or proven, or every run of a study failed,
2 the input was wrong, 130 interrupted.
"""

app = typer.Typer(
    name="cpcbench",
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"max_content_width": 100},
)
suite.add_to(app)
reading.add_to(app)
claims.add_to(app)
agreement.add_to(app)
feasible.add_to(app)
structure.add_to(app)
sensitivity.add_to(app)
modality.add_to(app)
study.add_to(app)
compare.add_to(app)
minimize.add_to(app)
certify.add_to(app)
tables.add_to(app)
plot.add_to(app)
records.add_to(app)
cache.add_to(app)


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
    """Runs the command line."""
    prepare_output()
    try:
        app(prog_name="cpcbench")
    except BrokenPipeError:
        abandon_output()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
