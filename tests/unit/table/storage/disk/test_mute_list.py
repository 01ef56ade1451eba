"""The host's list of muted people is read again after each change, and an error in it mutes nobody
else.
"""

import os

from protocol.identity.keys import Identity, fingerprint, short_fingerprint
from protocol.limits import MAX_MUTED_FILE
from table.storage.disk.mute_list import MuteList

ANN, BOB, CLEO = (Identity(bytes([number]) * 32).public for number in (1, 2, 3))


def test_fingerprints_whole_and_short_mute_until_they_are_gone(tmp_path):
    path = tmp_path / "muted.txt"
    muted = MuteList(path)
    assert ANN not in muted
    path.write_text(
        f"{fingerprint(ANN)}  # Ann\n\n{short_fingerprint(BOB).upper()}\n# {fingerprint(CLEO)}\n"
    )
    assert ANN in muted
    assert BOB in muted
    assert CLEO not in muted
    path.write_text(f"{fingerprint(CLEO)}\n")
    assert [each in muted for each in (ANN, BOB, CLEO)] == [False, False, True]
    path.unlink()
    assert CLEO not in muted


def test_invalid_muted_line_mutes_nobody_and_is_unlogged(tmp_path, caplog):
    path = tmp_path / "muted.txt"
    path.write_bytes(
        fingerprint(ANN)[:15].encode() + b"\n\xff\xfesecret\n" + fingerprint(BOB).encode() + b"\n"
    )
    muted = MuteList(path)
    assert [each in muted for each in (ANN, BOB)] == [False, True]
    assert "secret" not in caplog.text
    assert "line 1 " in caplog.text


def test_mute_list_is_read_up_to_bound(tmp_path):
    path = tmp_path / "muted.txt"
    path.write_text("#" * MAX_MUTED_FILE + "\n" + fingerprint(ANN))
    os.utime(path)
    assert ANN not in MuteList(path)
