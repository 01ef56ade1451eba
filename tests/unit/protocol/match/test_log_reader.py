"""Reading a foreign log: an invalid entry names the table, a later change to the log names
nobody.
"""

from random import Random

import pytest

from protocol.codes import Code
from protocol.dealing import TABLE, Fault
from protocol.errors import Refused
from protocol.identity.keys import Identity
from protocol.match.log import EntryContent, Record, make_entry
from protocol.match.log_reader import DamagedLog, LogReader
from table.match.live_match import LiveMatch
from tests.support.at_once import StoredAtOnce
from tests.support.match_states import honest
from tests.support.offline import make_setup

RNG = Random(6)
TABLE_ID, ANN, BOB = (Identity(RNG.randbytes(32)) for _ in range(3))
SETUP = make_setup(TABLE_ID, [ANN, BOB], Random(2))


def begun() -> tuple[LiveMatch, LogReader]:
    """Return a table with its first entry, and a reader."""
    live = StoredAtOnce(TABLE_ID, SETUP, bytes(32))
    return live, LogReader(live.records[0].entry, live.records[0].head)


def offered(live: LiveMatch, raw: bytes, seat: int) -> list[Record]:
    """Offer an entry; return the new records."""
    before = len(live.records)
    live.offer(raw, seat)
    return live.records[before:]


def forced(live: LiveMatch, raw: bytes) -> Record:
    """Let the table log an entry without a check."""
    live.log.append_unchecked(raw)
    return Record(raw, live.log.head(TABLE_ID))


def sit(
    live: LiveMatch, who: Identity = ANN, author: int = 0, sequence: int = 0, key: int = 9
) -> bytes:
    """Return an entry that may come first."""
    return make_entry(
        who,
        live.log.match_id,
        EntryContent(author, sequence, live.log.newest_head, "sit", [bytes([key] * 32), bytes(32)]),
    )


def test_reader_reaches_state_of_the_table() -> None:
    offline = honest()
    for reader in offline.readers:
        assert reader.over
        assert reader.faults == ()
        assert reader.match == offline.live.match
        assert reader.log.chain_hashes == offline.live.log.chain_hashes


def test_changed_entry_or_head_names_nobody() -> None:
    records = honest().live.records
    for wrong in (
        (records[1].entry[:-1] + bytes([records[1].entry[-1] ^ 1]), records[1].head),
        (records[1].entry, records[2].head),
        (records[2].entry, records[2].head),
        (records[1].entry, bytes(64)),
        (b"", records[1].head),
    ):
        reader = LogReader(records[0].entry, records[0].head)
        with pytest.raises(DamagedLog):
            reader.feed(*wrong)
        assert reader.faults == ()
        assert reader.feed(records[1].entry, records[1].head) is not None


def test_first_entry_requires_its_head() -> None:
    first, second = honest().live.records[:2]
    for wrong in ((first.entry, second.head), (second.entry, second.head), (b"\xc0", first.head)):
        with pytest.raises(DamagedLog):
            LogReader(*wrong)


def test_forged_entry_names_the_table() -> None:
    live, reader = begun()
    record = forced(live, sit(live, who=BOB))
    assert reader.feed(record.entry, record.head) is None
    assert reader.faults == (Fault(TABLE, 1, Code.TABLE_FORGED),)


def test_entry_with_foreign_head_names_table() -> None:
    live, reader = begun()
    raw = make_entry(
        ANN,
        live.log.match_id,
        EntryContent(0, 0, (0, bytes(32)), "sit", [bytes([9] * 32), bytes(32)]),
    )
    record = forced(live, raw)
    assert reader.feed(record.entry, record.head) is None
    assert reader.faults == (Fault(TABLE, 1, Code.TABLE_FORKED),)


def test_omitted_entry_leaves_a_gap() -> None:
    live, reader = begun()
    record = forced(live, sit(live, sequence=1))
    reader.feed(record.entry, record.head)
    assert reader.faults == (Fault(TABLE, 1, Code.TABLE_ACCEPTED),)


def test_forked_logs_cannot_both_continue() -> None:
    """Every entry that a seat signs after a fork fits only one of the two logs."""
    (left, left_reader), (right, right_reader) = begun(), begun()
    for live, reader, key in ((left, left_reader, 9), (right, right_reader, 8)):
        for record in offered(live, sit(live, key=key), 0):
            reader.feed(record.entry, record.head)
    answer = sit(left, BOB, 1, key=7)
    for record in offered(left, answer, 1):
        assert left_reader.feed(record.entry, record.head) is not None
    with pytest.raises(Refused) as refusal:
        right.offer(answer, 1)
    assert refusal.value.code is Code.WRONG_HEAD
    record = forced(right, answer)
    right_reader.feed(record.entry, record.head)
    assert right_reader.faults == (Fault(TABLE, 2, Code.TABLE_FORKED),)


def test_entries_after_a_fault_are_not_judged() -> None:
    live, reader = begun()
    for raw in (sit(live, who=BOB), b"\xc1", sit(live)):
        record = forced(live, raw)
        assert reader.feed(record.entry, record.head) is None
    assert reader.faults == (Fault(TABLE, 1, Code.TABLE_FORGED),)
    assert (reader.log.next_number, reader.match.next_number) == (4, 1)


def test_entry_after_seat_fault_names_table_too() -> None:
    live, reader = begun()
    leave = make_entry(
        ANN, live.log.match_id, EntryContent(0, 0, live.log.newest_head, "leave", [])
    )
    for record in offered(live, leave, 0):
        reader.feed(record.entry, record.head)
    for _ in range(2):
        record = forced(live, sit(live, BOB, 1))
        reader.feed(record.entry, record.head)
    assert reader.faults == (Fault(0, 1, Code.LEFT), Fault(TABLE, 2, Code.TABLE_ACCEPTED))
