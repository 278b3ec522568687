"""A tree cut into parts of similar length, so that several processes can check it at once."""

from __future__ import annotations

from typing import NamedTuple

from cpcbench.certify.checker.core.link import Link
from cpcbench.certify.checker.core.trees import Place, Watch, follow, followers, path_of, start_of
from cpcbench.certify.checker.ground.verdict import RejectedError


class Part(NamedTuple):
    """The tokens from `start` to `end` and the place they speak for."""

    start: int
    end: int
    place: Place


def ends(tokens: list[str], name: str) -> list[int]:
    """For each token the end of the part that starts there; rejects a tree with tokens missing or left over."""
    found = [0] * len(tokens)
    opened: list[tuple[int, int]] = []
    for position, token in enumerate(tokens):
        if position and not opened:
            raise RejectedError(f"{name}: tokens are left over after token {position - 1}")
        opened.append((position, followers(token)))
        while opened and opened[-1][1] == 0:
            start, _ = opened.pop()
            found[start] = position + 1
            if opened:
                before, count = opened.pop()
                opened.append((before, count - 1))
    if opened:
        raise RejectedError(f"{name}: the tree ends too early, at {path_of(tokens, len(tokens))}")
    return found


def parts(link: Link, tokens: list[str], longest: int, watch: Watch | None) -> list[Part]:
    """The tree as parts of at most so many tokens; what is above them is checked here."""
    end = ends(tokens, link.name)
    found: list[Part] = []
    waiting = [(0, start_of(link))]
    while waiting:
        position, place = waiting.pop()
        if end[position] - position <= longest:
            found.append(Part(position, end[position], place))
            continue
        try:
            below = follow(link, tokens[position], place, watch)
        except RejectedError as trouble:
            raise RejectedError(f"{link.name}, at {path_of(tokens, position)}: {trouble}") from None
        start = position + 1
        for part in below:
            waiting.append((start, part))
            start = end[start]
    return found
