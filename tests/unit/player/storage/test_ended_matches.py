"""Matches that have ended: a table that shows one again gets nothing signed in it."""

from player.storage.recovery_state import ENDED, MatchFiles, note_end
from protocol.identity.keys import JoinLink
from protocol.limits import MAX_ENDED_MATCHES

LINK = JoinLink("127.0.0.1", 7500)


def test_noted_end_is_known_and_others_are_not(tmp_path):
    note_end(tmp_path, bytes(32))
    files = MatchFiles(tmp_path, LINK, bytes(32))
    assert files.has_ended(bytes(32))
    assert not files.has_ended(b"\1" * 32)


def test_newest_ends_are_kept_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr("player.storage.recovery_state.MAX_ENDED_MATCHES", 3)
    for number in range(5):
        note_end(tmp_path, bytes([number]) * 32)
    assert len(list((tmp_path / ENDED).iterdir())) == 3
    assert MatchFiles(tmp_path, LINK, bytes(32)).has_ended(b"\4" * 32)
    assert MAX_ENDED_MATCHES >= 100
