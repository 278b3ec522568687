"""Every evaluation of a function is a line of a log, which other searches and programs read."""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cpcbench as cpc
from cpcbench.errors import CpcbenchError
from tests.material.outside.libraries import library
from tests.search.costly.noted import BOX, Noted, bits


def numbers(pairs: list[tuple[list[float], float]]) -> str:
    return repr(pairs)  # so that NaN is equal to NaN, and every bit counts


def test_every_evaluation_is_a_line(tmp_path: Path) -> None:
    fun, log = Noted(), tmp_path / "runs.csv"
    found = cpc.minimize(fun, BOX, budget=300, rng=1, log=log)
    points, values = cpc.read_log(log)
    assert numbers(list(zip(points.tolist(), values.tolist(), strict=True))) == numbers(fun.calls)
    text = log.read_text()
    assert text.count("\n") == 301
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["error"].partition(":")[0] for row in rows} >= {"", "ValueError", "returned None", "returned inf"}
    assert all(math.isnan(float(row["value"])) == bool(row["error"]) for row in rows)
    assert all(float(row["seconds"]) >= 0.0 for row in rows)
    again = cpc.minimize(fun, BOX, budget=300, rng=1)
    assert bits(again) == bits(found)  # a log changes nothing


def test_pandas_reads_a_log(tmp_path: Path) -> None:
    pandas = library("pandas")
    log = tmp_path / "runs.csv"
    cpc.minimize(Noted(), BOX, budget=100, rng=1, log=log)
    frame = pandas.read_csv(log)
    points, values = cpc.read_log(log)
    assert np.allclose(frame[["x1", "x2"]].to_numpy(), points, rtol=1e-15, atol=0.0)  # older ones round a little
    assert np.allclose(frame["value"].to_numpy(), values, rtol=1e-15, atol=0.0, equal_nan=True)


def test_a_log_is_what_another_search_begins_with(tmp_path: Path) -> None:
    log = tmp_path / "runs.csv"
    first = cpc.minimize(Noted(), BOX, budget=200, rng=1, log=log)
    fun = Noted()
    then = cpc.minimize(fun, BOX, budget=50, rng=2, known=cpc.read_log(log), log=log)
    assert then.nfev == len(fun.calls) == 50
    assert then.fun <= first.fun
    assert len(cpc.read_log(log)[0]) == 250


def test_what_a_kill_left_of_a_line_is_taken_away(tmp_path: Path) -> None:
    log = tmp_path / "runs.csv"
    cpc.minimize(Noted(), BOX, budget=20, rng=1, log=log)
    log.write_bytes(log.read_bytes()[:-5])
    assert len(cpc.read_log(log)[0]) == 19
    cpc.minimize(Noted(), BOX, budget=20, rng=1, log=log)
    assert len(cpc.read_log(log)[0]) == 39


@pytest.mark.parametrize("option", ["log", "state"])
@pytest.mark.parametrize("content", ["x1,value,error,seconds\n", "a diary\nof mine\n", "no line", "\n", "[1]\n", "{\n"])
def test_other_files_stay_as_they_are(tmp_path: Path, option: str, content: str) -> None:
    file = tmp_path / "file"
    file.write_text(content)
    way: dict[str, Any] = {option: file}
    with pytest.raises(CpcbenchError, match="is there already"):
        cpc.minimize(Noted(), BOX, budget=20, rng=1, **way)
    assert file.read_text() == content


@pytest.mark.parametrize(
    "content",
    ["", "x1,x2\n", "x1,value,error,seconds\n", "x1,value,error,seconds\nhere,1.0,,0\n",
     "x1,value,error,seconds\n0.5,1.0\n", "x1,value,error,seconds\ninf,1.0,,0\n", "x1,value,error,seconds\n1,2,,0,5\n"],
)  # fmt: skip
def test_files_that_are_no_logs(tmp_path: Path, content: str) -> None:
    file = tmp_path / "file"
    file.write_text(content)
    with pytest.raises(CpcbenchError):
        cpc.read_log(file)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
def test_a_full_disk() -> None:
    with pytest.raises(OSError, match="/dev/full"):
        cpc.minimize(Noted(), BOX, budget=20, rng=1, log="/dev/full")
