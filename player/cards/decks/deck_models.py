"""What screens show of named decks, as `player.cards.card_models` of cards."""

from dataclasses import dataclass
from enum import StrEnum

from protocol.view.phrase import Phrase


class Wrong(StrEnum):
    """Why a card of a deck had better not be played, as far as this computer knows."""

    UNKNOWN = "unknown"  # no such card is known here, or to the rules
    UNOWNED = "unowned"  # it was given away since, or never was one's own
    BURNT = "burnt"
    RESERVED = "reserved"  # one's signature is out that gives it away
    TWICE = "twice"  # its creator has signed two types in one


@dataclass(frozen=True)
class DeckCardShown:
    """A card that is in a deck or could be. `id`: of the instance, or the number of one of the
    rules' own cards.
    """

    id: str
    name: str
    values: tuple[tuple[str, int | str], ...]
    image: str | None  # digest
    count: int  # how many of it the deck has
    wrong: Wrong | None = None


@dataclass(frozen=True)
class RulesShown:
    """Rules that decks are made for, and the cards that they bring along. `title`: what they call
    themselves; `own`: they are a file that the person names."""

    name: str
    title: str
    own: bool
    cards: tuple[DeckCardShown, ...]


@dataclass(frozen=True)
class DeckShown:
    """A named deck. `objections`: what the rules say against it; `legal`: neither they nor any
    card's state do.
    """

    name: str
    rules: str
    owned: bool
    count: int
    cards: tuple[DeckCardShown, ...]
    objections: tuple[str | Phrase, ...]
    legal: bool
