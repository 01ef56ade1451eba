"""View models of named decks, as `player.cards.card_models` has them of cards."""

from dataclasses import dataclass
from enum import StrEnum

from protocol.view.phrase import Phrase


class CardProblem(StrEnum):
    """Reasons against playing a card of a deck, as far as this computer knows."""

    UNKNOWN = "unknown"  # neither this computer nor the rules know the card
    UNOWNED = "unowned"  # the person gave the card away, or never owned it
    BURNT = "burnt"
    RESERVED = "reserved"  # the person has signed a trade that gives the card away
    # it was given away in vain, and the proof of this is too long for a match
    UNPROVEN = "unproven"
    # its type and the trades that it went through do not fit into a match
    LONG = "long"
    # its records do not prove by themselves that the person owns it
    UNSHOWN = "unshown"
    TWICE = "twice"  # its creator signed two contradictory versions of its type


@dataclass(frozen=True)
class DeckCardShown:
    """A card that is in a deck or could be. `id`: id of the instance, or number of a card of the
    rules.
    """

    id: str
    name: str
    values: tuple[tuple[str, int | str], ...]
    image: str | None  # digest
    count: int  # copies in the deck
    wrong: CardProblem | None = None


@dataclass(frozen=True)
class RulesShown:
    """Rules for decks, with the cards that the rules define.

    `title`: the name that the rules give themselves; `own`: the rules are a file that the person
    names.
    """

    name: str
    title: str
    own: bool
    cards: tuple[DeckCardShown, ...]


@dataclass(frozen=True)
class DeckShown:
    """A named deck. `objections`: broken rules of deck building; `legal`: no objection, and no card
    with a reason against it.
    """

    name: str
    rules: str
    owned: bool
    count: int
    cards: tuple[DeckCardShown, ...]
    objections: tuple[str | Phrase, ...]
    legal: bool
