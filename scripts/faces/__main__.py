"""`scripts/run scripts.faces`: write the fifty faces again. Look at them before you commit them."""

from player.cards.creator.element_set.cards import CARDS, FACES, file_of
from scripts.faces import earth, fire, metal, water, wood
from scripts.faces.frame import LOOKS, face

PICTURES = {name: module.PICTURES for name, module in zip(LOOKS, (wood, fire, earth, metal, water), strict=True)}


def faces() -> dict[str, str]:
    """Return the content of each file."""
    return {
        file_of(card.element, card.strength): face(
            LOOKS[card.element], card.name, card.strength, PICTURES[card.element][card.strength - 1]()
        )
        for card in CARDS
    }


if __name__ == "__main__":
    for name, text in faces().items():
        (FACES / name).write_text(text, "utf-8")
    print(f"{len(faces())} faces, the largest of {max(map(len, faces().values()))} bytes")
