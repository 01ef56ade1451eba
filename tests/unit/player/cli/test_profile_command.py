"""`fairdeal profile`, as a person types it."""

import os
import signal
import subprocess
import sys
from random import Random

import pytest

from player.cli import join_command
from player.cli.profile_command import main
from player.storage.files import sole_player
from player.storage.identity_file import load_identity, read_keyfile
from protocol.identity.keyfile import Cost
from protocol.identity.keys import fingerprint
from protocol.limits import MIN_KEYFILE_MEMORY

CHEAP = Cost(1, MIN_KEYFILE_MEMORY)


@pytest.fixture
def say(tmp_path, monkeypatch, capsys):
    """Return a function that runs the command: its exit code, and what it prints."""
    monkeypatch.setenv("LANGUAGE", "en")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "secret").write_bytes(b"a secret\n")

    def run(*words, secret="secret"):
        code = main([*words, "--passphrase-file", str(tmp_path / secret)], CHEAP)
        printed = capsys.readouterr()
        return code, " ".join((printed.out + printed.err).split())

    return run


def profile_in(data):
    return fingerprint(load_identity(data, None, Random(1)).public)


def test_profile_goes_to_a_file_and_back(say, tmp_path, capsys):
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "me.profile"
    name = profile_in(old)
    code, said = say("export", str(file), "--data", str(old))
    assert code == 0 and "is locked from now on" in said
    assert file.stat().st_mode & 0o777 == 0o600
    assert join_command.main(["identity", "--data", str(old)]) == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "carried to another place" in told and "Play at the new place" in told
    code, said = say("import", str(file), "--data", str(new))
    assert code == 0 and name in said
    assert profile_in(new) == name
    code, said = say("import", str(file), "--data", str(new))
    assert code == 2 and "not overwritten" in said
    code, said = say("import", str(file), "--data", str(old))
    assert code == 2 and "--unused" in said
    code, said = say("import", str(file), "--data", str(old), "--unused")
    assert code == 0 and "before-1" in said


def test_import_with_a_wrong_passphrase_changes_nothing(say, tmp_path):
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "me.profile"
    profile_in(old)
    say("export", str(file), "--data", str(old))
    (tmp_path / "other").write_bytes(b"wrong\n")
    code, said = say("import", str(file), "--data", str(new), secret="other")
    assert code == 2 and "passphrase is wrong" in said
    assert not new.exists()
    file.write_bytes(file.read_bytes()[:-1])
    code, said = say("import", str(file), "--data", str(new))
    assert code == 2 and "cut short" in said and not new.exists()


def test_export_that_cannot_write_its_file_locks_nothing(say, tmp_path):
    old = tmp_path / "old"
    name = profile_in(old)
    (tmp_path / "there").write_bytes(b"mine")
    code, said = say("export", str(tmp_path / "there"), "--data", str(old))
    assert code == 2 and "not overwritten" in said
    assert (tmp_path / "there").read_bytes() == b"mine"
    code, _ = say("export", str(tmp_path / "no folder" / "file"), "--data", str(old))
    assert code == 2
    (tmp_path / "empty").write_bytes(b"\n")
    code, said = say("export", str(tmp_path / "x"), "--data", str(old), secret="empty")
    assert not (tmp_path / "x").exists()
    assert code == 2 and "needs a passphrase" in said
    assert profile_in(old) == name


def test_export_of_a_folder_in_use_is_refused(say, tmp_path):
    old = tmp_path / "old"
    name = profile_in(old)
    with sole_player(old):
        code, said = say("export", str(tmp_path / "x"), "--data", str(old))
    assert code == 2 and "Another program is playing" in said
    assert profile_in(old) == name
    code, said = say("export", str(tmp_path / "x"), "--data", str(tmp_path / "none"))
    assert code == 2 and "no profile" in said and not (tmp_path / "none").exists()


def test_backup_leaves_the_folder_as_it_is(say, tmp_path):
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "safe.profile"
    name = profile_in(old)
    code, said = say("backup", str(file), "--data", str(old))
    assert code == 0 and "Use the backup only if this folder is lost" in said
    assert profile_in(old) == name
    code, said = say("import", str(file), "--data", str(new))
    assert code == 0 and "came from a backup" in said
    assert profile_in(new) == name


@pytest.mark.process
def test_export_killed_before_its_file_is_written_is_done_again(say, tmp_path):
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "me.profile"
    name = profile_in(old)
    code = """
import os, signal, sys
from player.cli import profile_command
def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)
profile_command.seal_profile = killed
profile_command.main(sys.argv[1:])
"""
    words = ["export", str(file), "--data", str(old)]
    words += ["--passphrase-file", str(tmp_path / "secret")]
    done = subprocess.run([sys.executable, "-c", code, *words], env=os.environ, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not file.exists()
    with pytest.raises(Exception, match=r"wrong\.profile\.away"):
        read_keyfile(old)
    assert say("export", str(file), "--data", str(old))[0] == 0
    assert say("import", str(file), "--data", str(new))[0] == 0
    assert profile_in(new) == name
