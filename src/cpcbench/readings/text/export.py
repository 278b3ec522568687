"""The registry of languages a problem can be exported to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cpcbench.errors import UnknownNameError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.plain import formula
from cpcbench.readings.text.languages.ampl import export_ampl
from cpcbench.readings.text.languages.c import export_c
from cpcbench.readings.text.languages.gams import export_gams
from cpcbench.readings.text.languages.lingo import export_lingo
from cpcbench.readings.text.languages.matlab import export_matlab
from cpcbench.readings.text.languages.python import export_python
from cpcbench.readings.text.latex import export_latex
from cpcbench.readings.text.mathml import export_mathml
from cpcbench.readings.text.model import Exported, Model, build

Bounds = Sequence[float] | None
Exporter = Callable[[Expr, str, Bounds, Bounds, Sequence[str] | None], Exported]


def _exporter(write: Callable[[Model], Exported]) -> Exporter:
    return lambda root, name, lower, upper, names: write(build(root, name, lower, upper, names))


LANGUAGES: dict[str, Exporter] = {
    "ampl": _exporter(export_ampl),
    "c": _exporter(export_c),
    "gams": _exporter(export_gams),
    "latex": _exporter(export_latex),
    "lingo": _exporter(export_lingo),
    "mathml": _exporter(export_mathml),
    "matlab": _exporter(export_matlab),
    "python": _exporter(export_python),
    "text": _exporter(lambda model: Exported(formula(model.root, model.names) + "\n")),
}
"""Language to the function (root, name, lower, upper, names) that writes it; others may be added."""


def export(
    root: Expr,
    language: str,
    *,
    name: str = "f",
    lower: Bounds = None,
    upper: Bounds = None,
    names: Sequence[str] | None = None,
) -> Exported:
    """The problem in another language, with warnings where that language means something else."""
    if not isinstance(language, str) or language.lower() not in LANGUAGES:
        raise UnknownNameError(f"unknown language {language!r}: there are {', '.join(sorted(LANGUAGES))}")
    return LANGUAGES[language.lower()](root, name, lower, upper, names)
