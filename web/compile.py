"""Python files of the page, prepared by Pyodide's own Python (`compile.mjs` runs this in it).

Modules that are loaded when a tab starts are compiled, because a tab keeps no compiled files and would
compile them at each start. The others stay texts: compiled, they are twice as large on the way. Line
numbers of errors are those of the sources.
"""

import ast
import io
import tokenize
import zipfile
from collections.abc import Collection, Iterator
from importlib.util import MAGIC_NUMBER
from marshal import dumps
from pathlib import Path

from web.build import LIBRARY_FILE, PROGRAM_FILE, archive
from web.stdlib import loaded_modules, module_of

# no source to compare with (PEP 552): an unchecked hash, which is zero
HEADER = MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def compile_archives(folder: Path, begun: Collection[str]) -> None:
    """Prepare the archives of library and program in a folder. `begun`: modules that Python loads
    before it runs anything.

    Raises: SyntaxError if a file is no Python of this version.
    """
    paths = [folder / name for name in (LIBRARY_FILE, PROGRAM_FILE)]
    library, program = (path.read_bytes() for path in paths)
    modules = loaded_modules(library, program, begun)
    for path, data in zip(paths, (library, program), strict=True):
        path.write_bytes(archive(dict(_prepared(data, modules))))


def _prepared(data: bytes, modules: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the names and bytes of an archive's files, with these modules compiled."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        for name in file.namelist():
            content = file.read(name)
            if not name.endswith(".py"):
                yield name, content
                continue
            text = without_comments(content)
            if module_of(name) in modules:
                code = compile(text, name, "exec", dont_inherit=True, optimize=0)
                yield f"{name}c", HEADER + dumps(code)
            else:
                yield name, text


def without_comments(text: bytes) -> bytes:
    """Return a module without comments, and without the text of docstrings. Each line keeps its number.

    Raises: SyntaxError if it is no Python.
    """
    lines = text.splitlines(keepends=True)
    tokens = tokenize.tokenize(iter([*lines, b""]).__next__)
    encoding = next(tokens).string
    for kind, _, (row, column), _, line in tokens:
        # the first two lines may name the encoding (PEP 263)
        if kind == tokenize.COMMENT and row > 2:
            lines[row - 1] = f"{line[:column].rstrip()}\n".encode(encoding)
    for node in ast.walk(ast.parse(b"".join(lines))):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            # `dataclass` asks `inspect` for a text in the place of an empty one
            _replace(lines, node.body[0], b'"."' if isinstance(node, ast.ClassDef) else b'""')
    return b"".join(lines)


def _replace(lines: list[bytes], node: ast.stmt, new: bytes) -> None:
    """Put `new` and empty lines in the place of a statement."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    before = lines[first][: node.col_offset]
    behind = lines[last][node.end_col_offset :]
    lines[first : last + 1] = [before + new + behind, *[b"\n"] * (last - first)]
