"""What is written over: never a study or an input, and another kind of file only by force."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.formats.export import export_runs
from cpcbench.experiment.store.store import COLUMNS
from cpcbench.files import replacing, write_text
from tests.cases import one_in
from tests.cli.files.written import PICTURE, POSIX, PROOF, refused, runs_in
from tests.experiment.test_store import RECORD
from tests.material import other_user
from tests.material.outside.libraries import needs, there

# Studies and inputs


@pytest.mark.parametrize(
    "words",
    [
        ["report", "STUDY", "--output", "STUDY"],
        ["report", "STUDY", "--output", "STUDY", "--force"],
        ["report", "STUDY", "--html", "STUDY"],
        ["report", "STUDY", "--html", "PAGE", "--force"],
        ["runs", "STUDY", "--to", "STUDY", "--format", "csv", "--force"],
        ["runs", "OTHER", "--to", "STUDY", "--format", "parquet"],
        [*PROOF, "--output", "STUDY", "--force"],
        ["export", "CPC-DF1", "--to", "c", "--output", "STUDY", "--force"],
        ["plot", "CPC-DF1", "--output", "FIGURE", "--force"],
        ["structure", "CPC-DF1", "--output", "STUDY", "--force"],
        ["multiplicity", "CPC-DF1", "--output", "STUDY", "--force"],
        ["modality", "CPC-DF1", "--output", "STUDY", "--force"],
        ["sensitivity", "CPC-DF1", "--output", "STUDY", "--force"],
        ["feasible", "CPC-DF1", "--samples", "1000", "--output", "STUDY", "--force"],
        ["records", "CPC-DF1", "--seconds", "1", "--output", "STUDY"],
        ["reproduce", "--quick", "--store", "STUDY", "--output", "STUDY", "--force"],
    ],
    ids=" ".join,
)
def test_no_command_writes_over_a_study(store: Path, tmp_path: Path, words: list[str]) -> None:
    """By its own name, by a link, or by another name of the same file; --force or not."""
    other = tmp_path / "other.db"
    other.write_bytes(store.read_bytes())
    names = {"STUDY": store, "OTHER": other, "PAGE": tmp_path / "page.html", "FIGURE": tmp_path / "figure.png"}
    names["PAGE"].symlink_to(store)
    os.link(store, names["FIGURE"])
    said = refused(*(str(names.get(word, word)) for word in words))
    assert "is kept" in said or "not text" in said or ".html" in said
    assert (runs_in(store), runs_in(names["FIGURE"])) == (1, 1)


@pytest.mark.parametrize("name", ["study.db-wal", "study.db-journal"])
def test_no_command_writes_over_the_log_of_a_study(store: Path, name: str) -> None:
    log = store.with_name(name)
    log.write_bytes(
        b"\x37\x7f\x06\x82 the latest runs" if name.endswith("wal") else b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
    )
    before = log.read_bytes()
    assert "is kept" in refused("export", "CPC-DF1", "--to", "text", "--output", str(log), "--force")
    assert log.read_bytes() == before


@pytest.mark.parametrize("words", [PROOF, ["feasible", "CPC-DF1", "--samples", "1000"]], ids=["certify", "feasible"])
def test_no_command_writes_over_its_state(tmp_path: Path, words: list[str]) -> None:
    state = tmp_path / "state"
    assert "is what is read here" in refused(*words, "--state", str(state), "--output", str(state), "--force")
    assert not state.exists()


def test_the_library_writes_over_no_study(store: Path) -> None:
    for name in (store, store.with_name("link")):
        if name != store:
            name.symlink_to(store)
        with pytest.raises(CpcbenchError, match="is a study"):
            write_text(name, "text")
        with pytest.raises(CpcbenchError, match="is a study"):
            export_runs([RECORD], name, "csv")
    assert runs_in(store) == 1


def test_a_study_that_appears_meanwhile_is_kept(store: Path, tmp_path: Path) -> None:
    def write() -> None:
        with replacing(tmp_path / "new") as stream:
            stream.write(b"text")
            (tmp_path / "new").write_bytes(store.read_bytes())

    with pytest.raises(CpcbenchError, match="is a study"):
        write()
    assert runs_in(tmp_path / "new") == 1


# Files of another kind


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("model.py", b"def cost(x): ...\n"),
        ("notes.toml", b"[mine]\n"),
        ("picture.txt", PICTURE),
        ("archive.md", gzip.compress(b"mine", mtime=0)),
        ("page.md", b"<!DOCTYPE html><html>"),
        ("latin.txt", "Ärger".encode("latin-1") + bytes(40)),
    ],
)
def test_another_kind_of_file_is_kept_unless_forced(tmp_path: Path, name: str, content: bytes) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    words = ["export", "CPC-DF1", "--to", "text", "--output", str(file)]
    assert "--force replaces it" in refused(*words)
    assert file.read_bytes() == content
    assert CliRunner().invoke(app, [*words, "--force"]).exit_code == 0
    assert "x1" in file.read_text()


@pytest.mark.parametrize(
    "words",
    one_in(
        3,
        [
            ["export", "CPC-DF1", "--to", "gams", "--output", "df1.gms"],
            ["export", "CPC-DF1", "--to", "latex", "--output", "df1.tex"],
            ["export", "CPC-DF1", "--to", "mathml", "--output", "df1.mml"],
            ["export", "CPC-DF1", "--to", "c", "--json", "--output", "df1.json"],
            ["report", "study.db", "--output", "report.txt"],
            ["report", "study.db", "--output", "report.md", "--format", "markdown"],
            ["report", "study.db", "--output", "report.csv", "--format", "csv"],
            ["runs", "study.db", "--to", "runs.csv"],
            pytest.param(["runs", "study.db", "--to", "runs.parquet"], marks=needs("pyarrow")),
            ["plot", "CPC-DF1", "--resolution", "8", "--output", "df1.svg"],
            ["plot", "CPC-DF1", "--resolution", "8", "--output", "df1.pdf"],
            ["plot", "CPC-DF1", "--resolution", "8", "--output", "df1.png"],
            ["plot", "CPC-DF1", "--resolution", "8", "--output", "df1.html"],
            [*PROOF, "--output", "proof.json.gz"],
        ],
    ),
    ids=" ".join,
)
def test_an_older_file_of_the_same_kind_is_replaced(
    store: Path, tmp_path: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
    made = tmp_path / words[words.index("--to" if words[0] == "runs" else "--output") + 1]
    assert made.stat().st_size > 50
    assert {path.name for path in tmp_path.iterdir()} <= {"study.db", "study.db.lock", made.name}


def test_what_cannot_be_written_is_said_before_the_work(tmp_path: Path) -> None:
    said = refused("certify", "CPC-DF21", "--seconds", "100", "--output", str(tmp_path / "none" / "x.json.gz"))
    assert "there is no folder" in said


# Standard output


def printed(*words: str) -> bytes:
    call = [sys.executable, "-m", "cpcbench", *words]
    done = subprocess.run(call, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert not Path("-").exists()
    return done.stdout


def said(*words: str) -> bytes:
    """What a command prints, without a process of its own."""
    done = CliRunner().invoke(app, list(words))
    assert done.exit_code == 0, done.output
    assert not Path("-").exists()
    return done.stdout_bytes


def test_a_dash_is_standard_output(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", other_user.SOURCES)
    monkeypatch.chdir(tmp_path)
    assert said("report", str(store), "--output", "-") == said("report", str(store))
    assert b"x1" in said("export", "CPC-DF1", "--to", "text", "--output", "-")
    assert printed("plot", "CPC-DF1", "--resolution", "8", "--output", "-").startswith(PICTURE[:8])
    assert said("runs", str(store), "--to", "-").splitlines()[0] == ",".join(COLUMNS).encode()
    if there("pyarrow"):
        assert said("runs", str(store), "--to", "-", "--format", "parquet").startswith(b"PAR1")
    assert b'"lower"' in gzip.decompress(said(*PROOF, "--output", "-"))
    assert {path.name for path in tmp_path.iterdir()} <= {"study.db", "study.db.lock"}


@pytest.mark.parametrize(
    "words",
    [["records", "CPC-DF1", "--seconds", "1", "--output", "-"], ["certify", "--all", "--output", "-"]],
    ids=" ".join,
)
def test_a_dash_where_it_makes_no_sense(words: list[str]) -> None:
    assert "--output" in refused(*words)


@POSIX
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/null"])
def test_devices_are_written_to_as_they_are(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", other_user.SOURCES)
    text = printed("export", "CPC-DF1", "--to", "text", "--output", name)
    assert (b"x1" in text) == (name == "/dev/stdout")
