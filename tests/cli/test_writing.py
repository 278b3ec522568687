"""What is written over: never a study or an input, another kind of file only by force, and only by a whole new one."""

from __future__ import annotations

import gzip
import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.formats.export import export_runs
from cpcbench.experiment.store.store import COLUMNS, Store
from cpcbench.files import replacing, write_text
from tests.cli.test_bad_disk import cpcbench
from tests.experiment.test_store import RECORD
from tests.material import other_user
from tests.material.outside.libraries import needs, there

POSIX = pytest.mark.skipif(os.name != "posix", reason="needs links and rights of POSIX")
PROOF = ["certify", "x1^2", "--bounds", "0:1", "--seconds", "20"]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "study.db"
    with Store(path, writing=True) as study:
        study.add([RECORD])
    return path


def runs_in(path: Path) -> int:
    with Store(path) as study:
        return len(study)


def refused(*words: str) -> str:
    done = CliRunner().invoke(app, words)
    assert (done.exit_code, type(done.exception)) == (2, SystemExit), done.output
    return done.output


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


PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(100)


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


# Whole or not at all


@POSIX
@pytest.mark.parametrize(
    "words",
    [
        ["report", "STUDY", "--output", "OLD"],
        ["export", "CPC-DF1", "--to", "c", "--json", "--output", "OLD"],
        ["plot", "CPC-DF1", "--resolution", "60", "--output", "OLD"],
        ["runs", "STUDY", "--to", "OLD", "--format", "csv"],
    ],
    ids=" ".join,
)
def test_a_full_disk_leaves_the_old_file(store: Path, tmp_path: Path, words: list[str]) -> None:
    old = tmp_path / ("old.png" if words[0] == "plot" else "old.txt")
    old.write_bytes(PICTURE if words[0] == "plot" else b"old\n")
    before = old.read_bytes()
    for run in range(2, 40):
        with Store(store, writing=True) as study:
            study.add([type(RECORD)(**{**RECORD.__dict__, "run": run})])
    names = {"STUDY": str(store), "OLD": str(old)}
    done = cpcbench(*(names.get(word, word) for word in words), "--force", blocks=1)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert f"{old}: File too large" in done.stderr
    assert old.read_bytes() == before
    assert not [path for path in tmp_path.iterdir() if path.suffix == ".part"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def fail(error: type[BaseException]) -> None:
        with replacing(file) as stream:
            stream.write(b"new")
            raise error

    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error):
            fail(error)
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_readers_see_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    file, seen, done = tmp_path / "file", set[bytes](), threading.Event()
    file.write_bytes(b"0" * 100_000)

    def look() -> None:
        while not done.is_set():
            seen.add(file.read_bytes())

    reader = threading.Thread(target=look)
    reader.start()
    for digit in "123456789":
        write_text(file, digit * 100_000)
    done.set()
    reader.join()
    assert seen
    assert {len(content) for content in seen} == {100_000}
    assert all(len(set(content)) == 1 for content in seen)


# Links and rights


@POSIX
@pytest.mark.parametrize("name", ["runs.csv.part", ".runs.csv.part", "runs.csv.tmp"])
def test_a_planted_link_is_not_followed(store: Path, tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / name).symlink_to(victim)
    assert export_runs([RECORD], tmp_path / "runs.csv") == 1
    assert victim.read_text() == "mine"
    assert (tmp_path / name).is_symlink()


@POSIX
def test_the_page_follows_no_planted_link(store: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "page.html.part").symlink_to(victim)
    from cpcbench.problems.registry import problem
    from cpcbench.report.page.build import write_page

    write_page(tmp_path / "page.html", problems=[problem("CPC-DF1")], resolution=8)
    assert victim.read_text() == "mine"


@POSIX
def test_the_names_of_unfinished_files_cannot_be_guessed(tmp_path: Path) -> None:
    names = set()
    for _ in range(20):
        with replacing(tmp_path / "file"):
            (unfinished,) = tmp_path.glob(".file.*.part")
            names.add(unfinished.name)
    assert len(names) == 20
    assert min(map(len, names)) > len(".file..part") + 15


@POSIX
def test_a_link_is_kept_and_what_it_points_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link, target = tmp_path / "link", tmp_path / "elsewhere" / "file"
    link.symlink_to(Path("elsewhere") / "file")
    for text in ("first", "second"):  # the first time there is nothing yet
        write_text(link, text)
        assert link.is_symlink()
        assert target.read_text() == text
        assert [path.name for path in target.parent.iterdir()] == ["file"]


@POSIX
def test_a_link_of_another_user_is_refused(tmp_path: Path) -> None:
    other_user.words()
    victim, link = tmp_path / "victim", tmp_path / "report.txt"
    victim.write_text("mine")
    link.symlink_to(victim)
    os.lchown(link, other_user.NOBODY, other_user.NOBODY)
    with pytest.raises(CpcbenchError, match="a link that another user made"):
        write_text(link, "text")
    assert victim.read_text() == "mine"


@POSIX
def test_the_lock_of_a_study_is_not_taken_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "s.db.lock").symlink_to(tmp_path / "victim")
    with pytest.raises(CpcbenchError, match="cannot write a study"):
        Store(tmp_path / "s.db", writing=True)
    assert not (tmp_path / "victim").exists()


@POSIX
def test_rights_are_those_of_the_old_file_or_of_a_new_one(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "new", "text")
        write_text(tmp_path / "old", "text")
        (tmp_path / "old").chmod(0o604)
        write_text(tmp_path / "old", "again")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o604


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


# What is read is not larger than it may be


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
