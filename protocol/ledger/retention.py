"""Records about cards that a person passes on, or must always keep."""

from collections.abc import Iterable

from protocol.ledger.alarms import Alarm
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, signers
from protocol.ledger.view import LedgerView


def retained_ids(records: RecordSet, view: LedgerView, me: bytes) -> set[bytes]:
    """Return the ids of all records that prove one's own cards, and of all alarms."""
    proofs = {one.id for alarm in view.alarms for one in alarm.records}
    return proofs | {record.id for record in records.closure(view.held_by(me))}


def evidence(
    records: RecordSet, alarms: Iterable[Alarm], names: Iterable[bytes], most: int
) -> tuple[LedgerRecord, ...]:
    """Return the closure of records with the alarms about its signers, and others as far as there
    is room: at most `most` bytes of alarms (docs/protocol, 24.9).

    The view of the result says of these records what the view of the whole set says.
    """
    closure = records.closure(names)
    return tuple(dict.fromkeys((*closure, *alarm_records(alarms, closure, most))))


def alarm_records(
    alarms: Iterable[Alarm], beside: Iterable[LedgerRecord], most: int
) -> tuple[LedgerRecord, ...]:
    """Return records of alarms, at most `most` bytes. Alarms about signers of the records `beside`
    come first.

    Anybody can cause any number of alarms against their own key, so all of them may not fit a file
    or a letter.
    """
    near = {key for record in beside for key in signers(record.content)}
    found: dict[bytes, LedgerRecord] = {}
    for alarm in sorted(alarms, key=lambda one: one.key not in near):
        new = {one.id: one for one in alarm.records if one.id not in found}
        most -= sum(len(one.raw) for one in new.values())
        if most < 0:
            break
        found |= new
    return tuple(found.values())
