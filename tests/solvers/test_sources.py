"""What made a run is known with it: an edited solver is not taken for the one before, and old studies are read."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from cpcbench.experiment.store.store import VERSION, Store, same_run, same_setting
from cpcbench.solvers.sources import as_it_is_now, function_source, same_source, shown_source, solver_source
from tests.experiment.test_store import RECORD
from tests.material.tiny_solvers import random_search

FIRST = Path(__file__).parents[1] / "material" / "data" / "study-v1.db"

SOLVER = """
from scipy.optimize import OptimizeResult

def search(objective, rng):
    x = rng.uniform(objective.lower, objective.upper)
    {more}
    return OptimizeResult(x=x, fun=objective(x))
"""


def written(folder: Path, more: str = "pass") -> str:
    folder.mkdir(exist_ok=True)
    (folder / "s.py").write_text(SOLVER.format(more=more))
    return f"{folder / 's.py'}:search"


def test_an_edited_solver_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    first, second = written(tmp_path / "v1"), written(tmp_path / "v2", "x = objective.lower")
    cpc.run(["DF1"], [first], 2, store)
    with pytest.raises(CpcbenchError, match=r"runs of search from another source \(.*v1.s\.py.*now .*v2.s\.py"):
        cpc.run(["DF1"], [second], 4, store)
    with Store(store) as study:
        assert [r.run for r in study.records()] == [1, 2]
        (source,) = {tuple(r.solver_source.items()) for r in study.records()}
        assert dict(source)["path"] == str(tmp_path / "v1" / "s.py")
        assert study.settings()["solvers"]["search"]["source"] == dict(source)


def test_the_same_file_may_move(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    cpc.run(["DF1"], [written(tmp_path / "v1")], 1, store)
    assert len(cpc.run(["DF1"], [written(tmp_path / "v2")], 2, store)) == 2


@pytest.mark.parametrize("workers", [0, 1])
def test_a_file_edited_while_the_study_runs(tmp_path: Path, workers: int) -> None:
    place, store = written(tmp_path), tmp_path / "s.db"

    def edit(progress: Any) -> None:
        if progress.new == 1:
            written(tmp_path, "x = objective.upper")

    with pytest.raises(CpcbenchError, match="search was changed while the study ran"):
        cpc.run(["DF1"], [place], 8, store, workers=workers, progress=edit)
    with Store(store) as study:
        kept = list(study.records())
    assert len(kept) >= 1
    assert all(r.x is not None and r.x != (100.0, 100.0) for r in kept), "none of the edited solver"


def test_sources_of_all_kinds(tmp_path: Path) -> None:
    ours = solver_source("GA")
    assert ours == {"package": "cpcbench", "version": cpc.__version__}
    assert solver_source("GA+conditions") == solver_source(cpc.solver("SA").with_parameters(iterations=3)) == ours
    outside = solver_source("scipy-de")
    assert (outside["package"], outside["adapter"]) == ("scipy", f"cpcbench {cpc.__version__}")
    file = solver_source(random_search)
    assert file["path"].endswith("tiny_solvers.py")
    assert solver_source("tests.material.tiny_solvers:random_search") == function_source(partial(random_search)) == file
    text = {"__name__": "__main__"}
    exec("def f(o, r): return 1\ndef g(o, r): return 2", text)  # noqa: S102 - as in a session
    typed, other = (function_source(text[name]) for name in "fg")
    assert typed["sha256"] != other["sha256"]
    assert "path" not in typed
    place = written(tmp_path)
    before = solver_source(f"{place}+start")
    written(tmp_path, "x = x")
    assert before["sha256"] != as_it_is_now(before)["sha256"]
    assert [shown_source(s).split(",")[0] for s in (ours, before, None)] == [
        f"cpcbench {cpc.__version__}", before["path"], "a source that was not kept",
    ]  # fmt: skip


def test_what_is_the_same_source() -> None:
    file, moved, edited = {"path": "a", "sha256": "1"}, {"path": "b", "sha256": "1"}, {"path": "a", "sha256": "2"}
    package = {"package": "scipy", "version": "1"}
    assert same_source(file, moved)
    assert not same_source(file, edited)
    assert not same_source(package, {**package, "version": "2"})
    assert same_source(None, package), "the package has versions on record"
    assert not same_source({}, file), "a file may have been any"
    assert same_setting("1", {"sha256": "1", "formula": "x1"})
    assert not same_setting("2", {"sha256": "1", "formula": "x1"})
    assert not same_setting({"budget": 1, "source": file}, {"budget": 1, "source": edited})
    assert not same_setting({"budget": 1, "source": file}, {"budget": 2, "source": file})
    assert same_run(replace(RECORD, solver_source=file), replace(RECORD, solver_source=moved))
    assert same_run(RECORD, replace(RECORD, solver_source=file)), "of the first version"
    assert not same_run(replace(RECORD, solver_source=edited), replace(RECORD, solver_source=file))


def test_the_users_formula_stands_in_the_study(tmp_path: Path) -> None:
    mine = cpc.parse("ln(x1 - x2^2)", bounds=[(0, 1), (-1, 1)], id="mine")
    cpc.run([mine], [random_search], 1, tmp_path / "s.db")
    with Store(tmp_path / "s.db") as study:
        kept = study.settings()["problems"]["mine 2 ieee"]
    assert cpc.parse(kept["formula"], bounds=kept["bounds"], id="mine") == mine


def test_studies_with_other_sources_are_not_merged(tmp_path: Path) -> None:
    cpc.run(["DF1"], [written(tmp_path / "v1")], 1, tmp_path / "a.db")
    cpc.run(["DF3"], [written(tmp_path / "v2", "x = x + 0")], 1, tmp_path / "b.db")
    cpc.run(["DF3"], [written(tmp_path / "v3")], 1, tmp_path / "c.db")
    with Store(tmp_path / "a.db", writing=True) as into, Store(tmp_path / "b.db") as other:
        with pytest.raises(CpcbenchError, match="other settings: search"):
            into.merge(other)
        with Store(tmp_path / "c.db") as same:
            assert into.merge(same) == 1


def test_a_study_of_the_first_version_goes_on_in_the_second(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    shutil.copy(FIRST, path)
    with Store(path, writing=True) as store:
        before = list(store.records())
        assert all(r.solver_source == {} for r in before)
        assert list(store.columns("run", "solver_source")) == [(1, {}), (1, {})]
        added = replace(RECORD, solver_source={"package": "p", "version": "1"})
        assert store.add([added]) == 1
        assert [r.solver_source for r in store.records() if r.solver == "tiny"] == [added.solver_source]
    with Store(path) as store:
        assert [repr(r) for r in store.records() if r.solver != "tiny"] == list(map(repr, before))
        assert store._db.execute("PRAGMA user_version").fetchone() == (VERSION,)
    with Store(FIRST) as store:
        assert store._db.execute("PRAGMA user_version").fetchone() == (1,)


def test_a_solver_from_a_file_does_not_go_on_where_no_source_was_kept(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    shutil.copy(FIRST, path)
    with pytest.raises(CpcbenchError, match=r"from another source .a source that was not kept; now"):
        cpc.run(["DF3"], [random_search], 2, path)


def test_a_study_of_the_second_version_is_still_read() -> None:
    """A file written by version 2 of the store, kept for ever."""
    with Store(FIRST.with_name("study-v2.db")) as store:
        assert [(r.problem, r.solver, r.solver_source["package"]) for r in store.records()] == [
            ("CPC-DF14", "SA", "cpcbench"),
            ("mine", "SA", "cpcbench"),
        ]
        assert [r.optima for r in store.records()] == [(), ()]
        kept = store.settings()["problems"]["mine 2 ieee"]
        assert (kept["formula"], kept["bounds"]) == ("ln(x1 - x2^2) + sqrt(x2 - 0.3)", [[0.0, 1.0], [0.0, 1.0]])
