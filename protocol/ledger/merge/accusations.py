"""Which records name somebody together with another one: what is passed on to everybody, also
without its parents.
"""

from collections import defaultdict
from collections.abc import Iterable

from protocol.ledger.alarms import Claim, claims, pair
from protocol.ledger.record_contents import (Trade, Waive)
from protocol.ledger.records import Record
from protocol.ledger.record_set import RecordSet
from protocol.ledger.related_records import filed_under


def accusing(records: Iterable[Record], known: RecordSet) -> list[Record]:
    """Of these, those that some other one in the set contradicts, so that whoever has signed both
    is named.
    """
    asked = list(records)
    said: defaultdict[Claim, dict[bytes, Record]] = defaultdict(dict)
    for key in {key for record in asked for key in filed_under(record)}:
        for other in known.filed(key):
            for claim in claims(other.content):
                said[claim][other.id] = other
    proven = {claim for claim, records in said.items() if pair(records.values())}
    return [
        record
        for record in asked
        if not proven.isdisjoint(claims(record.content)) or _is_waived(record, known)
    ]


def _is_waived(record: Record, known: RecordSet) -> bool:
    """Whether it is a trade that one of the two has waived, or such a waive."""
    if isinstance(record.content, Waive):
        trade = known.get(record.content.trade)
        return trade is not None and _waives(record, trade)
    return any(_waives(other, record) for other in known.filed(record.id))


def _waives(waive: Record, trade: Record) -> bool:
    return (
        isinstance(waive.content, Waive)
        and isinstance(trade.content, Trade)
        and waive.content.trade == trade.id
        and waive.content.creator in (trade.content.a, trade.content.b)
    )
