"""Pictures of README and docs: they can be made again, are small, and are used."""

import struct
from pathlib import Path

import pytest

from tests.page.pictures import FIGURES, MOST_BYTES, PICTURES, take
from tests.page.visits import PHONE, Visits

ROOT = Path(__file__).parents[2]
PNG = b"\x89PNG\r\n\x1a\n"


def size_of(picture: bytes) -> tuple[int, ...]:
    """Return width and height."""
    assert picture.startswith(PNG)
    return struct.unpack(">II", picture[16:24])


@pytest.mark.parametrize("name", PICTURES)
def test_every_picture_is_there_small_and_shown_somewhere(name: str):
    path = FIGURES / f"{name}.png"
    assert min(size_of(path.read_bytes())) >= PHONE[0] and path.stat().st_size <= MOST_BYTES
    texts = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    assert any(f"figures/{name}.png" in text.read_text() for text in texts)


@pytest.mark.match
@pytest.mark.parametrize("name", ("page-cards", "page-phone-dark", "page-teaching"))
async def test_pictures_match_present_page(visits: Visits, tmp_path: Path, name: str):
    picture = (await take(visits, name, tmp_path)).read_bytes()
    kept = (FIGURES / f"{name}.png").read_bytes()
    assert abs(size_of(picture)[0] - size_of(kept)[0]) <= 20  # fonts differ, but not the contents
    assert len(picture) > len(kept) / 3
