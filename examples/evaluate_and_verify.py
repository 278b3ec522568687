"""One problem, one point, every reading of it: the published optimum of CPC-DF3.

python examples/evaluate_and_verify.py
"""

from __future__ import annotations

import cpcbench as cpc


def main() -> None:
    problem = cpc.problem("CPC-DF3")
    print(problem)
    print("formula:", problem.formula)
    for condition in problem.conditions:
        print("needs:  ", condition.text)

    if problem.published is None:
        raise SystemExit("no published optimum at this size")
    x, claimed = problem.published.points[0], problem.published.value
    print("\nx =", x.tolist())
    print("fast        ", problem(x))
    print("reference   ", problem.reference(x))
    print("enclosure   ", problem.enclosure(x))
    print("2/3 a double", problem.enclosure(x, constants="double"))
    print("error bound ", problem.error_bound(x))

    verdict = cpc.verify(problem, x, claimed)
    print(f"\nthe published value is met: {verdict.consistent}; it is of the kind: {verdict.kind}")


if __name__ == "__main__":
    main()
