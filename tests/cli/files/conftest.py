"""A small study that commands are given."""

from __future__ import annotations

from pathlib import Path

import pytest

from cpcbench.experiment.store.store import Store
from tests.experiment.test_store import RECORD


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "study.db"
    with Store(path, writing=True) as study:
        study.add([RECORD])
    return path
