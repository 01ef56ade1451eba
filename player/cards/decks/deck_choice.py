"""Choice of a named deck for a match, with the reasons against each deck, before a person sits
down.
"""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from player.cards.decks.loadout import FolderLoadouts
from player.cards.storage.database import FILE
from player.cards.storage.ledger_store import LedgerReader
from player.cards.storage.named_decks import NamedDeck
from player.client.loadouts import NO_CREATORS, Creators
from player.client.requirements import misfit, rules_of, without_unused_rules
from protocol.errors import LocalError
from protocol.games.decks.deck_hand import Loadout
from protocol.games.registry import Games
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.rule_file.built_in import BUILT_IN_RULES, built_in_text, rule_digest
from protocol.match.terms import Terms
from protocol.view.phrase import Phrase


@dataclass(frozen=True)
class FolderDecks:
    """The `player.client.loadouts.DeckChoices` of a data folder.

    `text`: rule file that the person names; `usual`: name of the deck unless the person chooses
    another.
    """

    data: Path
    me: bytes  # the key of the seat
    text: str = ""
    usual: str | None = None

    def brings(self, name: str | None, terms: Terms | None) -> Loadout:
        """Load the deck `name`, or no deck (None), for a match by `terms`. Raises: LocalError."""
        return without_unused_rules(terms, FolderLoadouts(self.data).load(self.me, name, self.text))

    def wrong(self, name: str | None, terms: Terms, games: Games) -> Phrase | None:
        """Return the reason against a match by `terms` with the deck `name`; None: no reason."""
        try:
            return misfit(terms, self.brings(name, terms), games)
        except LocalError as error:
            return error.phrase

    def for_match(self, terms: Terms, games: Games) -> tuple[str, ...] | None:
        """Return the names of the decks for the game of `terms`.

        None if this game takes no decks, or if its rules are unknown here.
        """
        played = rules_of(terms, self.text, games)
        if played is None or played.contract is None or not played.contract.own:
            return None
        return tuple(deck.name for deck in self._all() if _is_for(deck, played.game))

    def has_own(self, game: str) -> bool:
        """Check that a deck of cards that the person owns is for the game."""
        return any(deck.owned and deck.rules == game for deck in self._all())

    def creators(self) -> Creators:
        """Return what the person knows about creators of cards. Raises: LocalError."""
        return FolderLoadouts(self.data).creators(self.me)

    def name_creators(self, words: list[str]) -> list[str]:
        """Replace creators in the words of `--cards` by fingerprints. Raises: LocalError."""
        from player.cards.decks.card_trust import name_creators

        return name_creators(words, self.data)

    def _all(self) -> tuple[NamedDeck, ...]:
        if not (self.data / FILE).exists():
            return ()
        with closing(LedgerReader(self.data)) as reader:
            return reader.decks.all()


class ListedDecks(FolderDecks):
    """The decks of a data folder whose key may be closed: named, and checked at the table."""

    def __init__(self, data: Path) -> None:
        super().__init__(data, b"")

    def wrong(self, name: str | None, terms: Terms, games: Games) -> Phrase | None:
        """Return why nobody can play by `terms` without a deck, if `name` is None."""
        return super().wrong(None, terms, games) if name is None else None

    def creators(self) -> Creators:
        """Return that nothing is known of creators."""
        return NO_CREATORS


def _is_for(deck: NamedDeck, game: ScriptGame) -> bool:
    if deck.owned or game.owned:
        return deck.owned and game.owned
    return game.rules == (
        rule_digest(built_in_text(deck.rules)) if deck.rules in BUILT_IN_RULES else deck.rules
    )
