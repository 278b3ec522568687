"""Makes a problem findable by name, beside the suite, for this process.

    python examples/register_a_problem.py

A package that brings problems for everyone who installs it names such a function in its own
pyproject.toml:

    [project.entry-points."cpcbench.problems"]
    my_problems = "my_package.problems:my_problems"
"""

from __future__ import annotations

import cpcbench as cpc
from cpcbench.expr import ln, neighbours, sqrt, total, variables


def my_problems() -> list[cpc.Problem]:
    """One problem written as text, one as Python for a size of choice."""
    n = 3
    x = variables(n)
    chain = total(sqrt(a - b**2) - ln(a + b) for _, a, b in neighbours(x))
    return [
        cpc.parse("ln(x1 - x2^2) + 1/x1", bounds=[(0, 1), (-1, 1)], id="MY-1"),
        cpc.Problem("MY-2", chain, [-1.0] * n, [1.0] * n),
    ]


def main() -> None:
    cpc.register(my_problems)
    for problem in cpc.problems()[-2:]:
        print(problem)
    print("MY-1 at (0.5, 0.25):", cpc.problem("my-1")([0.5, 0.25]))
    print("MY-2 at (0.9, 0.5, 0.1):", cpc.problem("my-2")([0.9, 0.5, 0.1]))


if __name__ == "__main__":
    main()
