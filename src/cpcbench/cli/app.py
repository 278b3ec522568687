"""All commands, put together."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from cpcbench.cli import cache, classics, fits, minimize, plot, reading, records, suite
from cpcbench.cli.guard import INTERRUPTED, abandon_output, guarded, prepare_output
from cpcbench.cli.proofs import certify, solve
from cpcbench.cli.runs import claims, compare, importing, reproduce, study, tables
from cpcbench.cli.studies import agreement, feasible, modality, sensitivity, structure

HELP = """Global optimisation when the objective is undefined on most of its domain.

Start with `cpcbench list`, then `cpcbench show CPC-DF3`. Each command has examples: `cpcbench verify --help`.

Exit codes: 0 all is well, 1 a claim was not confirmed, nothing was found or proven, or every run of a study failed,
2 the input was wrong, 130 interrupted.
"""

SYNONYMS = {"jobs": "workers"}
"""Older names of options, which still work."""

app = typer.Typer(
    name="cpcbench",
    help=HELP,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"max_content_width": 100, "token_normalize_func": lambda word: SYNONYMS.get(word, word)},
)
COMMANDS: dict[str, Callable[..., None]] = {
    "list": suite.list_problems,
    "show": suite.show,
    "eval": reading.evaluate,
    "conditions": reading.conditions,
    "export": reading.export,
    "verify": claims.verify_claims,
    "agreement": agreement.compare,
    "feasible": feasible.feasible,
    "structure": structure.structure,
    "multiplicity": structure.multiplicity,
    "sensitivity": sensitivity.sensitivity,
    "modality": modality.modality,
    "run": study.run,
    "reproduce": reproduce.reproduce,
    "import": importing.import_file,
    "archive": importing.archive,
    "solvers": study.list_solvers,
    "compare": compare.compare,
    "minimize": minimize.minimize,
    "certify": certify.certify,
    "report": tables.report,
    "claims": tables.claims,
    "peaks": tables.peaks,
    "runs": tables.runs,
    "merge": tables.merge,
    "plot": plot.plot,
    "records": records.records,
    "classics": classics.classics,
    "fits": fits.fits,
    "solve": solve.solve,
    "cache": cache.cache,
}
NO_FORMULAS = (
    "list", "agreement", "feasible", "reproduce", "import", "archive", "solvers", "report", "claims", "peaks", "runs",
    "merge", "records", "classics", "fits", "cache",
)  # fmt: skip
"""Commands whose words never start with a minus, so that an unknown option is told as one."""

for name, command in COMMANDS.items():
    settings = {} if name in NO_FORMULAS else {"ignore_unknown_options": True}  # -5 is a coordinate, -ln(x1) a formula
    app.command(name, context_settings=settings)(guarded(command))


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
