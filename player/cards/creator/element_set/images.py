"""Images of the element set by their digests. They are apart from its cards, because the page is
built from those without the ledger.
"""

from functools import cache
from pathlib import Path

from player.cards.creator.element_set.cards import FACES
from protocol.ledger.records import image_digest


@cache
def _paths_by_digest() -> dict[bytes, Path]:
    return {image_digest(path.read_bytes()): path for path in FACES.glob("*.svg")}


def element_face(digest: bytes) -> bytes | None:
    """Return the image of the set with this digest; None if it has no such image."""
    path = _paths_by_digest().get(digest)
    return None if path is None else path.read_bytes()
