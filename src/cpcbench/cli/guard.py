"""The one place where errors become messages and exit codes.

0: all is well. 1: a claim was not confirmed, or nothing was found or proven, or every run of a study failed.
2: the input was wrong. 130: interrupted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import typer

from cpcbench.errors import CpcbenchError, NotProvenError

NOT_CONFIRMED = 1
WRONG_INPUT = 2
INTERRUPTED = 130

P = ParamSpec("P")


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """The command, never ending in a traceback for what a user can cause."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError:  # the reader of our output left, as `head` does
            abandon_output()
        except NotProvenError as error:
            raise _wrong(str(error), NOT_CONFIRMED) from None
        except (CpcbenchError, OSError) as error:
            raise _wrong(_message(error)) from None
        except (MemoryError, RecursionError):
            raise _wrong("this is too large for the memory of this machine") from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None

    return run


def abandon_output() -> None:
    """Sends the rest of the output nowhere, so that nothing fails at the very end."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # standard output is no file, as under a test
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def prepare_output() -> None:
    """Output that can be written to: whatever the encoding, and if the shell closed it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _wrong(message: str, status: int = WRONG_INPUT) -> typer.Exit:
    typer.echo(f"error: {message}", err=True)
    try:
        sys.stdout.flush()
    except OSError:  # a full disk: it would be reported again at exit
        abandon_output()
    return typer.Exit(status)


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        place = "" if error.filename is None else f"{error.filename}: "
        return f"{place}{error.strerror}"
    return str(error)
