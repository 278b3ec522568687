"""A minimum that collections list and that is not one: a single evaluation shows it, and a certificate proves it.

python examples/listed_minima.py
"""

from __future__ import annotations

import cpcbench as cpc


def main() -> None:
    p = cpc.problem("Mishra 3")
    if p.published is None:
        raise SystemExit("nothing is listed at this size")
    for one in p.published.listed:
        print(f"{one.whom}: {one.printed} at {one.at[0]}")
    for claim in p.proven:
        if claim.x is not None:
            print(f"{p(claim.x)!r} at {claim.x}")
        print(claim)


if __name__ == "__main__":
    main()
