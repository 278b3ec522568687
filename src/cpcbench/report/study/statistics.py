"""The statistics of a study as tables: targets reached, running times, profiles, ranks, and how the runs ended."""

from __future__ import annotations

from collections.abc import Iterable

from cpcbench.experiment.statistics.comparisons import rank_sum_tests
from cpcbench.experiment.statistics.runs import RunArrays, gather
from cpcbench.experiment.statistics.success import running_times, success_rates
from cpcbench.experiment.store.record import RunRecord
from cpcbench.experiment.store.store import Store
from cpcbench.report.study.circumstances import Circumstances
from cpcbench.report.study.comparison_tables import endings_table, failures_table, pairs_table, ranks_table, wins_table
from cpcbench.report.study.target_tables import (
    data_profile_table,
    ecdf_table,
    performance_profile_table,
    reached_table,
    running_times_table,
    solved_table,
)
from cpcbench.report.table import Table


def statistics_tables(source: Store | Iterable[RunRecord], *, pairs: bool = False) -> list[Table]:
    """Every table of statistics, rule by rule; `pairs` adds each single test between two solvers.

    A store is read run by run: memory does not grow with the length of the trajectories.
    """
    given = source if isinstance(source, Store) else list(source)
    seen = Circumstances(given)
    return [table for runs in gather(given) for table in seen.stated(_of_rule(runs, pairs), runs.rule)]


def _of_rule(runs: RunArrays, pairs: bool) -> list[Table]:
    rates, times, tests = success_rates(runs), running_times(runs), rank_sum_tests(runs)
    made = [
        reached_table(runs, rates),
        solved_table(runs, rates, times),
        running_times_table(runs, times),
        ecdf_table(runs),
        performance_profile_table(runs),
        data_profile_table(runs),
        ranks_table(runs),
        wins_table(runs, tests),
        endings_table(runs),
    ]
    if pairs:
        made.append(pairs_table(runs, tests))
    failures = failures_table(runs)
    return [*made, failures] if failures.rows else made
