"""Journal of signatures. Each signature must be on disk before it leaves, so that no slot is signed
away twice (docs/protocol, 26.6).

A signed trade is a **promise**. It counts from then on, with or without the other's signature. The
**standing** of a key is the number of all its promises and waives, with a digest of their ids. The
number only grows, so a smaller number on disk, or another digest, reveals an old copy.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from protocol.crypto.hashing import digest
from protocol.errors import LocalError
from protocol.identity.keys import Identity, verify
from protocol.ledger.record_codec import content_bytes, read_content
from protocol.ledger.record_contents import CardTransfer, Trade
from protocol.ledger.records import LedgerRecord, content_id, record_of, sign_content, waive_id
from protocol.ledger.related_records import place_key
from protocol.ledger.trade_links import find_transfer

_LABEL = "ledger standing"  # label of the signatures


@dataclass(frozen=True, slots=True)
class Promise:
    """A trade signed by one party. `partner_signature`: set if the other party signed first; the
    trade is finished then. `released`: the other party has waived the trade.
    """

    id: bytes
    trade: Trade
    me: bytes
    own_signature: bytes
    partner_signature: bytes | None = None
    released: bool = False

    @property
    def partner(self) -> bytes:
        """The other party's key."""
        if self.me == self.trade.a:
            return self.trade.b
        return self.trade.a

    @property
    def waive(self) -> bytes:
        """Id of the waive by which the partner releases the cards."""
        return waive_id(self.id, self.partner)

    @property
    def places(self) -> tuple[bytes, ...]:
        """Keys of the places of the given cards."""
        return tuple(place_key(one) for one in given_transfers(self.trade, self.me))

    @property
    def cards(self) -> tuple[bytes, ...]:
        """Instances of the given cards."""
        return tuple(one.instance for one in given_transfers(self.trade, self.me))

    def finished(self, theirs: bytes) -> LedgerRecord:
        """Return the record with the other party's signature. Raises:
        RemoteError(BAD_SIGNATURE).
        """
        if self.me == self.trade.a:
            both = (self.own_signature, theirs)
        else:
            both = (theirs, self.own_signature)
        return record_of(self.trade, *both)


def given_transfers(trade: Trade, me: bytes) -> tuple[CardTransfer, ...]:
    """Return the transfers of the cards that `me` gives."""
    return tuple(one for one in trade.transfers if trade.giver(one) == me)


def uncovered_promises(
    promises: Iterable[Promise], one: CardTransfer, waives: Iterable[bytes]
) -> tuple[Promise, ...]:
    """Return the promises at the place of a transfer that it does not cover, if its trade lists
    these waives.

    It covers what it is over, directly or further down, and what is listed by it or by those. Two
    promises of which neither covers the other name their giver once both are finished.
    """
    there = {promise.id: promise for promise in promises}
    covered: set[bytes] = set()
    listed = set(waives)
    over = one.over
    while over in there:
        covered.add(over)
        listed.update(there[over].trade.waives)
        below = find_transfer(there[over].trade, one.instance)
        over = None if below is None else below.over
    return tuple(
        promise
        for promise in there.values()
        if promise.id not in covered and promise.waive not in listed
    )


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
    """Number of promises and waives of a key, with the digest of their ids, signed by this key."""

    made: int
    digest: bytes
    signature: bytes


class JournalCount(NamedTuple):
    """Number of promises and waives, with the digest of their ids."""

    made: int
    digest: bytes


def count_signed(ids: Iterable[bytes], missing: int = 0) -> JournalCount:
    """Count what a key has signed: trades and waives, by their ids. `missing`: number of those
    whose ids are not known any more.
    """
    known = sorted(ids)
    return JournalCount(len(known) + missing, digest("ledger signed", *known))


def sign_standing(me: Identity, count: JournalCount) -> JournalStanding:
    """Sign one's own standing. Others store it, and show it to a journal that has forgotten
    signatures.
    """
    return JournalStanding(*count, me.sign(_LABEL, *count))


def check_standing(key: bytes, standing: JournalStanding) -> None:
    """Check this key's signature of its standing. Raises: RemoteError(BAD_SIGNATURE)."""
    verify(key, standing.signature, _LABEL, standing.made, standing.digest)


class SignatureJournal(Protocol):
    """Journal of one key, shared by all programs that sign with it. Every write is atomic, and on
    disk on return.
    """

    def sign_once(self, promised: Promise, *, warned: bool = False) -> None:
        """Write a promise. A repetition changes nothing.

        `warned`: the person has been warned that a card in it is reserved for another trade, and
        that finishing both creates an alarm. Raises: JournalRefusal if the trade does not cover
        another promise of one of its cards (`uncovered_promises`), if the trade was waived here, or
        if the journal is outdated (`is_outdated`).
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

    def promises_at(self, place: bytes) -> tuple[Promise, ...]:
        """Return the promises that give a card from this place, oldest first, finished or not."""

    def standing(self) -> JournalCount:
        """Return the number of promises and waives, with the digest of their ids."""

    def record_proven_count(self, count: JournalCount) -> None:
        """Note a proven number of promises and waives. If the journal never had this count, it is
        an old copy.
        """

    def is_outdated(self) -> bool:
        """Check for signatures that exist but are missing here. Then nothing is signed until they
        are found or given up.
        """

    def store_standing(self, key: bytes, standing: JournalStanding) -> None:
        """Store the newest signed standing of another key."""

    def standing_of(self, key: bytes) -> JournalStanding | None:
        """Return the newest stored standing of another key."""
