"""The paper's three overviews, of discontinuities, algorithms and functions, beside what is found here."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources

from cpcbench.experiment.plan.problems import CPC
from cpcbench.experiment.plan.reproduction import ANSWERS
from cpcbench.experiment.plan.scripts import SOURCE, other_boxes, scripts
from cpcbench.experiment.store.record import RunRecord
from cpcbench.problems.checked import shown_box
from cpcbench.problems.facts import facts
from cpcbench.problems.problem import Problem
from cpcbench.problems.registry import problem
from cpcbench.report.paper.printed import RULE, printed_table
from cpcbench.report.table import Row, Table
from cpcbench.solvers.registry import solver
from cpcbench.studies.structure.discontinuity import discontinuities
from cpcbench.studies.structure.interplay import structure
from cpcbench.studies.symmetry.optima_count import optima

EXAMPLES = {
    "numerical": ("F170",),
    "piecewise": ("F37",),
    "stepwise": ("F138",),
    "domain-induced": ("CPC-DF8", "CPC-DF12"),
}
"""The functions that the paper shows for each kind."""

CLOSED = "our open answer to a closed program, not that program"


def overview_tables(records: Iterable[RunRecord] = ()) -> list[Table]:
    """All three; the one of the algorithms with what their runs took, if there are any."""
    return [taxonomy_table(), algorithm_table(list(records)), function_table([problem(id_, rule=RULE) for id_ in CPC])]


def taxonomy_table() -> Table:
    """The printed kinds, and what their examples turn out to be."""
    printed = printed_table("taxonomy")
    rows: list[Row] = []
    for kind, continuous, restricts in printed.rows:
        for id_ in EXAMPLES[str(kind)]:
            found = discontinuities(problem(id_, rule=RULE))
            reached = {f.kind for f in found.findings if f.reached == "yes"}
            gaps = bool(reached & {"gap", "pole", "removable"})
            rows.append((kind, continuous, restricts, id_, found.category, "jump" not in reached, gaps))
    return Table(
        key="taxonomy",
        title="Kinds of discontinuity-related behaviour, printed and found",
        columns=(
            "kind", "continuous, printed", "restricts feasibility, printed", "example", "kind found",
            "no jump found where it is defined", "undefined somewhere in the box",
        ),
        rows=rows,
        notes=("Found: read off the formula (cpcbench structure), jumps and gaps met in the box.",),
    )  # fmt: skip


def algorithm_table(records: Sequence[RunRecord] = ()) -> Table:
    """The printed algorithms, and what is run for them here."""
    printed = printed_table("algorithms")
    rows = []
    for cells in printed.rows:
        here = solver(ANSWERS.get(str(cells[0]), str(cells[0])))
        mine = [r for r in records if r.solver == here.name]
        spent = sorted(r.evaluations for r in mine)
        rows.append((
            *cells, here.name, "deterministic" if here.deterministic else "stochastic",
            "the formula" if here.expression else "values only", here.budget, here.seconds,
            spent[len(spent) // 2] if spent else None,
        ))  # fmt: skip
    return Table(
        key="algorithms",
        title="The six algorithms, printed and as they are run here",
        columns=(
            *printed.columns, "here", "deterministic or stochastic here", "sees", "evaluations a run at most",
            "seconds a run at most", "evaluations of the median run",
        ),
        rows=rows,
        notes=(
            *(f"{name}: here {answer}, {CLOSED}." for name, answer in ANSWERS.items()),
            ugo_settings(),
            "BFGS+MS: the descent is deterministic, its starts are drawn.",
            *printed.notes,
        ),
    )  # fmt: skip


def ugo_settings() -> str:
    """What the published column UGO came from, counted from the scripts."""
    mine = [s.settings for s in scripts() if s.algorithm == "UGO"]
    words = Counter(s.get("algorithm", "not set").partition("[")[0] for s in mine)
    named = ", ".join(f"{word} ({count})" for word, count in words.most_common())
    runs = Counter(s.get("runs", "not set") for s in mine)
    made = ", ".join(f"{word} ({count})" for word, count in runs.most_common())
    return (
        f"The published column UGO is of several methods of 1stOpt, chosen by function: Algorithm {named} of "
        f"{len(mine)} scripts, MultiRun {made}. Source: {SOURCE}."
    )


def function_table(problems: Sequence[Problem]) -> Table:
    """The printed properties of the functions, each beside what is found."""
    return Table(
        key="functions",
        title="The functions, printed and found",
        columns=(
            "function", "n", "box, printed", "box of the published runs", "separable, printed", "separable",
            "feasible ratio, printed (%)", "feasible ratio (%)", "95 % from (%)", "95 % to (%)", "confirmed",
            "optima, printed", "optima",
        ),
        rows=map(_function, problems),
        notes=(
            "Separable: a sum of functions of one variable each, read off the formula (cpcbench structure).",
            "Feasible ratio: cpcbench feasible --rule strict; 25,000,000 draws, splitting for the rarest.",
            "Optima: of the real function, counted or at least so many (cpcbench multiplicity says how).",
            f"Boxes of published runs: {SOURCE}.",
        ),
    )  # fmt: skip


def _function(p: Problem) -> Row:
    theirs = other_boxes().get(p.id)
    ratio = feasible_ratios()[p.id]
    return (
        p.id, p.dim, shown_box(p.lower, p.upper), f"[{theirs[0]:g}, {theirs[1]:g}]^{p.dim}" if theirs else None,
        p.separable, structure(p).separable, ratio["published (%)"],
        *(float(ratio[name]) for name in ("ratio (%)", "95 % from (%)", "95 % to (%)")), ratio["confirmed"],
        facts(p.id).published.optima, optima(p).text,
    )  # fmt: skip


@cache
def feasible_ratios() -> dict[str, dict[str, str]]:
    """The measured feasible ratios, as `cpcbench feasible --rule strict --format csv` wrote them."""
    text = resources.files("cpcbench.report.paper").joinpath("feasible_ratios.csv").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {row["problem"]: row for row in csv.DictReader(rows)}
