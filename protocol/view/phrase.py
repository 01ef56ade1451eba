"""A sentence without its words: a key of the catalogue, and what the words are about."""

from dataclasses import dataclass

# what is on a piece: two numbers of a tile, rank and suit of a card, or one name
Faces = tuple[int | str, ...]


@dataclass(frozen=True)
class SeatRef:
    """A seat, or the table (`protocol.dealing.TABLE`); or two who play together."""

    seat: int
    partner: int | None = None

    @property
    def seats(self) -> tuple[int, ...]:
        """One or two."""
        return (self.seat,) if self.partner is None else (self.seat, self.partner)


@dataclass(frozen=True)
class Pieces:
    """Pieces that everybody sees."""

    faces: tuple[Faces, ...]


@dataclass(frozen=True)
class Phrase:
    """One sentence, or a part of one. `args` are by the names that the catalogue's text has for
    them.
    """

    key: str
    args: "tuple[tuple[str, Value], ...]" = ()


Value = int | str | SeatRef | Pieces | Phrase | tuple[Phrase, ...]


def phrase(key: str, /, **args: Value) -> Phrase:
    """A phrase with these arguments; one that is called `count` chooses between the singular and
    the plural.
    """
    return Phrase(key, tuple(args.items()))
