"""What the paper says of its functions and settings. Each function states when its claim holds, and counts."""

from __future__ import annotations

import math
from functools import cache

from cpcbench.experiment.plan.problems import CPC
from cpcbench.experiment.plan.scripts import scripts
from cpcbench.problems.facts import facts
from cpcbench.problems.kinds import FAITHFUL
from cpcbench.problems.proven import proven
from cpcbench.problems.registry import problem
from cpcbench.problems.worth import Worth
from cpcbench.report.paper.overviews import feasible_ratios
from cpcbench.report.paper.printed import RULE
from cpcbench.report.paper.verdicts import CONFIRMED, REFINED, REFUTED, Claim
from cpcbench.report.problems.records import really_lower
from cpcbench.studies.structure.interplay import structure
from cpcbench.studies.symmetry.optima_count import optima


@cache
def of_functions() -> tuple[Claim, ...]:
    """Every claim about the functions, and the settings of the published runs."""
    makers = (_settings, _certified, _best_known, _optima, _ratios, _separable, _sensitive, _rewritten)
    return tuple(make() for make in makers)


def _settings() -> Claim:
    """Refuted if the scripts of UGO set more than one method."""
    words = {s.settings.get("algorithm", "").partition("[")[0] for s in scripts() if s.algorithm == "UGO"} - {""}
    starts = {s.settings["starts"] for s in scripts() if s.algorithm == "BFGS+MS"}
    return Claim(
        "settings", "UGO with its default settings, 20 runs; BFGS+MS with 2000 starts",
        REFUTED if len(words) > 1 else CONFIRMED,
        f"the public scripts set the methods {', '.join(sorted(words))} and 10 runs for UGO, and {', '.join(starts)} "
        "starts for BFGS+MS", "docs/published-record.md",
    )  # fmt: skip


def _certified() -> Claim:
    """Refuted if the infimum of at least half of the functions is enclosed as closely as a value is known."""
    claims_ = [c for c in proven() if c.name in CPC and c.n == facts(c.name).n]
    settled = {c.name for c in claims_ if c.settles}
    unbounded = {c.name for c in claims_ if c.lower is None and not c.thin}
    open_ = [id_ for id_ in CPC if id_ not in settled | unbounded]
    verdict = REFUTED if 2 * len(settled | unbounded) >= len(CPC) else REFINED if settled else CONFIRMED
    return Claim(
        "proofs", "rigorous certification of global optima is generally intractable", verdict,
        f"proven: the infimum of {len(settled)} functions to {FAITHFUL:g}, no lower bound for {len(unbounded)} "
        f"({', '.join(sorted(unbounded)) or 'none'}); wider bounds for {', '.join(open_) or 'none'}",
        "cpcbench records; cpcbench certify --check",
    )  # fmt: skip


def _best_known() -> Claim:
    """Confirmed if no faithful value below a published one is known and all are faithful."""
    beaten, odd = [], []
    for id_ in CPC:
        p, known = problem(id_, rule=RULE), facts(id_).published
        if Worth.at(p, known.points[0]).kind == "artefact":
            odd.append(id_)
        ours, limit = p.records.faithful, known.value - 1e-9 * abs(known.value)
        if ours is not None and ours.value < limit and really_lower(ours, p.enclosure(known.points[0])):
            beaten.append(id_)
    return Claim(
        "best-known solutions", "found by extensive search and verified", REFINED if beaten or odd else CONFIRMED,
        f"a lower faithful point is known for {len(beaten)} ({', '.join(beaten)}); accidents of rounding: "
        f"{', '.join(odd)}", "cpcbench records",
    )  # fmt: skip


def _optima() -> Claim:
    """Refined if a printed number of optima is too small, or if there is none or another number, by proof."""
    wrong = []
    for id_ in CPC:
        base, _, power = facts(id_).published.optima.partition("^")
        said, found = int(base) ** int(power or 1), optima(problem(id_, rule=RULE))
        if said < found.at_least or (found.at_most is not None and said > found.at_most):
            wrong.append(f"{id_} {facts(id_).published.optima}, found {found.text}")
    return Claim(
        "number of optima", "as printed in the overview of the functions", REFINED if wrong else CONFIRMED,
        f"{len(wrong)} of {len(CPC)} cannot be: {', '.join(wrong)}", "cpcbench multiplicity",
    )  # fmt: skip


def _ratios() -> Claim:
    verdicts = [row["confirmed"] for row in feasible_ratios().values()]
    good = verdicts.count("yes")
    return Claim(
        "feasible ratios", "the mean of five counts of five million draws",
        CONFIRMED if good == len(verdicts) else REFINED if good else REFUTED,
        f"{good} of {len(verdicts)} are met by such a count of ours; not: "
        f"{', '.join(id_ for id_, row in feasible_ratios().items() if row['confirmed'] != 'yes')}", "cpcbench feasible",
    )  # fmt: skip


def _separable() -> Claim:
    said = [id_ for id_ in CPC if facts(id_).separable]
    found = [id_ for id_ in said if structure(problem(id_, rule=RULE)).separable]
    return Claim(
        "separability", f"{', '.join(said)} are separable", CONFIRMED if said == found else REFINED,
        f"sums of functions of one variable: {', '.join(found)}", "cpcbench structure",
    )  # fmt: skip


def _sensitive() -> Claim:
    """Refined if the printed value of CPC-DF3 is not the real one: that much is arithmetic, not the function."""
    p, known = problem("CPC-DF3", rule=RULE), facts("CPC-DF3").published
    here = Worth.at(p, known.points[0])
    real = here.enclosure.midpoint
    return Claim(
        "sensitivity", "the sensitivity of CPC-DF3 is intrinsic, not a matter of arithmetic",
        REFINED if here.kind == "artefact" else CONFIRMED,
        f"the edge is real, the value is not: {here.reference:.5f} in doubles, {real:.5f} over the reals at the same "
        "point", "cpcbench sensitivity CPC-DF3 --rule strict",
    )  # fmt: skip


def _rewritten() -> Claim:
    """Confirmed if a point of CPC-DF14 is admissible as the power is written and not with a base above 0."""
    x = (-0.5, -2.45)
    here, there = (float(problem("CPC-DF14", rule=rule).reference(x)) for rule in ("ieee", "strict"))
    return Claim(
        "powers", "writing x^y as exp(y ln x) changes the domain", CONFIRMED if here == here != there else REFUTED,
        f"CPC-DF14 at {x}: {here:.3f} as written, {'undefined' if math.isnan(there) else there} with a base above 0",
        "cpcbench eval CPC-DF14 -0.5 -2.45",
    )  # fmt: skip
