"""The front of the figures: the same data, drawn by the library that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import ArrayLike

from cpcbench.errors import CpcbenchError
from cpcbench.report.figures.words import Data, checked_kind, shown_scale

BACKENDS = ("matplotlib", "plotly")


class Curve(Protocol):
    """A named curve, such as a solver's distribution of runs."""

    @property
    def name(self) -> str: ...
    @property
    def x(self) -> ArrayLike: ...
    @property
    def y(self) -> ArrayLike: ...


def draw(
    data: Data | Sequence[Data],
    kind: str | Sequence[str] | None = None,
    *,
    titles: Sequence[str | None] | None = None,
    scale: str = "auto",
    limits: tuple[float, float] | None = None,
    backend: str = "matplotlib",
) -> Any:
    """A figure of one or several data side by side: a Figure of Matplotlib, or of Plotly.

    `kind` is surface, heat, contour or scatter for a Landscape, line for a Line, scatter for a Cloud; of several data
    one for all, or one for each. `scale` is auto, linear, log or symlog; `limits` are the lowest and highest value
    shown.
    """
    chosen: Sequence[Data] = data if isinstance(data, (list, tuple)) else [data]  # type: ignore[list-item]
    if not chosen:
        raise CpcbenchError("a figure needs at least one panel")
    kinds = [kind] * len(chosen) if kind is None or isinstance(kind, str) else kind
    panels = [
        (one, checked_kind(one, each), shown_scale(one, scale, limits)) for one, each in zip(chosen, kinds, strict=True)
    ]
    names = list(titles) if titles is not None else [None] * len(panels)
    if len(names) != len(panels):
        raise CpcbenchError(f"{len(panels)} panels need as many titles, not {len(names)}")
    return _backend(backend).draw_panels(panels, names)


def draw_curves(
    curves: Sequence[Curve],
    xlabel: str,
    ylabel: str,
    *,
    log_x: bool = False,
    title: str = "",
    backend: str = "matplotlib",
) -> Any:
    """Curves in one frame, told apart by colour and dash."""
    if not curves:
        raise CpcbenchError("a figure needs at least one curve")
    return _backend(backend).draw_curves(curves, xlabel, ylabel, log_x, title)


def _backend(name: str) -> Any:
    if name not in BACKENDS:
        raise CpcbenchError(f"figures are drawn by {' or '.join(BACKENDS)}, not {name!r}")
    from cpcbench.report.figures import drawn, interactive

    return interactive if name == "plotly" else drawn
