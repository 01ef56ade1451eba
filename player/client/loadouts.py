"""Interfaces to the loadouts of a person: named decks to choose from, and a check before a match.

The decks and the ledger stand in `player.cards`, above the programs that play. Those programs know
these interfaces alone.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from protocol.errors import LocalError
from protocol.games.decks import Owned
from protocol.games.decks.deck_hand import Loadout
from protocol.games.registry import Games
from protocol.match.terms import Terms
from protocol.view.phrase import Phrase


class KnownCreator(NamedTuple):
    """Knowledge of a person about a creator of cards."""

    name: str  # name that the creator has chosen; empty if unknown
    trusted: bool | None  # the person's mark; None: the person has not decided
    own: bool = False  # the person is this creator


Creators = Mapping[str, KnownCreator]  # by fingerprint
NO_CREATORS: Creators = MappingProxyType({})


class DeckChoices(Protocol):
    """The named decks that a person may choose from before a match."""

    @property
    def text(self) -> str:
        """Text of the rule file that the person names; empty without one."""

    @property
    def usual(self) -> str | None:
        """Name of the deck to bring unless the person chooses another."""

    def brings(self, name: str | None, terms: Terms | None) -> Loadout:
        """Load the deck `name`, or no deck (None), for a match by `terms`. Raises: LocalError."""

    def wrong(self, name: str | None, terms: Terms, games: Games) -> Phrase | None:
        """Say why the deck `name` cannot be played by `terms`; None if it can."""

    def for_match(self, terms: Terms, games: Games) -> tuple[str, ...] | None:
        """Name the decks for the game of `terms`.

        None if this game takes no decks, or if its rules are unknown here.
        """

    def creators(self) -> Creators:
        """Return what the person knows about creators of cards. Raises: LocalError."""

    def name_creators(self, words: list[str]) -> list[str]:
        """Replace creators in the words of `--cards` by fingerprints. Raises: LocalError."""


class DeckList(DeckChoices, Protocol):
    """The named decks of a person who opens a table."""

    def has_own(self, game: str) -> bool:
        """Check that a deck of cards that the person owns is for the game."""


class Loadouts(Protocol):
    """Loads the cards that a seat brings to a match, and checks that they are still free."""

    def load(self, me: bytes, deck: str | None, text: str = "") -> Loadout:
        """Load the deck `deck` (None: no deck) and the rule file `text` for the key `me`.

        Raises: LocalError if no such deck exists, or if one of its cards cannot be played.
        """

    def check_free(self, me: bytes, loadout: Loadout) -> None:
        """Check that the key `me` may still bring the owned cards of `loadout`.

        Call this after the match is remembered on disk: then no trade begins after the check.
        Raises: LocalError.
        """

    def picture(self, digest: bytes) -> bytes | None:
        """Return the picture of a card with this digest; None if it is not stored here. Raises:
        LocalError.
        """

    def creators(self, me: bytes) -> Creators:
        """Return what the person with the key `me` knows about creators of cards. Raises:
        LocalError.
        """


class NoOwnedCards:
    """`Loadouts` for a program without a ledger: it loads no deck, and refuses every owned card.

    This is the default. A program that forgets to pass its own `Loadouts` must not play a card
    that was traded away meanwhile.
    """

    def load(self, me: bytes, deck: str | None, text: str = "") -> Loadout:
        """Load the rule file `text` alone. Raises: LocalError for any deck."""
        if deck is not None:
            raise LocalError("wrong.deck.unchecked")
        return Loadout(text=text)

    def check_free(self, me: bytes, loadout: Loadout) -> None:
        """Raises: LocalError if `loadout` has an owned card."""
        if any(isinstance(card, Owned) for card in loadout.cards):
            raise LocalError("wrong.deck.unchecked")

    def picture(self, digest: bytes) -> None:
        """Return None: nothing is stored."""

    def creators(self, me: bytes) -> Creators:
        """Return nobody: nothing is stored."""
        return NO_CREATORS


NO_OWNED_CARDS: Loadouts = NoOwnedCards()
