"""Source files of the product: the syntax tree and the imports of each."""

import ast
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGES = (
    "protocol",
    "bots",
    "net",
    "commandline",
    "table",
    "player",
    "conformance",
    "fairdeal",
    "search",
    "simulation",
    "verification",
    "relay",
    "directory",
    "web",
)


class Source(NamedTuple):
    """A file of the product."""

    path: Path
    module: str  # dotted name; for `__init__.py` the name of the package
    tree: ast.Module


def files() -> list[Path]:
    """List all files of the product, sorted by name."""
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


@cache
def sources() -> tuple[Source, ...]:
    """Parse all files of the product."""
    return tuple(
        Source(path, _dotted(path), ast.parse(path.read_text("utf-8"))) for path in files()
    )


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a file's syntax tree, cached for all tests that search the product."""
    return tuple(ast.walk(_trees()[path]))


@cache
def _trees() -> dict[Path, ast.Module]:
    return {source.path: source.tree for source in sources()}


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports() -> dict[str, frozenset[str]]:
    """Map each module to the product's modules that it imports: at the top, in functions, or for
    types.
    """
    modules = {source.module for source in sources()}
    return {source.module: frozenset(_imported(source, modules)) for source in sources()}


def _imported(source: Source, modules: set[str]) -> Iterator[str]:
    for node in nodes(source.path):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in modules else node.module for name in full]
        else:
            continue
        yield from (name for name in names if name in modules and name != source.module)


def circles(graph: Mapping[str, AbstractSet[str]] | None = None) -> list[set[str]]:
    """Find sets of modules that import each other, directly or indirectly. The default graph is the
    product's.
    """
    if graph is None:
        graph = imports()
    found: list[set[str]] = []
    reach = {module: _reachable(graph, module) for module in graph}
    for module in graph:
        circle = {other for other in reach[module] if module in reach[other]}
        if circle and circle not in found:
            found.append(circle)
    return found


def _reachable(graph: Mapping[str, AbstractSet[str]], start: str) -> set[str]:
    seen: set[str] = set()
    todo = list(graph[start])
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo += graph[module]
    return seen
