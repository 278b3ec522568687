"""The registry of languages a problem can be exported to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from cpcbench.errors import CpcbenchError, UnknownNameError
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
from cpcbench.readings.text.model import Exported, Model, build, checked_undefined

Bounds = Sequence[float] | None
Exporter = Callable[[Model], Exported]

LANGUAGES: dict[str, Exporter] = {
    "ampl": export_ampl,
    "c": export_c,
    "gams": export_gams,
    "latex": export_latex,
    "lingo": export_lingo,
    "mathml": export_mathml,
    "matlab": export_matlab,
    "python": export_python,
    "text": lambda model: Exported(formula(model.root, model.names) + "\n"),
}
"""Language to the function that writes it; others may be added."""

PROGRAMS = ("c", "matlab", "python")
"""Languages in which an undefined value can be replaced; the others have formulas and models only."""


def export(
    root: Expr,
    language: str,
    *,
    name: str = "f",
    lower: Bounds = None,
    upper: Bounds = None,
    names: Sequence[str] | None = None,
    undefined: float | None = None,
) -> Exported:
    """The problem in another language, with warnings where that language means something else.

    A program returns NaN where the formula is undefined, or the number `undefined`, such as 1e100.
    """
    if not isinstance(language, str) or language.lower() not in LANGUAGES:
        raise UnknownNameError(f"unknown language {language!r}: there are {', '.join(sorted(LANGUAGES))}")
    model = build(root, name, lower, upper, names)
    if undefined is not None:
        if language.lower() not in PROGRAMS:
            raise CpcbenchError(
                f"a value for undefined points needs a program ({', '.join(PROGRAMS)}): "
                f"{language} states the formula only"
            )
        model = replace(model, undefined=checked_undefined(undefined))
    return LANGUAGES[language.lower()](model)
