"""Interface by which a match asks a seat's program about ownership of cards."""

from collections.abc import Iterable
from typing import Protocol

from protocol.games.decks import Owned


class Ownership(Protocol):
    """Oracle: a program's knowledge about cards, in addition to the log of the match."""

    def accepts(self, card: Owned, holder: bytes) -> bool:
        """Check whether, by this knowledge, `holder` owns the card and may play it, and whether the
        person wants to play against cards of its creator.
        """

    def counter_evidence(self, card: Owned, holder: bytes) -> tuple[bytes, ...]:
        """Find records which prove that `holder` has given the card away since, or has undone a
        trade by which it came. Empty if none are known, or if they do not fit into a dispute.
        """

    def defence(self, card: Owned, said: Iterable[bytes]) -> tuple[bytes, ...]:
        """Find a record that refutes the accusation `said` against a card of this program. Empty if
        there is none.
        """


class NoOwnership:
    """Oracle without any knowledge: it accepts every card."""

    def accepts(self, card: Owned, holder: bytes) -> bool:
        return True

    def counter_evidence(self, card: Owned, holder: bytes) -> tuple[bytes, ...]:
        return ()

    def defence(self, card: Owned, said: Iterable[bytes]) -> tuple[bytes, ...]:
        return ()
