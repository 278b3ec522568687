"""Which cases of a test are quick ones, and which are left to the slow tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(every: int, cases: Iterable[Any]) -> list[Any]:
    """Cases to be handed to `parametrize`: the first of so many is a quick test, the others are slow ones."""
    return [case if i % every == 0 else _slow(case) for i, case in enumerate(cases)]


def _slow(case: Any) -> Any:
    if hasattr(case, "marks"):  # what `pytest.param` makes
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.slow], id=case.id)
    values = case if type(case) is tuple else (case,)  # a tuple with names is one value
    return pytest.param(*values, marks=pytest.mark.slow)
