"""Puts the page together: one file, with its style, its script and Plotly in it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from cpcbench.errors import CpcbenchError, MissingExtraError
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.files import replacing
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import SUITE, definitions, problem
from cpcbench.problems.registry import problems as suite
from cpcbench.progress import Line, Tell, silent
from cpcbench.report.page import markup
from cpcbench.report.page.overview import overview
from cpcbench.report.page.sheets import Sheet, sheet
from cpcbench.report.page.study import COLUMNS, DIALOG, study_section
from cpcbench.report.paper.beside import paper_tables

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
"""The page may not ask anything of any network; a browser holds it to that."""


AT_ONCE = ("claims", "side-by-side", "differences", "known-errors")


def write_page(
    path: str | Path,
    study: Store | None = None,
    *,
    problems: Sequence[Problem] | None = None,
    resolution: int = 120,
    progress: Tell | None = None,
    types: str = "paper",
) -> Path:
    """Writes the page of a suite, and of a study if there is one, and returns where it is.

    `progress` is called with the name of the next part, which knows how many are done, of how many.
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise CpcbenchError(f"the page is written to a file ending in .html, not {str(target)!r}")
    if target.is_dir():
        raise CpcbenchError(f"{target} is a folder: the page is one file")
    _plotly()
    with replacing(target) as stream:  # what cannot be written is said before the work, not after it
        text = page(list(problems) if problems is not None else _shown(study), study, resolution, progress, types)
        stream.write(text.encode("utf-8"))
    return target


def suite_page(study: Store | None = None, progress: Tell | None = None, types: str = "paper") -> str:
    """The page of the whole suite, and of a study if there is one, as text."""
    return page(_shown(study), study, progress=progress, types=types)


def _shown(study: Store | None) -> list[Problem]:
    """The suite, and the classics and the curve fits that the study has runs of."""
    run = set() if study is None else {record.problem for record in study.records(trajectories=False)}
    return [*suite(), *(problem(id_) for id_ in definitions() if id_ in run and id_ not in SUITE)]


def page(
    problems: Sequence[Problem],
    study: Store | None = None,
    resolution: int = 120,
    progress: Tell | None = None,
    types: str = "paper",
) -> str:
    """The page as text; solution types by the rule named."""
    say, total = progress or silent, len(problems) + 1
    records = [] if study is None else list(study.records(trajectories=False))
    sheets: list[Sheet] = []
    for i, p in enumerate(problems):
        say(Line(p.id, i, total))
        sheets.append(sheet(p, resolution))
    say(Line("the tables", total - 1, total))
    part, charts, runs = study_section(study, records, types) if study is not None and records else ("", {}, {})
    data = {
        "landscapes": {s.problem.id: s.landscapes for s in sheets},
        "charts": charts,
        "runs": runs,
        "runColumns": COLUMNS,
    }
    parts = {
        "overview": ("Overview", overview(sheets, records)),
        "problems": ("Problems", _problems(sheets)),
        "study": ("Study", part),
        "paper": ("The paper", _paper(records, types)),
    }
    say(Line("", total, total))
    return _whole({name: part for name, part in parts.items() if part[1]}, data)


def _problems(sheets: Sequence[Sheet]) -> str:
    return '<p><button type="button" id="open-all" aria-pressed="false">Open all sheets</button></p>' + "".join(
        s.html for s in sheets
    )


def _paper(records: Sequence[RunRecord], types: str) -> str:
    """The paper's tables, published beside measured; the most telling at once, the others a click away."""
    made = paper_tables(records, types)
    first, others = [t for t in made if t.key in AT_ONCE], [t for t in made if t.key not in AT_ONCE]
    return f"{markup.tables(first, AT_ONCE)}<h3>All tables</h3>{markup.tables(others, AT_ONCE)}"


def _whole(parts: dict[str, tuple[str, str]], data: dict[str, Any]) -> str:
    links = "".join(f'<a href="#{name}">{title}</a>' for name, (title, _) in parts.items())
    body = "".join(
        f'<section id="{name}">{"" if name == "overview" else f"<h2>{title}</h2>"}{html}</section>'
        for name, (title, html) in parts.items()
    )
    return (
        '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<link rel="icon" href="data:,"><title>cpcbench</title>'
        f"<style>{_file('page.css')}</style></head><body>"
        '<a class="skip" href="#overview">Skip to the content</a>'
        f'<header class="top"><div class="bar"><strong>cpcbench</strong><nav aria-label="Parts">{links}</nav>'
        '<button type="button" id="theme">Dark</button></div></header>'
        f"<main>{body}</main>{DIALOG}"
        "<noscript><p>Without JavaScript the tables do not sort and the landscapes are not drawn.</p></noscript>"
        f'<script type="application/json" id="data">{markup.script_data(data)}</script>'
        f"<script>{_plotly()}</script><script>{_file('page.js')}</script></body></html>\n"
    )


def _file(name: str) -> str:
    return resources.files("cpcbench.report.page").joinpath(name).read_text(encoding="utf-8")


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise MissingExtraError('the page needs plotly: pip install "cpcbench[figures]"') from None
    source: str = get_plotlyjs()
    return source.replace("</script", "<\\/script")
