"""Accusations: records that prove a cheat together with other records. They are passed on to
everybody, even without their parents.
"""

from collections import defaultdict
from collections.abc import Iterable

from protocol.ledger.alarms import Claim, claims, contradicting_pair
from protocol.ledger.conflicts import given_places
from protocol.ledger.evidence import conflict_proofs
from protocol.ledger.record_contents import Trade, Waive
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, waive_id
from protocol.ledger.related_records import index_keys


def accusing_records(records: Iterable[LedgerRecord], known: RecordSet) -> list[LedgerRecord]:
    """Return the records that prove, together with others in `known`, that their signer cheated,
    and the records by which such trades count.
    """
    asked = list(records)
    said: defaultdict[Claim, dict[bytes, LedgerRecord]] = defaultdict(dict)
    for key in {key for record in asked for key in index_keys(record)}:
        for other in known.ids_under(key):
            for claim in claims(other.content):
                said[claim][other.id] = other
    proven = {claim for claim, records in said.items() if contradicting_pair(records.values())}
    places = {
        place
        for record in asked
        if isinstance(record.content, Trade)
        for place in given_places(record.content)
    }
    proofs = {one.id for proof in conflict_proofs(known, places) for one in proof}
    denials: dict[bytes, set[bytes]] = {}
    return [
        record
        for record in asked
        if record.id in proofs
        or not proven.isdisjoint(claims(record.content))
        or _is_waived(record, known, denials)
    ]


def _is_waived(record: LedgerRecord, known: RecordSet, denials: dict[bytes, set[bytes]]) -> bool:
    """Check for a trade that names a party by a waive, or for such a waive.

    `denials`: by trade, the waives of it that name somebody; the trades over it are looked at once.
    """
    content = record.content
    if isinstance(content, Waive):
        if content.trade not in denials:
            about = (known.get(content.trade), *known.ids_under(content.trade))
            found = (_denials(trade) for trade in about if trade is not None)
            denials[content.trade] = set().union(*found)
        return record.id in denials[content.trade]
    return any(name in known for name in _denials(record))


def _denials(record: LedgerRecord) -> set[bytes]:
    """Return the ids of the waives that would name a party of this trade: of the trade by a party,
    and of a trade that it is over by the giver.
    """
    trade = record.content
    if not isinstance(trade, Trade):
        return set()
    return {waive_id(record.id, key) for key in (trade.a, trade.b)} | {
        waive_id(one.over, trade.giver(one)) for one in trade.transfers if one.over is not None
    }
