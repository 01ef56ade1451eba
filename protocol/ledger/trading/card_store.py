"""Interface of a trade to the stored records and images. The player's collection implements it, and
so do tests.
"""

from collections.abc import Iterable
from typing import Protocol

from protocol.ledger.alarms import Alarm
from protocol.ledger.record_contents import CardTransfer, Trade
from protocol.ledger.records import LedgerRecord
from protocol.ledger.view import Holding
from protocol.steps import Steps


class OwnershipView(Protocol):
    """Owners of cards: the part of a view that a trade needs."""

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """Known alarms."""

    def holding(self, instance: bytes) -> Holding | None:
        """Return the owner of a card; None for an unknown card."""

    def next_transfer(self, instance: bytes, sender_side: int) -> CardTransfer:
        """Return the transfer by which the present owner can give the card away. Raises:
        LocalError.
        """

    def listed_waives(self, instance: bytes) -> tuple[bytes, ...]:
        """Return the known waives that the next trade of a card must list."""

    def can_hold(self, trade: Trade) -> bool:
        """Check that a new trade holds once both have signed it, and names nobody."""

    def with_free_number(self, trade: Trade) -> Trade:
        """Return the trade with the lowest number that no party has waived."""


class RecordMerge(Protocol):
    """A merge of two record sets by messages in both directions (chapter 25)."""

    @property
    def listed(self) -> int:
        """Number of records that are compared."""

    @property
    def done(self) -> bool:
        """The merge is complete."""

    def outgoing(self) -> list[bytes]:
        """Return the messages to send since the last call."""

    def received(self, message: bytes) -> list[LedgerRecord]:
        """Process a message, and return new records, parents first. Raises: RemoteError."""


class CardStore(Protocol):
    """Records on disk with their view and their images, and one person's trust in creators."""

    @property
    def view(self) -> OwnershipView:
        """Owners of cards according to the present records."""

    def find(self, record: bytes) -> LedgerRecord | None:
        """Return a record by its id."""

    def add(self, records: Iterable[LedgerRecord]) -> None:
        """Store records: they are on disk and in the view on return. Known records are ignored."""

    def merge(self, salt: bytes, calling: bool, given: Iterable[bytes]) -> RecordMerge:
        """Begin a merge about the cards `given`. The other side may have all records about them,
        and all alarms.
        """

    def merge_steps(self, salt: bytes, calling: bool, given: Iterable[bytes]) -> Steps[RecordMerge]:
        """Begin a merge as `merge` does, in steps."""

    def image_digests(self, cards: Iterable[bytes]) -> Iterable[bytes]:
        """Return the digests of the images of these cards and of their creators, as far as they are
        known.
        """

    def image(self, digest: bytes) -> bytes | None:
        """Return an image, if it is stored. Raises: LocalError."""

    def store_images(self, images: Iterable[bytes]) -> int:
        """Store the images that a stored record names, and return their number. Raises:
        LocalError.
        """

    def witnesses(self, creator: bytes) -> tuple[tuple[bytes, ...], int]:
        """Return a creator's witnesses and quorum; empty and 0 for an unknown creator."""

    def trust(self, key: bytes) -> bool | None:
        """Return the person's trust in a creator: True, False, or None without a decision."""

    def trusted(self) -> tuple[bytes, ...]:
        """Return all trusted keys, ascending."""
