"""Tests of the recorder: which messages it counts as errors of hosts, and which not."""

from protocol import wire
from protocol.match.log_file import MAGIC, encode_record
from tests.system.hosts.recorder import Recorder

MATCH = b"m" * 32


def sent(recorder, number, entry=b"entry", head=b"h" * 64, who="Ann", match_id=MATCH):
    recorder.heard(who, wire.encode(["entry", match_id, number, entry, head]))


def final(*entries):
    return MAGIC + b"".join(encode_record(entry, b"h" * 64) for entry in entries)


def test_recorder_accepts_identical_complete_logs():
    recorder = Recorder()
    for who in ("Ann", "Bob", "Ann"):
        sent(recorder, 0, who=who)
        sent(recorder, 1, b"another", who=who)
    recorder.check(MATCH, final(b"entry", b"another", b"that nobody was sent before the end"))
    assert (recorder.wrong, recorder.received) == ([], 6)


def test_two_heads_of_one_number_are_noticed():
    recorder = Recorder()
    sent(recorder, 7)
    sent(recorder, 7, match_id=b"n" * 32, head=b"o" * 64)
    assert not recorder.wrong
    sent(recorder, 7, who="Bob", head=b"i" * 64)
    assert len(recorder.wrong) == 1 and "Bob" in recorder.wrong[0]


def test_recorder_detects_changed_or_missing_entries():
    recorder = Recorder()
    sent(recorder, 0)
    sent(recorder, 1)
    recorder.check(MATCH, final(b"entry", b"other"))
    recorder.check(MATCH, final(b"entry"))
    assert len(recorder.wrong) == 2


def test_recorder_measures_longest_pause_and_next_move():
    recorder = Recorder()
    recorder.came[MATCH] = {0: 10.0, 1: 11.0, 2: 16.0, 3: 17.0}
    assert recorder.gap(MATCH) == 5.0 and recorder.gap(MATCH, 16.0) == 1.0
    recorder.source[MATCH] = {0: 7500, 1: 7500, 2: 7500, 3: 7501}
    assert recorder.next_after(MATCH, 11.0, gone=7500) == 17.0
    assert recorder.next_after(MATCH, 11.0) == 16.0 and recorder.next_after(MATCH, 17.0) is None
