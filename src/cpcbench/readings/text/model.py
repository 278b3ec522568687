"""What every export starts from: the expression, its variables, its box and clean names."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from cpcbench.errors import CpcbenchError
from cpcbench.expr.nodes import Expr
from cpcbench.expr.plain import checked_names
from cpcbench.expr.walk import constants, dimension, postorder

MAX_VARIABLES = 100_000

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,30}")


@dataclass(frozen=True)
class Exported:
    """A problem in another language, and what differs there."""

    text: str
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Model:
    """An expression to export: `lower` and `upper` hold infinities where a side has no bound.

    `undefined` is what programs return where the formula is undefined.
    """

    root: Expr
    name: str
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    names: tuple[str, ...]
    undefined: float = math.nan

    @property
    def dim(self) -> int:
        return len(self.names)

    @property
    def bounded(self) -> bool:
        return any(math.isfinite(b) for b in (*self.lower, *self.upper))

    def uses(self, *ops: str) -> bool:
        return any(node.op in ops for node in postorder(self.root))

    @property
    def has_variable_power(self) -> bool:
        """Whether some exponent depends on variables."""
        free = constants(self.root)
        return any(node.op == "pow" and id(node.args[1]) not in free for node in postorder(self.root))


def build(
    root: Expr,
    name: str,
    lower: Sequence[float] | None,
    upper: Sequence[float] | None,
    names: Sequence[str] | None,
) -> Model:
    """Checks what was given and fills in what was not."""
    if not isinstance(root, Expr):
        raise CpcbenchError(f"an expression is needed, not {type(root).__name__}")
    sizes = {len(side) for side in (lower, upper, names) if side is not None}
    if len(sizes) > 1:
        raise CpcbenchError(f"bounds and names must be equally many, got {sorted(sizes)}")
    needed = dimension(root)
    dim = sizes.pop() if sizes else max(needed, 1)
    if not max(needed, 1) <= dim <= MAX_VARIABLES:
        raise CpcbenchError(f"the formula has {needed} variables, bounds or names are given for {dim}")
    words = [f"x{i + 1}" for i in range(dim)] if names is None else checked_names(names, needed)
    low, high = _side(lower, -math.inf, len(words)), _side(upper, math.inf, len(words))
    if any(not a <= b for a, b in zip(low, high, strict=True)):
        raise CpcbenchError(f"every lower bound must be at most its upper bound, got {list(low)} and {list(high)}")
    return Model(root, identifier(name), low, high, tuple(words))


def checked_undefined(value: object) -> float:
    """What a program may return where the formula is undefined: a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise CpcbenchError(f"undefined points get a finite number, such as 1e100, not {value!r}")
    return float(value)


def identifier(name: str) -> str:
    """A word every language accepts: `CPC-DF3` becomes `CPC_DF3`."""
    if not isinstance(name, str) or not name.strip():
        raise CpcbenchError(f"a name is a word, such as 'f', not {name!r}")
    word = re.sub(r"[^A-Za-z0-9_]", "_", name.strip())[:50]
    return word if word[0].isalpha() else f"f{word if word[0] == '_' else '_' + word}"


def plain_names(model: Model, taken: Set[str], warnings: list[str]) -> list[str]:
    """The user's names where the language can have them all, else x1, x2, ... with a warning.

    `taken` are words, in lower case, that mean something else there.
    """
    folded = [name.lower() for name in model.names]
    fine = all(_WORD.fullmatch(name) for name in model.names)
    if fine and len(set(folded)) == len(folded) and taken.isdisjoint(folded):
        return list(model.names)
    warnings.append(f"the variables are called x1 to x{model.dim} because not all given names can be used")
    return [f"x{i + 1}" for i in range(model.dim)]


def free_word(wanted: str, taken: Set[str]) -> str:
    """`wanted`, lengthened until it collides with nothing."""
    word = wanted
    while word.lower() in taken:
        word += "_"
    return word


def _side(bounds: Sequence[float] | None, default: float, dim: int) -> tuple[float, ...]:
    if bounds is None:
        return (default,) * dim
    try:
        side = tuple(float(bound) for bound in bounds)
    except (TypeError, ValueError):
        raise CpcbenchError(f"bounds are numbers, not {bounds!r}") from None
    if any(math.isnan(bound) for bound in side):
        raise CpcbenchError(f"bounds are numbers, not {list(side)}")
    return side
