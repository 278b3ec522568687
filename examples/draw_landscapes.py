"""Draws three landscapes as one picture: colour where the objective is defined, hatched where it is not.

    python examples/draw_landscapes.py docs/picture.svg

The file's ending decides the format: .svg, .png, .pdf, or .html for a page to zoom in.
"""

from __future__ import annotations

import sys

import cpcbench as cpc
from cpcbench.report.figures import draw, format_of, save
from cpcbench.studies.landscape.grids import landscape

PANELS = ("CPC-DF9", "CPC-DF10", "CPC-DF8")


def main(target: str) -> None:
    data = [landscape(cpc.problem(name), resolution=240) for name in PANELS]
    backend = "plotly" if format_of(target) == "html" else "matplotlib"
    save(draw(data, "heat", backend=backend), target)
    print(f"wrote {target}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "landscapes.svg")
