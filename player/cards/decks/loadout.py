"""Loadouts of a seat from the named decks of a data folder.

Every command of a player imports this module. The modules that read decks and the ledger take a
while to import, so the functions import them on first use.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from player.client.loadouts import Creators
from protocol.games.decks import Owned
from protocol.games.decks.deck_hand import Loadout
from protocol.games.decks.ownership import Ownership


class FolderOwnership:
    """The `Ownership` by the records of a data folder.

    The first question about an owned card reads the records; a match without owned cards never
    asks.
    """

    def __init__(self, data: Path, me: bytes) -> None:
        self._data = data
        self._me = me

    @cached_property
    def _ledger(self) -> Ownership:
        from player.cards.decks.deck_loading import load_ownership

        return load_ownership(self._data, self._me)

    def accepts(self, card: Owned, holder: bytes) -> bool:
        """Implement `Ownership.accepts`. Raises: LocalError if the file of cards is damaged."""
        return self._ledger.accepts(card, holder)

    def counter_evidence(self, card: Owned, holder: bytes) -> tuple[bytes, ...]:
        """Implement `Ownership.counter_evidence`. Raises: as `accepts`."""
        return self._ledger.counter_evidence(card, holder)

    def defence(self, card: Owned, said: Iterable[bytes]) -> tuple[bytes, ...]:
        """Implement `Ownership.defence`. Raises: as `accepts`."""
        return self._ledger.defence(card, said)


@dataclass(frozen=True)
class FolderLoadouts:
    """The `player.client.loadouts.Loadouts` of a data folder."""

    data: Path

    def load(self, me: bytes, deck: str | None, text: str = "") -> Loadout:
        """Load the deck `deck` (None: no deck) and the rule file `text` for the key `me`.

        A match that continues reads its own loadout from disk instead. Raises: LocalError if no
        such deck exists, or if one of its cards cannot be played (docs/protocol, 34.4).
        """
        if deck is None:
            loadout = Loadout(text=text)
        else:
            loadout = _deck(self.data, me, deck, text)
        return loadout._replace(ownership=FolderOwnership(self.data, me))

    def check_free(self, me: bytes, loadout: Loadout) -> None:
        """Check that the key `me` may still bring the owned cards of `loadout`.

        A person may trade while the match waits for other seats. Call this after the match is
        remembered on disk: then no trade begins after the check. Raises: LocalError.
        """
        owned = [card for card in loadout.cards if isinstance(card, Owned)]
        if owned:
            from player.cards.decks.deck_loading import check_free

            check_free(self.data, me, owned)

    def picture(self, digest: bytes) -> bytes | None:
        """Return the picture of a card with this digest; None if it is not stored. Raises:
        LocalError if the file of cards is damaged.
        """
        from player.cards.storage.ledger_store import stored_image

        return stored_image(self.data, digest)

    def creators(self, me: bytes) -> Creators:
        """Return what the person with the key `me` knows about creators of cards. Raises:
        LocalError if the file of cards is damaged.
        """
        from player.cards.decks.card_trust import known_creators

        return known_creators(self.data, me)


def load_proxies(data: Path, deck: str | None, text: str = "") -> Loadout:
    """Load a deck for a seat without a key of its person, such as a bot: it owns no cards.

    Raises: LocalError.
    """
    if deck is None:
        return Loadout(text=text)
    return _deck(data, b"", deck, text)


def _deck(data: Path, me: bytes, deck: str, text: str) -> Loadout:
    from player.cards.decks.deck_loading import load_deck

    return load_deck(data, me, deck, text)
