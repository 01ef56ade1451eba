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


def relevant_ids(key: bytes, records: RecordSource) -> list[bytes]:
    """Return the ids of the relevant records under a key, in the order of their arrival.

    Relevant are trades by the owner of the card at this place, waives by parties of a known trade,
    and one attestation of each named witness.
    """
    found: dict[object, bytes] = {}
    for record in reversed(list(records.ids_under(key))):
        if _counts(key, record.content, records):
            found.setdefault(_duplicate_key(record), record.id)
    return list(found.values())


def _duplicate_key(record: LedgerRecord) -> object:
    """Return a key that is equal for records of which one is enough."""
    match record.content:
        case Attestation(creator=witness, slot=slot, trade=trade):
            return witness, slot, trade
        case _:
            return record.id


def _counts(key: bytes, content: Content, records: RecordSource) -> bool:
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
            if trade is not None:
                cards = [one.instance for one in trade.transfers if one.slot == slot]
            else:
                cards = []
            return any(_is_named_witness(records.get(card), witness, records) for card in cards)
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


def _is_named_witness(card: LedgerRecord | None, witness: bytes, records: RecordSource) -> bool:
    """Check that the creator of a card has ever named this witness."""
    if card is None or not isinstance(card.content, Instance):
        return False
    makers = (record.content for record in records.ids_under(card.content.creator))
    return any(isinstance(maker, Creator) and witness in maker.witnesses for maker in makers)


def _trade(record: LedgerRecord | None) -> Trade | None:
    if record is not None and isinstance(record.content, Trade):
        return record.content
    return None
