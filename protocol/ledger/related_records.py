"""Relations between records besides their links: index keys of a record, and keys of the records
that it needs.

The receiver of a card needs all records that determine its owner. These are competing trades of
former owners, waives, attestations, and later records of its creator. The links of the card's
history lead to none of them.

Not every record under a key is relevant to a card, and keys cost nothing. Without `relevant_ids`,
strangers could add so many records under a card's keys that nobody can accept its history any more.

Keys are ids, slots, public keys of creators, and places. No two of these are equal by chance.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from protocol.ledger.record_contents import (
    Attestation,
    CardRules,
    CardTransfer,
    CardType,
    Content,
    Creator,
    FraudProof,
    Instance,
    PrintRun,
    Trade,
    Waive,
)
from protocol.ledger.records import LedgerRecord
from protocol.ledger.trade_links import find_transfer
from protocol.steps import Steps


class RecordSource(Protocol):
    """Source of records: a `RecordSet`, or an overlay with additional records."""

    def get(self, name: bytes, /) -> LedgerRecord | None:
        """Return the record with this id."""

    def ids_under(self, key: bytes, /) -> Iterator[LedgerRecord]:
        """Yield the records with this index key, newest first."""


def index_keys(record: LedgerRecord) -> tuple[bytes, ...]:
    """Return the keys under which a record can be found. A trade has the keys of its places, of
    its cards, and of the trades that it is over.
    """
    match record.content:
        case Trade(transfers=transfers):
            over = (one.over for one in transfers if one.over is not None)
            return (*map(place_key, transfers), *(one.instance for one in transfers), *over)
        case Waive(trade=trade):
            return (trade,)
        case Attestation(trade=trade, slot=slot):
            return (trade, slot)
        case Creator(creator=key):
            return (key,)
        case CardType(type=root):
            return (root or record.id,)
        case PrintRun(copies=copies):
            return tuple(root for root, _ in copies)
        case FraudProof(creator=witness):
            return (witness,)
        case _:
            return ()


def companion_keys(record: LedgerRecord) -> tuple[bytes, ...]:
    """Return the keys of the records that are needed to judge a record."""
    match record.content:
        case Trade(transfers=transfers):
            return (record.id, *map(place_key, transfers), *(one.slot for one in transfers))
        case CardType(creator=key, type=root):
            return (key, root or record.id)
        case Instance(creator=key) | PrintRun(creator=key) | CardRules(creator=key):
            return (key,)
        case Attestation(creator=witness):
            return (witness,)
        case _:
            return ()


def place_key(transfer: CardTransfer) -> bytes:
    """Return the key of the place that a card continues from. All trades that give the card next,
    in parallel or as replacements, have this key.
    """
    return transfer.instance + (transfer.prev or b"first")


@dataclass
class Lookups:
    """Results of searches that many records of one closure repeat."""

    witnesses: dict[bytes, set[bytes]] = field(default_factory=dict)  # by creator
    slots: dict[bytes, dict[bytes, bytes]] = field(default_factory=dict)  # by trade: cards by slot

    def witnesses_of(self, creator: bytes, records: RecordSource) -> set[bytes]:
        """Return all witnesses that a creator has ever named."""
        if creator not in self.witnesses:
            makers = (record.content for record in records.ids_under(creator))
            self.witnesses[creator] = {
                key for maker in makers if isinstance(maker, Creator) for key in maker.witnesses
            }
        return self.witnesses[creator]

    def card_of(self, slot: bytes, name: bytes, trade: Trade) -> bytes | None:
        """Return the card of a slot of a trade."""
        if name not in self.slots:
            self.slots[name] = {one.slot: one.instance for one in trade.transfers}
        return self.slots[name].get(slot)


def relevant_ids(key: bytes, records: RecordSource, lookups: Lookups) -> Steps[list[bytes]]:
    """Return the ids of the relevant records under a key, in the order of their arrival.

    Relevant are trades by the owner of the card at this place, waives by parties of a known trade,
    and one attestation of each named witness.
    """
    found: dict[object, bytes] = {}
    for record in reversed(list(records.ids_under(key))):
        yield
        if _counts(key, record.content, records, lookups):
            found.setdefault(_duplicate_key(record), record.id)
    return list(found.values())


def _duplicate_key(record: LedgerRecord) -> object:
    """Return a key that is equal for records of which one is enough."""
    match record.content:
        case Attestation(creator=witness, slot=slot, trade=trade):
            return witness, slot, trade
        case _:
            return record.id


def _counts(key: bytes, content: Content, records: RecordSource, lookups: Lookups) -> bool:
    match content:
        case Trade():
            return any(
                _giver_has_card(content, one, records)
                for one in content.transfers
                if key in (one.instance, place_key(one))
            )
        case Waive(creator=party, trade=name):
            trade = _trade(records.get(name))
            return trade is not None and party in (trade.a, trade.b)
        case Attestation(creator=witness, slot=slot, trade=name):
            trade = _trade(records.get(name))
            card = None if trade is None else lookups.card_of(slot, name, trade)
            made = None if card is None else records.get(card)
            return (
                made is not None
                and isinstance(made.content, Instance)
                and witness in lookups.witnesses_of(made.content.creator, records)
            )
        case _:
            return True


def _giver_has_card(trade: Trade, one: CardTransfer, records: RecordSource) -> bool:
    """Check that the giver of a card had it at this place: `prev` gave the card to the giver, or
    the giver made it.
    """
    if one.prev is None:
        card = records.get(one.instance)
        return (
            card is not None
            and isinstance(card.content, Instance)
            and card.content.creator == trade.giver(one)
        )
    before = _trade(records.get(one.prev))
    got = find_transfer(before, one.instance)
    return before is not None and got is not None and before.receiver(got) == trade.giver(one)


def _trade(record: LedgerRecord | None) -> Trade | None:
    if record is not None and isinstance(record.content, Trade):
        return record.content
    return None
