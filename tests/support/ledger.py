"""People, cards and trades for tests of the ledger."""

from collections.abc import Iterable

from protocol.identity.keys import Identity
from protocol.ledger.record_codec import content_bytes
from protocol.ledger.record_contents import (
    Attestation,
    CardTransfer,
    CardType,
    Creator,
    FraudProof,
    Instance,
    Trade,
    Waive,
)
from protocol.ledger.records import LedgerRecord, content_id, sign_record, waive_of
from protocol.ledger.trade_links import transfer_of
from protocol.ledger.view import LedgerView

MAKER, ANN, BOB, CAROL, DAN, EVE = (Identity(bytes([number]) * 32) for number in range(1, 7))
WITNESSES = tuple(
    sorted((Identity(bytes([number]) * 32) for number in range(50, 54)), key=lambda one: one.public)
)
TYPE = sign_record(
    CardType(MAKER.public, None, 0, None, "Salamander", "First", None, (("fire", 3),), True, ""),
    MAKER,
)


def maker(
    witnesses: int = 0, quorum: int = 0, revision: int = 0, by: Identity = MAKER
) -> LedgerRecord:
    """Make the creator's record with this many witnesses."""
    named = tuple(one.public for one in WITNESSES[:witnesses])
    previous = None if revision == 0 else bytes(32)
    return sign_record(Creator(by.public, revision, previous, "Maker", None, "", named, quorum), by)


def card(serial: int, kind: LedgerRecord = TYPE, by: Identity = MAKER) -> LedgerRecord:
    """Make a copy of a card."""
    return sign_record(Instance(by.public, kind.id, serial, bytes(16)), by)


def slot_of(card_id: bytes, prev: bytes | None = None, over: bytes | None = None) -> CardTransfer:
    """Make the links of a transfer. `trade_of` fills in the sender. The index is 0 or 1."""
    return CardTransfer(card_id, 0, int(prev is not None or over is not None), prev, over)


def trade_of(
    giver: Identity,
    taker: Identity,
    gives: Iterable[CardTransfer],
    takes: Iterable[CardTransfer] = (),
    waives: Iterable[LedgerRecord] = (),
) -> Trade:
    """Make a trade. The indices of its transfers stay as they are."""
    a, b = sorted((giver.public, taker.public))
    sides = [(one, giver.public != a) for one in gives] + [
        (one, taker.public != a) for one in takes
    ]
    made = [
        CardTransfer(one.instance, int(side), one.index, one.prev, one.over) for one, side in sides
    ]
    listed = tuple(sorted(one.id for one in waives))
    return Trade(a, b, tuple(sorted(made, key=lambda one: one.instance)), waives=listed)


def traded(
    giver: Identity,
    taker: Identity,
    gives: Iterable[CardTransfer],
    takes: Iterable[CardTransfer] = (),
    waives: Iterable[LedgerRecord] = (),
) -> LedgerRecord:
    """Make a trade, signed by both parties."""
    return sign_record(trade_of(giver, taker, gives, takes, waives), giver, taker)


def free(seen: LedgerView, *cards: LedgerRecord) -> list[CardTransfer]:
    """Return the transfers with which the present owners can give these cards."""
    return [seen.next_transfer(one.id, 0) for one in cards]


def waive(trade: LedgerRecord, by: Identity) -> LedgerRecord:
    """Make the record by which a party waives a trade."""
    assert isinstance(trade.content, Trade)
    return sign_record(waive_of(trade.content, by.public), by)


def seen(trade: LedgerRecord, card_: LedgerRecord, by: Identity, position: int = 0) -> LedgerRecord:
    """Make a witness's signature on one card of a trade."""
    assert isinstance(trade.content, Trade)
    return sign_record(
        Attestation(by.public, transfer_of(trade.content, card_.id).slot, trade.id, position), by
    )


def bare(
    content: CardType | Creator | Instance | FraudProof | Attestation | Trade | Waive,
) -> LedgerRecord:
    """Make a record without signatures, because views do not check them."""
    return LedgerRecord(content_bytes(content), content_id(content), content)


def same(one: LedgerView, other: LedgerView) -> bool:
    """Check that two views agree."""
    return summary(one) == summary(other)


def summary(it: LedgerView) -> tuple[object, ...]:
    """Return all contents of a view."""
    return (
        {key: it.holding(key) for key in it.instances},
        {owner: held for owner in it.holdings if (held := it.held_by(owner))},
        {key: (it.void(key), it.certified(key)) for key in it.trades},
        [(alarm.key, alarm.first.id, alarm.second.id) for alarm in it.alarms],
    )
