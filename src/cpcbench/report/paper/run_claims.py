"""What the paper concludes from its runs. Each function states when its claim is confirmed, refined or refuted."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy.stats import kendalltau

from cpcbench.experiment.plan.problems import CLASSICS, CPC
from cpcbench.experiment.plan.reproduction import ANSWERS
from cpcbench.experiment.verify.types import CONSISTENT
from cpcbench.problems.facts import facts
from cpcbench.problems.kinds import close
from cpcbench.problems.published import published_results
from cpcbench.problems.registry import problem
from cpcbench.report.paper.cells import SOLVERS, Cells
from cpcbench.report.paper.printed import RULE, printed_figure, printed_table
from cpcbench.report.paper.verdicts import CONFIRMED, REFINED, REFUTED, Claim
from cpcbench.solvers.registry import PAPERS

REPRODUCE = "cpcbench reproduce"
CLEARLY = 5.0
"""Percentage points of runs that are no matter of chance."""
STEPS = (-0.5, -0.25, 0.0, 0.25, 0.5)
"""In units of a coordinate's last printed digit: all of these are printed alike."""


def of_runs(cells: Cells) -> list[Claim]:
    """Every claim about the runs, in the paper's order."""
    makers = (_classics, _harder, _apart, _ranking, _gradients, _scarcity, _start, _conditions, _inconsistent)
    return [make(cells) for make in makers]


def _classics(cells: Cells) -> Claim:
    """Confirmed if all but BFGS+MS solve all three; refuted if fewer than half of these cells are of Type I."""
    names = [name for name in PAPERS if name != "BFGS+MS"]
    mine = [cell for name in names for cell in cells.of(name, CLASSICS)]
    solved = sum("I" in cell.types for cell in mine)
    verdict = CONFIRMED if solved == len(mine) else REFUTED if solved < len(mine) / 2 else REFINED
    rates = "; ".join(
        f"{id_}: "
        + ", ".join(f"{name} {cells.cells[id_, name].type_i}/{cells.cells[id_, name].runs}" for name in PAPERS)
        for id_ in CLASSICS
    )
    far = sum(
        "I" in r.types and r.point is not None and len(r.point) == facts(r.problem).n
        and not problem(r.problem).reference(r.point) <= facts(r.problem).published.value + 0.5
        for r in published_results() if r.problem in CLASSICS
    )  # fmt: skip
    return Claim(
        "known functions", "F37, F138 and F170 are solved by every algorithm but BFGS+MS", verdict,
        f"{solved} of {len(mine)} such cells of Type I; runs of Type I: {rates}. {far} published Type I cells give a "
        "value more than 0.5 above the minimum when evaluated again", REPRODUCE,
    )  # fmt: skip


def _harder(cells: Cells) -> Claim:
    """Confirmed if every algorithm of the paper has a smaller share of Type I on the 25 functions, refuted if none."""
    shares = {name: (cells.share(name, "I"), cells.share(name, "I", CLASSICS)) for name in PAPERS}
    below = sum(ours < theirs for ours, theirs in shares.values())
    verdict = CONFIRMED if below == len(shares) else REFUTED if below == 0 else REFINED
    told = ", ".join(f"{name} {ours:.0f} % and {theirs:.0f} %" for name, (ours, theirs) in shares.items())
    return Claim(
        "difficulty", "the 25 functions are harder than the known discontinuous ones", verdict,
        f"Type I on the 25 and on the three: {told}", REPRODUCE,
    )  # fmt: skip


def _apart(cells: Cells) -> Claim:
    """Confirmed if the algorithms' shares of Type I lie further apart on the 25 than on the three, refined if both
    tell them apart by half of the functions or more."""
    spread = {}
    for name, ids in (("25", CPC), ("three", CLASSICS)):
        shares = [cells.share(solver, "I", ids) for solver in PAPERS]
        spread[name] = max(shares) - min(shares)
    verdict = CONFIRMED if spread["25"] > spread["three"] else REFINED if spread["25"] >= 50.0 else REFUTED
    return Claim(
        "discrimination", "algorithms that are alike on known functions are told apart by the 25", verdict,
        f"best minus worst share of Type I: {spread['25']:.0f} points on the 25, {spread['three']:.0f} on the three",
        REPRODUCE,
    )  # fmt: skip


def _ranking(cells: Cells) -> Claim:
    """Confirmed if no pair of algorithms changes places, refuted if more do than not."""
    printed = printed_table("type_distribution")
    published = {name: float(printed.column(name)[0]) for name in printed.columns[1:]}  # type: ignore[arg-type]
    ours = {name: cells.share(ANSWERS.get(name, name), "I") for name in published}
    tau = float(kendalltau(list(published.values()), list(ours.values())).statistic)
    verdict = CONFIRMED if tau > 0.999 else REFUTED if tau < 0 else REFINED
    told = ", ".join(
        f"{ANSWERS.get(n, n)} {ours[n]:.0f} ({published[n]:.0f})" for n in sorted(ours, key=lambda n: -ours[n])
    )
    return Claim(
        "ranking", "by Type I: UGO, GA, B&B, GPSO, then SA and BFGS+MS", verdict,
        f"Type I in percent, published in brackets: {told}; Kendall's tau {tau:.2f}. Ours of B&B reads the formula",
        REPRODUCE,
    )  # fmt: skip


def _gradients(cells: Cells) -> Claim:
    """Confirmed if BFGS+MS has no Type I and GPSO II or III as often as its table says, refuted if both have many."""
    one, gpso = cells.share("BFGS+MS", "I"), cells.share("GPSO", "II") + cells.share("GPSO", "III")
    printed = [float(v) for v in printed_table("type_distribution").column("GPSO")]  # type: ignore[arg-type]
    said, table = printed_figure("gpso_type_ii_or_iii"), printed[1] + printed[2]
    verdict = CONFIRMED if one == 0 and gpso >= said else REFUTED if one > 50 and gpso < 50 else REFINED
    return Claim(
        "gradients", f"BFGS+MS has no Type I, GPSO II or III in {said:g} % (its table: {table:g} %)", verdict,
        f"BFGS+MS {one:.0f} % of Type I, GPSO {gpso:.0f} % of II or III", REPRODUCE,
    )  # fmt: skip


def _scarcity(cells: Cells) -> Claim:
    """Confirmed if Type III is three times as frequent where less than 1 % is admissible; refuted if no more."""
    groups = {above: [i for i in CPC if (facts(i).published.feasible_ratio > 1.0) is above] for above in (True, False)}
    counts = {}
    for above, ids in groups.items():
        mine = [cell for name in PAPERS for cell in cells.of(name, ids)]
        counts[above] = 100.0 * sum("III" in cell.types for cell in mine) / len(mine)
    printed = printed_table("feasible_ratio_groups").column("Type III (%)")
    verdict = REFUTED if counts[False] <= counts[True] else CONFIRMED if counts[False] >= 3 * counts[True] else REFINED
    return Claim(
        "scarcity", f"Type III rises from {printed[0]} % to {printed_figure('type_iii_below_one_percent'):g} % (its "
        f"table: {printed[1]} %) where less than 1 % is admissible", verdict,
        f"{counts[True]:.1f} % and {counts[False]:.1f} % of the paper's five algorithms", REPRODUCE,
    )  # fmt: skip


def _start(cells: Cells) -> Claim:
    return _remedy(cells, "start", "a Monte Carlo phase before the search helps to find admissible points")


def _conditions(cells: Cells) -> Claim:
    """The claim is that conditions help where they can be stated, and that this is not everywhere."""
    made = _remedy(cells, "conditions", "hidden conditions made explicit can help, but cannot be stated for all")
    stated = sum(bool(problem(id_).conditions) for id_ in CPC)
    figures = f"conditions are derived for {stated} of {len(CPC)} functions (cpcbench conditions); {made.figures}"
    verdict = REFINED if made.verdict == CONFIRMED and stated == len(CPC) else made.verdict
    return Claim(made.about, made.claim, verdict, figures, made.command)


def _remedy(cells: Cells, remedy: str, claim: str) -> Claim:
    """Confirmed if every solver finds admissible points in clearly more of its runs with it, refuted if none does."""
    helped = {name: f"{name}+{remedy}" for name in PAPERS if cells.of(f"{name}+{remedy}")}
    rates = [(cells.found(name), cells.found(with_it)) for name, with_it in helped.items()]
    more = sum(after - before >= CLEARLY for before, after in rates)
    verdict = CONFIRMED if more == len(rates) else REFUTED if more == 0 else REFINED
    told = ", ".join(
        f"{name} {before:.0f} and {after:.0f} %" for name, (before, after) in zip(helped, rates, strict=True)
    )
    return Claim(
        f"remedy +{remedy}", claim, verdict, f"runs with an admissible point without and with it: {told}",
        "cpcbench claims",
    )  # fmt: skip


def _inconsistent(cells: Cells) -> Claim:
    """Refined unless rounding of the printed point explains every published row of Type IV."""
    rows = [
        r for r in published_results() if r.problem in CPC and "IV" in r.types and r.point and r.reported is not None
    ]
    near = sum(_met_nearby(r.problem, r.point, r.reported) for r in rows if r.point and r.reported is not None)
    here = sum("IV" in cell.types for name in SOLVERS for cell in cells.of(name))
    return Claim(
        "Type IV", "reported values often differ from their re-evaluation, which shows how sensitive the problems are",
        CONFIRMED if near == len(rows) else REFINED,
        f"{len(rows)} published rows of Type IV have a point and a value; {near} of these values are met within half "
        f"a unit of the last printed digit of a coordinate, {len(rows) - near} are not. {here} cells of Type IV here: "
        "our solvers report the values they saw; results of closed programs can be imported", "cpcbench import",
    )  # fmt: skip


def _met_nearby(id_: str, point: Sequence[float], reported: float) -> bool:
    """Whether values within half a unit of the last digit of one coordinate have the reported one between them."""
    p = problem(id_, rule=RULE)
    seen = []
    for i, value in enumerate(point):
        unit = 10.0 ** -len(repr(value).partition(".")[2])
        moved = ([v + step * unit if j == i else v for j, v in enumerate(point)] for step in STEPS)
        seen += [float(p.reference(beside)) for beside in moved]
    values = [v for v in seen if not math.isnan(v)]
    return bool(values) and (
        min(values) <= reported <= max(values) or any(close(v, reported, CONSISTENT) for v in values)
    )
