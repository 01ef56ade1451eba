"""Replay of a log file step by step: the content of each step, and the end of the file."""

from itertools import pairwise

import pytest

from protocol.audit.replay import Replay
from protocol.audit.verdict import audit, replay_report
from protocol.codes import Code
from protocol.match.log_file import read_records
from tests.support.log_files import Leaver, clean, first_records, played


def test_replay_steps_have_entry_and_both_states():
    steps = list(Replay(clean()))
    assert [step.number for step in steps] == list(range(len(list(read_records(clean())))))
    assert steps[0].before is None
    for earlier, later in pairwise(steps):
        assert later.before is earlier.after
    raw = [step.entry.raw for step in steps if step.entry is not None]
    assert raw == [entry for entry, _ in read_records(clean())]


def test_replay_step_with_fault_shows_it():
    offline = played(cheat=Leaver)
    steps = list(Replay(offline.file()))
    assert [step.faults for step in steps if step.faults] == [offline.live.match.faults]
    (fault,) = offline.live.match.faults
    assert steps[fault.entry].faults == (fault,)


@pytest.mark.parametrize("size", [0, 1, 16, 200, 5000])
def test_truncated_file_is_reported_and_blames_nobody(size):
    replay = Replay(clean()[:size]).finish()
    assert replay.cut_short
    assert replay.damage is None
    beginning = Replay(first_records(clean(), 5)).finish()
    assert (beginning.cut_short, beginning.damage) == (False, None)


def test_replay_ends_with_reason_at_unsigned_record():
    data = first_records(clean(), 9)
    other = bytearray(data)
    other[-1] ^= 1  # the last head
    replay = Replay(bytes(other))
    assert len(list(replay)) == 8
    assert (replay.damage, replay.cut_short) == (Code.BAD_SIGNATURE, False)
    assert Replay(b"garbage" * 9).finish().damage is Code.BAD_ENCODING


def test_partial_replay_agrees_with_the_audit():
    replay = Replay(clean())
    for step in replay:
        if step.number == 7:
            break
    assert replay.reader is not None
    assert replay.reader.log.next_number == 8  # nothing is read ahead
    assert replay_report(replay.finish()).verdict is audit(clean()).verdict
    assert replay.reader.match == played().live.match
