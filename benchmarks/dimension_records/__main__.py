"""`python -m benchmarks.dimension_records [NAMES] --seconds 600`: up to which number of variables proofs close.

The number is doubled until a proof leaves a gap of more than 1e-9 (relative above 1), or the checker does not accept it
in its time. The seconds are those of the proof; checking has as long again.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

import cpcbench as cpc

TOLERANCE = 1e-9


def _sum(term: Callable[[int], str], count: int) -> str:
    return " + ".join(f"({term(i)})" for i in range(1, count + 1))


def _product(term: Callable[[int], str], count: int) -> str:
    return "*".join(term(i) for i in range(1, count + 1))


def _egg_holder(i: int) -> str:
    a, b = f"x{i}", f"(x{i + 1} + 47)"
    return f"-{b}*sin(sqrt(abs({b} + {a}/2))) - {a}*sin(sqrt(abs({a} - {b})))"


def _rana(i: int) -> str:
    a, b = f"x{i}", f"x{i + 1}"
    plus, minus = f"sqrt(abs({b} + {a} + 1))", f"sqrt(abs({b} - {a} + 1))"
    return f"{a}*cos({plus})*sin({minus}) + (1 + {b})*sin({plus})*cos({minus})"


def _sine_envelope(i: int) -> str:
    square = f"(x{i}^2 + x{i + 1}^2)"
    return f"0.5 + (sin(sqrt({square}))^2 - 0.5)/(1 + 0.001*{square})^2"


def _keane(n: int) -> str:
    cosines = f"{_sum(lambda i: f'cos(x{i})^4', n)} - 2*{_product(lambda i: f'cos(x{i})^2', n)}"
    return f"-abs({cosines})/sqrt({_sum(lambda i: f'{i}*x{i}^2', n)})"


def _keane_conditions(n: int) -> list[str]:
    added = " + ".join(f"x{i}" for i in range(1, n + 1))
    return [f"{_product(lambda i: f'x{i}', n)} >= 0.75", f"{added} <= {7.5 * n}"]


@dataclass(frozen=True)
class Formula:
    """A function for any number of variables, all with the same bounds."""

    text: Callable[[int], str]
    side: tuple[float, float]
    conditions: Callable[[int], list[str]] = lambda _n: []

    def problem(self, n: int) -> cpc.Problem:
        return cpc.parse(self.text(n), bounds=[self.side] * n, subject_to=self.conditions(n))


@dataclass(frozen=True)
class Suite:
    """A problem of the suite that can be made for any number of variables."""

    name: str

    def problem(self, n: int) -> cpc.Problem:
        return cpc.problem(self.name, n=n)


FUNCTIONS: dict[str, Formula | Suite] = {
    "Egg Holder": Formula(lambda n: _sum(_egg_holder, n - 1), (-512, 512)),
    "Rana": Formula(lambda n: _sum(_rana, n - 1), (-500, 500)),
    "Michalewicz": Formula(
        lambda n: f"-({_sum(lambda i: f'sin(x{i})*sin({i}*x{i}^2/pi)^20', n)})", (0, 3.141592653589793)
    ),
    "Rosenbrock": Formula(lambda n: _sum(lambda i: f"100*(x{i + 1} - x{i}^2)^2 + (1 - x{i})^2", n - 1), (-30, 30)),
    "Griewank": Formula(
        lambda n: f"1 + {_sum(lambda i: f'x{i}^2/4000', n)} - {_product(lambda i: f'cos(x{i}/sqrt({i}))', n)}",
        (-600, 600),
    ),
    "Schwefel 2.26": Formula(
        lambda n: f"418.9829*{n} - ({_sum(lambda i: f'x{i}*sin(sqrt(abs(x{i})))', n)})", (-500, 500)
    ),
    "sine envelope": Formula(lambda n: _sum(_sine_envelope, n - 1), (-100, 100)),
    "Keane": Formula(_keane, (0, 10), _keane_conditions),
    "CPC-DF6": Suite("CPC-DF6"),
    "CPC-DF21": Suite("CPC-DF21"),
}


@dataclass(frozen=True)
class Row:
    """One proof."""

    n: int
    gap: float
    lower: float
    upper: float
    seconds: float
    leaves: int
    accepted: bool

    @property
    def closed(self) -> bool:
        return self.accepted and self.gap <= TOLERANCE


def proven(function: Formula | Suite, n: int, seconds: float, workers: int | None = None) -> Row | None:
    """The proof at a size; None if there is no bound."""
    start = time.monotonic()
    try:
        made = cpc.certify(function.problem(n), seconds=seconds, workers=workers)
    except cpc.CpcbenchError:
        return None
    took = time.monotonic() - start
    gap = (made.upper - made.lower) / max(1.0, abs(made.upper))
    leaves = 0 if made.checked is None else made.checked.leaves
    return Row(n, gap, made.lower, made.upper, took, leaves, bool(made.checked and made.checked.accepted))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dimension_records", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(FUNCTIONS)}; all unless given")
    parser.add_argument("--seconds", type=float, default=600.0, help="for each proof")
    parser.add_argument("--first", type=int, default=5, help="the number of variables to begin with")
    parser.add_argument("--most", type=int, default=640, help="the number of variables to end with at the latest")
    parser.add_argument("--workers", type=int, help="threads and processes; unless given, as many as there are cores")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.names if name not in FUNCTIONS]
    if unknown:
        parser.error(f"unknown function {unknown[0]!r}: there are {', '.join(FUNCTIONS)}")
    if asked.first < 2:
        parser.error(f"--first is at least 2, not {asked.first}")
    console = Console(width=130)
    table = Table(title=f"proofs by number of variables, {asked.seconds:g} s each")
    for name in ("function", "n", "lower", "upper", "gap", "seconds", "leaves", "accepted"):
        table.add_column(name, justify="left" if name == "function" else "right")
    for name in asked.names or FUNCTIONS:
        n, row = asked.first, None
        while n <= asked.most:
            row = proven(FUNCTIONS[name], n, asked.seconds, asked.workers)
            if row is None:
                table.add_row(name, str(n), *["-"] * 5, "no bound")
                break
            accepted = "yes" if row.accepted else "no"
            table.add_row(
                name, str(n), f"{row.lower:.10g}", f"{row.upper:.10g}", f"{row.gap:.1e}", f"{row.seconds:.0f}",
                f"{row.leaves:,}", accepted,
            )  # fmt: skip
            console.print(f"{name}, n = {n}: gap {row.gap:.1e}, {row.seconds:.0f} s, accepted: {accepted}")
            if not row.closed:
                break
            n *= 2
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
