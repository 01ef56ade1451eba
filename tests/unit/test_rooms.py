"""The house is as docs/architecture.md says, and nothing in it outgrows its room."""

import ast
from collections import Counter

import pytest

from tests.support import rooms

FILES, LINES, CLASS, FUNCTION, PARAMETERS = 12, 400, 250, 45, 6  # at the most
NOT_COUNTED = ("__init__.py", "registry.py")


def test_the_picture_of_the_rooms_is_true():
    text = rooms.PAGE.read_text("utf-8")
    assert text == rooms.page(text), "run `python -m tests.support.rooms` and read what changes"


def test_there_are_no_import_circles():
    assert rooms.circles() == []


def test_no_folder_is_a_drawer():
    counts = Counter(source.path.parent for source in rooms.sources() if source.path.name not in NOT_COUNTED)
    assert {str(folder): count for folder, count in counts.items() if count > FILES} == {}


@pytest.mark.parametrize("source", rooms.sources(), ids=lambda source: source.module)
def test_nothing_is_too_large(source):
    assert source.path.read_text("utf-8").count("\n") <= LINES
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef):
            assert node.end_lineno - node.lineno < CLASS, node.name
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno - node.lineno < FUNCTION, node.name
            given = node.args
            named = [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            assert len([name for name in named if name not in ("self", "cls")]) <= PARAMETERS, node.name
