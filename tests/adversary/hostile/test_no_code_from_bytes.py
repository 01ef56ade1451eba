"""The programs have no way to turn bytes from outside into code or objects."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
UNSAFE_MODULES = {
    "pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "yaml",
    "jsonpickle",
    "ctypes",
    "runpy",
}
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__"}


@pytest.mark.slow
def test_programs_never_make_code_from_bytes() -> None:
    """No module imports or calls anything that makes code or objects out of bytes."""
    seen = 0
    for package in ("protocol", "table", "player"):
        for path in (ROOT / package).rglob("*.py"):
            seen += 1
            for node in ast.walk(ast.parse(path.read_text())):
                assert not _modules(node) & UNSAFE_MODULES, path
                assert not (isinstance(node, ast.Name) and node.id in UNSAFE_CALLS), path
    assert seen > 50


def _modules(node: ast.AST) -> set[str]:
    """Return the outermost modules that a statement imports."""
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return {(node.module or "").split(".")[0]}
    return set()
