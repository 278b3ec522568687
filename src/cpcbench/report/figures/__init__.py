"""Figures: data of the studies drawn by Matplotlib for paper and by Plotly for the screen."""

from __future__ import annotations

from cpcbench.report.figures.draw import draw, draw_curves
from cpcbench.report.figures.files import FORMATS, format_of, save

__all__ = ["FORMATS", "draw", "draw_curves", "format_of", "save"]
