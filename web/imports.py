"""Imports of a program: which modules it can come to, by what their texts say.

An import in a function counts as any other; one for type checkers alone does not.
"""

import ast
from collections.abc import Callable, Collection, Iterable, Iterator

# returns the text of a module, and True if the module is a package; None if there is no such module
ReadModule = Callable[[str], tuple[bytes, bool] | None]


def reachable(
    roots: Iterable[str], read: ReadModule, excluded: Collection[str] = ()
) -> frozenset[str]:
    """Return the names of all modules that `roots` import, directly or by way of others, and their
    packages. Modules in `excluded`, and what is below them, are left out.
    """
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        name = waiting.pop()
        if name in found or _is_below(name, excluded):
            continue
        module = read(name)
        if module is None:
            continue
        found.add(name)
        if "." in name:
            waiting.append(name.rpartition(".")[0])
        text, is_package = module
        waiting.extend(_imports(text, name if is_package else name.rpartition(".")[0]))
    return frozenset(found)


def _is_below(name: str, excluded: Collection[str]) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:count]) in excluded for count in range(1, len(parts) + 1))


def _imports(text: bytes, package: str) -> Iterator[str]:
    """Yield the names that a module of this package imports; a name may be none of a module."""
    for node in _statements(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                above = parts[: len(parts) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            yield base
            yield from (f"{base}.{each.name}" for each in node.names)


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, without those under `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for other in node.orelse:
                yield from _statements(other)
            continue
        yield node
        yield from _statements(node)
