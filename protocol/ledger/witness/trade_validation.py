"""Whether a witness may sign a trade: that it stands by itself, on walls alone (docs/protocol,
27.2).

Pure questions about what is known. Conflicts that no witness has decided are no reason to refuse:
the first one offered wins. But nothing is signed that a later word of another honest witness could
pull down.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple, Protocol

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.record_contents import (
    Attestation,
    CardTransfer,
    Creator,
    FraudProof,
    Instance,
    Trade,
    Waive,
)
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, parents
from protocol.ledger.related_records import index_keys, place_key
from protocol.ledger.view import LedgerView, find_transfer, good_instance, links_hold


class RecordSource(Protocol):
    """Where records are looked up: a `RecordSet`, or one with more laid over it."""

    def get(self, name: bytes, /) -> LedgerRecord | None:
        """The record with this id."""

    def ids_under(self, key: bytes, /) -> Iterator[LedgerRecord]:
        """What is filed under a key."""


class RecordOverlay:
    """A set of records, and some more that are not in it; the set stays as it is."""

    def __init__(self, below: RecordSet, more: Iterable[LedgerRecord]) -> None:
        self._below = below
        self.more = {record.id: record for record in more if record.id not in below}
        self._filed: dict[bytes, list[LedgerRecord]] = {}
        for record in self.more.values():
            for key in index_keys(record):
                self._filed.setdefault(key, []).append(record)

    def get(self, name: bytes) -> LedgerRecord | None:
        """The record with this id."""
        return self.more.get(name) or self._below.get(name)

    def ids_under(self, key: bytes) -> Iterator[LedgerRecord]:
        """What is filed under a key."""
        return chain(self._filed.get(key, ()), self._below.ids_under(key))


class TradeContext(NamedTuple):
    """What is known when a trade is judged: the records, and what they say of everything that the
    trade rests on.
    """

    records: RecordSource
    view: LedgerView


def creator_revisions(records: RecordSource, card: bytes) -> list[Creator]:
    """All revisions of the record of who made this card."""
    it = records.get(card)
    if it is None or not isinstance(it.content, Instance):
        return []
    filed = records.ids_under(it.content.creator)
    return [record.content for record in filed if isinstance(record.content, Creator)]


def transfers_in_charge(
    witness: bytes,
    records: RecordSource,
    trade: Trade,
    serves: Callable[[bytes], bool] = lambda creator: True,
) -> tuple[CardTransfer, ...]:
    """The transfers of cards whose creators name this witness, and are served by it."""
    return tuple(
        one
        for one in trade.transfers
        if any(
            witness in maker.witnesses and serves(maker.creator)
            for maker in creator_revisions(records, one.instance)
        )
    )


def check_trade(known: TradeContext, record: LedgerRecord) -> None:
    """Check that a trade may be signed by an honest witness that has signed nothing against it.

    Raises: RemoteError: LACKING, NOT_OWNED, UNSETTLED, or SPENT if others have settled another
    trade.
    """
    trade, records = record.content, known.records
    assert isinstance(trade, Trade)
    links = {name: found for name in parents(trade) if (found := records.get(name)) is not None}
    if len(links) < len(parents(trade)):
        raise RemoteError(Code.LACKING)
    if not links_hold(trade, links, _instances(records, links)) or _waived(
        records, record.id, (trade.a, trade.b)
    ):
        raise RemoteError(Code.NOT_OWNED)
    for one in trade.transfers:
        if one.prev is not None and not known.view.certified(one.prev):
            raise RemoteError(Code.UNSETTLED)
        if any(known.view.certified(rival.id) for rival in rivals(records, record.id, one)):
            raise RemoteError(Code.SPENT)
        if one.over is not None:
            _check_replaced(known, trade, one)


def rivals(records: RecordSource, trade_id: bytes, one: CardTransfer) -> Iterator[LedgerRecord]:
    """Other trades that give this card on from where this transfer does."""
    found = records.ids_under(place_key(one))
    return (
        record for record in found if isinstance(record.content, Trade) and record.id != trade_id
    )


def can_never_be_certified(known: TradeContext, trade_id: bytes) -> bool:
    """Whether a trade can never be certified, nor what it rests on: whatever honest witnesses may
    still sign.
    """
    ahead, done = [trade_id], set[bytes]()
    while ahead:
        name = ahead.pop()
        record = known.records.get(name)
        if (
            name in done
            or record is None
            or not isinstance(record.content, Trade)
            or known.view.certified(name)
        ):
            continue
        done.add(name)
        if any(_barred(known, name, one) for one in record.content.transfers):
            return True
        ahead += (one.prev for one in record.content.transfers if one.prev is not None)
    return False


def _barred(known: TradeContext, trade_id: bytes, one: CardTransfer) -> bool:
    """Whether too few witnesses are left for this card, or another trade of it is certified."""
    if any(known.view.certified(rival.id) for rival in rivals(known.records, trade_id, one)):
        return True
    gone = {word.creator for word in _words(known.records, one.slot) if word.trade != trade_id}
    return not any(
        maker.quorum and len(_honest(known.records, maker) - gone) >= maker.quorum
        for maker in creator_revisions(known.records, one.instance)
    )


def _honest(records: RecordSource, maker: Creator) -> set[bytes]:
    """The witnesses that a creator names, without proven liars."""
    return {
        key
        for key in maker.witnesses
        if not any(isinstance(one.content, FraudProof) for one in records.ids_under(key))
    }


def _words(records: RecordSource, slot: bytes) -> Iterator[Attestation]:
    """What witnesses have said of a slot."""
    return (
        record.content
        for record in records.ids_under(slot)
        if isinstance(record.content, Attestation)
    )


def _check_replaced(known: TradeContext, trade: Trade, one: CardTransfer) -> None:
    """Check that what a transfer is over is void, not by its sender's doing, and will be for
    ever.
    """
    giver = trade.giver(one)
    over: bytes | None = one.over
    while over is not None:
        record = known.records.get(over)
        under = None if record is None else find_transfer(record.content, one.instance)
        if under is None or not known.view.void(over) or _waived(known.records, over, (giver,)):
            raise RemoteError(Code.NOT_OWNED)
        if len(known.view.standing.get(("trade", under.slot, giver), ())) > 1:
            raise RemoteError(Code.NOT_OWNED)
        if not can_never_be_certified(known, over):
            raise RemoteError(Code.UNSETTLED)
        over = under.over


def _waived(records: RecordSource, trade_id: bytes, parties: tuple[bytes, ...]) -> bool:
    """Whether one of these says to have never finished a trade."""
    words = (record.content for record in records.ids_under(trade_id))
    return any(isinstance(word, Waive) and word.creator in parties for word in words)


def _instances(records: RecordSource, links: dict[bytes, LedgerRecord]) -> dict[bytes, Instance]:
    """Those of these that are instances of a type by its own creator."""
    found = {}
    for name, record in links.items():
        kind = records.get(record.content.type) if isinstance(record.content, Instance) else None
        if (
            isinstance(record.content, Instance)
            and kind is not None
            and good_instance(record.content, kind.content)
        ):
            found[name] = record.content
    return found
