"""Whether records prove that a seat has given away a card that it played (docs/protocol, 34).

What counts is who signed: nobody is named for what others did to a card, before it came to the seat
or after. A trade may be void for many reasons, which only its parties may know; so who is accused
may add what it knows before anything is decided.
"""

from collections.abc import Iterable

from protocol.codes import Code
from protocol.errors import Refused, RemoteError
from protocol.games.decks import Owned
from protocol.games.decks.slot_commitments import read_owned
from protocol.ledger.record_contents import Trade
from protocol.ledger.records import LedgerRecord, read_record
from protocol.ledger.view import evaluate, find_transfer
from protocol.limits import MAX_DISPUTE


def read_evidence(raws: Iterable[bytes]) -> tuple[LedgerRecord, ...]:
    """The records of a dispute and its answer. Raises: Refused(BAD_ACTION) if one is none, or they
    are too many.
    """
    given = tuple(raws)
    if sum(map(len, given)) > 2 * MAX_DISPUTE:
        raise Refused(Code.BAD_ACTION)
    try:
        return tuple(map(read_record, given))
    except RemoteError:
        raise Refused(Code.BAD_ACTION) from None


def gave_away(card: Owned, holder: bytes, records: tuple[LedgerRecord, ...]) -> bool:
    """Whether by these records `holder`, after the trade that it shows, has given the card away, or
    twice.
    """
    read = read_owned(card)
    own = tuple(
        map(
            read_record,
            (card.instance, *card.types, *(() if card.trade is None else (card.trade,))),
        )
    )
    seen = evaluate((*own, *records))
    if any(
        alarm.key == holder and _both_of(read.id, read.trade_id, holder, alarm.first, alarm.second)
        for alarm in seen.alarms
    ):
        return True
    return any(
        not seen.void(record.id) and _gives(record, read.id, read.trade_id, holder)
        for record in records
    )


def _gives(record: LedgerRecord, instance: bytes, prev: bytes | None, holder: bytes) -> bool:
    """Whether a trade gives this card from there on, by this key."""
    one = find_transfer(record.content, instance)
    return (
        one is not None
        and isinstance(record.content, Trade)
        and one.prev == prev
        and record.content.giver(one) == holder
    )


def _both_of(
    instance: bytes, prev: bytes | None, holder: bytes, first: LedgerRecord, second: LedgerRecord
) -> bool:
    """Whether two trades are the holder's, of one slot of this card. A waive in an alarm is of no
    account here.
    """
    return _gives(first, instance, prev, holder) and _gives(second, instance, prev, holder)
