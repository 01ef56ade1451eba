"""Rules for the trades that a witness may sign: a trade must depend only on settled trades
(docs/protocol, 27.2).

All functions are pure. A conflict that no witness has decided is no reason to refuse: the first
trade offered wins. But a witness signs nothing that later attestations of other honest witnesses
could undo.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.conflicts import GivenPlace
from protocol.ledger.record_contents import (
    Attestation,
    CardTransfer,
    Creator,
    FraudProof,
    Instance,
    Trade,
    Waive,
)
from protocol.ledger.records import LedgerRecord, parents
from protocol.ledger.related_records import RecordSource, place_key
from protocol.ledger.trade_links import find_transfer, good_instance, links_hold
from protocol.ledger.view import LedgerView


@dataclass(frozen=True)
class TradeContext:
    """Context in which a trade is judged: records, and the view of all trades that it depends
    on. `never` and `quorums` have results of searches that many trades of the context repeat.
    """

    records: RecordSource
    view: LedgerView
    # by trade: whether it can never be certified
    never: dict[bytes, bool] = field(default_factory=dict)
    # by creator, and witnesses of a slot who signed another trade: whether a quorum is left
    quorums: dict[tuple[bytes, frozenset[bytes]], bool] = field(default_factory=dict)


def creator_revisions(records: RecordSource, card: bytes) -> list[Creator]:
    """Return all revisions of the `creator` record of this card's creator."""
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
    """Return the transfers of cards whose creators name this witness, and are served by it."""
    return tuple(
        one
        for one in trade.transfers
        if any(
            witness in maker.witnesses and serves(maker.creator)
            for maker in creator_revisions(records, one.instance)
        )
    )


def check_trade(known: TradeContext, record: LedgerRecord) -> None:
    """Check that an honest witness may sign a trade, if it has not signed a conflicting one.

    Raises: RemoteError(LACKING, NOT_OWNED, UNSETTLED); SPENT if other witnesses have settled
    another trade.
    """
    trade = record.content
    records = known.records
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
    """Yield other trades of this card that continue from the same place as this transfer."""
    found = records.ids_under(place_key(one))
    return (
        record for record in found if isinstance(record.content, Trade) and record.id != trade_id
    )


def can_never_be_certified(known: TradeContext, trade_id: bytes) -> bool:
    """Check that a trade, or one of its ancestors, can never be certified, whatever honest
    witnesses may still sign.
    """
    ahead = [trade_id]
    while ahead:
        name = ahead[-1]
        record = known.records.get(name)
        trade = None if record is None else record.content
        if name in known.never:
            ahead.pop()
        elif not isinstance(trade, Trade) or known.view.certified(name):
            known.never[name] = False
        else:
            before = [one.prev for one in trade.transfers if one.prev is not None]
            waits = [prev for prev in before if prev not in known.never]
            if waits:
                ahead += waits
            else:
                known.never[name] = any(map(known.never.__getitem__, before)) or any(
                    _is_barred(known, name, one) for one in trade.transfers
                )
    return known.never[trade_id]


def _is_barred(known: TradeContext, trade_id: bytes, one: CardTransfer) -> bool:
    """Check that another trade of this card is certified, or that too few witnesses remain for a
    quorum.
    """
    if any(known.view.certified(rival.id) for rival in rivals(known.records, trade_id, one)):
        return True
    card = known.records.get(one.instance)
    if card is None or not isinstance(card.content, Instance):
        return True
    gone = frozenset(
        word.creator for word in _attestations(known.records, one.slot) if word.trade != trade_id
    )
    key = card.content.creator, gone
    if key not in known.quorums:
        known.quorums[key] = any(
            maker.quorum and len(_honest(known.records, maker) - gone) >= maker.quorum
            for maker in creator_revisions(known.records, one.instance)
        )
    return not known.quorums[key]


def _honest(records: RecordSource, maker: Creator) -> set[bytes]:
    """Return a creator's witnesses without proven liars."""
    return {
        key
        for key in maker.witnesses
        if not any(isinstance(one.content, FraudProof) for one in records.ids_under(key))
    }


def _attestations(records: RecordSource, slot: bytes) -> Iterator[Attestation]:
    """Yield the attestations for a slot."""
    return (
        record.content
        for record in records.ids_under(slot)
        if isinstance(record.content, Attestation)
    )


def _check_replaced(known: TradeContext, trade: Trade, one: CardTransfer) -> None:
    """Check that the trades replaced by a transfer are dead, and not because of their sender, and
    that witnesses will never sign one of them.
    """
    giver = trade.giver(one)
    over: bytes | None = one.over
    while over is not None:
        record = known.records.get(over)
        if record is None:
            under = None
        else:
            under = find_transfer(record.content, one.instance)
        if under is None or over not in known.view.dead or _waived(known.records, over, (giver,)):
            raise RemoteError(Code.NOT_OWNED)
        if known.view.conflicts.conflict(GivenPlace(one.instance, one.prev, giver)):
            raise RemoteError(Code.NOT_OWNED)
        if not can_never_be_certified(known, over):
            raise RemoteError(Code.UNSETTLED)
        over = under.over


def _waived(records: RecordSource, trade_id: bytes, parties: tuple[bytes, ...]) -> bool:
    """Check that one of these parties has waived a trade."""
    words = (record.content for record in records.ids_under(trade_id))
    return any(isinstance(word, Waive) and word.creator in parties for word in words)


def _instances(records: RecordSource, links: dict[bytes, LedgerRecord]) -> dict[bytes, Instance]:
    """Return the instances among these records whose types are by the same creator."""
    found = {}
    for name, record in links.items():
        if isinstance(record.content, Instance):
            kind = records.get(record.content.type)
        else:
            kind = None
        if (
            isinstance(record.content, Instance)
            and kind is not None
            and good_instance(record.content, kind.content)
        ):
            found[name] = record.content
    return found
