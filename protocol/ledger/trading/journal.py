"""Journal of signatures. Each signature must be on disk before it leaves, so that no slot is signed
away twice (docs/protocol, 26.6).

A signed trade is a **promise**. It counts from then on, with or without the other's signature. The
**standing** of a key is the number of all its promises and waives. It only grows, so a smaller
standing on disk reveals an old copy.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from protocol.errors import LocalError
from protocol.identity.keys import Identity, verify
from protocol.ledger.record_codec import content_bytes, read_content
from protocol.ledger.record_contents import Trade
from protocol.ledger.records import LedgerRecord, content_id, record_of, sign_content

_LABEL = "ledger standing"  # label of the signatures


@dataclass(frozen=True, slots=True)
class Promise:
    """A trade signed by one party. `partner_signature`: set if the other party signed first; the
    trade is finished then.
    """

    id: bytes
    trade: Trade
    me: bytes
    own_signature: bytes
    partner_signature: bytes | None = None

    @property
    def partner(self) -> bytes:
        """The other party's key."""
        if self.me == self.trade.a:
            return self.trade.b
        return self.trade.a

    @property
    def slots(self) -> tuple[bytes, ...]:
        """Slots of the given cards."""
        return tuple(one.slot for one in self.trade.transfers if self.trade.giver(one) == self.me)

    @property
    def cards(self) -> tuple[bytes, ...]:
        """Instances of the given cards."""
        return tuple(
            one.instance for one in self.trade.transfers if self.trade.giver(one) == self.me
        )

    def finished(self, theirs: bytes) -> LedgerRecord:
        """Return the record with the other party's signature. Raises:
        RemoteError(BAD_SIGNATURE).
        """
        if self.me == self.trade.a:
            both = (self.own_signature, theirs)
        else:
            both = (theirs, self.own_signature)
        return record_of(self.trade, *both)


def sign_promise(me: Identity, trade: Trade, theirs: bytes | None = None) -> Promise:
    """Sign a trade. Nobody may see the signature before `SignatureJournal.sign_once` has returned.

    Raises: RemoteError(BAD_CONTENT) for an invalid trade, with too many cards or a duplicate. A
    seller's pack can cause this, and a journal with such a trade could not be read again.
    """
    read_content(content_bytes(trade))
    return Promise(content_id(trade), trade, me.public, sign_content(me, trade), theirs)


class JournalRefusal(LocalError):
    """The journal does not permit a signature: another trade has the slot, or the journal is an old
    copy.
    """


class JournalStanding(NamedTuple):
    """Number of promises and waives of a key, signed by this key."""

    made: int
    signature: bytes


def sign_standing(me: Identity, made: int) -> JournalStanding:
    """Sign one's own standing. Others store it, and show it to a journal that has forgotten
    signatures.
    """
    return JournalStanding(made, me.sign(_LABEL, made))


def check_standing(key: bytes, standing: JournalStanding) -> None:
    """Check this key's signature of its standing. Raises: RemoteError(BAD_SIGNATURE)."""
    verify(key, standing.signature, _LABEL, standing.made)


class SignatureJournal(Protocol):
    """Journal of one key, shared by all programs that sign with it. Every write is atomic, and on
    disk on return.
    """

    def sign_once(self, promised: Promise, *, warned: bool = False) -> None:
        """Write a promise. A repetition changes nothing.

        `warned`: the person has been warned that a card in it is reserved for another trade, and
        that finishing both creates an alarm. Raises: JournalRefusal if another trade has one of the
        slots, if the trade was waived here, or if the journal is outdated (`is_outdated`).
        """

    def waive_once(self, waive: LedgerRecord) -> None:
        """Write a waive.

        Raises: JournalRefusal if the trade was signed here, or the journal is outdated.
        """

    def finish(self, trade: bytes, theirs: bytes) -> None:
        """Note the other party's signature: the cards are no longer reserved, but gone."""

    def release(self, trade: bytes) -> None:
        """Note the other party's waive: the cards are no longer reserved."""

    def promise_of(self, trade: bytes) -> Promise | None:
        """Return the promise for this trade."""

    def waive_of(self, trade: bytes) -> LedgerRecord | None:
        """Return the waive of this trade."""

    def reserved(self) -> tuple[Promise, ...]:
        """Return the promises without an answer, oldest first: neither finished nor released."""

    def released(self, card: bytes) -> tuple[Promise, ...]:
        """Return the promises of this card that the other party has waived. A later trade of the
        card needs these waives.
        """

    def standing(self) -> int:
        """Return the number of promises and waives."""

    def record_proven_count(self, made: int) -> None:
        """Note a proven number of promises and waives."""

    def is_outdated(self) -> bool:
        """Check for signatures that exist but are missing here. Then nothing is signed until they
        are found or given up.
        """

    def store_standing(self, key: bytes, standing: JournalStanding) -> None:
        """Store the newest signed standing of another key."""

    def standing_of(self, key: bytes) -> JournalStanding | None:
        """Return the newest stored standing of another key."""
