"""`scripts/run scripts.faces`: writes the fifty faces anew. Look at them before you keep them."""

from player.cards.creator.element_set.cards import CARDS, FACES, file_of
from scripts.faces import earth, fire, metal, water, wood
from scripts.faces.frame import LOOKS, face

PICTURES = {name: module.PICTURES for name, module in zip(LOOKS, (wood, fire, earth, metal, water), strict=True)}


def faces() -> dict[str, str]:
    """What must be in each file."""
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
