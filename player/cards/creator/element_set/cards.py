"""Cards of the element set: fifty cards of five elements, in strengths from 1 to 10. Weak cards are
the common ones.

Every element has the same strengths, so no element is better than another. `scripts/faces` draws
the images.
"""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

EDITION = "Elements"
FACES = Path(str(files(__name__.rpartition(".")[0]) / "faces"))
NAMES = {
    "wood": (
        "Sproutling",
        "Mosscap",
        "Curlfern",
        "Reed Piper",
        "Bamboo Sentry",
        "Thornweaver",
        "Golden Birch",
        "Old Willow",
        "Pine Warden",
        "Heartwood",
    ),
    "fire": (
        "Stray Spark",
        "Candlewick",
        "Ember Nest",
        "Paper Lantern",
        "Torchlight",
        "Ash Salamander",
        "Cinder Fox",
        "Falling Star",
        "Red Mountain",
        "Dawn Phoenix",
    ),
    "earth": (
        "Pebbling",
        "Clay Jug",
        "Wandering Dune",
        "Cairn Keeper",
        "Burrow King",
        "Crystal Grotto",
        "Standing Stones",
        "Red Mesa",
        "Stone Giant",
        "Mountainroot",
    ),
    "metal": (
        "Tin Needle",
        "Lucky Copper",
        "Rusty Key",
        "Temple Bell",
        "Clockwork",
        "Iron Anvil",
        "Silver Blade",
        "Bronze Shield",
        "Steel Knight",
        "Crown of Ore",
    ),
    "water": (
        "Dewdrop",
        "Pearl Shell",
        "Rain Cloud",
        "Lily Pond",
        "Twin Koi",
        "Frost Flower",
        "Silver Cascade",
        "Maelstrom",
        "Great Wave",
        "Leviathan",
    ),
}
# copies by strength, in a run of 250 cards
_COPIES = {1: 8, 2: 8, 3: 8, 4: 6, 5: 6, 6: 4, 7: 4, 8: 3, 9: 2, 10: 1}


@dataclass(frozen=True, slots=True)
class Card:
    """A card of the set."""

    element: str
    strength: int
    name: str

    @property
    def face(self) -> bytes:
        """Read the image of the card, an SVG."""
        return (FACES / file_of(self.element, self.strength)).read_bytes()

    @property
    def values(self) -> tuple[tuple[str, int | str], ...]:
        """Values of the card for the rules of games."""
        return (("element", self.element), ("strength", self.strength))

    @property
    def copies(self) -> int:
        """Copies in the usual run of 250 cards, in 50 packs of five."""
        return _COPIES[self.strength]


CARDS = tuple(
    Card(element, at, name) for element, names in NAMES.items() for at, name in enumerate(names, 1)
)


def file_of(element: str, strength: int) -> str:
    """Return the name of an image file."""
    return f"{element}-{strength:02}.svg"
