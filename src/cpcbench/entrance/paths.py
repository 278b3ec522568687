"""Branches on values: the function is run once for each way through it, and the ways put together as `where`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from cpcbench.entrance.refusal import Refused, TraceError
from cpcbench.expr.functions import where
from cpcbench.expr.nodes import Expr

Decision = tuple[Expr, bool]


class Way:
    """One way through the function: decisions that are given, then those that are taken as they come."""

    def __init__(self, given: list[Decision], most: int) -> None:
        self.given, self.most = given, most
        self.taken: list[Decision] = []
        self.known: dict[tuple[int, int], bool] = {}

    def decide(self, test: Expr) -> bool:
        """Which way this comparison goes here; the same one asked again, or its opposite, gives the same answer."""
        first, second = test.args
        opposite = test.op == "le"  # a <= b is the opposite of b < a
        key = (id(second), id(first)) if opposite else (id(first), id(second))
        if key in self.known:
            return self.known[key] != opposite
        place = len(self.taken)
        if place == self.most:
            raise Refused(f"it asks for the truth of more than {self.most} values, perhaps in a loop that ends by one")
        answer = True
        if place < len(self.given):
            expected, answer = self.given[place]
            if expected is not test:
                raise Refused("it does not take the same steps when it is called again")
        self.taken.append((test, answer))
        self.known[key] = answer != opposite
        return answer


_now: ContextVar[Way | None] = ContextVar("way", default=None)


def decide(test: Expr) -> bool:
    """The truth of a comparison on the way that is being traced."""
    way = _now.get()
    if way is None:
        raise TypeError("a traced comparison has a truth value only while its function is being read")
    return way.decide(test)


@contextmanager
def _on(way: Way) -> Iterator[None]:
    token = _now.set(way)
    try:
        yield
    finally:
        _now.reset(token)


def all_ways(run: Callable[[Way], Expr], most: int) -> Expr:
    """What `run` gives on every way, as one formula."""
    count = 0

    def build(given: list[Decision]) -> Expr:
        nonlocal count
        count += 1
        if count > most:
            raise TraceError(
                f"the function has more than {most} ways through its branches: write them with np.where or np.maximum, "
                "or allow more with paths=..."
            )
        way = Way(given, most)
        with _on(way):
            value = run(way)
        taken = list(way.taken)
        for place in range(len(taken) - 1, len(given) - 1, -1):
            test, answer = taken[place]
            other = build([*taken[:place], (test, not answer)])
            value = value if value is other else where(test, value, other) if answer else where(test, other, value)
        return value

    return build([])
