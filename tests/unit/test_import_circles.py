"""The house is as docs/architecture.md says, and nothing in it outgrows its room."""

import ast
from collections import Counter

import pytest

from tests.support import rooms

FILES, LINES, CLASS, FUNCTION, PARAMETERS = 12, 400, 250, 45, 6  # at the most
NOT_COUNTED = ("__init__.py", "registry.py")


@pytest.mark.slow
def test_the_picture_of_the_rooms_is_true():
    text = rooms.PAGE.read_text("utf-8")
    assert text == rooms.page(text), "run `python -m tests.support.rooms` and read what changes"


@pytest.mark.slow
def test_there_are_no_import_circles():
    assert rooms.circles() == []


@pytest.mark.slow
def test_no_folder_is_a_drawer():
    counts = Counter(path.parent for path in rooms.files() if path.name not in NOT_COUNTED)
    assert {str(folder): count for folder, count in counts.items() if count > FILES} == {}


@pytest.mark.slow
def test_nothing_is_too_large():
    wrong = {source.module: list(_too_large(source)) for source in rooms.sources()}
    assert {module: found for module, found in wrong.items() if found} == {}


def _too_large(source):
    """What is: the file itself, and classes and functions in it."""
    lines = source.path.read_text("utf-8").count("\n")
    if lines > LINES:
        yield "lines", lines
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef) and node.end_lineno - node.lineno >= CLASS:
            yield "class", node.name
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.end_lineno - node.lineno >= FUNCTION:
                yield "function", node.name
            given = node.args
            named = [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            if len([name for name in named if name not in ("self", "cls")]) > PARAMETERS:
                yield "parameters", node.name
