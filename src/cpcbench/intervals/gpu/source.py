"""A tape as CUDA: one interval operation a line, and an early stop where a slot that is needed is defined nowhere."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from cpcbench.errors import CpcbenchError
from cpcbench.intervals import operations as ops
from cpcbench.intervals.functions.table import ASKS, NUMBERS
from cpcbench.intervals.tape import Tape
from cpcbench.readings.gpu.source import function_text
from cpcbench.readings.gpu.source import text_of as shared

PLAIN = {
    ops.ADD: "cpc_add", ops.SUB: "cpc_sub", ops.MUL: "cpc_mul", ops.DIV: "cpc_div", ops.NEG: "cpc_neg",
    ops.SQUARE: "cpc_square", ops.VARYING: "cpc_varying", ops.GIVEN: "cpc_given",
}  # fmt: skip


class NotOnCardError(CpcbenchError):
    """A tape has an operation that cards do not do here."""


def boxes_source(tape: Tape, lower: Sequence[float], upper: Sequence[float]) -> str:
    """The text of a module with the kernels `cpc_look` and `cpc_branch` for boxes of a tape inside a box."""
    scales = [1.0 / float(b - a) if b > a else 0.0 for a, b in zip(lower, upper, strict=True)]
    return "\n".join([
        f"#define CPC_DIM {tape.dim}\n#define CPC_SPLITMIX 0\n",
        shared("prelude.cu"),
        text_of("intervals.cu"),
        function_text("CPC_DEVICE double cpc_scale(int k)", _scale_lines(scales)),
        function_text("CPC_CALLED double cpc_bound(const double *lower, const double *upper)", _lines(tape)),
        text_of("kernels.cu"),
    ])  # fmt: skip


def _scale_lines(scales: list[float]) -> list[str]:
    return [f"const double scales[CPC_DIM] = {{{', '.join(map(repr, scales))}}};", "return scales[k];"]


def _lines(tape: Tape) -> list[str]:
    """Each slot as a part `p<k>`: its range, and on how much of the box it is defined."""
    code = tape.code
    lines: list[str] = []
    for k, op in enumerate(code.op.tolist()):
        i, j = int(code.left[k]), int(code.right[k])
        if op == ops.CONST:
            ends = f"{_number(float(code.lo[k]))}, {_number(float(code.hi[k]))}"
            lines.append(f"const cpc_part p{k} = cpc_made({ends}, {int(code.state[k])});")
        elif op == ops.VAR:
            lines.append(f"const cpc_part p{k} = cpc_made(lower[{i}], upper[{i}], CPC_EVERYWHERE);")
        else:
            lines.append(f"cpc_part p{k} = {_operation(tape, k, op, i, j)};")
            before = f"CPC_LEAST(p{i}.state, p{j}.state)" if j >= 0 else f"p{i}.state"
            lines.append(f"p{k}.state = CPC_LEAST(p{k}.state, {before});")
        if code.needed[k] and (op == ops.CONST or ASKS.get(op, ops.PLAIN) != ops.PLAIN):
            lines.append(f"if (p{k}.state == CPC_NOWHERE) return CPC_INF;")
    last = len(code.op) - 1
    return [*lines, f"return p{last}.state == CPC_NOWHERE ? CPC_INF : p{last}.lo;"]


def _operation(tape: Tape, k: int, op: int, i: int, j: int) -> str:
    low, high = float(tape.code.lo[k]), float(tape.code.hi[k])
    known = PLAIN | functions()
    if op in known:
        return f"{known[op]}(p{i}, p{j})" if j >= 0 else f"{known[op]}(p{i})"
    if op == ops.WHOLE and 3.0 <= low <= 64.0:
        return f"cpc_whole_power(p{i}, {int(low)})"
    if op == ops.FRACTION:
        return f"cpc_fraction(p{i}, {_number(low)}, {_number(high)})"
    raise NotOnCardError(f"boxes of this formula are not for a card: operation {op} of the tape has no CUDA text")


def _number(value: float) -> str:
    if math.isinf(value):
        return "CPC_INF" if value > 0 else "-CPC_INF"
    return repr(value)


@lru_cache(maxsize=1)
def functions() -> dict[int, str]:
    """The functions of the language that the CUDA text has ranges for, by their numbers on a tape."""
    return {NUMBERS[name]: f"cpc_range_{name}" for name in re.findall(r"cpc_range_(\w+)\(", text_of("intervals.cu"))}


@lru_cache(maxsize=4)
def text_of(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
