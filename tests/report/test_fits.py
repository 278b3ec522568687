"""Curve fits: their table, their picture, and what stands on the page."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import cpcbench as cpc
from cpcbench.cli.app import app
from cpcbench.problems.collections.fits import curve_fits
from cpcbench.report.figures.fits import draw_fit, fitted_curve
from cpcbench.report.page.fits import fit_picture, fit_sheet
from cpcbench.report.problems.fits import fit_errors, fits_table
from tests.material.outside.libraries import library

FITS = curve_fits()


def test_the_table_has_all_fits_with_their_printed_values() -> None:
    table = fits_table(cpc.problems(suite="cf"))
    assert table.column("problem") == list(FITS)
    assert table.column("printed") == [fit.printed[0].value for fit in FITS.values()]
    assert table.column("observations") == [len(fit.x) for fit in FITS.values()]


def test_the_known_errors_are_listed() -> None:
    where = fit_errors(FITS.values()).column("where")
    assert where == ["CPC-CF2, solution 2", "CPC-CF11, solution 1", "CPC-CF16", "CPC-CF21"]


@pytest.mark.parametrize("id_", ["CPC-CF1", "CPC-CF7", "CPC-CF36", "CPC-CF38"])
def test_the_curve_is_the_model(id_: str) -> None:
    fit = FITS[id_]
    data = fitted_curve(fit, fit.printed[0].point)
    at = np.searchsorted(data.x, data.at)
    assert (data.x[at] == data.at).all()
    assert np.sum((data.y[at] - data.seen) ** 2) == pytest.approx(fit.printed[0].value, rel=1e-6)


def test_both_libraries_draw_the_same_data() -> None:
    fit = FITS["CPC-CF7"]
    data = fitted_curve(fit, fit.printed[0].point)
    curve, dots = draw_fit(data, "plotly").data
    lines = draw_fit(data).axes[0].lines
    assert (np.array(curve.y) == lines[0].get_ydata()).all()
    assert (np.array(dots.x) == lines[1].get_xdata()).all()
    with pytest.raises(cpc.CpcbenchError, match="matplotlib"):
        draw_fit(data, "gnuplot")


@pytest.mark.parametrize("fit", FITS.values(), ids=list(FITS))
def test_the_page_shows_every_observation(fit: object) -> None:
    known = FITS[fit.id]  # type: ignore[attr-defined]
    html = fit_sheet(cpc.problem(known.id))
    if cpc.problem(known.id).best_known is not None:
        assert html.count("<circle") == len(known.x)
    picture = fit_picture(fitted_curve(known, known.printed[-1].point))
    assert all(0.0 <= float(c) <= 480.0 for c in re.findall(r'c[xy]="([^"]+)"', picture))


def test_commands(tmp_path: Path) -> None:
    run = CliRunner()
    shown = run.invoke(app, ["fits", "CPC-CF11", "--format", "markdown"])
    assert shown.exit_code == 0
    assert "undefined" in shown.stdout
    assert "formula of CPC-CF10" in shown.stdout
    target = tmp_path / "fit.svg"
    assert run.invoke(app, ["plot", "CPC-CF7", "--output", str(target)]).exit_code == 0
    assert target.read_text(encoding="utf-8").startswith("<?xml")
    for words, said in (
        (["fits", "CPC-DF1"], "no curve fit"), (["plot", "CPC-CF7", "--zoom", "2"], "--zoom does not go with"),
        (["plot", "CPC-CF7", "--at", "1 2"], "takes 6 coordinates"),
        (["list", "--suite", "x"], "cpc, classics, cf, all"), (["run", "--suite", "x"], "cpc, classics, cf, all"),
    ):  # fmt: skip
        made = run.invoke(app, words)
        assert made.exit_code == 2
        assert said in made.output


def test_a_study_of_curve_fits_has_a_page(tmp_path: Path) -> None:
    library("plotly")
    store = tmp_path / "fits.db"
    records = cpc.run(["CPC-CF1"], ["cpc-white"], runs=1, store=store, budget=3000, workers=1)
    assert records[0].problem == "CPC-CF1"
    from cpcbench.experiment.store.store import Store
    from cpcbench.report.page.build import page

    with Store(store) as study:
        text = page(study)
    assert text.count('<details class="sheet"') == 1
    assert ">CPC-CF1</b>" in text
