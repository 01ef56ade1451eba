"""docs/dealings.md has complete tables, and `scripts/dealings --write` changes only figures."""

import re

import pytest

from protocol.dealing.registry import DEALINGS
from scripts.benchmarks.dealings import SHEET, insert_cells

TEXT = SHEET.read_text("utf-8")
# `none` deals nothing
NAMES = [name for name in DEALINGS if name != "none"]
CELLS = ("1.5", "20", "–", "–")
TABLES = """\
| | trust | a pack: s | kB | two decks: s | kB |
| --- | --- | ---: | ---: | ---: | ---: |
| `first` | nobody | 0.1 | 1,198 | – | – |
| `second` | the table | – | – | 3 | 40 |

| | chapter |
| --- | --- |
| `first` | [8](protocol/08-layered.md): one |
"""


def test_dealings_page_rewrite_updates_all_figures():
    first, second = insert_cells(TABLES, lambda name: CELLS).splitlines()[2:4]
    assert first == "| `first` | nobody | 1.5 | 20 | – | – |"
    assert second == "| `second` | the table | 1.5 | 20 | – | – |"


def test_dealings_page_rewrite_keeps_chapter_table():
    assert insert_cells(TABLES, lambda name: CELLS).endswith(
        TABLES[TABLES.index("| | chapter |") :]
    )


def test_dealings_page_has_row_for_every_dealing():
    asked = []
    insert_cells(TEXT, lambda name: asked.append(name) or CELLS)
    assert sorted(asked) == sorted(NAMES)


@pytest.mark.parametrize("dealing", NAMES)
def test_page_links_the_chapter_that_defines_the_dealing(dealing):
    (link,) = re.findall(
        rf"^\| `{dealing}` \| \[\d+\]\((protocol/[\w-]+\.md)\)", TEXT, re.MULTILINE
    )
    assert f"`{dealing}`" in (SHEET.parent / link).read_text("utf-8")
