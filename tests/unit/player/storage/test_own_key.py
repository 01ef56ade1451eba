"""The person's key while a program runs: locked, opened, and with another passphrase."""

import stat
from random import Random

import pytest

from player.storage.identity_file import FILE, load_identity
from player.storage.own_key import OwnKey
from protocol.errors import LocalError
from protocol.identity.keyfile import Cost
from protocol.limits import KEY_TRY_SECONDS, MIN_KEYFILE_MEMORY

CHEAP = Cost(1, MIN_KEYFILE_MEMORY)


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self):
        return self.now


def own_key(data, passphrase=None, clock=None):
    """Return the key of a data folder."""
    return OwnKey(data, Random(2), passphrase, clock or Clock(), CHEAP)


@pytest.fixture
def made(tmp_path):
    """Make a key with a passphrase, and return it."""
    return load_identity(tmp_path, b"right", Random(1), CHEAP)


def test_folder_without_key_is_not_locked(tmp_path):
    key = own_key(tmp_path)
    assert (key.is_locked, key.identity(), key.file) == (False, None, None)
    assert not (tmp_path / FILE).exists()


def test_protected_key_opens_with_right_passphrase(tmp_path, made):
    clock = Clock()
    key = own_key(tmp_path, clock=clock)
    assert key.is_locked and key.identity() is None
    with pytest.raises(LocalError) as wrong:
        key.unlock(b"wrong")
    assert wrong.value.phrase.key == "wrong.identity.passphrase"
    assert key.is_locked
    clock.now += KEY_TRY_SECONDS
    key.unlock(b"right")
    assert not key.is_locked
    assert key.identity().public == made.public
    assert key.passphrase == b"right"


def test_attempt_too_soon_is_refused_even_if_right(tmp_path, made):
    clock = Clock()
    key = own_key(tmp_path, clock=clock)
    with pytest.raises(LocalError):
        key.unlock(b"wrong")
    clock.now += KEY_TRY_SECONDS / 2
    for attempt in (lambda: key.unlock(b"right"), lambda: key.change(b"right", b"other")):
        with pytest.raises(LocalError) as soon:
            attempt()
        assert soon.value.phrase.key == "home.key.wait"
    assert key.is_locked


def test_wrong_passphrase_from_start_leaves_key_locked(tmp_path, made):
    key = own_key(tmp_path, b"wrong")
    assert key.identity() is None
    assert key.is_locked


@pytest.mark.parametrize("first", [None, b"right"])
def test_passphrase_is_set_changed_and_removed(tmp_path, first):
    before = load_identity(tmp_path, first, Random(1), CHEAP).public
    key = own_key(tmp_path)
    old = first or b""
    for new in (b"one", b"another", b""):
        key.change(old, new)
        assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
        assert load_identity(tmp_path, new or None, Random(3)).public == before
        assert key.identity().public == before and not key.is_locked
        old = new
    assert key.passphrase is None


def test_wrong_old_passphrase_changes_nothing(tmp_path, made):
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(LocalError):
        own_key(tmp_path).change(b"wrong", b"new")
    assert (tmp_path / FILE).read_bytes() == before


def test_new_key_is_made_with_passphrase(tmp_path):
    key = own_key(tmp_path)
    key.change(b"", b"new")
    assert key.file.protected and not key.is_locked
    assert own_key(tmp_path).is_locked
