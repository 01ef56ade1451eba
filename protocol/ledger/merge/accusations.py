"""Accusations: records that prove a cheat together with another record. They are passed on to
everybody, even without their parents.
"""

from collections import defaultdict
from collections.abc import Iterable

from protocol.ledger.alarms import Claim, claims, contradicting_pair
from protocol.ledger.record_contents import Trade, Waive
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord
from protocol.ledger.related_records import index_keys


def accusing_records(records: Iterable[LedgerRecord], known: RecordSet) -> list[LedgerRecord]:
    """Return the records that contradict another record in `known`, and so prove that their signer
    cheated.
    """
    asked = list(records)
    said: defaultdict[Claim, dict[bytes, LedgerRecord]] = defaultdict(dict)
    for key in {key for record in asked for key in index_keys(record)}:
        for other in known.ids_under(key):
            for claim in claims(other.content):
                said[claim][other.id] = other
    proven = {claim for claim, records in said.items() if contradicting_pair(records.values())}
    return [
        record
        for record in asked
        if not proven.isdisjoint(claims(record.content)) or _is_waived(record, known)
    ]


def _is_waived(record: LedgerRecord, known: RecordSet) -> bool:
    """Check for a trade that one of its parties has waived, or for such a waive."""
    if isinstance(record.content, Waive):
        trade = known.get(record.content.trade)
        return trade is not None and _waives(record, trade)
    return any(_waives(other, record) for other in known.ids_under(record.id))


def _waives(waive: LedgerRecord, trade: LedgerRecord) -> bool:
    return (
        isinstance(waive.content, Waive)
        and isinstance(trade.content, Trade)
        and waive.content.trade == trade.id
        and waive.content.creator in (trade.content.a, trade.content.b)
    )
