"""Commands given in this process or in one of its own, and what they say."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import resources
from typing import Any

from typer.testing import CliRunner, Result

from cpcbench.cli.app import app

DF3 = ("6.1828121298816", "6.49031991565847")
PUBLISHED = str(resources.files("cpcbench.problems").joinpath("published.csv"))


def run(*words: str, stdin: bytes | None = None) -> Result:
    result = CliRunner().invoke(app, list(words), input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def good(*words: str) -> str:
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def wrong(*words: str) -> str:
    """The message of wrong input: exit code 2, nothing on standard output."""
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert not result.stdout
    return result.stderr


def strict_json(text: str) -> Any:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def process(*words: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cpcbench", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **settings)
