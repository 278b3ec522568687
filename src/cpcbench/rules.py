"""The two admissibility rules, by name; what they mean is in `readings.requirements`."""

from __future__ import annotations

from cpcbench.errors import UnknownNameError

RULES = ("ieee", "strict")
"""`ieee`: the paper's text. `strict`: a power with a variable exponent wants a base >= 0 besides."""


def check_rule(rule: str) -> str:
    """The rule, if it is one."""
    if rule not in RULES:
        raise UnknownNameError(f"unknown admissibility rule {rule!r}: the rules are 'ieee' and 'strict'")
    return rule
