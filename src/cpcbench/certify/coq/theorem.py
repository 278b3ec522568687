"""A certificate's bounds as a file of Coq: the formula, what proves them, and the statements in ordinary notation.

`coqc -Q formal CPC FILE.v` checks it, once the files in `formal/` are compiled. Coq trusts nothing that is written
here: it computes the leaves again, and compares the formula of the statement with the one that the leaves are about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.schema import BySums, ByTree, LowerProof
from cpcbench.certify.checker.core.numbers import arithmetic
from cpcbench.certify.checker.core.subject import Subject
from cpcbench.certify.checker.core.task import whole_formula
from cpcbench.certify.checker.extensions.fillers.all import FILLERS
from cpcbench.certify.checker.ground.verdict import RejectedError
from cpcbench.certify.coq.holes import Hole, holes
from cpcbench.certify.coq.language import Formula, number, rational
from cpcbench.certify.coq.points import Place, witness_of
from cpcbench.certify.coq.sums import Sum, box, by_sum
from cpcbench.certify.coq.trees import LEAF, tree
from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr

BITS = 128
"""Bits of the checker's arithmetic, which is asked which conditions are open on a leaf."""

LONG = "Import ByLong.\nDefinition digits := Long.PtoP 90."
DOUBLES = "Import ByDoubles.\nDefinition digits := PrimitiveFloat.PtoP 53."
MANY = 1000
"""From so many leaves on the processor's numbers are taken, which are some ten times as fast as those of 90 bits."""

HALVINGS = 40
"""How often a leaf may be halved that Coq's intervals do not prove at once."""

PLAIN_NAME = re.compile(r"[^A-Za-z0-9 @._-]")
"""What is not copied from a name: it could end the comment."""

LEFT_OUT = "; negative numbers to a whole power that varies are left out"
"""Said of formulas that have such powers: certificates of the rule ieee speak of these points as well."""

ALONE = "Print Assumptions lower_bound.\n"
TOGETHER = "Definition both_bounds := (lower_bound, upper_bound).\nPrint Assumptions both_bounds.\n"

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
        found = _lower(subject, formula, said.lower, lower, proof.data)
    names = [f"x{k + 1}" for k in range(len(subject.bounds))]
    sides = [(Fraction(low), Fraction(high)) for low, high in subject.bounds]
    inside = [_between(name, side) for name, side in zip(names, sides, strict=True)]
    in_box = "I"
    for place in reversed(range(len(names))):
        in_box = f"(conj {'N' if place in found.narrowed else 'B'}{place + 1} {in_box})"
    narrowed = [f"  assert (N{k + 1} : {_between(names[k], found.sides[k])}) by lra.\n" for k in sorted(found.narrowed)]
    whole = formula.of(subject.root)
    left_out = LEFT_OUT if formula.varying else ""
    hypotheses = " ->\n  ".join([*inside, *formula.stated])
    given = " ".join([*names, *(f"B{k + 1}" for k in range(len(names))), *formula.stated.values()])
    text = f"""(** {PLAIN_NAME.sub("?", proof.name)}, rule strict: no value on the box is below {lower!r}{left_out}. *)
From Coq Require Import Reals ZArith List Lra.
From Interval Require Import Float.Primitive_ops.
From CPC Require Import Language Tables Trees Parts.
Import ListNotations.
Open Scope R_scope.

{DOUBLES if found.lines.count("Leaf") + found.lines.count("Mean") > MANY else LONG}
Definition depth : nat := {HALVINGS}.
Definition formula : expr := {whole.term}.
Definition box : list side := {box(sides)}.
Definition bound : rational := {rational(Fraction(lower))}.
{found.lines}
Theorem lower_bound : forall {" ".join(names)} : R,
  {hypotheses} ->
  {number(Fraction(lower))} <= {whole.text}.
Proof.
  intros {given}.
{"".join(narrowed)}  exact ({found.proof} [{"; ".join(names)}] {in_box} {whole.defined}).
Qed.
"""
    witness = None if upper is None else witness_of(subject, said.upper, upper)
    if witness is not None:
        text += _upper(formula, subject.root, names, inside, witness)
    return text + ALONE if witness is None else text + TOGETHER


def _between(name: str, side: tuple[Fraction, Fraction]) -> str:
    return f"{number(side[0])} <= {name} <= {number(side[1])}"


def _lower(subject: Subject, formula: Formula, proof: LowerProof, lower: float, data: Any) -> Sum:
    """What the bound that is claimed rests on."""
    if isinstance(proof, BySums) and not proof.sums:
        return _by_tree(subject, LEAF, holes(subject, formula))
    if isinstance(proof, ByTree) and proof.threshold is not None:
        task = whole_formula(subject, data["lower"], FILLERS)
        found = tree(task, formula.of(subject.root).conditions)
        return _by_tree(subject, found, holes(subject, formula))
    if isinstance(proof, BySums) and len(proof.sums) == 1:
        sum_, entry = proof.sums[0], data["lower"]["sums"][0]
        if subject.node(sum_.node) is subject.root and sum_.side == "min":
            return by_sum(subject, formula, sum_, entry, lower, CHECKED)
        return _by_part(by_sum(subject, formula, sum_, entry, sum_.bound, CHECKED), sum_.side == "min")
    raise CpcbenchError("cases, and bounds of several sums, have no theorem yet")


def _by_tree(subject: Subject, tree: str, filled: Sequence[Hole]) -> Sum:
    """A tree for the formula, whose holes are filled one after another."""
    lines, name, names = "", "formula", []
    for place, hole in enumerate(filled):
        lines += hole.lines(place)
        lines += f"Definition filled{place} : expr := put_for hole{place} fill{place} {name}.\n"
        names.append(name)
        name = f"filled{place}"
    lines += f"Definition proof : tree :=\n  {tree}.\n"
    lines += f"Lemma checked : check_tree digits depth {name} bound proof (box_of digits box) = true.\n{CHECKED}"
    proof = f"(by_tree digits depth {name} bound proof box checked)"
    for place in reversed(range(len(filled))):
        proof = f"(by_filled hole{place} fill{place} {names[place]} bound box eq_refl same{place} {proof})"
    sides = [(Fraction(low), Fraction(high)) for low, high in subject.bounds]
    return Sum(lines, proof, sides)


def _by_part(part: Sum, least: bool) -> Sum:
    """The formula from what is known of a sum in it."""
    if part.narrowed:
        raise CpcbenchError("narrowed ranges of a sum inside the formula have no theorem yet")
    way = str(least).lower()
    lines = f"Lemma checked : check_part digits depth {way} part formula part_bound bound box = true.\n{CHECKED}"
    proof = f"(by_part digits depth {way} part formula part_bound bound box {part.proof} checked)"
    return Sum(part.lines + lines, proof, part.sides)


def _upper(formula: Formula, root: Expr, names: Sequence[str], inside: Sequence[str], witness: Place) -> str:
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
    for value in reversed(witness.x):
        proof = f"(ex_intro _ (real_of {rational(value)}) {proof})"
    statement = " /\\\n  ".join(f"({part})" for part in [*inside, *formula.stated])
    return f"""
Definition many : Long.precision := Long.PtoP {witness.bits}.
Definition spot : list rational := [{"; ".join(rational(value) for value in witness.x)}].
Definition top : rational := {rational(witness.top)}.
Lemma evaluated : ByLong.U.check_point many formula top spot box = true.
{CHECKED}Definition reached := ByLong.U.by_point many formula top spot box evaluated.
Theorem upper_bound : exists {" ".join(names)} : R,
  {statement} /\\
  {formula.of(root).text} <= {number(witness.top)}.
Proof.
  exact {proof}.
Qed.
"""
