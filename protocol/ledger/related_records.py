"""What belongs together beside the links: keys that a record is filed under, and those whose
records it brings along.

Who is given a card has to see all that decides whose it is: what else its owners did with it where
this trade stands, waives, witnesses' words, and what its creator has said since. None of that
stands in a link of the card's history.

What is filed under a key need not bear on whose card it is, and keys cost nothing: without
`relevant_ids`, strangers could file so much under somebody's card that nobody can take its history
any more.

Keys are what the records speak of: ids, slots, keys of creators, places. No two of these are alike
by chance.
"""

from collections.abc import Callable, Iterable

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
from protocol.ledger.view import find_transfer
from protocol.limits import MAX_WAIVES_UNKNOWN

_Get = Callable[[bytes], LedgerRecord | None]
_Filed = Callable[[bytes], Iterable[LedgerRecord]]


def index_keys(record: LedgerRecord) -> tuple[bytes, ...]:
    """The keys under which others find it. Of a trade: its places, and its cards, whose history it
    is part of.
    """
    match record.content:
        case Trade(transfers=transfers):
            return (*map(place_key, transfers), *(one.instance for one in transfers))
        case Waive(trade=trade, slots=slots):
            return (trade, *slots)
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
    """The keys under which stands what has to be seen with it."""
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
    """Where a card goes on from: under this are all trades that give it next, beside or over one
    another.
    """
    return transfer.instance + (transfer.prev or b"first")


def relevant_ids(key: bytes, get: _Get, filed: _Filed) -> list[bytes]:
    """Ids of those that count, in the order in which they came: trades by who has the card there;
    one waive of each party; of each witness that is named one word. Of waives whose trade is not
    known, the first `MAX_WAIVES_UNKNOWN`.

    `get`: a record by its id; `filed`: what is filed under a key, newest first.
    """
    found: dict[object, bytes] = {}
    unknown = 0
    for record in reversed(list(filed(key))):
        content = record.content
        if isinstance(content, Waive) and get(content.trade) is None:
            unknown += 1
            if unknown > MAX_WAIVES_UNKNOWN:
                continue
        elif not _counts(key, content, get, filed):
            continue
        found.setdefault(_said(record), record.id)
    return list(found.values())


def _said(record: LedgerRecord) -> object:
    """Alike for records of which one is enough."""
    match record.content:
        case Waive(creator=party, trade=trade):
            return party, trade
        case Attestation(creator=witness, slot=slot, trade=trade):
            return witness, slot, trade
        case _:
            return record.id


def _counts(key: bytes, content: Content, get: _Get, filed: _Filed) -> bool:
    match content:
        case Trade():
            return any(
                _has(content, one, get)
                for one in content.transfers
                if key in (one.instance, place_key(one))
            )
        case Waive(creator=party, trade=name):
            trade = _trade(get(name))
            return (
                trade is not None
                and party in (trade.a, trade.b)
                and (key == name or key in _slots(trade))
            )
        case Attestation(creator=witness, slot=slot, trade=name):
            trade = _trade(get(name))
            cards = (
                [one.instance for one in trade.transfers if one.slot == slot]
                if trade is not None
                else []
            )
            return any(_names(get(card), witness, filed) for card in cards)
        case _:
            return True


def _has(trade: Trade, one: CardTransfer, get: _Get) -> bool:
    """Whether who gives the card had it there: was given it by `prev`, or made it."""
    if one.prev is None:
        card = get(one.instance)
        return (
            card is not None
            and isinstance(card.content, Instance)
            and card.content.creator == trade.giver(one)
        )
    before = _trade(get(one.prev))
    got = find_transfer(before, one.instance)
    return before is not None and got is not None and before.receiver(got) == trade.giver(one)


def _names(card: LedgerRecord | None, witness: bytes, filed: _Filed) -> bool:
    """Whether who made a card has ever named this witness."""
    if card is None or not isinstance(card.content, Instance):
        return False
    makers = (record.content for record in filed(card.content.creator))
    return any(isinstance(maker, Creator) and witness in maker.witnesses for maker in makers)


def _trade(record: LedgerRecord | None) -> Trade | None:
    return record.content if record is not None and isinstance(record.content, Trade) else None


def _slots(trade: Trade) -> set[bytes]:
    return {one.slot for one in trade.transfers}
