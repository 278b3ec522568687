"""What is proven of a problem, carried over to its instances without a new search."""

from __future__ import annotations

from dataclasses import replace

from cpcbench.certify.certificate.certificate import Certificate
from cpcbench.certify.certificate.form import versioned
from cpcbench.certify.certificate.schema import About, ByBounds, ByCompactness, ByLeast, Carried
from cpcbench.certify.confirming import verdict_on
from cpcbench.errors import CpcbenchError, NotProvenError
from cpcbench.expr.plain import formula
from cpcbench.problems.instances.making import instance as instance_of
from cpcbench.problems.instances.making import move_of
from cpcbench.problems.problem import Problem

STAYS = (ByBounds, ByCompactness, ByLeast)
"""Proofs that the infimum is attained which hold on a part of the box too."""


def carry(proof: Certificate, problem: Problem, instance: int, *, workers: int = 1) -> Certificate:
    """The certificate about an instance of a problem, from one about the problem; the checker has read it.

    Where all optima are is not carried over, nor that the infimum is not attained.

    Parameters
    ----------
    proof : Certificate
        The certificate about the problem.
    problem : Problem
        The problem, not the instance.
    instance : int
        The number of the instance.
    workers : int
        Processes that the checker uses.

    Returns
    -------
    Certificate

    Raises
    ------
    CpcbenchError
        If the proof is about something else, or cannot be carried over.
    """
    about = About.of(problem)
    if proof.said.problem.meant != about.meant or proof.said.carried is not None or proof.said.reach is not None:
        raise CpcbenchError(f"the certificate is about {proof.name}, not about {problem.id} on its box")
    if not proof.bounded or proof.part == "thin":
        raise CpcbenchError("a certificate is carried over if it encloses an infimum, and not that of thin sets")
    carried = Carried(about.formula, about.sides, [formula(form) for form in move_of(problem, instance).forms])
    attained = proof.said.attained if isinstance(proof.said.attained, STAYS) else None
    moved = replace(
        proof.said,
        problem=About.of(instance_of(problem, instance)),
        claim=replace(proof.said.claim, attained=None if attained is None else True),
        attained=attained,
        optima=None,
        carried=carried,
    )
    said = versioned(moved)
    verdict = verdict_on(said, float("inf"), workers)
    if verdict is not None and not verdict.accepted:
        raise NotProvenError(f"the proof of {problem.id} is none of its instance {instance}: {verdict.reason}")
    return Certificate(said, verdict)
