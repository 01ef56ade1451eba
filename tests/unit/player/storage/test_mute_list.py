"""The list of muted keys in the data folder: one list for the lobby, the match and Profile."""

import pytest

from player.storage.files import write_json
from player.storage.mute_list import FILE, MuteList
from protocol.errors import LocalError
from protocol.identity.keys import fingerprint
from protocol.limits import MAX_IGNORED

ANN, BOB = b"a" * 32, b"b" * 32


def test_key_that_one_list_mutes_is_muted_in_the_other(tmp_path):
    lobby, match = MuteList(tmp_path), MuteList(tmp_path)
    match.add(ANN, "Ann")
    assert ANN in lobby
    lobby.add(BOB, "Bob")
    assert list(match.names().values()) == ["Bob", "Ann"]
    match.remove(ANN)
    assert ANN not in lobby and BOB in lobby


def test_key_is_lifted_by_its_fingerprint(tmp_path):
    muted = MuteList(tmp_path)
    muted.add(ANN, "Ann")
    muted.lift("nobody")
    assert ANN in muted
    muted.lift(fingerprint(ANN))
    assert ANN not in MuteList(tmp_path)


def test_oldest_of_too_many_is_heard_again(tmp_path):
    muted = MuteList(tmp_path)
    keys = [number.to_bytes(32) for number in range(MAX_IGNORED + 1)]
    rows = [[fingerprint(key), "x"] for key in keys[:-1]]
    write_json(tmp_path / FILE, {"ignored": rows})
    muted.add(keys[-1], "x")
    assert keys[0] not in muted and keys[1] in muted and keys[-1] in muted


def test_file_that_is_damaged_meanwhile_is_named(tmp_path):
    muted = MuteList(tmp_path)
    (tmp_path / FILE).write_text('{"ignored": 7}', "utf-8")
    with pytest.raises(LocalError):
        _ = ANN in muted
