"""Puts the page together: one file, with its style, its script and Plotly in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from functools import partial
from importlib import resources
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from cpcbench.errors import CpcbenchError, MissingExtraError
from cpcbench.experiment.store.store import Store
from cpcbench.files import replacing
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import problems as suite
from cpcbench.progress import Line, Tell, silent
from cpcbench.report.figures.standalone import POLICY, packed_script
from cpcbench.report.page import markup
from cpcbench.report.page.literature import literature
from cpcbench.report.page.overview import overview, problems_table
from cpcbench.report.page.runs import COLUMNS, DIALOG
from cpcbench.report.page.sheets import Sheet
from cpcbench.report.page.study import StudyParts, Subject
from cpcbench.report.paper.beside import paper_tables
from cpcbench.report.table import Table

AT_ONCE = ("claims",)

SHORT = {"literature": "Literature", "paper": "Paper"}
"""Names of sections in the bar at the top, which a narrow screen has to have room for."""

A_WORKER = 4
"""Sheets from which on a process more is worth its start."""

Parts = dict[str, tuple[str, str]]
"""The sections of the page: their titles and their HTML."""


def write_page(
    path: str | Path,
    study: Store | None = None,
    *,
    problems: Sequence[Problem] | None = None,
    resolution: int = 120,
    progress: Tell | None = None,
    types: str = "paper",
    workers: int = 1,
) -> Path:
    """Writes the page of a study, or of the suite if there is none, and returns where it is.

    A study's page has a sheet for each problem that was run, unless `problems` says otherwise. `progress` is called
    with the name of the next part, which knows how many are done, of how many. With several `workers` sheets are made
    in as many processes, which start anew: a script that asks for them needs `if __name__ == "__main__"`.
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise CpcbenchError(f"the page is written to a file ending in .html, not {str(target)!r}")
    if target.is_dir():
        raise CpcbenchError(f"{target} is a folder: the page is one file")
    _plotly()
    with replacing(target) as stream:  # what cannot be written is said before the work, not after it
        text = page(study, problems, resolution, progress, types, workers)
        stream.write(text.encode("utf-8"))
    return target


def page(
    study: Store | None = None,
    problems: Sequence[Problem] | None = None,
    resolution: int = 120,
    progress: Tell | None = None,
    types: str = "paper",
    workers: int = 1,
) -> str:
    """The page as text; solution types by the rule named."""
    say = progress or silent
    if study is None or not len(study):
        given = suite() if problems is None else problems
        return _suite_page([Subject(p.id, p.dim, p) for p in given], resolution, say, workers)
    parts = StudyParts(study, types)
    wanted = parts.subjects(problems)
    total = len(wanted) + 1
    sheets = _sheets(wanted, resolution, say, workers)
    say(Line("the tables", total - 1, total))
    made = {
        "result": ("Result", parts.result()),
        "solvers": ("Solvers", parts.solvers()),
        "problems": ("Problems", f"{parts.matrices()}{_gallery(sheets)}{problems_table(sheets)}"),
        "literature": ("Functions of the literature", literature()),
        "paper": ("The paper", _paper(paper_tables(parts.records, types)) if parts.of_the_paper else ""),
    }
    say(Line("", total, total))
    return _whole(made, {"landscapes": _views(sheets), "runs": parts.runs(), "runColumns": COLUMNS}, study.path.name)


def _sheets(wanted: Sequence[Subject], resolution: int, say: Tell, workers: int) -> list[Sheet]:
    """The sheets, in the order of the problems, by this process or by several."""
    total, made = len(wanted) + 1, []
    with ExitStack() as stack:
        later: list[Callable[[], Sheet]] = [partial(one.sheet, resolution) for one in wanted]
        if min(workers, len(wanted) // A_WORKER) > 1:
            many = min(workers, len(wanted) // A_WORKER)
            pool = stack.enter_context(ProcessPoolExecutor(many, mp_context=get_context("spawn")))
            stack.callback(pool.shutdown, cancel_futures=True)
            later = [pool.submit(one.sheet, resolution).result for one in wanted]
        for i, (one, finished) in enumerate(zip(wanted, later, strict=True)):
            say(Line(one.name, i, total))
            made.append(finished())
    return made


def _suite_page(wanted: Sequence[Subject], resolution: int, say: Tell, workers: int) -> str:
    total = len(wanted) + 1
    sheets = _sheets(wanted, resolution, say, workers)
    say(Line("the tables", total - 1, total))
    made = {
        "overview": ("Overview", overview(sheets)),
        "problems": ("Problems", f"{_gallery(sheets)}{problems_table(sheets)}"),
        "literature": ("Functions of the literature", literature()),
        "paper": ("The paper", _paper(paper_tables())),
    }
    say(Line("", total, total))
    return _whole(made, {"landscapes": _views(sheets), "runs": {}, "runColumns": COLUMNS}, "the suite")


def _gallery(sheets: Sequence[Sheet]) -> str:
    """The cards side by side; an open one takes the whole width."""
    if not sheets:
        return ""
    button = '<p><button type="button" id="open-all" aria-pressed="false">Open all sheets</button></p>'
    return f'<h3>Landscapes</h3>{button}<div class="gallery">{"".join(s.html for s in sheets)}</div>'


def _views(sheets: Sequence[Sheet]) -> dict[str, Any]:
    return {s.place: s.landscapes for s in sheets if s.landscapes}


def _paper(made: Sequence[Table]) -> str:
    """What becomes of its conclusions at once, then what the study says beside it; the other tables a click away."""
    first = {name: i for i, name in enumerate((*AT_ONCE, "side-by-side", "differences", "known-errors"))}
    order = sorted(made, key=lambda t: first.get(t.key, len(first)))
    return markup.tables(order, AT_ONCE)


def _whole(parts: Parts, data: dict[str, Any], name: str) -> str:
    there = {key: part for key, part in parts.items() if part[1]}
    links = "".join(f'<a href="#{key}">{SHORT.get(key, title)}</a>' for key, (title, _) in there.items())
    first = next(iter(there))
    body = "".join(
        f'<section id="{key}">{"" if key == first else f"<h2>{title}</h2>"}{html}</section>'
        for key, (title, html) in there.items()
    )
    return (
        '<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f'<link rel="icon" href="data:,"><title>cpcbench: {markup.text(name)}</title>'
        f"<style>{_file('page.css')}</style></head><body>"
        f'<a class="skip" href="#{first}">Skip to the content</a>'
        f'<header class="top"><div class="bar"><strong>cpcbench</strong><nav aria-label="Parts">{links}</nav>'
        '<button type="button" id="theme">Dark</button></div></header>'
        f"<main>{body}</main>{DIALOG}"
        "<noscript><p>Without JavaScript the tables do not sort and the landscapes do not turn.</p></noscript>"
        f'<script type="text/plain" id="data">{packed_script(markup.as_json(data))}</script>'
        f'<script type="text/plain" id="plotly">{packed_script(_plotly())}</script>'
        f"<script>{_file('page.js')}</script></body></html>\n"
    )


def _file(name: str) -> str:
    return resources.files("cpcbench.report.page").joinpath(name).read_text(encoding="utf-8")


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise MissingExtraError('the page needs plotly: pip install "cpcbench[figures]"') from None
    source: str = get_plotlyjs()
    return source
