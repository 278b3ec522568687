"""The user's function with the words of NumPy and `math` replaced by ones that know symbols.

Nothing of the user's is changed: the function, and each function that it calls by name, gets a copy whose global
names lead to the replaced words. Methods see a copy of their object.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import functools
import math
import random
from collections.abc import Callable, Iterator, Mapping
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

import cpcbench.entrance.arrays  # noqa: F401 (fills ARRAY_FUNCTIONS)
from cpcbench.entrance.refusal import Refused, is_standard
from cpcbench.entrance.symbols import plain
from cpcbench.entrance.values import ARRAY_FUNCTIONS, Array, Value, apply, as_kind
from cpcbench.expr.words import word

LIBRARIES = ("numpy", "scipy", "cpcbench", "math", "random", "builtins", "cmath", "numba", "jax", "torch")
"""Code that is called as it is, apart from the words replaced; and so is Python's own library."""


def readable(
    function: Callable[..., Any], args: tuple[Any, ...] = (), *, forbid: bool = True
) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """Copies of a function, which can be called with symbols, and of its arguments.

    With `forbid`, what no formula can say is refused in it.
    """
    copies = _Copies({**WORDS, **FORBIDDEN} if forbid else WORDS)
    return copies.of(function), copies.of(args)


class _Copies:
    """The copies made for one function: each original once."""

    def __init__(self, words: Mapping[int, tuple[Any, Any]]) -> None:
        self.words = words
        self.made: dict[int, Any] = {}
        self.spaces: dict[int, dict[str, Any]] = {}
        self.originals: list[Any] = []  # kept, so that no id is used twice

    def of(self, value: Any) -> Any:
        """The value that stands for this one in copied code."""
        known = self.words.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        if id(value) in self.made:
            return self.made[id(value)]
        if isinstance(value, ModuleType):
            return self._keep(value, _Module(value, self))
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, MethodType):
            return MethodType(self.of(value.__func__), self.of(value.__self__))
        if isinstance(value, functools.partial):
            return functools.partial(self.of(value.func), *value.args, **value.keywords)
        inner = getattr(value, "py_func", None)  # a function compiled by Numba, or one that keeps its results
        inner = value.__wrapped__ if isinstance(value, functools._lru_cache_wrapper) else inner
        if isinstance(inner, FunctionType):
            return self._function(inner)
        if isinstance(value, (list, dict, set, np.ndarray, tuple)):
            return self._container(value)
        if isinstance(value, (type, BuiltinFunctionType, np.ufunc)):
            return value
        return self._object(value)

    def _container(self, original: Any) -> Any:
        """A copy, so that nothing is written into the user's own; what is in it is copied too."""
        if type(original) is tuple:
            return tuple(map(self.of, original))
        if type(original) not in (list, dict, set, np.ndarray):
            return original
        made = self._keep(original, copy.copy(original))
        if isinstance(made, list):
            made[:] = map(self.of, original)
        elif isinstance(made, dict):
            made.update({key: self.of(item) for key, item in original.items()})
        return made

    def _keep(self, original: Any, made: Any) -> Any:
        self.originals.append(original)
        self.made[id(original)] = made
        return made

    def _function(self, original: FunctionType) -> Any:
        if _top(original.__module__ or "") in LIBRARIES or is_standard(original.__code__):
            return original
        space = self._space(original)
        closure = original.__closure__ and tuple(CellType() for _ in original.__closure__)
        made = FunctionType(original.__code__, space, original.__name__, None, closure)
        self._keep(original, made)
        made.__defaults__ = None if original.__defaults__ is None else tuple(map(self.of, original.__defaults__))
        made.__dict__.update({name: self.of(item) for name, item in vars(original).items() if name != "__wrapped__"})
        for new, old in zip(closure or (), original.__closure__ or (), strict=True):
            with contextlib.suppress(ValueError):  # nothing in it yet
                new.cell_contents = self.of(old.cell_contents)
        made.__kwdefaults__ = original.__kwdefaults__ and self.of(original.__kwdefaults__)
        made.__qualname__, made.__module__ = original.__qualname__, original.__module__
        for name in _names(original.__code__):
            if name in original.__globals__ and name not in space["__traced__"]:
                space["__traced__"].add(name)
                space[name] = self.of(original.__globals__[name])
        return made

    def _space(self, original: FunctionType) -> dict[str, Any]:
        """The global names of the copy, shared by all copies from one module."""
        home = original.__globals__
        if id(home) not in self.spaces:
            self.originals.append(home)
            words = {name: self.words.get(id(word), (word, word))[1] for name, word in vars(builtins).items()}
            words["__import__"] = self._import
            self.spaces[id(home)] = {**home, "__builtins__": words, "__traced__": set()}
        return self.spaces[id(home)]

    def _object(self, original: Any) -> Any:
        """A copy of an object of the user's own class, with copies of its attributes and methods."""
        kind = type(original)
        if _top(kind.__module__) in LIBRARIES or not hasattr(original, "__dict__"):
            return original
        try:
            made = self._keep(original, copy.copy(original))
            for name, item in vars(original).items():
                made.__dict__[name] = self.of(item)
            methods = {name: self._method(m) for base in reversed(kind.__mro__[:-1]) for name, m in vars(base).items()}
            own = {name: m for name, m in methods.items() if m is not None}
            object.__setattr__(made, "__class__", type(kind.__name__, (kind,), own))
        except Exception:  # files, locks and the like cannot be copied: they are used as they are
            return self._keep(original, original)
        return made

    def _method(self, method: Any) -> Any:
        if isinstance(method, (staticmethod, classmethod)):
            return type(method)(self.of(method.__func__))
        if isinstance(method, property) and isinstance(method.fget, FunctionType):
            return property(self.of(method.fget), method.fset, method.fdel)
        return self.of(method) if isinstance(method, FunctionType) else None

    def _import(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return self.of(builtins.__import__(name, *args, **kwargs))


class _Module:
    """A module whose words are replaced."""

    def __init__(self, module: ModuleType, copies: _Copies) -> None:
        self._module, self._copies = module, copies

    def __getattr__(self, name: str) -> Any:
        return self._copies.of(getattr(self._module, name))


def _top(name: str) -> str:
    return name.partition(".")[0]


def _names(code: CodeType) -> Iterator[str]:
    """The global names that a piece of code and the functions within it use."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def symbolic(*values: Any) -> bool:
    """Whether a symbol is among the values, or within their lists and arrays."""
    return any(
        isinstance(v, Value)
        or (isinstance(v, np.ndarray) and v.dtype == object)
        or (isinstance(v, (list, tuple)) and symbolic(*v))
        for v in values
    )


def _word(name: str, original: Any) -> Any:
    """A function of numbers that also takes symbols."""

    @functools.wraps(original)
    def replaced(*args: Any) -> Any:
        return apply(name, *args) if symbolic(*args) else original(*args)

    return replaced


def _array_maker(original: Any) -> Any:
    """`np.array` and its like: lists of symbols become arrays of symbols, whatever type is asked for."""

    @functools.wraps(original)
    def made(*args: Any, **kwargs: Any) -> Any:
        if not symbolic(*args):
            return original(*args, **kwargs)
        dtype = kwargs.pop("dtype", args[1] if len(args) > 1 else None)
        if isinstance(args[0], Array) and original is not np.array:
            return as_kind(args[0], dtype)  # no copy: what is written into it is written into the other
        array = np.array(plain(args[0]) if isinstance(args[0], (Value, np.ndarray)) else args[0], object, **kwargs)
        return as_kind(array.view(Array) if array.ndim else array[()], dtype)

    return made


def _room(original: Any) -> Any:
    """`np.zeros` and its like: room that symbols can be written into."""

    @functools.wraps(original)
    def made(*args: Any, **kwargs: Any) -> Any:
        array = original(*args, **kwargs)
        return array.astype(object).view(Array) if array.dtype.kind == "f" else array

    return made


def _forbidden(reason: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise Refused(reason)

    return refuse


def _extreme(name: str, original: Any) -> Any:
    @functools.wraps(original)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        items = list(args[0]) if len(args) == 1 and not isinstance(args[0], Value) else list(args)
        if kwargs or not symbolic(*items) or not all(isinstance(i, (Value, int, float, np.number)) for i in items):
            return original(items, **kwargs) if len(args) == 1 else original(*args, **kwargs)
        return functools.reduce(lambda a, b: apply(name, a, b), items)

    return replaced


def _number(original: type) -> Any:
    """`float` on what is a symbol already leaves it so, and symbols are floats to who asks."""

    class Kind(type):
        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, (original, Value))

        def __call__(cls, *args: Any) -> Any:
            if len(args) == 1 and symbolic(args[0]) and plain(args[0]).size == 1:
                return plain(args[0]).reshape(-1)[0]
            return original(*args)

    return Kind(original.__name__, (), {"dtype": np.dtype(float)})


def _logarithm(x: Any, base: Any = None) -> Any:
    if not symbolic(x, base):
        return math.log(x) if base is None else math.log(x, base)
    return apply("log", x) if base is None else apply("log", x) / apply("log", plain(base).reshape(-1)[0])


def _replaced() -> dict[int, tuple[Any, Any]]:
    pairs: list[tuple[Any, Any]] = [(math.log, _logarithm)]
    for name, original in vars(math).items():
        if (
            callable(original)
            and name not in ("log", "remainder")
            and (word(name) or name in ("isnan", "isfinite", "isinf"))
        ):
            pairs.append((original, _word(name, original)))
    others: Mapping[Any, Any] = {
        math.fsum: lambda items: functools.reduce(lambda a, b: a + b, items, 0.0),
        math.prod: lambda items, start=1: functools.reduce(lambda a, b: a * b, items, start),
        math.hypot: lambda *items: _hypot(math.hypot, items),
    }
    pairs += list(others.items())
    pairs += [(f, _array_maker(f)) for f in (np.array, np.asarray, np.asanyarray, np.ascontiguousarray)]
    pairs += [(f, _room(f)) for f in (np.zeros, np.ones, np.empty, np.full)]
    pairs += [(f, _array_function(f)) for f in ARRAY_FUNCTIONS]
    pairs += [(np.float64, _number(np.float64))]
    pairs += [(min, _extreme("minimum", min)), (max, _extreme("maximum", max)), (float, _number(float))]
    return {id(original): (original, made) for original, made in pairs}


def _forbidden_words() -> dict[int, tuple[Any, Any]]:
    drawing = [
        word
        for module in (random, np.random)
        for name, word in vars(module).items()
        if callable(word) and not name.startswith("_") and not isinstance(word, type)
    ]
    reasons = {"it draws random numbers": drawing, "it reads or writes a file": [open], "it asks for input": [input]}
    return {id(word): (word, _forbidden(reason)) for reason, words in reasons.items() for word in words}


def _array_function(original: Any) -> Any:
    here = ARRAY_FUNCTIONS[original]
    return lambda *args, **kwargs: here(*args, **kwargs) if symbolic(*args) else original(*args, **kwargs)


def _hypot(original: Any, items: tuple[Any, ...]) -> Any:
    if not symbolic(*items):
        return original(*items)
    return functools.reduce(lambda a, b: apply("hypot", a, b), items) if len(items) > 1 else apply("absolute", *items)


WORDS = _replaced()
"""By the id of the original word: the original, and what stands for it."""

FORBIDDEN = _forbidden_words()
"""The same for words that no formula has."""
