"""Archives: a study comes back to the last bit, and what is broken, changed or made up is refused, nothing stored."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.formats import archive, unpacking
from cpcbench.experiment.formats.archive import DATA, SUMS, digest, write_archive
from cpcbench.experiment.formats.unpacking import import_archive
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import COLUMNS, Store
from tests.experiment.test_store import NOTHING, RECORD
from tests.material.outside.libraries import library

SETTINGS: dict[str, Any] = {"seed": 7, "solvers": {"tiny": {"a": [1, None]}}, "problems": {}}
FORMS = ("csv", "parquet")
RECORDS = [
    RECORD, NOTHING,
    replace(RECORD, run=3, reported=math.inf, optima=((0.1, 0.2), (5e-324, -1.0)), message="", seed="", budget=None),
    replace(RECORD, problem="a, \"b\" and\n'c'", n=1, run=4, x=(1e300,), reported=None, seconds_limit=0.1 + 0.2,
            parameters={"nested": {"x": [True, "é", 1e-7]}}, solver_source={"path": "mine.py", "sha256": "0" * 64}),
]  # fmt: skip


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Store(tmp_path / "study.db", writing=True) as store:
        store.note(**SETTINGS)
        store.add(RECORDS)
    return tmp_path / "study.db"


def made(study: Path, form: str) -> Path:
    if form == "parquet":
        library("pyarrow.parquet")
    folder = study.with_name(f"{form}-archive")
    assert write_archive(study, folder, form=form, command=["cpcbench", "archive"]) == len(RECORDS)
    return folder


def held(path: Path) -> tuple[list[RunRecord], dict[str, Any]]:
    with Store(path) as store:
        return list(store.records()), store.settings()


@pytest.mark.parametrize("form", FORMS)
def test_a_study_comes_back_to_the_last_bit(study: Path, form: str) -> None:
    folder, again = made(study, form), study.with_name("again.db")
    assert import_archive(folder, again) == (4, 4)
    (before, settings), (after, noted) = held(study), held(again)
    for one, other in zip(before, after, strict=True):
        for name in COLUMNS:  # NaN is written alike
            assert repr(getattr(one, name)) == repr(getattr(other, name)), name
    assert noted == settings
    assert import_archive(folder, again) == (4, 0)


@pytest.mark.parametrize("form", FORMS)
def test_it_explains_itself(study: Path, form: str) -> None:
    folder = made(study, form)
    assert {path.name for path in folder.iterdir()} == {DATA[form], *archive.TEXTS, SUMS}
    about = json.loads((folder / "about.json").read_text())
    assert about["runs"] == 4
    assert about["counts"]["solver"] == {"tiny": 4}
    assert about["versions"]["numpy"]
    assert about["machine"]["cores"]
    schema = json.loads((folder / "schema.json").read_text())
    assert [column["name"] for column in schema["columns"]] == list(COLUMNS)
    for line in (folder / SUMS).read_text().splitlines():
        expected, _, name = line.partition("  ")
        assert digest(folder / name) == expected


def test_a_folder_that_is_there_is_kept(study: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine.txt").write_text("mine")
    with pytest.raises(CpcbenchError, match="is there already"):
        write_archive(study, tmp_path / "full")
    with pytest.raises(CpcbenchError, match="parquet or csv, not 'xml'"):
        write_archive(study, tmp_path / "new", form="xml")
    with pytest.raises(CpcbenchError, match="there is no study"):
        write_archive(tmp_path / "none.db", tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == ["full"]


def signed(folder: Path) -> None:
    """Makes the checksums right again, as whoever forges an archive would."""
    names = [path.name for path in folder.iterdir() if path.name != SUMS]
    (folder / SUMS).write_text("".join(f"{digest(folder / name)}  {name}\n" for name in sorted(names)))


def cell(name: str, value: str) -> Callable[[Path], None]:
    """Writes a value into a column of the first run."""

    def change(folder: Path) -> None:
        with (folder / "runs.csv").open(newline="") as stream:
            rows = list(csv.reader(stream))
        rows[1][COLUMNS.index(name)] = value
        with (folder / "runs.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows(rows)

    return change


def entry(file: str, **changes: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        content = json.loads((folder / file).read_text())
        (folder / file).write_text(json.dumps({**content, **changes}))

    return change


def text(file: str, content: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        (folder / file).write_text(content)

    return change


def twice(folder: Path) -> None:
    lines = (folder / "runs.csv").read_text().splitlines(keepends=True)
    (folder / "runs.csv").write_text("".join(lines) + lines[1] + lines[2])


FORGED = {
    "a word for a number": (cell("fast", "low"), "row 1: fast cannot be 'low'"),
    "a number that is not whole": (cell("evaluations", "1.5"), "row 1: evaluations cannot be '1.5'"),
    "a huge number": (cell("run", "9" * 30), "row 1: run cannot be"),
    "run 0": (cell("run", "0"), "row 1: run cannot be '0'"),
    "no problem": (cell("problem", ""), "row 1: problem cannot be ''"),
    "another kind": (cell("kind", "excellent"), "row 1: kind cannot be 'excellent'"),
    "another rule": (cell("rule", "mine"), "row 1: rule cannot be 'mine'"),
    "a point of another length": (cell("x", "1 2 3"), "row 1: n cannot be"),
    "a point at infinity": (cell("x", "inf 0"), "row 1: x cannot be 'inf 0'"),
    "an optimum of another length": (cell("optima", "[[1]]"), "row 1: optima cannot be"),
    "a list for an object": (cell("parameters", "[1]"), r"row 1: parameters cannot be '\[1\]'"),
    "no JSON": (cell("versions", "{"), "row 1: versions cannot be '{'"),
    "deep JSON": (cell("parameters", "[" * 100_000), "row 1: parameters cannot be"),
    "a trajectory of words": (cell("trajectory", '[["a", 1]]'), "row 1: trajectory cannot be"),
    "a cell without end": (cell("message", "a" * 11_000_000), "field larger than"),
    "other columns": (text("runs.csv", "problem,x\n"), "the columns of runs.csv"),
    "zero bytes": (text("runs.csv", "\0"), "runs.csv"),
    "fewer runs than it says": (entry("about.json", runs=7), "says that it holds 7 runs, and holds 4"),
    "no runs": (entry("about.json", runs=0), "from 1 to 1,000,000"),
    "a newer format": (entry("schema.json", version=99), "version 99, this cpcbench reads up to 1"),
    "something else": (entry("about.json", format="zip"), "does not say that it is a cpcbench archive"),
    "another file of runs": (entry("about.json", data="../../secret"), "has to name the file of runs"),
    "settings that are none": (text("study.json", "[]"), "study.json is not an object"),
    "deep settings": (text("study.json", "[" * 100_000), "study.json is not an object"),
    "solvers that are none": (entry("study.json", solvers=3), "no object solvers"),
    "a run twice": (twice, "nothing was imported"),
    "one file too many": (text("more.txt", "x"), "SHA256SUMS has to name"),
}


@pytest.mark.parametrize("what", FORGED)
def test_what_is_made_up_is_refused(study: Path, what: str) -> None:
    change, why = FORGED[what]
    folder, target = made(study, "csv"), study.with_name("target.db")
    change(folder)
    signed(folder)
    with pytest.raises(CpcbenchError, match=why):
        import_archive(folder, target)
    assert not target.exists()


def test_what_was_changed_or_cut_off_is_named(study: Path) -> None:
    folder, target = made(study, "csv"), study.with_name("target.db")
    whole = (folder / "runs.csv").read_bytes()
    for content in (whole[:-20], whole.replace(b"inside", b"insidE", 1), b""):
        (folder / "runs.csv").write_bytes(content)
        with pytest.raises(CpcbenchError, match=r"runs\.csv is not what SHA256SUMS says"):
            import_archive(folder, target)
    (folder / "runs.csv").write_bytes(whole)
    (folder / "schema.json").unlink()
    with pytest.raises(CpcbenchError, match=r"there is no schema\.json in it"):
        import_archive(folder, target)
    (folder / SUMS).write_text("x  ../../secret\n")
    with pytest.raises(CpcbenchError, match="a line that is no checksum"):
        import_archive(folder, target)
    assert not target.exists()


def test_links_and_large_files_are_not_read(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, target = made(study, "csv"), study.with_name("target.db")
    (folder / "study.json").rename(folder.parent / "elsewhere.json")
    (folder / "study.json").symlink_to(folder.parent / "elsewhere.json")
    with pytest.raises(CpcbenchError, match=r"study\.json is no plain file"):
        import_archive(folder, target)
    monkeypatch.setattr(unpacking, "MOST_BYTES", 100)
    with pytest.raises(CpcbenchError, match=r"runs\.csv has .* bytes, and 100 are read at most"):
        import_archive(folder, target)


def test_broken_parquet_is_refused(study: Path) -> None:
    folder, target = made(study, "parquet"), study.with_name("target.db")
    whole = (folder / "runs.parquet").read_bytes()
    for content in (b"PAR1" + b"\0" * 50 + b"PAR1", whole[: len(whole) // 2], b"", whole[:-9] + whole[-8:]):
        (folder / "runs.parquet").write_bytes(content)
        signed(folder)
        with pytest.raises(CpcbenchError, match=r"runs\.parquet|row"):
            import_archive(folder, target)
    assert not target.exists()


def test_what_would_be_mixed_up_is_refused(study: Path, tmp_path: Path) -> None:
    folder = made(study, "csv")
    other = tmp_path / "other.db"
    with Store(other, writing=True) as store:
        store.note(seed=8)
        store.add([replace(RECORD, solver="mine")])
    with pytest.raises(CpcbenchError, match="made with other settings: seed"):
        import_archive(folder, other)
    assert len(held(other)[0]) == 1


def test_the_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def cpcbench(*words: str) -> Any:
        return CliRunner().invoke(app, list(words))

    run = cpcbench(
        "run", "F138", "--solvers", "SA", "--runs", "2", "--budget", "50", "--store", "s.db", "--workers", "0"
    )
    assert run.exit_code == 0, run.output
    assert "wrote 2 runs" in cpcbench("archive", "s.db", "--format", "csv").output
    done = cpcbench("import", "s", "--store", "t.db")
    assert done.exit_code == 0, done.output
    assert "2 of them new in t.db; every point has its value here too" in done.output
    rows = (tmp_path / "s/runs.csv").read_text()
    with Store("t.db") as store:
        value = repr(next(store.records()).reference)
    (tmp_path / "s/runs.csv").write_text(rows.replace(value, "-1e99"))
    assert cpcbench("import", "s", "--store", "u.db").exit_code == 2  # the checksum
    signed(tmp_path / "s")
    done = cpcbench("import", "s", "--store", "u.db")
    assert done.exit_code == 1
    assert "-1e+99 in the archive" in done.output
    assert cpcbench("import", "nowhere", "--store", "v.db").exit_code == 2


def test_the_comparison_of_the_documentation_is_an_archive(tmp_path: Path) -> None:
    folder = Path(__file__).parents[3] / "docs/comparison-10000"
    count, new = import_archive(folder, tmp_path / "comparison.db")
    assert count == new > 200
    with Store(tmp_path / "comparison.db") as study:
        assert {budget for (budget,) in study.columns("budget")} == {10_000}
        assert len({solver for (solver,) in study.columns("solver")}) >= 10
        assert list(unpacking.other_values(study)) == []
