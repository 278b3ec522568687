"""All that is used of Numba beyond what it documents: a new version that breaks something breaks it here.

`tests/readings/kept/test_numba_private.py` says what. The versions allowed are those of `pyproject.toml`.
"""

from __future__ import annotations

import itertools
import pickle
import secrets
from typing import Any, Protocol

from numba.core import config
from numba.core.bytecode import FunctionIdentity
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.registry import cpu_target
from numba.core.runtime import rtsys
from numba.core.serialize import dumps


class CodeCache(Protocol):
    """What a compiled function asks for code before it compiles and hands it to after, in the shape of Numba's own.

    What is `found` need not be made.
    """

    @property
    def cache_path(self) -> str | None: ...

    def found(self, signature: Any, target: Any) -> Any: ...

    def load_overload(self, signature: Any, target: Any) -> Any: ...

    def save_overload(self, signature: Any, made: Any) -> None: ...

    def flush(self) -> None: ...


def set_cache(function: Any, cache: CodeCache) -> None:
    """Puts the cache in the place of Numba's own."""
    function._cache = cache


def name_apart() -> None:
    """Gives the functions compiled from here on names that no other process gives, nor this one has given.

    Numba tells functions that are written alike, such as those made in one place with other values inside, by a count
    that begins with 1 in every process. Code of two processes that is loaded into a third one would have the same name
    for two of them, and one would be called in the place of the other.
    """
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(60))


def settings() -> tuple[Any, ...]:
    """Those of Numba's environment that make other code of the same functions."""
    return config.OPT, config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT


def is_kept(function: Any, signature: tuple[Any, ...] | str) -> bool:
    """Whether the function's cache has code for arguments of these types."""
    return function._cache.found(signature, function.targetctx) is not None


def packed(made: Any) -> bytes | None:
    """Compiled code as bytes; None where it holds addresses of this process."""
    if made.library.has_dynamic_globals or not all(part.can_cache for part in made.lifted):
        return None
    data: bytes = dumps(made._reduce())
    return data


def unpacked(data: bytes, target: Any) -> Any:
    """Compiled code from bytes that `packed` made, in a file that nobody else could write to."""
    return CompileResult._rebuild(target, *pickle.loads(data))  # noqa: S301 - from a private folder, whole


def ready_to_load(target: Any) -> None:
    """Makes known what code that was kept calls: Numba's runtime.

    What is declared for the compiler besides takes longer to load than Numba itself, and Numba loads it before it
    compiles.
    """
    rtsys.initialize(target)


def processor(codegen: Any) -> Any:
    """The processor that code is made for, and its features."""
    return codegen.magic_tuple()


def codegen_here() -> Any:
    """What makes code for this machine."""
    return cpu_target.target_context.codegen()


def array_data(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The pointer to the first item of an array, in code that an intrinsic writes."""
    return context.make_array(kind)(context, builder, value).data


class PartCompiler(Compiler):  # type: ignore[misc]
    """For functions that compiled functions alone call (`pipeline_class`): their code is handed on as it is, and is
    optimised and made machine code once, with that of the function that Python calls."""

    def compile_extra(self, func: Any) -> Any:
        self.state.library = _Part(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class _Part(JITCodeLibrary):  # type: ignore[misc]
    """The code of such a function, which nothing can run by itself."""

    @property
    def codegen(self) -> Any:
        return _WithoutEnvironments(self._codegen)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _WithoutEnvironments:
    """What makes code, but for the addresses that code has only once it can run."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        pass
