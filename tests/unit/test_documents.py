"""Documents about the project name only existing files, and their lists are complete."""

import re

import pytest

from tests.support.docs import ROOT

DECISIONS = ROOT / "docs" / "decisions"
INDEX = (DECISIONS / "README.md").read_text("utf-8")
PAGES = sorted(DECISIONS.glob("[0-9]*.md"))
STATUS = re.compile(r"Status: (Accepted|Superseded( in part)?)\b.*\.")


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


def test_architecture_names_files_that_exist():
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
