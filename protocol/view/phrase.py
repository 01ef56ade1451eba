"""Phrases: sentences in no particular language, as a key of the catalogue with arguments."""

from dataclasses import dataclass

# faces of a piece: two numbers of a tile, rank and suit of a card, or one name; a phrase for a name
# that the game's own texts translate
Faces = tuple["int | str | Phrase", ...]


@dataclass(frozen=True)
class SeatRef:
    """A seat, or the table (`protocol.seats.TABLE`), or two seats of a team."""

    seat: int
    partner: int | None = None

    @property
    def seats(self) -> tuple[int, ...]:
        """The seat, with its partner if it has one."""
        if self.partner is None:
            return (self.seat,)
        return (self.seat, self.partner)


@dataclass(frozen=True)
class Pieces:
    """Pieces that everybody sees."""

    faces: tuple[Faces, ...]


@dataclass(frozen=True)
class Phrase:
    """A sentence, or a part of a sentence. `args` have the names that the catalogue's text
    uses.
    """

    key: str
    args: "tuple[tuple[str, Value], ...]" = ()


@dataclass(frozen=True)
class SentenceText:
    """A sentence in one language: parts that are joined. `near` is the same sentence, addressed to
    the person it is about; empty if there is none.
    """

    language: str  # such as "de"
    parts: "tuple[Value, ...]"
    near: "tuple[Value, ...]" = ()


@dataclass(frozen=True)
class Sentence:
    """A sentence from a game's own texts instead of the catalogue: the same one in each language
    of the game. `who` is the seat that it is about, if any.
    """

    texts: tuple[SentenceText, ...]
    who: int | None = None


Value = int | str | SeatRef | Pieces | Sentence | Phrase | tuple[Phrase, ...]


def phrase(key: str, /, **args: Value) -> Phrase:
    """Return a phrase with these arguments. The argument `count` selects singular or plural."""
    return Phrase(key, tuple(args.items()))
