"""The table's key on disk, and addresses."""

import stat

import pytest

from commandline.exit_codes import ExitCode, exit_code
from net.addresses import advertised_host, is_wildcard, make_link, parse_address
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink
from table.storage.disk.journal import Journal
from table.storage.disk.keys import KEY_FILE, load_identity
from tests.support.errors import raises_text


def test_key_is_made_once_and_readable_by_its_owner_only(tmp_path):
    first = load_identity(tmp_path / "new" / "directory")
    path = tmp_path / "new" / "directory" / KEY_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_identity(path.parent).public == first.public
    assert [entry.name for entry in path.parent.iterdir()] == [KEY_FILE]
    assert load_identity(tmp_path / "other").public != first.public


def test_folder_with_a_journal_and_no_key_gets_no_new_key(tmp_path):
    Journal(tmp_path).close()
    with pytest.raises(LocalError) as caught:
        load_identity(tmp_path)
    assert caught.value.phrase.key == "wrong.folder.keyless"
    assert exit_code(caught.value) == ExitCode.FOLDER
    assert not (tmp_path / KEY_FILE).exists()
    given = tmp_path / "given"
    given.write_bytes(bytes(range(32)))
    given.chmod(0o600)
    load_identity(tmp_path, given)
    given.rename(tmp_path / KEY_FILE)
    load_identity(tmp_path)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610])
def test_key_readable_by_others_is_refused(tmp_path, mode):
    load_identity(tmp_path)
    (tmp_path / KEY_FILE).chmod(mode)
    with raises_text(LocalError, match=f"chmod 600 {tmp_path / KEY_FILE}"):
        load_identity(tmp_path)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_damaged_key_is_refused_and_kept(tmp_path, size):
    path = tmp_path / KEY_FILE
    path.write_bytes(bytes(size))
    path.chmod(0o600)
    with raises_text(LocalError, match="damaged"):
        load_identity(tmp_path)
    assert path.stat().st_size == size


def test_unusable_directory_is_a_local_error(tmp_path):
    (tmp_path / "file").write_text("")
    with raises_text(LocalError, match="--data"):
        load_identity(tmp_path / "file")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:7500", ("127.0.0.1", 7500)),
        ("[::1]:0", ("::1", 0)),
        (":80", ("0.0.0.0", 80)),
        ("a.b:1", ("a.b", 1)),
    ],
)
def test_listen_addresses_are_parsed(text, address):
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text", ["7500", "localhost", "::1:80", "a:", "a:65536", "a:-1", "a:١", "a:" + "9" * 5000]
)
def test_wrong_address_error_shows_the_form(text):
    with raises_text(LocalError, match=r"127\.0\.0\.1:7500"):
        parse_address(text)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_link_never_has_a_wildcard(host):
    assert not (shown := advertised_host(host)).startswith(host)
    assert shown and (":" not in shown or not is_wildcard(shown))


@pytest.mark.parametrize("host", ["table.example.org", "192.0.2.7", "::1"])
def test_link_has_the_listening_name_or_address(host):
    link = make_link(host, 7501, bytes(32))
    assert (link.host, link.port) == (host, 7501)
    assert JoinLink.parse(str(link)) == link
