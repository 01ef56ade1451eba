"""Requests of a match's page that need a match."""

from hashlib import sha256
from pathlib import Path

import pytest

from player.cards.decks.loadout import FolderLoadouts
from player.cards.storage.ledger_store import LedgerStore
from protocol.ledger.records import image_digest
from tests.support.fake_table import FakeTable
from tests.support.pages import playing, serving

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 5 7"></svg>'


def stored(folder: Path, *images: bytes) -> FolderLoadouts:
    """Store images in a data folder."""
    store = LedgerStore(folder, bytes(32), None)
    for image in images:
        store.add_image(image)
    store.close()
    return FolderLoadouts(folder)


def test_picture_is_read_from_the_folder_or_missing(tmp_path: Path):
    assert FolderLoadouts(tmp_path).picture(image_digest(SVG)) is None
    assert list(tmp_path.iterdir()) == []
    loadouts = stored(tmp_path, SVG)
    assert loadouts.picture(image_digest(SVG)) == SVG
    assert loadouts.picture(sha256(b"").digest()) is None


async def test_page_without_a_match_has_no_pictures(tmp_path: Path):
    async with serving(tmp_path) as page:
        await page.enter()
        for query, status in (("", 400), ("?digest=00", 404), ("?digest=xy", 400)):
            assert (await page.get(f"face{query}")).status == status
        assert (await page.request("GET /static/elements/wood-01.svg")).status == 200
        assert (await page.request("GET /static/elements/wood-11.svg")).status == 404


@pytest.mark.match
async def test_page_shows_stored_pictures_and_nothing_else(tmp_path: Path):
    strange = b"GIF89a no picture that a page shows"
    loadouts = stored(tmp_path, SVG, strange)
    async with playing(FakeTable(2), tmp_path, loadouts=loadouts) as (page, _):
        await page.enter()
        async with page.stream() as events:
            await events.until("snapshot")
            for image, status in ((SVG, 200), (strange, 404), (b"<svg>", 404)):
                path = f"face?digest={image_digest(image).hex()}"
                answer = await page.get(path)
                assert answer.status == status
                assert (await page.get(path, authorization="")).status == 401
                if status == 200:
                    assert (answer.headers["content-type"], answer.body) == ("image/svg+xml", SVG)
