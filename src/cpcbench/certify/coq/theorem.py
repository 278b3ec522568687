"""A certificate's bounds as a file of Coq: the formula, what proves them, and the statements in ordinary notation.

`coqc -Q formal CPC FILE.v` checks it, once the files in `formal/` are compiled. Coq trusts nothing that is written
here: it computes the leaves again, and compares the formula of the statement with the one that the leaves are about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.schema import ByPoint, BySums, ByTree, LowerProof, ProvenSum
from cpcbench.certify.checker.core.link import Box, Link
from cpcbench.certify.checker.core.mean_value import open_conditions
from cpcbench.certify.checker.core.numbers import arithmetic
from cpcbench.certify.checker.core.program import Program
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.trees import NATURAL, multipliers_of
from cpcbench.certify.checker.extensions.sums.links import terms_of
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.coq.language import Formula, number, rational
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr

BITS = 128
"""Bits of the checker's arithmetic, which is asked which conditions are open on a leaf."""

LONG = "Import ByLong.\nDefinition digits := Long.PtoP 90."
DOUBLES = "Import ByDoubles.\nDefinition digits := PrimitiveFloat.PtoP 53."
MANY = 1000
"""From so many leaves on the processor's numbers are taken, which are some ten times as fast as those of 90 bits."""

PLAIN_NAME = re.compile(r"[^A-Za-z0-9 @._-]")
"""What is not copied from a name: it could end the comment."""

CHECKED = "Proof. vm_cast_no_check (eq_refl true). Qed.\n"


def theorem(proof: Certificate) -> str:
    """The file; an error says what the theorems in `formal/` do not know."""
    try:
        return _theorem(proof)
    except (LookupError, ValueError, OverflowError, StopIteration, RejectedError) as trouble:
        raise CpcbenchError(f"the proof is not as it should be, and would not be accepted: {trouble}") from None


def _theorem(proof: Certificate) -> str:
    said = proof.said
    lower, upper = said.claim.lower, said.claim.upper
    if not proof.bounded or said.part == "thin" or said.lower is None or lower is None:
        raise CpcbenchError("only the bounds of an infimum, and not of one on thin sets, are written as theorems")
    if said.reach is not None or said.carried is not None:
        raise CpcbenchError("proofs without bounds, and those carried over, have no theorem yet")
    with arithmetic("arb", BITS):
        subject = Subject.read(proof.data)
        formula = Formula(subject.root)
        bound, what, proven = _lower(subject, formula, said.lower, lower)
    names = [f"x{k + 1}" for k in range(len(subject.bounds))]
    sides = [(Fraction(low), Fraction(high)) for low, high in subject.bounds]
    box = "; ".join(f"({rational(low)}, {rational(high)})" for low, high in sides)
    inside = [f"{number(low)} <= {name} <= {number(high)}" for name, (low, high) in zip(names, sides, strict=True)]
    in_box = "I"
    for place in reversed(range(len(names))):
        in_box = f"(conj B{place + 1} {in_box})"
    whole = formula.of(subject.root)
    hypotheses = " ->\n  ".join([*inside, *formula.stated])
    given = " ".join([*names, *(f"B{k + 1}" for k in range(len(names))), *formula.stated.values()])
    text = f"""(** {PLAIN_NAME.sub("?", proof.name)}, rule strict: no value on the box is below {bound!r}. *)
From Coq Require Import Reals ZArith List.
From Interval Require Import Float.Primitive_ops.
From CPC Require Import Language Trees.
Import ListNotations.
Open Scope R_scope.

{DOUBLES if what.count("Leaf") + what.count("Mean") > MANY else LONG}
Definition formula : expr := {whole.term}.
Definition box : list side := [{box}].
Definition bound : rational := {rational(Fraction(bound))}.
{what}
Theorem lower_bound : forall {" ".join(names)} : R,
  {hypotheses} ->
  {number(Fraction(bound))} <= {whole.text}.
Proof.
  intros {given}.
  exact ({proven} [{"; ".join(names)}] {in_box} {whole.defined}).
Qed.
Print Assumptions lower_bound.
"""
    if isinstance(said.upper, ByPoint) and upper is not None:
        if len(said.upper.x) != len(names):
            raise ValueError("the point has another number of coordinates")
        text += _upper(formula, subject.root, names, inside, [Fraction(x) for x in said.upper.x], _above(upper))
    return text


def _lower(subject: Subject, formula: Formula, proof: LowerProof, lower: float) -> tuple[float, str, str]:
    """The bound, what it rests on, and the proof that it gives for a point."""
    if isinstance(proof, BySums) and not proof.sums:
        return lower, *_by_tree("Leaf")
    if isinstance(proof, ByTree) and proof.threshold is not None:
        link = _link(subject, [(1, subject.root)], proof.threshold)
        return proof.threshold, *_by_tree(_tree(link, proof.tree, subject, formula.of(subject.root).conditions))
    if isinstance(proof, BySums) and len(proof.sums) == 1:
        return lower, *_by_links(subject, formula, proof.sums[0])
    raise CpcbenchError("cases, and bounds of several sums, have no theorem yet")


def _by_tree(tree: str) -> tuple[str, str]:
    lines = f"Definition proof : tree :=\n  {tree}.\n"
    checked = "Lemma checked : check digits formula bound proof (box_of digits box) = true.\n"
    return lines + checked + CHECKED, "by_tree digits formula bound proof box checked"


def _by_links(subject: Subject, formula: Formula, sum_: ProvenSum) -> tuple[str, str]:
    if subject.order[sum_.node] is not subject.root or sum_.side != "min":
        raise CpcbenchError("a bound of a sum inside the formula has no theorem yet")
    if sum_.tables or sum_.periods or sum_.ranges:
        raise CpcbenchError("sums with tables, periods or narrowed ranges have no theorem yet")
    terms = terms_of(subject.root)
    of = {term: place for place, link in enumerate(sum_.links) for term in link.terms}
    found = []
    for link in sum_.links:
        chosen = [terms[place] for place in link.terms]
        conditions = [c for _, term in reversed(chosen) for c in formula.of(term).conditions]
        tree = _tree(_link(subject, chosen, link.threshold), link.tree, subject, conditions)
        found.append(f"({rational(Fraction(link.threshold))}, {tree})")
    lines = (
        f"Definition links : list link := [{'; '.join(found)}].\n"
        f"Definition linked : list nat := [{'; '.join(str(of[k]) for k in range(len(terms)))}]%nat.\n"
        "Lemma checked : check_sum digits formula bound linked links (box_of digits box) = true.\n"
    )
    return lines + CHECKED, "by_links digits formula bound linked links box checked"


def _link(subject: Subject, terms: Sequence[tuple[int, Expr]], threshold: float) -> Link:
    program = Program([term for _, term in terms], subject.numbers)
    variables = sorted(program.variables)
    slots = [(program.slots[id(term)], sign) for sign, term in terms]
    return Link("", program, variables, slots, threshold, tuple(subject.bounds[v] for v in variables))


def _tree(link: Link, text: str, subject: Subject, conditions: Sequence[Expr]) -> str:
    """The tree with its places as numbers, and multipliers by the conditions that they are for."""
    tokens = iter(text.split(" "))
    found: list[str] = []
    waiting: list[Box | str] = [link.box]
    while waiting:
        box = waiting.pop()
        if isinstance(box, str):
            found.append(box)
            continue
        token = next(tokens)
        if token[0] == "s":
            axis, k = (int(part) for part in token[1:].split(":"))
            low, high = box[axis]
            middle = low + (high - low) * (k / 256)
            found.append(f"(Split {link.variables[axis]} {rational(Fraction(middle))} ")
            parts = [(*box[:axis], pair, *box[axis + 1 :]) for pair in ((low, middle), (middle, high))]
            waiting += [")", parts[1], " ", parts[0]]
        elif token == NATURAL:
            found.append("Leaf")
        elif token[0] == "m":
            found.append(f"(Mean [{'; '.join(_taken(link, token, box, subject, conditions))}])")
        else:
            raise CpcbenchError(f"the token {token[:20]!r} has no theorem yet")
    if next(tokens, None) is not None:
        raise ValueError("the tree goes on after its end")
    return "".join(found)


def _taken(link: Link, token: str, box: Box, subject: Subject, conditions: Sequence[Expr]) -> Iterator[str]:
    """The multipliers of a leaf, each with the place of its condition."""
    multipliers = multipliers_of(token)
    evaluated = link.natural(box)
    if multipliers is None or evaluated is None:
        return
    held = open_conditions(link, *evaluated, len(multipliers))
    places = {id(condition): place for place, condition in enumerate(conditions)}
    for made, multiplier in zip((m for m in link.program.domains if m.slot in held), multipliers, strict=True):
        if multiplier:
            operand = subject.order[made.number].args[0]
            yield f"({places[id(operand)]}%nat, {rational(multiplier)})"


def _above(upper: float) -> Fraction:
    """A bound that an interval can show: the next double, since the value may be the bound itself, as a power is."""
    return Fraction(math.nextafter(upper, math.inf) if upper else 0)


def _upper(
    formula: Formula, root: Expr, names: Sequence[str], inside: Sequence[str], x: Sequence[Fraction], upper: Fraction
) -> str:
    """The upper bound: the point, and all that is said of it, taken out of what Coq has checked."""
    held, conditions = "(proj1 reached)", []
    for _ in inside:
        conditions.append(f"(proj1 {held})")
        held = f"(proj2 {held})"
    shown = formula.taken_apart(root, "(proj1 (proj2 reached))")
    conditions += [shown[name] for name in formula.stated.values()]
    proof = "(proj2 (proj2 reached))"
    for condition in reversed(conditions):
        proof = f"(conj {condition} {proof})"
    for value in reversed(x):
        proof = f"(ex_intro _ (real_of {rational(value)}) {proof})"
    statement = " /\\\n  ".join(f"({part})" for part in [*inside, *formula.stated])
    return f"""
Definition place : list rational := [{"; ".join(rational(value) for value in x)}].
Definition top : rational := {rational(upper)}.
Lemma evaluated : check_point digits formula top place box = true.
{CHECKED}Definition reached := by_point digits formula top place box evaluated.
Theorem upper_bound : exists {" ".join(names)} : R,
  {statement} /\\
  {formula.of(root).text} <= {number(upper)}.
Proof.
  exact {proof}.
Qed.
Print Assumptions upper_bound.
"""
