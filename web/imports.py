"""Imports of a program: which modules it can come to, by what their texts say.

An import in a function counts as any other; one for type checkers alone does not.
"""

import ast
import gc
from collections.abc import Callable, Collection, Iterable, Iterator

# returns the text of a module, and True if the module is a package; None if there is no such module
ReadModule = Callable[[str], tuple[bytes, bool] | None]
# an import in one of these may never happen, or may fail
OPTIONAL = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Try, ast.If)


def reachable(
    roots: Iterable[str],
    read: ReadModule,
    excluded: Collection[str] = (),
    *,
    only_needed: bool = False,
) -> frozenset[str]:
    """Return the names of all modules that `roots` import, directly or by way of others, and their
    packages.

    Modules in `excluded`, and what is below them, are left out, unless a module imports them as soon
    as it is loaded. With `only_needed`, no other imports count.
    """
    found: set[str] = set()
    waiting = [(name, True) for name in roots]
    while waiting:
        name, needed = waiting.pop()
        if name in found or (not needed and is_below(name, excluded)):
            continue
        module = read(name)
        if module is None:
            continue
        found.add(name)
        if "." in name:
            waiting.append((name.rpartition(".")[0], True))
        text, is_package = module
        imports = _imports(text, name if is_package else name.rpartition(".")[0])
        waiting.extend(each for each in imports if each[1] or not only_needed)
    return frozenset(found)


def is_below(name: str, packages: Collection[str]) -> bool:
    """Check that a module is one of these, or in one of them."""
    parts = name.split(".")
    return any(".".join(parts[:count]) in packages for count in range(1, len(parts) + 1))


def _imports(text: bytes, package: str) -> Iterator[tuple[str, bool]]:
    """Yield the names that a module of this package imports, and True for those that it needs to be
    loaded. A name may be none of a module.
    """
    for node, needed in _statements(_parse(text), True):
        if isinstance(node, ast.Import):
            yield from ((each.name, needed) for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                above = parts[: len(parts) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            yield base, needed
            yield from ((f"{base}.{each.name}", needed) for each in node.names)


def _statements(tree: ast.AST, needed: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Yield the nodes below a tree, without those under `if TYPE_CHECKING`, and True for those that
    run when the module is loaded.
    """
    inner = needed and not isinstance(tree, OPTIONAL)
    for node in ast.iter_child_nodes(tree):
        if (
            isinstance(tree, ast.If)
            and node in tree.body
            and "TYPE_CHECKING" in ast.dump(tree.test)
        ):
            continue
        yield node, inner
        yield from _statements(node, inner)


def _parse(text: bytes) -> ast.Module:
    """Parse without a collection in between: code that runs then may parse as well, and CPython before
    3.11.9 takes that for an error (gh-106905).
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        if enabled:
            gc.enable()
