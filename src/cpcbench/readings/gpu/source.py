"""The CUDA source of one formula: its functions between the prelude and the kernels."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from cpcbench.readings.doubles.lowering import Lowering, Plan
from cpcbench.readings.gpu.cuda import CudaTarget, DrawnTarget
from cpcbench.readings.gpu.draws import Stream
from cpcbench.readings.gpu.stages import quick_lines, sift_lines

LARGEST = 1.7976931348623157e308


def cuda_source(plan: Plan, stream: Stream = "philox", *, sifted: bool = True) -> str:
    """The text of a module with the kernels `cpc_values`, `cpc_points`, `cpc_sift`, `cpc_settle` and `cpc_walk`.

    Without `sifted` every drawn point is in doubt: all go through the kernel in doubles.
    """
    drawn = DrawnTarget(plan.box)
    sift = sift_lines(plan) if sifted else ["return 2;"]
    quick = quick_lines(plan) if sifted else None
    parts = [
        f"#define CPC_DIM {len(plan.lower)}\n#define CPC_SPLITMIX {int(stream == 'splitmix')}\n",
        text_of("prelude.cu"),
        function_text("CPC_CALLED double cpc_value(const double *x)", _value_lines(plan, CudaTarget())),
        function_text("CPC_CALLED double cpc_drawn(cpc_place place)", _value_lines(plan, drawn)),
        function_text("CPC_CALLED void cpc_coordinates(cpc_place place, double *out)", _coordinate_lines(plan)),
        function_text("CPC_DEVICE int cpc_sift_point(cpc_place place)", sift),
        function_text("CPC_DEVICE int cpc_quick(cpc_place place)", quick or ["return 1;"]),
        f"#define CPC_STAGES {1 if quick is None else 2}\n",
        text_of("kernels.cu"),
        *(f"#define CPC_{name} {{{', '.join(map(repr, side))}}}" for name, side in _ends(plan)),
        text_of("search.cu"),
    ]
    return "\n".join(parts)


def _ends(plan: Plan) -> list[tuple[str, tuple[float, ...]]]:
    """The corners of the box, with finite numbers where it has no end: nothing is drawn there."""
    corners = [("LOWER", plan.lower), ("UPPER", plan.upper)]
    return [(name, tuple(min(max(v, -LARGEST), LARGEST) for v in side)) for name, side in corners]


def _value_lines(plan: Plan, target: CudaTarget) -> list[str]:
    lowering = Lowering(plan, target)
    lowering.tests()
    result = lowering.result(plan.root)
    return [*target.lines, f"return {result};"]


def _coordinate_lines(plan: Plan) -> list[str]:
    target = DrawnTarget(plan.box)
    names = [target.variable(i) for i in range(len(plan.lower))]
    return [*target.lines, *(f"out[{i}] = {name};" for i, name in enumerate(names))]


def function_text(head: str, lines: list[str]) -> str:
    """A function of the source: its head, and the statements of its body."""
    return "\n".join([f"{head} {{", *(f"    {line}" for line in lines), "}\n"])


@lru_cache(maxsize=8)
def text_of(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
