"""The fifty bundled cards: their faces match the drawings, are small, and are pure pictures."""

from collections import Counter
from xml.etree import ElementTree

from player.cards.creator.element_set.cards import CARDS, EDITION, FACES
from protocol.limits import MAX_CARD_NAME, MAX_EDITION
from scripts.faces.__main__ import faces

MOST = 4096  # bytes of a face, at most
SHAPES = {
    "svg",
    "g",
    "defs",
    "use",
    "path",
    "circle",
    "ellipse",
    "rect",
    "text",
    "pattern",
    "clipPath",
    "stop",
}


def test_element_set_has_fifty_balanced_cards():
    assert len(CARDS) == len({card.name for card in CARDS}) == 50
    assert all(len(card.name) <= MAX_CARD_NAME for card in CARDS) and len(EDITION) <= MAX_EDITION
    strengths = {
        element: sorted(card.strength for card in CARDS if card.element == element)
        for element in {card.element for card in CARDS}
    }
    assert len(strengths) == 5 and all(found == list(range(1, 11)) for found in strengths.values())
    assert sum(card.copies for card in CARDS) == 250


def test_element_faces_match_their_drawings():
    drawn = faces()
    assert {path.name for path in FACES.iterdir()} == set(drawn)
    for name, text in drawn.items():
        assert (FACES / name).read_text("utf-8") == text, (
            "run `scripts/run scripts.faces` and look at what changes"
        )


def test_element_face_is_small_and_has_only_shapes():
    for card in CARDS:
        face = card.face
        assert len(face) <= MOST, card.name
        parts = [part.tag.rpartition("}")[2] for part in ElementTree.fromstring(face).iter()]
        assert set(parts) <= SHAPES | {"linearGradient"}
        assert (
            b"http" not in face.replace(b"http://www.w3.org/2000/svg", b"") and b'href="#' in face
        )
        ids = Counter(
            part.get("id") for part in ElementTree.fromstring(face).iter() if part.get("id")
        )
        assert max(ids.values()) == 1, card.name
