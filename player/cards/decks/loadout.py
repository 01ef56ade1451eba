"""What a seat brings to a match. What reads decks and cards takes a while to import: it is, once
there are any.
"""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from protocol.games.decks import Owned
from protocol.games.decks.deck_hand import Loadout
from protocol.games.decks.ownership import Ownership


class KnowsFolder:
    """What a data folder knows of cards (`Ownership`): read when it is first asked, which only
    owned cards do.
    """

    def __init__(self, data: Path, me: bytes) -> None:
        self._data, self._me = data, me

    @cached_property
    def _ledger(self) -> Ownership:
        from player.cards.decks.deck_loading import known_of

        return known_of(self._data, self._me)

    def accepts(self, card: Owned, holder: bytes) -> bool:
        """See `Ownership`. Raises: LocalError if the file of cards is damaged."""
        return self._ledger.accepts(card, holder)

    def counter_evidence(self, card: Owned, holder: bytes) -> tuple[bytes, ...]:
        """See `Ownership`. Raises: as `accepts`."""
        return self._ledger.counter_evidence(card, holder)

    def defence(self, card: Owned, said: Iterable[bytes]) -> tuple[bytes, ...]:
        """See `Ownership`. Raises: as `accepts`."""
        return self._ledger.defence(card, said)


def brings_of(data: Path, me: bytes, deck: str | None, text: str = "") -> Loadout:
    """What a seat of this key brings: the deck of this name, if any, and the rule file with this
    text. A match that goes on has its own from its disk.

    Raises: LocalError if there is no such deck, or one of its cards had better not be played
    (docs/protocol, 34.4).
    """
    brings = Loadout(text=text) if deck is None else _deck(data, me, deck, text)
    return brings._replace(ownership=KnowsFolder(data, me))


def proxies_of(data: Path, deck: str | None, text: str = "") -> Loadout:
    """The same for a seat that has no key of its person's, and so owns nothing. Raises:
    LocalError.
    """
    return Loadout(text=text) if deck is None else _deck(data, b"", deck, text)


def check_still_free(data: Path, me: bytes, brings: Loadout) -> None:
    """Whether this key may still bring these cards, which it could when they were chosen: somebody
    who waits may trade.

    For a match that is remembered already, so that no trade begins after the question. Raises:
    LocalError.
    """
    owned = [card for card in brings.cards if isinstance(card, Owned)]
    if owned:
        from player.cards.decks.deck_loading import check_free

        check_free(data, me, owned)


def _deck(data: Path, me: bytes, deck: str, text: str) -> Loadout:
    from player.cards.decks.deck_loading import named_deck

    return named_deck(data, me, deck, text)
