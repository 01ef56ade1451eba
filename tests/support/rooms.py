"""The rooms of the product, measured from its source: which there are, what each imports, how large things in it are.

`scripts/run tests.support.rooms` draws the picture in docs/architecture.md anew.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGES = ("protocol", "bots", "net", "commandline", "table", "player", "conformance", "fairdeal")
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- rooms: `scripts/run tests.support.rooms` draws them -->\n", "<!-- end of rooms -->\n"


class Source(NamedTuple):
    """One file of the product."""

    path: Path
    module: str  # dotted; a package's is that of its folder
    tree: ast.Module


def files() -> list[Path]:
    """Every file of the product, sorted by name."""
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


@cache
def sources() -> tuple[Source, ...]:
    """Every file of the product, and what is in it."""
    return tuple(Source(path, _dotted(path), ast.parse(path.read_text("utf-8"))) for path in files())


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All that is in a file of the product, for every test that looks through all of them."""
    return tuple(ast.walk(_trees()[path]))


@cache
def _trees() -> dict[Path, ast.Module]:
    return {source.path: source.tree for source in sources()}


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports() -> dict[str, frozenset[str]]:
    """Module -> the modules of ours that it imports anywhere: at the top, in functions, for types alone."""
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


def circles() -> list[set[str]]:
    """The sets of modules that import each other, over any number of steps; a package's own file is its folder's."""
    graph, found = imports(), []
    reach = {module: _reachable(graph, module) for module in graph}
    for module in graph:
        circle = {other for other in reach[module] if module in reach[other]}
        if circle and circle not in found:
            found.append(circle)
    return found


def _reachable(graph: dict[str, frozenset[str]], start: str) -> set[str]:
    seen: set[str] = set()
    todo = list(graph[start])
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo += graph[module]
    return seen


@cache
def room_of(module: str) -> str:
    """The room of a module: its package and the first folder in it."""
    parts = module.split(".")
    folder = ROOT.joinpath(*parts[:2])
    return ".".join(parts[:2]) if len(parts) > 1 and folder.is_dir() else parts[0]


def picture() -> str:
    """Every room, highest first, with what it is for and the rooms that it imports."""
    uses: dict[str, set[str]] = defaultdict(set)
    for module, imported in imports().items():
        uses[room_of(module)] |= {room_of(other) for other in imported} - {room_of(module)}
    rows = []
    heights: dict[str, int] = {}
    for room in list(uses):
        _measure(room, uses, heights)
    for room in sorted(uses, key=lambda room: (-heights[room], room)):
        count = sum(room_of(source.module) == room for source in sources())
        below = ", ".join(sorted(uses[room], key=lambda other: (-heights[other], other))) or "nothing"
        rows.append(f"| `{room.replace('.', '/')}` | {_says(room)} | {count} | {below.replace('.', '/')} |")
    return "| room | what is in it | files | imports |\n| --- | --- | ---: | --- |\n" + "\n".join(rows) + "\n"


def _measure(room: str, uses: dict[str, set[str]], heights: dict[str, int]) -> int:
    """How many rooms lie below it, one on the other. What stands directly in a package is above its rooms."""
    if room not in heights:
        below = [other for other in uses[room] if not room.startswith(f"{other}.")]
        heights[room] = 1 + max((_measure(other, uses, heights) for other in below), default=0)
    return heights[room]


def _says(room: str) -> str:
    """The first sentence of the room's docstring."""
    tree = next(source.tree for source in sources() if source.module == room and source.path.name == "__init__.py")
    first = (ast.get_docstring(tree) or "").split("\n\n")[0].replace("\n", " ")
    return first.split(". ")[0].rstrip(".")


def page(text: str) -> str:
    """The text of docs/architecture.md with the picture as it is now."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + picture() + END + rest.split(END)[1]


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
