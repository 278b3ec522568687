"""What is read is not larger than it may be."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from tests.cli.files.written import refused


def test_a_certificate_that_unpacks_without_end_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cpcbench.certify.certificate import certificate

    monkeypatch.setattr(certificate, "MOST_BYTES", 10_000)
    for name, text in (("long", b" " * 10_001), ("deep", b"[" * 9_000)):
        (tmp_path / name).write_bytes(gzip.compress(text))
        with pytest.raises(CpcbenchError, match="is no certificate"):
            certificate.Certificate.load(tmp_path / name)


def test_a_state_that_unpacks_without_end_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cpcbench.certify.certificate import state as proof_state

    state = proof_state.ProofState(tmp_path / "state", "x1", [(0.0, 1.0)])
    state.put("zeros", arrays={"many": np.zeros(10_000)})
    state.save()
    proof_state.ProofState(tmp_path / "state", "x1", [(0.0, 1.0)])
    monkeypatch.setattr(proof_state, "MOST_BYTES", 50_000)
    with pytest.raises(CpcbenchError, match="more than 50,000 bytes"):
        proof_state.ProofState(tmp_path / "state", "x1", [(0.0, 1.0)])


def test_a_state_with_more_hits_than_points_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    words = ["feasible", "CPC-DF1", "--samples", "1000", "--repeats", "1", "--state", str(state)]
    assert CliRunner().invoke(app, words).exit_code == 0
    data = json.loads(state.read_text())
    (done,) = data["done"].values()
    done["hits"] = [1001]
    state.write_text(json.dumps(data))
    assert "more hits than points" in refused(*words)
    assert json.loads(state.read_text()) == data
