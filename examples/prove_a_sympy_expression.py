"""A SymPy expression whose minimum is proven: a whole number, a variable without a bound, and a file that others check.

python examples/prove_a_sympy_expression.py
"""

from __future__ import annotations

import math
from pathlib import Path

import sympy

import cpcbench as cpc


def main() -> None:
    stages = sympy.Symbol("stages", integer=True)
    flow = sympy.Symbol("flow")
    cost = 3 * stages + flow - sympy.log(flow - sympy.Rational(1, 2)) + 40 * sympy.exp(-stages) * flow
    problem = cpc.from_sympy(cost, bounds=[(0, math.inf), (1, 12)], symbols=[flow, stages])
    print(problem)
    for condition in problem.conditions:
        print(f"  {condition.text}")
    proof = cpc.certify(problem, seconds=20)
    print(f"proven: the infimum lies in [{proof.lower:.9f}, {proof.upper:.9f}], attained: {proof.attained}")
    at = [] if proof.x is None else [round(x, 6) for x in proof.x]
    print(f"at {dict(zip(problem.names, at, strict=False))}")
    file = Path("cost.json.gz")
    proof.save(file)
    verdict = cpc.check(file, problem=problem)
    print(f"{file} checked: {verdict.accepted}")


if __name__ == "__main__":
    main()
