"""Functions of the literature on the page: how solvers fare on them, and up to which size proofs close."""

from __future__ import annotations

from cpcbench.report.page import markup
from cpcbench.report.problems.measured import measured_names, measured_table

LEAD = (
    "Measured once with the commands named below the tables, not in this study: what the benchmark's functions are "
    "like beside those that optimisers are usually compared on."
)


def literature() -> str:
    """The tables, folded: they are not the study's own."""
    return f'<p class="lead small">{markup.text(LEAD)}</p>' + markup.tables(map(measured_table, measured_names()), ())
