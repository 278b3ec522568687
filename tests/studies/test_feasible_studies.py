"""Studies of feasible ratios: a stop loses nothing, tables show every doubt, and the command."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.errors import CpcbenchError, UnknownNameError
from cpcbench.progress import Line
from cpcbench.report.problems.feasible import feasible_table
from cpcbench.studies.feasible.counting import filtered_count
from cpcbench.studies.feasible.ordered import in_order
from cpcbench.studies.feasible.ratio import BLOCK, Counted, FeasibleRatio, Split, feasible_ratio
from cpcbench.studies.feasible.splitting import Effort
from cpcbench.studies.feasible.state import StateFile
from tests.studies.known_ratios import DISC, RARE


@pytest.mark.parametrize("method", ["sample", "splitting"])
def test_results_do_not_depend_on_the_number_of_jobs(method: str) -> None:
    settings = {"method": method, "runs": 5, "effort": Effort(points=100, moves=3)}
    samples = 40 * BLOCK + 1234
    one, four = (feasible_ratio(RARE, samples, 2, workers=workers, **settings) for workers in (1, 4))  # type: ignore[arg-type]
    assert one == four
    assert one != feasible_ratio(RARE, samples, 2, seed=1, **settings)  # type: ignore[arg-type]


class StoppedError(Exception):
    """Stands for Ctrl-C."""


def stop_after(stages: int) -> object:
    seen: list[Line] = []

    def watch(stage: Line) -> None:
        seen.append(stage)
        if len(seen) == stages:
            raise StoppedError

    return watch


@pytest.mark.parametrize("stages", [1, 4, 7, 9])
def test_a_stopped_study_goes_on_where_it_was(stages: int, tmp_path: Path) -> None:
    settings = {"runs": 4, "effort": Effort(points=100, moves=3), "workers": 2}
    samples, file = 2 * BLOCK + 99, tmp_path / "state.json"
    whole = feasible_ratio(RARE, samples, 2, **settings)  # type: ignore[arg-type]
    with pytest.raises(StoppedError):
        feasible_ratio(RARE, samples, 2, state=file, progress=stop_after(stages), **settings)  # type: ignore[arg-type]
    (kept,) = json.loads(file.read_text())["done"].values()
    assert sum(kept["blocks"]) + len(kept["splitting"]) == stages
    again: list[Line] = []
    assert feasible_ratio(RARE, samples, 2, state=file, progress=again.append, **settings) == whole  # type: ignore[arg-type]
    assert len(again) == 6 + 4 - stages  # nothing was done twice
    assert feasible_ratio(RARE, samples, 2, state=file, seed=1, **settings) != whole  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="needs a kill that cannot be caught")
def test_a_killed_study_goes_on_where_it_was(tmp_path: Path) -> None:
    arguments = ["feasible", "CPC-DF3", "--samples", "2e9", "--repeats", "1", "--workers", "1", "--format", "json"]
    command = [sys.executable, "-m", "cpcbench", *arguments, "--state", str(tmp_path / "state.json")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    file = tmp_path / "state.json"
    deadline = time.monotonic() + 120
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    (kept,) = json.loads(file.read_text())["done"].values()
    assert 0 < sum(kept["blocks"]) < 2e9 / BLOCK
    resumed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    whole = subprocess.run(command[:-2], capture_output=True, text=True, check=True).stdout
    assert resumed == whole


@pytest.mark.parametrize("text", ["[]", "{", '{"format": "other", "done": {}}', '{"format": 1}'])
def test_a_file_that_is_no_state_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    file.write_text(text)
    with pytest.raises(CpcbenchError, match="no state file"):
        StateFile(file)
    assert file.read_text() == text


def test_only_a_few_blocks_are_under_way_at_a_time() -> None:
    taken: list[int] = []

    def places() -> Iterator[int]:
        for place in range(200):
            taken.append(place)
            yield place

    for place, result in in_order(lambda n: n * n, places(), 3):
        assert result == place**2
        assert len(taken) - place <= 2 * 3 + 1
    assert len(taken) == 200


def test_memory_does_not_grow_with_the_samples() -> None:
    feasible_ratio(DISC, 1000, 1, method="sample")
    assert filtered_count(DISC) is not None  # both kernels are compiled beforehand
    peaks = []
    for samples in (4 * BLOCK, 80 * BLOCK):
        tracemalloc.start()
        feasible_ratio(DISC, samples, 1, method="sample", workers=2)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 200_000


def test_published_figures_are_whole_counts_of_the_papers_draws() -> None:
    for p in cpc.problems():
        assert p.published is not None
        count = p.published.feasible_ratio / 100 * 25_000_000
        if not p.published.feasible_ratio_is_bound:
            assert count == pytest.approx(round(count), abs=1e-6), p.id


def result_of(ratio: float, published: float | None, bound: bool = False, total: int = 25_000_000) -> FeasibleRatio:
    counted = Counted(total, (round(ratio * total),))
    return FeasibleRatio("P", 2, "ieee", 0, "sample", counted, None, published, bound)


def test_what_counts_as_confirmed() -> None:
    assert result_of(0.2, 0.2).confirmed is True
    assert result_of(0.2, 0.2003).confirmed is True  # both are counts with errors
    assert result_of(0.2, 0.21).confirmed is False
    assert result_of(0.2, None).confirmed is None
    assert result_of(0.0, 1e-8, bound=True).confirmed is None  # too few draws to tell
    assert result_of(0.0, 1e-8, bound=True, total=10**10).confirmed is True
    assert result_of(1e-4, 1e-8, bound=True).confirmed is False


def df8_ratio() -> float:
    """By hand: over each unit square the sines have one sign; the second base leaves a strip around x2 = 7."""
    sign = [math.copysign(1.0, math.sin(math.pi * (k - 1.5)) / (k - 1.5)) for k in range(14)]
    total = 0.0
    for i in range(14):
        for j in range(14):
            if sign[i] == sign[j]:
                x1 = i + (np.arange(2000) + 0.5) / 2000
                half = np.sqrt(1 + (x1 - 7) ** 2 / 2)
                total += float(np.mean(np.maximum(0.0, np.minimum(j + 1, 7 + half) - np.maximum(j, 7 - half))))
    return total / 14**2


def test_df8_is_not_what_was_published() -> None:
    result = feasible_ratio(cpc.problem("CPC-DF8"), 400_000, 5)
    assert df8_ratio() == pytest.approx(0.1969, abs=5e-5)
    assert df8_ratio() in result.interval
    assert result.published == pytest.approx(0.15886572)
    assert result.confirmed is False


def test_the_table_shows_every_figure_and_doubt() -> None:
    split = Split(5, (1e-9, 9e-9, 1e-9, 2e-9))
    doubtful = FeasibleRatio("Q", 3, "ieee", 0, "splitting", Counted(10**6, (30,)), split, 2e-5, False)
    table = feasible_table([result_of(0.2, 0.2), doubtful])
    assert table.column("confirmed") == [True, False]
    assert table.column("ratio (%)") == [20.0, pytest.approx(3.25e-7, rel=0.03)]
    assert table.column("published (%)") == ["20", "0.002"]
    text = " ".join(table.notes)
    for words in ("do not meet for Q", "differ widely", "Not confirmed (1): Q."):
        assert words in text


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"samples": 0}, "samples is a whole number from 1 to"),
        ({"samples": 1.5}, "not 1.5"),
        ({"samples": math.nan}, "not nan"),
        ({"samples": math.inf}, "not inf"),
        ({"samples": True}, "not True"),
        ({"repeats": -1}, "repeats is a whole number"),
        ({"workers": 0}, "workers is a whole number from 1 on"),
        ({"runs": 1}, "runs is a whole number from 2"),
        ({"seed": -1}, "a seed is a whole number"),
        ({"effort": Effort(points=1)}, "points of a level"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(CpcbenchError, match=message):
        feasible_ratio(DISC, **settings)  # type: ignore[arg-type]


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(UnknownNameError, match="'guess': there are auto, sample, splitting"):
        feasible_ratio(DISC, method="guess")


def test_the_command() -> None:
    done = CliRunner().invoke(
        app, ["feasible", "df8", "df3", "--samples", "2e4", "--repeats", "2", "--method", "sample", "--format", "json"]
    )
    assert done.exit_code == 0, done.output
    (table,) = json.loads(done.stdout)["tables"]
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    assert [(row["problem"], row["draws"]) for row in rows] == [("CPC-DF8", 40_000), ("CPC-DF3", 40_000)]
    assert rows[0]["95 % from (%)"] < 19.69 < rows[0]["95 % to (%)"]
    assert rows[0]["confirmed"] is False


def test_the_command_takes_a_formula_and_writes_a_file(tmp_path: Path) -> None:
    arguments = ["sqrt(x1 - x2)", "--bounds", "0:1", "--samples", "1e4", "--format", "csv", "--output"]
    done = CliRunner().invoke(app, ["feasible", *arguments, str(tmp_path / "table.csv")])
    assert done.exit_code == 0, done.output
    line = (tmp_path / "table.csv").read_text().splitlines()[2].split(",")
    assert float(line[3]) < float(line[2]) < float(line[4])
    assert float(line[2]) == pytest.approx(50, abs=1.2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["DF99"], "unknown problem"),
        (["DF8", "--samples", "2.5"], "samples is a whole number"),
        (["DF8", "--method", "guess"], "unknown method"),
        (["DF8", "--format", "pdf"], "unknown format"),
        (["DF8", "--rule", "loose"], "unknown admissibility rule"),
    ],
)
def test_the_command_names_what_is_wrong(arguments: list[str], message: str) -> None:
    done = CliRunner().invoke(app, ["feasible", *arguments])
    assert done.exit_code == 2
    assert message in done.output
