"""Identity files: permissions, passphrases, and integrity of every byte."""

import stat
from random import Random

import pytest

from player.storage.identity_file import FILE, load_identity
from protocol.errors import LocalError
from protocol.identity.keyfile import KIB, Cost, new_keyfile, open_keyfile, parse_keyfile
from protocol.identity.keys import fingerprint
from protocol.limits import MAX_KEYFILE_MEMORY, MAX_KEYFILE_OPS, MIN_KEYFILE_MEMORY
from tests.support.errors import raises_text

CHEAP = Cost(1, MIN_KEYFILE_MEMORY)
SEED = bytes(range(32))


def sealed(passphrase=b"open sesame"):
    return new_keyfile(SEED, passphrase, Random(1), CHEAP)


def test_identity_is_created_once_and_kept(tmp_path):
    first = load_identity(tmp_path / "new" / "folder", None, Random(1))
    again = load_identity(tmp_path / "new" / "folder", None, Random(2))
    assert first.public == again.public
    assert stat.S_IMODE((tmp_path / "new" / "folder" / FILE).stat().st_mode) == 0o600
    # no temporary file is left
    assert [path.name for path in (tmp_path / "new" / "folder").iterdir()] == [FILE]


def test_key_file_readable_by_others_is_refused(tmp_path):
    load_identity(tmp_path, None, Random(1))
    (tmp_path / FILE).chmod(0o640)
    with raises_text(LocalError, match="chmod 600"):
        load_identity(tmp_path, None, Random(1))


def test_passphrase_protects_the_key_file(tmp_path):
    made = load_identity(tmp_path, b"open sesame", Random(1), CHEAP)
    assert load_identity(tmp_path, b"open sesame", Random(2)).public == made.public
    with raises_text(LocalError, match="passphrase is wrong"):
        load_identity(tmp_path, b"open sesam", Random(2))
    with raises_text(LocalError, match="--passphrase"):
        load_identity(tmp_path, None, Random(2))


def test_passphrase_for_unprotected_file_is_reported(tmp_path):
    load_identity(tmp_path, None, Random(1))
    with raises_text(LocalError, match="no passphrase"):
        load_identity(tmp_path, b"x", Random(1))


def test_empty_passphrase_is_refused():
    with raises_text(LocalError, match="protects nothing"):
        new_keyfile(SEED, b"", Random(1))


def test_key_file_with_passphrase_hides_seed_and_shows_fingerprint():
    from base64 import b64decode, b64encode

    raw = sealed()
    assert SEED not in raw and b64encode(SEED)[:20] not in raw
    assert SEED not in b64decode(raw.split(b"seed ")[1])
    assert parse_keyfile(raw).fingerprint == fingerprint(
        open_keyfile(parse_keyfile(raw), b"open sesame").public
    )


def test_key_files_of_same_seed_and_passphrase_differ():
    one, other = (new_keyfile(SEED, b"x", Random(seed), CHEAP) for seed in (1, 2))
    assert parse_keyfile(one).salt != parse_keyfile(other).salt
    assert parse_keyfile(one).seed != parse_keyfile(other).seed


@pytest.mark.slow
@pytest.mark.parametrize("passphrase", [None, b"open sesame"])
def test_key_file_with_any_changed_byte_is_refused(passphrase):
    raw = new_keyfile(SEED, passphrase, Random(1), CHEAP)
    for at in range(len(raw)):
        for flip in (1, 0x20):
            changed = raw[:at] + bytes([raw[at] ^ flip]) + raw[at + 1 :]
            with pytest.raises(LocalError):
                open_keyfile(parse_keyfile(changed), passphrase)


def test_key_file_of_wrong_length_is_refused():
    raw = new_keyfile(SEED, None, Random(1))
    for changed in (
        raw + b"\n",
        raw + b"x",
        raw[:-1],
        raw[1:],
        raw.replace(b"\n", b"\r\n"),
        b"",
        raw * 9,
        b"\xff" * 99,
    ):
        with raises_text(LocalError, match="damaged"):
            parse_keyfile(changed)


@pytest.mark.parametrize(
    ("passes", "memory"),
    [
        (0, MIN_KEYFILE_MEMORY),
        (MAX_KEYFILE_OPS + 1, MIN_KEYFILE_MEMORY),
        (1, MIN_KEYFILE_MEMORY - KIB),
        (1, MAX_KEYFILE_MEMORY + KIB),
        (1, 10**30 * KIB),
    ],
)
def test_key_file_cost_out_of_bounds_is_refused_first(passes, memory):
    usual = f"argon2id 1 {MIN_KEYFILE_MEMORY // KIB}".encode()
    assert usual in sealed()
    with raises_text(LocalError, match="damaged"):
        parse_keyfile(sealed().replace(usual, f"argon2id {passes} {memory // KIB}".encode()))


def test_no_error_reveals_the_seed():
    raw = new_keyfile(SEED, None, Random(1))
    with pytest.raises(LocalError) as caught:
        parse_keyfile(raw + b"x")
    assert "AAECAw" not in str(caught.value) and caught.value.__cause__ is None
