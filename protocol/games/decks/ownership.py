"""What is asked of a seat's program about cards, where decks are brought."""

from collections.abc import Iterable
from typing import Protocol

from protocol.games.decks import Owned


class Ownership(Protocol):
    """What a seat's program knows of cards beside the log."""

    def accepts(self, card: Owned, holder: bytes) -> bool:
        """Whether, as far as it knows, this key owns a card that it is shown, and it may be
        played.
        """

    def counter_evidence(self, card: Owned, holder: bytes) -> tuple[bytes, ...]:
        """Records by which this key has given the card away since; none if it knows of none, or
        they do not fit.
        """

    def defence(self, card: Owned, said: Iterable[bytes]) -> tuple[bytes, ...]:
        """What it knows of a card of its own, beside what was said, and what becomes of those
        records by it.
        """


class NoOwnership:
    """Who has no cards of anybody's knows nothing against anybody."""

    def accepts(self, card: Owned, holder: bytes) -> bool:
        """Always: there is nothing to say against it."""
        return True

    def counter_evidence(self, card: Owned, holder: bytes) -> tuple[bytes, ...]:
        """Never any."""
        return ()

    def defence(self, card: Owned, said: Iterable[bytes]) -> tuple[bytes, ...]:
        """None."""
        return ()
