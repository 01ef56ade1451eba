"""What a trade needs of everything that is known here. The player's collection is one; so are those
of tests.
"""

from collections.abc import Iterable
from typing import Protocol

from protocol.ledger.alarms import Alarm
from protocol.ledger.record_contents import CardTransfer, Trade
from protocol.ledger.records import LedgerRecord
from protocol.ledger.view import Holding


class OwnershipView(Protocol):
    """Who owns what: the part of a view that a trade asks."""

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """All that are known."""

    def holding(self, instance: bytes) -> Holding | None:
        """Who owns a card; None if it is not known."""

    def next_transfer(self, instance: bytes, sender_side: int) -> CardTransfer:
        """What a trade that its present owner gives it away by must say of it. Raises:
        LocalError.
        """

    def with_free_number(self, trade: Trade) -> Trade:
        """The same with the lowest number that no party has waived."""


class RecordMerge(Protocol):
    """Two record sets that are becoming one, by messages to and fro (chapter 25)."""

    @property
    def done(self) -> bool:
        """Whether nothing more is to come."""

    def outgoing(self) -> list[bytes]:
        """What to send, since the last call."""

    def received(self, message: bytes) -> list[LedgerRecord]:
        """Take in what the other sent, and give the records that are new, parents first. Raises:
        RemoteError.
        """


class CardStore(Protocol):
    """Records with their view and their images, on disk, and the trust marks of one person."""

    @property
    def view(self) -> OwnershipView:
        """Who owns what by the records that are here now."""

    def find(self, record: bytes) -> LedgerRecord | None:
        """A record, by its id."""

    def add(self, records: Iterable[LedgerRecord]) -> None:
        """Keep records: on disk and in the view when it returns. Those that are there already are
        no news.
        """

    def merge(self, salt: bytes, calling: bool, given: Iterable[bytes]) -> RecordMerge:
        """Begin to merge with somebody about these cards; they may have all that concerns them, and
        all alarms.
        """

    def image_digests(self, cards: Iterable[bytes]) -> Iterable[bytes]:
        """Digests of the images of these cards, as far as they are known, and of who made them."""

    def image(self, digest: bytes) -> bytes | None:
        """An image, if it is here. Raises: LocalError."""

    def store_images(self, images: Iterable[bytes]) -> int:
        """Keep the images that a record here names; how many that is. Raises: LocalError."""

    def witnesses(self, creator: bytes) -> tuple[tuple[bytes, ...], int]:
        """Whom a creator names as witnesses, and how many of them settle a trade; 0 of none if it
        is unknown.
        """

    def trust(self, key: bytes) -> bool | None:
        """What the person thinks of a key as a creator: trusted, distrusted, or None."""

    def trusted(self) -> tuple[bytes, ...]:
        """All keys that are trusted, ascending."""
