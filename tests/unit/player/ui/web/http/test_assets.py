"""The page's files: a document that loads one script and one style sheet, which contain every
source file.
"""

import re
from itertools import chain
from pathlib import Path

import pytest

from player.ui.web.bundle import STATIC, modules, static, style
from player.ui.web.http.assets import APP, CARDS, DOCUMENT, ICON, MATCH, assets
from player.ui.web.replay import single

MOST = 86_000  # bytes of the page on the wire; it has no fonts, pictures or recorded sounds
MOST_OF_APP = 119_000  # the same with Home, the cards, decks, and first cards
LINK = re.compile(r'(?:href|src)="/static/([^"]+)"')


@pytest.mark.parametrize(("parts", "most"), [(MATCH, MOST), (CARDS, MOST), (APP, MOST_OF_APP)])
def test_page_assets_are_three_small_files_and_an_icon(parts, most):
    found = assets(parts)
    assert (
        set(LINK.findall(found[DOCUMENT].data.decode())) | {DOCUMENT} == set(found)
        and len(found) == 4
    )
    assert sum(len(asset.packed) for asset in found.values()) <= most


@pytest.mark.slow
def test_every_page_source_file_is_used():
    folder, pages = Path(str(STATIC)), {parts: assets(parts) for parts in (MATCH, CARDS, APP)}
    scripts = [
        modules(first, static) for first in (*(parts.first for parts in pages), single.FIRST)
    ]
    used = {*chain(*scripts), *MATCH.styles, *CARDS.styles, *APP.styles, DOCUMENT, ICON}
    assert {
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    } == used
    for parts, served in pages.items():
        assert all(style([path]) in served["all.css"].data.decode() for path in parts.styles)
