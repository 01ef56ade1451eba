"""Proof by records that a seat has given away a card that it played (docs/protocol, 34).

Only the signatures of the seat count. No seat is named for what others did to a card, before they
gave it to the seat or after the seat gave it away. A trade may be void for many reasons that only
its parties know. The accused seat may therefore add records before the dispute is decided.
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
    """Read the records of a dispute, or of a dispute with its answer. Raises: Refused(BAD_ACTION)
    if they are too large in total or one is malformed.
    """
    given = tuple(raws)
    if sum(map(len, given)) > 2 * MAX_DISPUTE:
        raise Refused(Code.BAD_ACTION)
    try:
        return tuple(map(read_record, given))
    except RemoteError:
        raise Refused(Code.BAD_ACTION) from None


def gave_away(card: Owned, holder: bytes, records: tuple[LedgerRecord, ...]) -> bool:
    """Check whether these records prove that `holder` has given the card away after the trade that
    it shows, or gave it away twice.
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
        alarm.key == holder
        and _gives_away_twice(read.id, read.trade_id, holder, alarm.first, alarm.second)
        for alarm in seen.alarms
    ):
        return True
    return any(
        not seen.void(record.id) and _gives_away(record, read.id, read.trade_id, holder)
        for record in records
    )


def _gives_away(record: LedgerRecord, instance: bytes, prev: bytes | None, holder: bytes) -> bool:
    """Check whether a record is a trade in which `holder` gives this card away, as the next
    transfer after trade `prev`.
    """
    one = find_transfer(record.content, instance)
    return (
        one is not None
        and isinstance(record.content, Trade)
        and one.prev == prev
        and record.content.giver(one) == holder
    )


def _gives_away_twice(
    instance: bytes, prev: bytes | None, holder: bytes, first: LedgerRecord, second: LedgerRecord
) -> bool:
    """Check whether both records are trades by the holder for the same slot of this card. Alarms
    that contain a waive do not count here.
    """
    return _gives_away(first, instance, prev, holder) and _gives_away(
        second, instance, prev, holder
    )
