"""Chain of trades by which a card came from its creator to its owner (docs/protocol, 24.10).

A chain is judged by its own records. Somebody who knows nothing else can check it, and it proves
that two people with chains of one card cannot both be honest: together the chains have an alarm.
"""

from typing import NamedTuple

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.ledger.evidence import Searched, dead_trades, death_proof, is_undone_at
from protocol.ledger.record_contents import Instance, Trade, Waive
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord
from protocol.ledger.related_records import RecordSource
from protocol.ledger.trade_links import find_transfer, transfer_holds
from protocol.limits import MAX_OPENED_CARD


class CardChain(NamedTuple):
    """Trades of one card, each over the one before it or after it, from the creator on.

    `beside`: the waives that these trades list, and proofs that the trades which others are over
    are dead.
    """

    trades: tuple[LedgerRecord, ...] = ()
    beside: tuple[LedgerRecord, ...] = ()

    def moves(self, instance: bytes) -> tuple[LedgerRecord, ...]:
        """Return the trades by which the card moved: those that no other is over."""
        found = (find_transfer(record.content, instance) for record in self.trades)
        replaced = {one.over for one in found if one is not None}
        return tuple(record for record in self.trades if record.id not in replaced)


def find_chain(records: RecordSource, instance: bytes, last: bytes | None) -> CardChain:
    """Return the chain of a card up to the trade `last`, as far as its records are known.

    None for `last`: the card is with its creator.
    """
    trades: list[LedgerRecord] = []
    beside: dict[bytes, LedgerRecord] = {}
    replaced: list[bytes] = []
    name = last
    while name is not None:
        record = records.get(name)
        one = None if record is None else find_transfer(record.content, instance)
        if record is None or one is None or not isinstance(record.content, Trade):
            break
        trades.append(record)
        waives = map(records.get, record.content.waives)
        beside |= {waive.id: waive for waive in waives if waive is not None}
        if one.over is not None:
            replaced.append(one.over)
        name = one.prev if one.over is None else one.over
    searched = Searched(records)
    for name in replaced:
        proof = death_proof(records, name, MAX_OPENED_CARD, searched)
        beside |= {record.id: record for record in proof or ()}
    there = {record.id for record in trades}
    return CardChain(
        tuple(reversed(trades)), tuple(beside[name] for name in sorted(beside.keys() - there))
    )


def check_chain(instance: bytes, card: Instance, chain: CardChain) -> bytes:
    """Check a chain by its own records alone, and return the key of the card's owner.

    Raises: RemoteError(BAD_CONTENT) for a record of another kind. RemoteError(WRONG_LINK) if a
    trade does not continue from the one before it, or does not count; if nothing proves that a
    trade which the next one is over is dead; or if another one is dead by a waive, or at this card.
    """
    known = RecordSet((*chain.trades, *chain.beside))
    if not all(isinstance(record.content, Trade | Waive) for record in chain.beside):
        raise RemoteError(Code.BAD_CONTENT)
    owner = card.creator
    before: LedgerRecord | None = None
    replaced: set[bytes] = set()
    for record in chain.trades:
        trade = record.content
        if not isinstance(trade, Trade):
            raise RemoteError(Code.BAD_CONTENT)
        one = find_transfer(trade, instance)
        link = None if before is None else before.id
        if one is None or (one.prev if one.over is None else one.over) != link:
            raise RemoteError(Code.WRONG_LINK)
        came = None if one.prev is None else known.get(one.prev)
        below = None if one.over is None or before is None else before.content
        if not transfer_holds(trade, one, card, came and came.content, below):
            raise RemoteError(Code.WRONG_LINK)
        listed = map(known.get, trade.waives)
        if not all(waive is not None and isinstance(waive.content, Waive) for waive in listed):
            raise RemoteError(Code.WRONG_LINK)
        if one.over is not None:
            replaced.add(one.over)
        owner = trade.receiver(one)
        before = record
    moves = chain.moves(instance)
    if dead_trades(known, replaced) != replaced or any(
        is_undone_at(known, move.id, instance) for move in moves
    ):
        raise RemoteError(Code.WRONG_LINK)
    return owner
