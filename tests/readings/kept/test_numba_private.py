"""What is used of Numba beyond its documentation is there and does what it is used for; a failure says what broke."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from llvmlite import ir
from numba import njit, types
from numba.core import codegen, compiler, dispatcher, registry, serialize
from numba.core.bytecode import FunctionIdentity
from numba.extending import intrinsic

import cpcbench
from cpcbench.readings.doubles import numba_private

ROOT = Path(cpcbench.__file__).parent
HINT = f"Numba {numba.__version__} is not as readings/doubles/numba_private.py expects: "
PUBLIC = {"numba", "numba.extending", "numba.types", "numba.typed"}


class Noted:
    """A cache that notes what it is asked and given."""

    cache_path: str | None = "noted"

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.kept: dict[str, bytes | None] = {}

    def load_overload(self, signature: Any, target: Any) -> Any:
        self.asked.append(signature)
        return self.found(signature, target)

    def found(self, signature: Any, target: Any) -> Any:
        numba_private.ready_to_load(target)
        data = self.kept.get(str(signature))
        return None if data is None else numba_private.unpacked(data, target)

    def save_overload(self, signature: Any, made: Any) -> None:
        self.kept[str(signature)] = numba_private.packed(made)

    def flush(self) -> None:
        pass


def doubled(x: float) -> float:
    return x + x


def with_cache(cache: Noted) -> Any:
    made = njit(doubled)
    numba_private.set_cache(made, cache)
    return made


def test_a_compiled_function_has_a_cache_to_be_replaced() -> None:
    assert hasattr(njit(doubled), "_cache"), HINT + "a dispatcher has no attribute `_cache`"
    cache = Noted()
    made = with_cache(cache)
    assert made(1.5) == 3.0
    assert cache.asked == [(types.float64,)], (
        HINT + "a dispatcher does not call `_cache.load_overload(signature, target)`"
    )
    assert list(cache.kept), HINT + "a dispatcher does not call `_cache.save_overload(signature, result)`"
    assert made.stats.cache_path == "noted", HINT + "a dispatcher does not ask for `_cache.cache_path`"


def test_functions_are_told_by_a_count_that_can_be_set() -> None:
    assert hasattr(FunctionIdentity, "_unique_ids"), HINT + "`FunctionIdentity` has no `_unique_ids`"
    numba_private.name_apart()
    one = FunctionIdentity.from_function(doubled).unique_id
    numba_private.name_apart()
    other = FunctionIdentity.from_function(doubled).unique_id
    assert min(one, other) > 2**30, HINT + "the count of functions is not the one that was set"
    assert abs(one - other) > 2**20, HINT + "the count of functions is not the one that was set"
    made = njit(doubled)
    made(1.5)
    (name,) = (each.fndesc.mangled_name for each in made.overloads.values())
    assert any(f"v{other + more}" in name for more in range(1, 100)), HINT + "names of functions do not have the count"


def test_what_is_kept_is_used_by_another_function() -> None:
    cache = Noted()
    with_cache(cache)(1.5)
    assert numba_private.is_kept(with_cache(cache), (types.float64,))
    assert not numba_private.is_kept(with_cache(cache), (types.int64,))
    other = with_cache(cache)
    assert other(2.5) == 5.0
    assert other.stats.cache_hits, HINT + "what `_cache.load_overload` gives is not used"


@pytest.mark.parametrize(
    ("owner", "names"),
    [
        (compiler.CompileResult, ["_reduce", "_rebuild"]),
        (serialize, ["dumps"]),
        (dispatcher.Dispatcher, ["enable_caching", "compile", "disable_compile"]),
        (registry.cpu_target.target_context, ["codegen", "make_array"]),
        (registry.cpu_target.target_context.codegen(), ["magic_tuple", "set_env"]),
        (codegen.JITCodeLibrary, ["_optimize_final_module", "_finalize_final_module", "_verify_declare_only_symbols"]),
        (compiler.Compiler, ["compile_extra"]),
    ],
    ids=["CompileResult", "serialize", "Dispatcher", "target", "codegen", "library", "Compiler"],
)
def test_parts_are_there(owner: Any, names: list[str]) -> None:
    missing = [name for name in names if not hasattr(owner, name)]
    assert not missing, HINT + f"{owner!r} has no {', '.join(missing)}"


def test_the_processor_is_named() -> None:
    found = numba_private.processor(registry.cpu_target.target_context.codegen())
    assert repr(found) == repr(numba_private.processor(registry.cpu_target.target_context.codegen()))


def test_code_with_addresses_of_this_process_is_not_kept() -> None:
    cache = Noted()

    @intrinsic
    def address(_context: Any) -> Any:
        def codegen(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
            return builder.ptrtoint(context.add_dynamic_addr(builder, 4711, info="here"), ir.IntType(64))

        return types.int64(), codegen

    def asking() -> Any:
        return address() + 1

    made = njit(asking)
    numba_private.set_cache(made, cache)
    assert made() == 4712
    assert list(cache.kept.values()) == [None], HINT + "`library.has_dynamic_globals` no longer tells"


def test_the_pointer_of_an_array_is_found() -> None:
    @intrinsic
    def item(_context: Any, values: Any, place: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.load(
                builder.gep(numba_private.array_data(context, builder, signature.args[0], args[0]), [args[1]])
            )

        return types.float64(values, place), codegen

    assert njit(lambda values: item(values, 2))(np.array([1.0, 2.0, 5.0])) == 5.0


def test_a_part_is_made_machine_code_with_what_calls_it_only() -> None:
    part = njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=numba_private.PartCompiler)

    @part
    def third(values: Any, place: int) -> Any:
        values[place] /= 3.0
        return values[place]

    @part
    def sixth(values: Any, place: int) -> Any:
        return third(values, place) * 0.5

    def called(values: Any) -> Any:
        return sixth(values, 1) + third(values, 0)

    whole = njit(called)
    cache = Noted()
    numba_private.set_cache(whole, cache)
    assert whole(np.array([1.0, 2.0])) == 2.0 / 3.0 * 0.5 + 1.0 / 3.0
    assert list(cache.kept.values()) != [None], HINT + "code with parts cannot be kept"
    for made, has_code in ((third, False), (sixth, False), (whole, True)):
        result = next(iter(made.overloads.values()))
        address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
        assert (address != 0) is has_code, HINT + "`pipeline_class` or `CodeLibrary._finalize_final_module` changed"
    again = njit(called)
    numba_private.set_cache(again, cache)
    assert again(np.array([3.0, 6.0])) == 2.0
    assert again.stats.cache_hits


def test_private_parts_are_used_in_one_file_only() -> None:
    for path in ROOT.rglob("*.py"):
        if path.name == "numba_private.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [node.module] if isinstance(node, ast.ImportFrom) else []
            modules += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for module in modules:
                assert (module or "").partition(".")[0] != "numba" or module in PUBLIC, f"{path} imports {module}"


def test_versions_are_bounded_and_llvmlite_is_declared() -> None:
    project = ROOT.parents[1] / "pyproject.toml"
    if not project.is_file():
        pytest.skip("not in a working copy")
    needed = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"]
    for library in ("numba", "llvmlite"):
        wanted = [entry for entry in needed if entry.startswith(library)]
        assert wanted, f"{library} is imported and not declared"
        assert "<" in wanted[0], f"{library} has no upper bound"
