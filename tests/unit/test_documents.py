"""Documents about the project name only existing files, and their lists are complete."""

import ast
import re

import pytest

from tests.support.docs import ROOT

DECISIONS = ROOT / "docs" / "decisions"
INDEX = (DECISIONS / "README.md").read_text("utf-8")
PAGES = sorted(DECISIONS.glob("[0-9]*.md"))
STATUS = re.compile(r"Status: (Accepted|Superseded( in part)?)\b.*\.")
TEST_PATH = re.compile(r"(?<![\w/])tests/[\w/.]*\w")
TEST_NAME = re.compile(r"(?<![\w/])test_\w+(?:\.py)?")


def titled(page):
    """Return the number and the title of a decision."""
    found = re.fullmatch(r"# (\d{4}) — (.+)", page.read_text("utf-8").splitlines()[0])
    assert found is not None, page.name
    return found.groups()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name[:4])
def test_decision_has_its_number_and_a_status(page):
    number, _ = titled(page)
    assert page.name.startswith(f"{number}-")
    assert STATUS.fullmatch(page.read_text("utf-8").splitlines()[2])


def test_status_without_a_known_word_is_noticed():
    assert not STATUS.fullmatch("Status: Perhaps.") and not STATUS.fullmatch("Accepted.")
    assert STATUS.fullmatch("Status: Superseded by [0002](0002-another.md).")


def test_index_of_decisions_lists_each_once_by_title():
    listed = re.findall(
        r"^- \[(\d{4})\]\((.+?)\) (.+?)(?: \(superseded.*\))?$", INDEX, re.MULTILINE
    )
    assert sorted(listed) == sorted(
        (number, page.name, title) for page in PAGES for number, title in [titled(page)]
    )


def test_architecture_names_only_existing_files():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named = re.findall(r"`(\w+(?:/\w+)*(?:/|\.py))`", text)
    assert len(named) > 15
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_glossary_explains_each_term_once_in_order():
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    for group in text.split("\n## ")[1:]:
        terms = re.findall(r"^\| \*\*(.+?)\*\* \|", group, re.MULTILINE)
        assert terms and terms == sorted(terms, key=str.lower)
    terms = re.findall(r"^\| \*\*(.+?)\*\* \|", text, re.MULTILINE)
    assert len(set(terms)) == len(terms)


def names_of_tests() -> set[str]:
    """Return the names of all test functions."""
    return {
        node.name
        for path in (ROOT / "tests").rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def missing_tests(text: str, names: set[str]) -> list[str]:
    """Return paths and names of tests in a document that do not exist.

    A file must be quoted with its whole path: a bare name does not say where the test stands.
    """
    paths = [path for path in TEST_PATH.findall(text) if not (ROOT / path).exists()]
    return paths + [name for name in TEST_NAME.findall(text) if name not in names]


@pytest.mark.slow
def test_documents_name_only_existing_tests():
    names = names_of_tests()
    pages = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    assert any(TEST_PATH.search(page.read_text("utf-8")) for page in pages)
    missing = {str(page): missing_tests(page.read_text("utf-8"), names) for page in pages}
    assert {page: tests for page, tests in missing.items() if tests} == {}


def test_missing_test_in_a_document_is_noticed():
    text = "`tests/unit/test_documents.py`, `tests/unit/test_gone.py`, `test_gone`, test_gone.py"
    assert missing_tests(text, {"test_here"}) == [
        "tests/unit/test_gone.py",
        "test_gone",
        "test_gone.py",
    ]
    assert missing_tests("`test_here`", {"test_here"}) == []
