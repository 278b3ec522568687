"""How compiled code is made by Numba and kept on disk: under the text of its sources, in the cache folder alone.

Numba's own cache would lie beside the sources, or wherever a variable says, and be loaded by whoever finds it there.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import llvmlite
import numba
from numba import njit

from cpcbench.readings.doubles import numba_private
from cpcbench.readings.doubles.cache import place, read, write
from cpcbench.readings.doubles.claims import claim, release

F = TypeVar("F", bound=Callable[..., Any])

FORM = 2
"""Of what is kept: code of an older one is not used. Before the second, functions of two processes had one name."""

VERSIONS = (FORM, numba.__version__, llvmlite.__version__, sys.version_info[:3], sys.implementation.cache_tag)


def compiled(function: F) -> F:
    """Compiled together with what calls it; every operation is rounded as IEEE 754 says."""
    settings = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": numba_private.PartCompiler}
    made: F = njit(nogil=True, error_model="numpy", **settings)(function)
    return made


def kept(sources: Callable[[], Iterable[Path]]) -> Callable[[F], F]:
    """For functions called from Python: kept with all that they call, as long as no source changes.

    What the sources are is read here, as the modules are imported: a file may have been changed when code is made.
    """

    def mark() -> str:
        return hashlib.sha256(b"".join(file.read_bytes() for file in (Path(__file__), *sources()))).hexdigest()

    imported = mark()

    def entry(function: F) -> F:
        made: Any = njit(nogil=True, error_model="numpy")(function)
        numba_private.set_cache(made, KeptCode(function, imported, is_so=lambda: mark() == imported))
        result: F = made
        return result

    return entry


def kernel_of(name: str, source: str) -> Callable[..., Any]:
    """The function `kernel` of a module with this text, compiled for its `SIGNATURE`; kept while the text is the same.

    The text is made here, and not read from any file.
    """
    made, signature = _not_compiled(name, source)
    made.compile(signature)
    made.disable_compile()
    result: Callable[..., Any] = made
    return result


def is_kept(name: str, source: str) -> bool:
    """Whether the code of this kernel is there."""
    return numba_private.is_kept(*_not_compiled(name, source))


def _not_compiled(name: str, source: str) -> tuple[Any, str]:
    module = ModuleType(f"cpcbench_kernel_{name}")
    sys.modules[module.__name__] = module  # Numba looks what it kept up by the module's name
    exec(compile(source, f"<{module.__name__}>", "exec"), module.__dict__)  # noqa: S102
    made: Any = njit(nogil=True)(module.kernel)
    digest = hashlib.sha256(source.encode()).hexdigest()
    numba_private.set_cache(made, KeptCode(module.kernel, digest, name.partition("_")[0]))
    return made, module.SIGNATURE


class KeptCode:
    """What Numba asks for the code of a function before it compiles it, and hands it over after."""

    def __init__(
        self, function: Any, mark: str, name: str | None = None, is_so: Callable[[], bool] = lambda: True
    ) -> None:
        """The mark is of the sources; `is_so` tells whether they still are what it says."""
        self._function, self._mark, self._is_so = function, mark, is_so
        self._name = name or f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"

    @property
    def cache_path(self) -> str | None:
        folder = place().folder
        return None if folder is None else str(folder)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The code; where there is none, this process is the one that makes it, or waits for the one that does."""
        found = self.found(signature, target)
        if found is None:
            claim(name := self._file(signature, target.codegen()))
            found = self.found(signature, target)
            if found is not None:
                release(name)
            else:
                numba_private.name_apart()
        return found

    def found(self, signature: Any, target: Any) -> Any:
        """The code if it is there."""
        numba_private.ready_to_load(target)
        data = read(self._file(signature, target.codegen()))
        if data is None:
            return None
        try:
            return numba_private.unpacked(data, target)
        except Exception:  # made by something that is no longer there: compiled anew
            return None

    def save_overload(self, signature: Any, made: Any) -> None:
        data, name = numba_private.packed(made), self._file(signature, made.codegen)
        if data is not None and self._is_so():
            write(name, data)
        release(name)

    def _file(self, signature: Any, codegen: Any) -> str:
        """A name of its own for all that the code depends on: processor, versions, types and sources."""
        code = hashlib.sha256(self._function.__code__.co_code).hexdigest()
        made_by = VERSIONS, numba_private.settings(), numba_private.processor(codegen)
        key = repr((*made_by, str(signature), self._mark, code))
        return f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:40]}.code"

    def flush(self) -> None:
        pass
