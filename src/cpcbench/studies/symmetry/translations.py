"""Shifts that may leave a formula as it is: the lattice of its periods, and directions in which it is constant.

A variable enters a formula through linear forms. A shift must leave each form as it is, or, if the
form is only the angle of a sine, cosine or tangent, change it by a multiple of pi. Over the rationals
(with 1, pi and pi^2 independent) that is a lattice, found by linear algebra. What it gives are
candidates: `symmetry` proves each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from cpcbench.expr.walk import postorder, variables
from cpcbench.studies.structure.canonical import Canonical
from cpcbench.studies.structure.forms import Forms
from cpcbench.studies.symmetry.motions import Exact

WAVES = frozenset({"sin", "cos", "tan"})


@dataclass(frozen=True)
class LinearForm:
    """sum of coefficients[i] * x_i, plus a constant; `wave` if it is an angle and nothing else."""

    coefficients: dict[int, Exact]
    constant: Exact
    wave: bool


def linear_forms(canonical: Canonical) -> list[LinearForm]:
    """The largest linear parts of a formula."""
    order = postorder(canonical.root)
    found: dict[int, tuple[dict[int, Exact], Exact]] = {}
    for node in order:
        form = _linear(canonical.forms, canonical.of(node)) if node.op not in ("lt", "le") else None
        if form is not None and form[0]:
            found[id(node)] = form
    uses: dict[int, set[bool]] = {id(canonical.root): {False}}
    for node in order:
        for a in node.args:
            if id(a) in found and id(node) not in found:
                uses.setdefault(id(a), set()).add(node.op in WAVES)
    kept = [(node, uses[id(node)]) for node in order if id(node) in found and id(node) in uses]
    return [LinearForm(*found[id(node)], wave=kinds == {True}) for node, kinds in kept]


def _linear(forms: Forms, number: int) -> tuple[dict[int, Exact], Exact] | None:
    parts: dict[int | None, list[Fraction]] = {None: [Fraction(0), Fraction(0)]}
    for monomial, c in forms.body(number).items():
        variable: int | None = None
        turns = 0
        for atom, power in monomial:
            key = forms.key(atom)
            if power != 1 or key[0] not in ("var", "pi"):
                return None
            if key[0] == "pi":
                turns = 1
            elif variable is None:
                variable = int(str(key[1]))
            else:
                return None
        parts.setdefault(variable, [Fraction(0), Fraction(0)])[turns] += c
    constant = parts.pop(None)
    return {i: (a, b) for i, (a, b) in parts.items() if i is not None}, (constant[0], constant[1])


@dataclass(frozen=True)
class Shifts:
    """A basis of the shifts by which every angle changes by multiples of pi, and free directions."""

    periods: list[tuple[Exact, ...]]
    directions: list[tuple[Exact, ...]]


def shifts(canonical: Canonical, n: int) -> Shifts:
    """The candidates of a formula with n variables."""
    fixed, turning = _rows(linear_forms(canonical), n)
    idle = [{i: Fraction(1)} for i in sorted({*range(n)} - {*variables(canonical.root)})]
    fixed += [*(_row(n, one, {}) for one in idle), *(_row(n, {}, one) for one in idle)]
    null = _kernel(_matrix(fixed, 2 * n))
    if null.ncols() == 0:
        return Shifts([], [])
    image = _matrix(turning, 2 * n) * null
    loose = _kernel(image)
    directions = _vectors(null * loose, n)
    if loose.ncols():
        null = null * _complement(loose)
        image = _matrix(turning, 2 * n) * null
    periods = _vectors(null * _dual(image), n) if null.ncols() else []
    return Shifts(periods, directions)


Row = list[Fraction]


def _rows(forms: Sequence[LinearForm], n: int) -> tuple[list[Row], list[Row]]:
    """With t = u + v pi: rows over (u, v) that must be 0, and rows that must be whole numbers."""
    fixed: list[Row] = []
    turning: list[Row] = []
    for form in forms:
        plain = {i: a for i, (a, _) in form.coefficients.items()}
        turns = {i: b for i, (_, b) in form.coefficients.items()}
        fixed += [_row(n, plain, {}), _row(n, {}, turns)]
        (turning if form.wave else fixed).append(_row(n, turns, plain))
    return fixed, turning


def _row(n: int, u: dict[int, Fraction], v: dict[int, Fraction]) -> Row:
    row = [Fraction(0)] * (2 * n)
    for i, a in u.items():
        row[i] += a
    for i, b in v.items():
        row[n + i] += b
    return row


def _matrix(rows: Sequence[Row], columns: int) -> Any:
    entries = [flint.fmpq(x.numerator, x.denominator) for row in rows for x in row]
    return flint.fmpq_mat(len(rows), columns, entries)


def _kernel(matrix: Any) -> Any:
    """A matrix whose columns span what a matrix takes to 0."""
    columns = matrix.ncols()
    reduced, rank = matrix.rref() if matrix.nrows() else (matrix, 0)
    pivots = [next(j for j in range(columns) if reduced[i, j] != 0) for i in range(rank)]
    free = [j for j in range(columns) if j not in pivots]
    found = flint.fmpq_mat(columns, len(free))
    for k, j in enumerate(free):
        found[j, k] = 1
        for i, pivot in enumerate(pivots):
            found[pivot, k] = -reduced[i, j]
    return found


def _complement(loose: Any) -> Any:
    """Unit vectors that together with the given columns span everything."""
    reduced, rank = loose.transpose().rref()
    size = loose.nrows()
    pivots = {next(j for j in range(size) if reduced[i, j] != 0) for i in range(rank)}
    kept = [j for j in range(size) if j not in pivots]
    found = flint.fmpq_mat(size, len(kept))
    for k, j in enumerate(kept):
        found[j, k] = 1
    return found


def _dual(image: Any) -> Any:
    """A basis of the vectors w with whole numbers image * w: the dual of the lattice of the rows."""
    whole, scale = image.numer_denom()
    rank = image.ncols()
    hermite = whole.hnf()
    square = flint.fmpq_mat(flint.fmpz_mat(rank, rank, [hermite[i, j] for i in range(rank) for j in range(rank)]))
    return square.inv() * flint.fmpq(scale)


def _vectors(columns: Any, n: int) -> list[tuple[Exact, ...]]:
    def entry(i: int, k: int) -> Fraction:
        value = columns[i, k]
        return Fraction(int(value.p), int(value.q))

    return [tuple((entry(i, k), entry(n + i, k)) for i in range(n)) for k in range(columns.ncols())]
