"""What somebody keeps of the ledger whatever it takes: the rest may be forgotten, and asked for
again.
"""

from collections.abc import Iterable

from protocol.ledger.alarms import Alarm
from protocol.ledger.record_set import RecordSet
from protocol.ledger.records import LedgerRecord, signers
from protocol.ledger.view import LedgerView


def retained_ids(records: RecordSet, view: LedgerView, me: bytes) -> set[bytes]:
    """Ids of all that proves one's own cards, and of all that names a cheat."""
    proofs = {one.id for alarm in view.alarms for one in (alarm.first, alarm.second)}
    return proofs | {record.id for record in records.closure(view.held_by(me))}


def alarm_records(
    alarms: Iterable[Alarm], beside: Iterable[LedgerRecord], most: int
) -> tuple[LedgerRecord, ...]:
    """Of what names cheats, at most so many bytes: first that about people who have signed any of
    the records beside.

    Anybody can be named by as many alarms as they like, so all of them might be more than a file or
    a letter takes.
    """
    near = {key for record in beside for key in signers(record.content)}
    found: dict[bytes, LedgerRecord] = {}
    for alarm in sorted(alarms, key=lambda one: one.key not in near):
        new = {one.id: one for one in (alarm.first, alarm.second) if one.id not in found}
        most -= sum(len(one.raw) for one in new.values())
        if most < 0:
            break
        found |= new
    return tuple(found.values())
