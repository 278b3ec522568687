"""Parts as variables: a part u of the formula becomes a variable s of its own, piece by piece of the range of u.

Let f be a formula without where(), u a part of it that depends on a variable, and F(x, s) the formula with a further
variable s in the place of u, wherever u stands. Let s_0 < s_1 < ... < s_m with m at least 1, and let every value of u,
at the points of the box where f is defined, lie between s_0 and s_m. For each piece from s_(j-1) to s_j there is a
number k_j and one of

    G_j(x, s) = F(x, s) + k_j t_1(x) + ... + k_j t_r(x) - k_j s,                 the terms t of the sum u, with signs,
    G_j(x, s) = F(x, s) + k_j ln(v_1(x)) + ... + k_j ln(v_r(x)) - k_j ln(s),     the factors v of the product u.

In the second form every factor must be positive all over the box.

Theorem. If for each j no value of G_j is below L wherever it is defined, for x in the box and s in the piece, then no
value of f is below L.

Proof. Let f be defined at x. Without where() every part of f is defined at x then, u too; let s = u(x). It lies in some
piece, whose ends belong to it. Each operation of F at (x, s) has the operands that it has in f at x. What is a constant
in one formula is a constant in the other, since u depends on a variable and s is one; so the rules for powers are the
same, each operation is defined, and F(x, s) = f(x). In the first form the terms are parts of f, so that they are
defined, and add up to u(x) = s: what is added to F is 0. In the second form ln(v_i(x)) is defined, as v_i(x) is
positive; so is s = v_1(x) ... v_r(x), and ln(s) is the sum of the ln(v_i(x)): again what is added is 0. So G_j is
defined at (x, s), and L <= G_j(x, s) = f(x). QED

The numbers k_j are Lagrange's: where the terms of F and of u have one variable each, so have those of G_j. Proofs about
G_j are by one tree or by sums, with s as the last variable, and its nodes are numbered anew.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from cpcbench.certify.checker.core.numbers import of_double, shown
from cpcbench.certify.checker.core.program import Filler, Program
from cpcbench.certify.checker.core.subject import MOST_NODES, Subject
from cpcbench.certify.checker.core.task import Task, whole_formula
from cpcbench.certify.checker.extensions.sums.links import lower_end, read_sum, terms_of
from cpcbench.certify.checker.ground.clock import look_at_clock
from cpcbench.certify.checker.ground.fields import doubles, field, listed, only, text
from cpcbench.certify.checker.ground.fields import shown as shown_text
from cpcbench.certify.checker.ground.verdict import NotCheckedError, RejectedError
from cpcbench.expr.nodes import Expr, node, num, var
from cpcbench.expr.walk import postorder, variables

NAME = "parts"
MOST_PIECES, MOST_FACTORS, MOST_OPERATIONS = 10_000, 10_000, 10_000_000
FORMS = ("sum", "product")

_NUMBER = re.compile(r"-?[0-9]{1,40}(\.[0-9]{0,40})?([eE][+-]?[0-9]{1,3})?", re.ASCII)


def part_tasks(subject: Subject, proof: object, lower: float, fillers: Sequence[Filler]) -> list[Task]:
    """The trees that show, once they hold, that no value is below `lower`."""
    only(proof, {"by", "node", "form", "cuts", "pieces"})
    subject.rests_on.add(NAME)
    if subject.part == "thin":
        raise RejectedError("parts are no variables on thin sets")
    if any(part.op in ("where", "lt", "le") for part in subject.order):
        raise RejectedError("parts are no variables with where()")
    whole, form = subject.node(field(proof, "node")), field(proof, "form")
    if form not in FORMS:
        raise RejectedError(f"the form of the part is {shown_text(form)}, neither 'sum' nor 'product'")
    if not variables(whole) or whole.op == "var":
        raise RejectedError("the part is a variable, or depends on none")
    pieces = listed(field(proof, "pieces"), most=MOST_PIECES)
    if not pieces:  # one cut alone would cover a part that has one value
        raise RejectedError("there is no piece")
    if len(pieces) * len(subject.order) > MOST_OPERATIONS:
        raise NotCheckedError(f"{len(pieces):,} pieces of a formula with {len(subject.order):,} operations")
    cuts = doubles(field(proof, "cuts"), len(pieces) + 1)
    shares = shares_of(subject, whole, form)
    _check_cover(subject, whole, cuts)
    tasks: list[Task] = []
    for place, piece in enumerate(pieces):
        look_at_clock()
        only(piece, {"multiplier", "lower"})
        root = relaxed(subject, whole, form, shares, _read_number(field(piece, "multiplier")))
        bounds = [*subject.bounds, (cuts[place], cuts[place + 1])]
        about = Subject(subject.name, root, bounds, subject.part, subject.rests_on)
        tasks += _piece_tasks(about, field(piece, "lower"), lower, fillers, f"piece {place}")
    return tasks


def shares_of(subject: Subject, whole: Expr, form: str) -> list[tuple[int, Expr]]:
    """What adds up to the part, or to its logarithm, with signs; rejects where a factor may not be positive."""
    return terms_of(whole) if form == "sum" else _logarithms(subject, whole)


def relaxed(subject: Subject, whole: Expr, form: str, shares: list[tuple[int, Expr]], k: Fraction) -> Expr:
    """G_j: the formula with a variable for the part, and k times what is 0 where the two are the same."""
    s = var(len(subject.bounds))
    made: dict[int, Expr] = {}
    for part in subject.order:
        args = [made[id(a)] for a in part.args]
        same = all(new is old for new, old in zip(args, part.args, strict=True))
        made[id(part)] = s if part is whole else part if same else node(part.op, *args)
    root = made[id(subject.root)]
    if k:
        for sign, share in [*shares, (-1, s if form == "sum" else node("ln", s))]:
            more = num(abs(k)) * share
            root = root + more if sign * k > 0 else root - more
    if len(postorder(root)) > MOST_NODES:
        raise RejectedError(f"the formula of a piece has more than {MOST_NODES:,} operations")
    return root


def _logarithms(subject: Subject, whole: Expr) -> list[tuple[int, Expr]]:
    """The logarithms of the factors of the part, all of which are positive on the box."""
    factors: list[Expr] = []
    waiting = [whole]
    while waiting:
        part = waiting.pop()
        if part.op == "mul":
            waiting += [part.args[1], part.args[0]]
        else:
            factors.append(part)
            if len(factors) > MOST_FACTORS:
                raise RejectedError(f"a product of more than {MOST_FACTORS:,} factors")
    program = Program(factors, subject.numbers, ieee=subject.ieee)
    evaluated = program.ranges(subject.box)
    if evaluated is None:
        raise RejectedError("a factor of the part is defined nowhere on the box")
    for factor in factors:
        low = evaluated[0][program.slots[id(factor)]][0]
        if not low > 0:
            raise RejectedError(f"a factor of the part may be as low as {shown(low)}, so that it has no logarithm")
    return [(1, node("ln", factor)) for factor in factors]


def _check_cover(subject: Subject, whole: Expr, cuts: list[float]) -> None:
    """Rejects unless the pieces cover all values of the part."""
    if any(not low < high for low, high in pairwise(cuts)):
        raise RejectedError("the cuts between the pieces are not in ascending order")
    program = Program([whole], subject.numbers, ieee=subject.ieee)
    evaluated = program.ranges(subject.box)
    if evaluated is None:
        raise RejectedError("the part is defined nowhere on the box")
    low, high = evaluated[0][program.slots[id(whole)]]
    if not (of_double(cuts[0]) <= low and high <= of_double(cuts[-1])):
        raise RejectedError(f"the part lies between {shown(low)} and {shown(high)}, which the pieces do not cover")


def _read_number(said: object) -> Fraction:
    found = text(said)
    if not _NUMBER.fullmatch(found):
        raise RejectedError(f"{found[:40]!r} is no multiplier: a decimal number")
    return Fraction(found)


def _piece_tasks(about: Subject, proof: object, lower: float, fillers: Sequence[Filler], name: str) -> list[Task]:
    """The trees of one piece; rejects unless they show, once they hold, that no value of it is below `lower`."""
    try:
        by = field(proof, "by")
        if by == "tree":
            task = whole_formula(about, proof, fillers)
            if task.link.threshold < lower:
                raise RejectedError(f"its tree proves {task.link.threshold!r}, which does not reach {lower!r}")
            task.link.name = f"the tree of {name}"
            return [task]
        if by != "sums":
            raise RejectedError(f"its lower bound is by {shown_text(by)}, neither 'tree' nor 'sums'")
        only(proof, {"by", "sums"})
        read = [read_sum(about, part, place, fillers) for place, part in enumerate(listed(field(proof, "sums")))]
        end = lower_end(about, [proven for proven, _ in read], fillers)
        if end is not None and not end >= of_double(lower):
            raise RejectedError(f"its sums give {shown(end)}, which does not reach {lower!r}")
    except RejectedError as trouble:
        raise RejectedError(f"{name}: {trouble}") from None
    tasks = [task for _, parts in read for task in parts]
    for task in tasks:
        task.link.name = f"{name}, {task.link.name}"
    return tasks
