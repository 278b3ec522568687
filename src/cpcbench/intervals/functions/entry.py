"""What is known of a function of one operand, and how compiled code finds it by its number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from cpcbench.intervals.arithmetic import INF, Pair, Part, far_down, far_up
from cpcbench.intervals.compiled import compiled
from cpcbench.intervals.operations import EVERYWHERE, PLAIN

Operand = Callable[[float, float], Part]
Inverse = Callable[[float, float, float, float], Pair]
Slope = Callable[[float, float, float, float], Pair]


class Function(NamedTuple):
    """What compiled code does with the operand [a, b] and the result [r, s] of a function.

    `range(a, b)` has the ends and on how much of [a, b] the function's own condition holds; `inverse(r, s, a, b)` is
    where the operand can be; `slope(a, b, r, s)` holds the derivative there. Without more a result tells nothing of its
    operand, and the function jumps: the ends of its slope are the wrong way round. `asks` is the kind of the condition,
    `ball` the name of the function in Arb, without which it has no Taylor series; `whole`: it is defined at whole
    numbers only.
    """

    range: Operand
    inverse: Inverse = lambda r, s, a, b: (-INF, INF)
    slope: Slope = lambda a, b, r, s: (INF, -INF)
    asks: int = PLAIN
    ball: str = ""
    whole: bool = False


def rising(function: Callable[[float], float], least: float = -INF, most: float = INF) -> Operand:
    """The range of a function of the platform's that rises and is defined everywhere, with values in [least, most]."""
    return lambda a, b: (max(far_down(function(a)), least), min(far_up(function(b)), most), EVERYWHERE)


def chosen(functions: Mapping[int, Callable[..., Any]], arguments: str) -> Callable[..., Any]:
    """A compiled function that asks one of several by its number, which comes first; the last one for all others.

    As text, since Numba compiles a chain of questions best as it is written out: into one table of jumps.
    """
    *numbers, last = functions
    lines = [f"    if op == {number}:\n        return f{number}({arguments})" for number in numbers]
    text = "\n".join([f"def chosen(op, {arguments}):", *lines, f"    return f{last}({arguments})"])
    names: dict[str, Any] = {f"f{number}": compiled(made) for number, made in functions.items()}
    names["__name__"] = __name__
    exec(compile(text, f"<{__name__}>", "exec"), names)  # noqa: S102 - of numbers and names that are made here
    return compiled(names["chosen"])  # type: ignore[no-any-return]
