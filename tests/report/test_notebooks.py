"""How things show themselves in notebooks, and the three notebooks of the examples."""

from __future__ import annotations

import ast
import json
import os
from pathlib import Path
from typing import Any

import pytest

import cpcbench as cpc
from cpcbench.readings.text.notebook import facts_html
from tests.material.outside.libraries import library

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return found


def test_there_are_three() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["failing_simulation", "first_look", "proof"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path: Path) -> None:
    for cell in cells(path):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
            ast.parse("".join(cell["source"]))


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient, nbformat, _ = library("nbclient"), library("nbformat"), library("ipykernel")
    here = str(Path(cpc.__file__).parents[1])  # the package that is tested, wherever the kernel starts
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH")))))
    made = nbformat.read(path, as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(made, timeout=300, kernel_name="python3", resources=place).execute()
    shown = {kind for cell in made.cells for output in cell.get("outputs", []) for kind in output.get("data", {})}
    assert "text/html" in shown


def test_a_problem_shows_its_formula_and_what_is_known() -> None:
    p = cpc.problem("CPC-DF3")
    html, latex = p._repr_html_(), p._repr_latex_()
    assert p.mathml in html
    assert latex == f"$\\displaystyle {p.latex}$"
    assert "-10.5036745" in html
    assert "[-100, 100] for each" in html


def test_a_function_without_a_formula_shows_the_rest() -> None:
    made = cpc.black_box(lambda x: x[0], [(0.0, 1.0), (2.0, 3.0)])
    assert made._repr_latex_() is None
    assert "[0, 1] x [2, 3]" in made._repr_html_()
    assert "<math" not in made._repr_html_()


def test_a_formula_that_fills_screens_is_left_out() -> None:
    long = cpc.parse(" + ".join(f"x{i}^2" for i in range(1, 1001)), bounds=[(0, 1)] * 1000)
    assert long._repr_latex_() is None
    assert len(long._repr_html_()) < 2000


def test_results_and_certificates_show_themselves() -> None:
    p = cpc.parse("x1^2 + x1", bounds=[(-1, 1)], id="<b>mine</b>")
    found = cpc.minimize(p, budget=300, rng=1)
    assert repr(float(found.fun)) in found._repr_html_()
    assert found["x"] is found.x
    proof = cpc.certify(p, seconds=1)
    assert repr(proof.upper) in proof._repr_html_()
    assert "<b>mine</b>" not in proof._repr_html_().replace("<div><b>", "", 1)
    assert proof._repr_latex_() == f"$\\inf f \\in [{proof.lower!r},\\ {proof.upper!r}]$"


def test_texts_are_escaped() -> None:
    assert facts_html("<i>", [("<a>", "<b>")]).count("&lt;") == 3
