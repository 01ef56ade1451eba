"""Measure the structure of the product's code.

Product code is the packages that the `fairdeal` command runs, without tests and scripts. Import
depth counts the modules of the longest chain of imports. The first figure counts imports that run
when a module is imported; the second also those in functions and under `TYPE_CHECKING`.
"""

import argparse
import ast
import statistics
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.support.architecture import PACKAGES, ROOT


class Source(NamedTuple):
    """One file of the product."""

    path: Path  # relative to the checkout
    module: str
    text: str
    tree: ast.Module


def read_sources(root: Path = ROOT, packages: tuple[str, ...] = PACKAGES) -> list[Source]:
    """Read every Python file of these packages."""
    return [
        _read_source(path.relative_to(root), path.read_text("utf-8"))
        for package in packages
        for path in sorted((root / package).rglob("*.py"))
    ]


def _read_source(path: Path, text: str) -> Source:
    parts = path.with_suffix("").parts
    module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Source(path, module, text, ast.parse(text))


def import_graph(sources: list[Source], *, all_imports: bool = False) -> dict[str, set[str]]:
    """Map each module to the modules of the product that it imports when it is imported; with
    `all_imports`, also later or for types alone.
    """
    modules = {source.module for source in sources}
    return {
        source.module: {
            name
            for node in (_all_imports if all_imports else _top_level_imports)(source.tree.body)
            for name in _imported_modules(node, modules)
            if name != source.module
        }
        for source in sources
    }


def _all_imports(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield node


def _top_level_imports(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If):
            if "TYPE_CHECKING" not in ast.unparse(node.test):
                yield from _top_level_imports(node.body)
            yield from _top_level_imports(node.orelse)
        elif isinstance(node, ast.Try):
            for part in (node.body, node.orelse, node.finalbody):
                yield from _top_level_imports(part)
            for handler in node.handlers:
                yield from _top_level_imports(handler.body)
        elif isinstance(node, ast.With | ast.ClassDef):
            yield from _top_level_imports(node.body)


def _imported_modules(
    node: ast.Import | ast.ImportFrom, modules: AbstractSet[str]
) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in modules)
        return
    for alias in node.names:
        full = f"{node.module}.{alias.name}"
        if full in modules:
            yield full
        elif node.module in modules:
            yield str(node.module)


def longest_chains(graph: Mapping[str, AbstractSet[str]]) -> dict[str, list[str]]:
    """Map each module to its longest chain of imports, which begins with the module itself."""

    @cache
    def chain(module: str) -> list[str]:
        chains = [chain(name) for name in sorted(graph[module])]
        return [module, *max(chains, key=len, default=[])]

    return {module: chain(module) for module in graph}


def count_conditional_expressions(sources: list[Source]) -> int:
    """Count the conditional expressions."""
    return sum(isinstance(node, ast.IfExp) for node in _nodes(sources))


def count_tuple_assignments(sources: list[Source]) -> int:
    """Count the assignments of several values to several names in one statement."""
    return sum(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Tuple)
        and isinstance(node.targets[0], ast.Tuple)
        for node in _nodes(sources)
    )


def count_any(sources: list[Source]) -> int:
    """Count the uses of the type `Any`; its imports do not count."""
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in _nodes(sources))


def _nodes(sources: list[Source]) -> Iterator[ast.AST]:
    for source in sources:
        yield from ast.walk(source.tree)


def mirrored_modules(sources: list[Source], root: Path = ROOT) -> tuple[int, int]:
    """Count the modules with a test at the mirrored path, and all modules with code of their own.

    The mirrored path of `net/http/server.py` is `tests/unit/net/http/test_server.py`.
    """
    own = [source for source in sources if source.path.name != "__init__.py"]
    mirrored = sum(
        (root / "tests" / "unit" / source.path.parent / f"test_{source.path.name}").is_file()
        for source in own
    )
    return mirrored, len(own)


def _depths(chains: Mapping[str, list[str]]) -> str:
    lengths = [len(chain) for chain in chains.values()]
    return f"{max(lengths)} / {statistics.median(lengths):g}"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--chain", action="store_true", help="print the longest import chain")
    parser.add_argument("--moves", action="store_true", help="play, and count the code of a move")
    args = parser.parse_args()
    sources = read_sources()
    lengths = [source.text.count("\n") for source in sources]
    lines = sum(lengths)
    chains = longest_chains(import_graph(sources))
    all_chains = longest_chains(import_graph(sources, all_imports=True))
    mirrored, modules = mirrored_modules(sources)
    conditionals = count_conditional_expressions(sources)
    tuples = count_tuple_assignments(sources)
    rows = [
        ("files / lines", f"{len(sources):,} / {lines:,}"),
        ("file lines: median / most", f"{statistics.median(lengths):g} / {max(lengths):,}"),
        ("import depth: most / median", _depths(chains)),
        ("the same with late imports and types", _depths(all_chains)),
        ("conditional expressions per 1,000 lines", f"{1000 * conditionals / lines:.1f}"),
        ("tuple assignments per 1,000 lines", f"{1000 * tuples / lines:.1f}"),
        ("uses of Any", f"{count_any(sources):,}"),
        ("modules with a test at the mirrored path", f"{mirrored} of {modules}"),
    ]
    if args.moves:
        # this import loads table and player
        from scripts.move_trace import move_rows

        rows += move_rows()
    width = max(len(label) for label, _ in rows) + 2
    for label, figure in rows:
        print(f"{label:{width}}{figure}")
    if args.chain:
        print("\n".join(max(chains.values(), key=len)))


if __name__ == "__main__":
    main()
