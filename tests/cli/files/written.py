"""Files that are written over, and how a command refuses to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cpcbench.cli.app import app
from cpcbench.experiment.store.store import Store

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs links and rights of POSIX")
PROOF = ["certify", "x1^2", "--bounds", "0:1", "--seconds", "20"]


def runs_in(path: Path) -> int:
    with Store(path) as study:
        return len(study)


def refused(*words: str) -> str:
    done = CliRunner().invoke(app, words)
    assert (done.exit_code, type(done.exception)) == (2, SystemExit), done.output
    return done.output


PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(100)
