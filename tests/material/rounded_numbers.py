"""What in a source file could let a rounded number decide: found from its syntax and its type hints."""

from __future__ import annotations

import ast
from collections.abc import Iterator

FORBIDDEN_CALLS = frozenset({
    "float", "double", "round", "is_integer", "floor", "ceil", "trunc", "nextafter", "isclose", "fsum", "fabs", "rint",
    "as_integer_ratio", "hex", "fromhex", "frexp", "ldexp", "fmod", "remainder", "divmod",
})  # fmt: skip
"""Called by these names, or as methods and functions of other modules, but for the checker's own."""

FORBIDDEN_METHODS = frozenset({"mid", "rad", "str", "unique_fmpz", "is_integer", "as_integer_ratio", "hex", "fromhex"})
ALLOWED_MODULES = ("cpcbench.certify.checker", "cpcbench.expr", "cpcbench.errors", "cpcbench.arb")
LIBRARIES = frozenset({"flint", "gmpy2"})
STANDARD = frozenset({
    "__future__", "bisect", "collections", "contextlib", "dataclasses", "fractions", "functools", "itertools", "math",
    "operator", "re", "threading", "time", "typing",
})  # fmt: skip
FROM_MATH = frozenset({"inf", "isqrt", "prod"})

ROUNDED = frozenset({"End", "Interval", "Values", "Adjoint", "Matrix", "Taken", "Family", "Limits", "Held"})
"""Hints of what holds ends, for which only `DOWN` and `UP` may compute."""
DOUBLES = frozenset({"float", "Ends", "Box", "Pairs", "Ranges"})
"""Hints of what holds doubles, which are only compared and converted."""


def troubles(source: str, *, library: bool = False, doubles_in: frozenset[str] = frozenset()) -> list[str]:
    """What is wrong with a file, with line numbers.

    `library` is for the one file that may use the libraries of numbers; in the functions of `doubles_in` doubles
    may be computed with.
    """
    tree = ast.parse(source)
    found = [*_imports(tree, library), *_literals(tree)]
    if not library:
        found += _calls(tree)
        returning = _returning(tree)
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                found += _operators(function, returning, doubles_in)
    return found


def _imports(tree: ast.Module, library: bool) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [(alias.name, "") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [(node.module or "", alias.name) for alias in node.names]
        else:
            continue
        for module, name in names:
            top = module.split(".")[0]
            own = any(module == allowed or module.startswith(f"{allowed}.") for allowed in ALLOWED_MODULES)
            if not (own or top in STANDARD or (library and top in LIBRARIES)):
                yield f"line {node.lineno}: imports {module}"
            if name in ("double", "numbers") and module.startswith("cpcbench.expr"):
                yield f"line {node.lineno}: imports {name} from {module}"
            if module == "math" and name and name not in FROM_MATH:
                yield f"line {node.lineno}: imports {name} from math"


def _literals(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            yield f"line {node.lineno}: the literal {node.value!r}"


def _calls(tree: ast.Module) -> Iterator[str]:
    own = {alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
           and (node.module or "").startswith("cpcbench.certify.checker") for alias in node.names}  # fmt: skip
    own |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name) and function.id in FORBIDDEN_CALLS and function.id not in own:
            yield f"line {node.lineno}: calls {function.id}"
        if isinstance(function, ast.Attribute):
            module = function.value.id if isinstance(function.value, ast.Name) else ""
            if function.attr in FORBIDDEN_METHODS or (function.attr in FORBIDDEN_CALLS and module not in own):
                yield f"line {node.lineno}: calls .{function.attr}"


def _hint(node: ast.expr | None) -> str:
    return "" if node is None else ast.unparse(node)


def _kind(hint: str) -> str:
    """`end`, `double` or nothing, from the words of a hint; containers of what is compared only are named alike."""
    words = set("".join(c if c.isalnum() or c == "_" else " " for c in hint).split())
    if "Callable" in words or "Fraction" in words or "dict" in words or "Mapping" in words:
        return ""
    return "end" if words & ROUNDED else "double" if words & DOUBLES else ""


def _returning(tree: ast.Module) -> dict[str, str]:
    """Functions of this file by the kind that they return; from elsewhere those of `DOWN` and `UP` and of intervals."""
    found = dict.fromkeys(
        ("add", "sub", "mul", "neg", "single", "between", "of_double", "infinite", "hull", "made"), "end"
    )
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and (kind := _kind(_hint(node.returns))):
            found[node.name] = kind
    return found


def _names(target: ast.expr) -> Iterator[str]:
    """The names that are assigned to; of `a[i]` it is a."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Subscript | ast.Starred):
        yield from _names(target.value)
    elif isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _names(part)


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What is assigned to what, one by one where that can be told."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _kind_of(value: ast.expr, known: dict[str, str], returning: dict[str, str]) -> str:
    """Of an expression: by its name, what it is taken from, or the function that it is the result of."""
    if isinstance(value, ast.Name):
        return known.get(value.id, "")
    if isinstance(value, ast.Subscript | ast.Starred):
        return _kind_of(value.value, known, returning)
    if isinstance(value, ast.Call):
        function = value.func
        owner = function.value if isinstance(function, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id in ("DOWN", "UP"):
            return "end"
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in ("max", "min") and value.args:
            return _kind_of(value.args[0], known, returning)
        return returning.get(name, "")
    if isinstance(value, ast.IfExp):
        return _kind_of(value.body, known, returning) or _kind_of(value.orelse, known, returning)
    if isinstance(value, ast.UnaryOp):
        return _kind_of(value.operand, known, returning)
    if isinstance(value, ast.BinOp):
        return _kind_of(value.left, known, returning) or _kind_of(value.right, known, returning)
    if isinstance(value, ast.Tuple | ast.List):
        return next((kind for part in value.elts if (kind := _kind_of(part, known, returning))), "")
    return ""


def _operators(function: ast.FunctionDef, returning: dict[str, str], doubles_in: frozenset[str]) -> Iterator[str]:
    """Operators between names that hold ends or doubles."""
    known: dict[str, str] = {}
    lists: set[str] = set()
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    for argument in arguments:
        if kind := _kind(_hint(argument.annotation)):
            known[argument.arg] = kind
    for _ in range(4):  # names that follow from names
        for node in ast.walk(function):
            pairs: list[tuple[ast.expr, ast.expr]] = []
            if isinstance(node, ast.Assign):
                pairs = [pair for target in node.targets for pair in _pairs(target, node.value)]
            elif isinstance(node, ast.AnnAssign):
                if isinstance(node.target, ast.Name) and (kind := _kind(_hint(node.annotation))):
                    known[node.target.id] = kind
            elif isinstance(node, ast.For | ast.comprehension):
                pairs = [(node.target, node.iter)]
            for target, value in pairs:
                lists |= set(_names(target)) if isinstance(value, ast.List | ast.ListComp) else set()
                if kind := _kind_of(value, known, returning):
                    known.update(dict.fromkeys(_names(target), kind))
    for node in ast.walk(function):
        parts: list[ast.expr] = []
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.BitOr | ast.BitAnd | ast.LShift | ast.RShift):
            parts = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            parts = [node.operand]
        elif isinstance(node, ast.AugAssign) and not lists & set(_names(node.target)):
            parts = [node.target, node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("abs", "sum", "pow"):
            parts = list(node.args)
        kinds = {_kind_of(part, known, returning) for part in parts if not isinstance(part, ast.List | ast.Tuple)}
        if "end" in kinds and not _is_listed(node):
            yield f"line {line}: {ast.unparse(node)[:60]} computes with ends, but not by DOWN or UP"
        elif "double" in kinds and function.name not in doubles_in and not _is_listed(node):
            yield f"line {line}: {ast.unparse(node)[:60]} computes with doubles"


def _is_listed(node: ast.AST) -> bool:
    """Whether an operator only joins or repeats lists."""
    parts = (
        [node.left, node.right]
        if isinstance(node, ast.BinOp)
        else [node.value]
        if isinstance(node, ast.AugAssign)
        else []
    )
    return any(isinstance(part, ast.List | ast.ListComp | ast.Tuple) for part in parts)
