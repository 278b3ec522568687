"""Expressions as text: plain formulas, LaTeX, and programs in other languages."""

from cpcbench.expr.plain import formula
from cpcbench.readings.text.export import LANGUAGES, Exporter, export
from cpcbench.readings.text.latex import latex
from cpcbench.readings.text.mathml import mathml
from cpcbench.readings.text.model import Exported

__all__ = ["LANGUAGES", "Exported", "Exporter", "export", "formula", "latex", "mathml"]
