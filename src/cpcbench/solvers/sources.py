"""Where a solver's or a function's code comes from: a file and its hash, or a package and its version.

A study keeps it with every run, so that an edited file is not taken for the one that made the runs before.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from types import CodeType
from typing import Any

from cpcbench.errors import CpcbenchError
from cpcbench.solvers.registry import LIBRARIES, OUTSIDE, REMEDIES, Solver, solver

Source = dict[str, str]
"""`path` and `sha256` of a file, with `function` if only that function's text was hashed; or `package` and
`version`, with `adapter` for a library that we call."""

IDENTITY = ("sha256", "package", "version", "adapter")
"""What makes two sources the same; a file may have been moved."""


def solver_source(item: Any) -> Source:
    """The source of a solver, given as a study takes it: a name, a place, a function or a Solver."""
    if isinstance(item, str):
        place = _without_remedies(item)
        home, colon, _ = place.rpartition(":")
        if colon and home.endswith(".py"):
            return file_source(Path(home))
        if place.strip().lower() in OUTSIDE:
            return _library(place.strip().lower())
    method = solver(item)
    if isinstance(item, Solver) and (outside := _without_remedies(item.name)) in OUTSIDE:
        return _library(outside)
    return function_source(method.solve)


def function_source(function: Any) -> Source:
    """The source of a function or of an object that can be called."""
    inner = _innermost(function)
    module = str(getattr(inner, "__module__", None) or "")
    if module.partition(".")[0] == "cpcbench":
        return _package("cpcbench")
    code = getattr(inner, "__code__", None)
    home = getattr(sys.modules.get(module), "__file__", None)
    file = Path(code.co_filename if code is not None else home or "")
    if module == "__main__" or not file.is_file():
        return _text_of(inner, code, file, module)
    if _is_installed(file) and (found := _package(module.partition(".")[0])):
        return found
    return file_source(file)


def file_source(path: Path) -> Source:
    """A file, by its content."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CpcbenchError(f"{path} cannot be read: {error.strerror or error}") from error
    return {"path": str(path.resolve()), "sha256": hashlib.sha256(content).hexdigest()}


def as_it_is_now(source: Mapping[str, str]) -> Source:
    """The same source looked at again, here: a file may have been edited, a worker may have another version."""
    if "package" in source:
        found = _package(source["package"])
        return {**source, **found} if found else dict(source)
    if "path" in source and "function" not in source and Path(source["path"]).is_file():
        return file_source(Path(source["path"]))
    return dict(source)


def same_source(before: Mapping[str, str] | None, now: Mapping[str, str] | None) -> bool:
    """Whether two sources are the same code, wherever it lies.

    Studies of the first version kept no sources: such runs may be those of a package, which has versions of
    its own, but a file may have been any.
    """
    if not before or not now:
        return "sha256" not in {**(before or {}), **(now or {})}
    return all(before.get(name) == now.get(name) for name in IDENTITY)


def shown_source(source: Mapping[str, str] | None) -> str:
    """A source in a few words."""
    if not source:
        return "a source that was not kept"
    if "package" in source:
        more = f" by {source['adapter']}" if "adapter" in source else ""
        return f"{source['package']} {source['version']}{more}"
    return f"{source.get('path', 'a function without a file')}, sha256 {source['sha256'][:12]}"


def _without_remedies(name: str) -> str:
    base, plus, remedy = name.rpartition("+")
    while plus and remedy in REMEDIES:
        name = base
        base, plus, remedy = name.rpartition("+")
    return name


def _innermost(function: Any) -> Any:
    """The function behind partial applications, decorators, methods and our own wrappers; else the object's class."""
    for _ in range(20):
        for name in ("func", "__wrapped__", "__func__", "solve"):
            inner = getattr(function, name, None)
            if callable(inner):
                function = inner
                break
        else:
            break
    return function if hasattr(function, "__code__") or isinstance(function, type) else type(function)


def _text_of(inner: Any, code: CodeType | None, file: Path, module: str) -> Source:
    """Of a script, a notebook or a session: the function's own text; the rest may change between two calls."""
    try:
        text = inspect.getsource(inner)
    except (OSError, TypeError):
        text = _instructions(code) if code is not None else f"{module} {getattr(inner, '__qualname__', '')}"
    where = {"path": str(file.resolve())} if file.is_file() else {}
    return {**where, "function": str(getattr(inner, "__qualname__", "")), "sha256": _digest(text)}


def _instructions(code: CodeType) -> str:
    """What a function without text does; the places of objects in memory stay out."""
    constants = [_instructions(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return repr((code.co_code, code.co_names, code.co_varnames, constants))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _is_installed(file: Path) -> bool:
    resolved = file.resolve()
    places = {sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib", "platstdlib")}
    return any(resolved.is_relative_to(place) for place in places if place)


def _library(name: str) -> Source:
    adapter = OUTSIDE[name]
    ours = _package("cpcbench")
    return {**_package(LIBRARIES.get(adapter, adapter)), "adapter": f"cpcbench {ours['version']}"}


@functools.cache
def _versions() -> Mapping[str, list[str]]:
    return metadata.packages_distributions()


@functools.cache
def _found(name: str) -> tuple[str, str] | None:
    if name == "cpcbench":
        from cpcbench import __version__

        return name, __version__
    for candidate in (name, *_versions().get(name, ())):
        try:
            return candidate, metadata.version(candidate)
        except metadata.PackageNotFoundError:
            continue
    return None


def _package(name: str) -> Source:
    """The installed package that a module of this name is of; nothing if there is none."""
    found = _found(name)
    return {} if found is None else {"package": found[0], "version": found[1]}
