"""The table's identity and its invitation on disk: made when first needed, readable by its owner
only.
"""

import contextlib
import errno
import os
import secrets
import stat
import sys
from pathlib import Path

from protocol.errors import LocalError, RemoteError
from protocol.identity.key_history import KeyHistory, decode_history, encode_history
from protocol.identity.keys import INVITE_SIZE, KEY_SIZE, Identity
from protocol.limits import MAX_KEY_HISTORY
from table.storage.disk.atomic_files import replace_whole, sync_folder, write_beside
from table.storage.disk.journal import JOURNAL_FILE

KEY_FILE, INVITE_FILE, LINK_FILE = "identity.key", "invite.key", "join-link.txt"
HISTORY_FILE = "key-history"
_OTHERS, _ALL_OTHERS = 0o077, 0o007  # permission bits of group and others; of others alone


def load_identity(data: Path, key: Path | None = None) -> Identity:
    """The identity kept in a data directory, a new one if there is none yet; or that of a key file
    that somebody made.

    Raises: LocalError, saying what to do, if the file cannot be used or others may read it, or if
    the folder has a journal and no key: with a new one it would be another table's.
    """
    if key is None:
        _check_whole(data)
        return Identity(_load(data / KEY_FILE, KEY_SIZE))
    with contextlib.suppress(OSError):  # the journal's to say
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
    return Identity(given_key(key, os.geteuid()))


def _check_whole(data: Path) -> None:
    with contextlib.suppress(OSError):  # a folder that cannot be read is said when it is used
        if (data / JOURNAL_FILE).exists() and not (data / KEY_FILE).exists():
            raise LocalError("wrong.folder.keyless", folder=str(data), name=KEY_FILE)


def given_key(path: Path, user: int) -> bytes:
    """The key in a file that an administrator gives to this user (systemd's LoadCredential=, a
    mounted secret).

    Raises: LocalError, as `load_identity`.
    """
    try:
        return _read(path, KEY_SIZE, user)
    except OSError as error:
        raise LocalError("wrong.table.key", path=str(path), why=str(error.strerror)) from None


def forbidden(found: os.stat_result, user: int) -> int:
    """The permission bits that a file with a secret for this user must not have.

    If it is another user's file, who may read it in its group is that user's to say, as for ssh: an
    access list that lets one user in looks like a readable group.
    """
    return _OTHERS if found.st_uid == user else _ALL_OTHERS


def load_invite(data: Path) -> bytes:
    """The secret of a table that people come to by invitation, kept like the identity; deleted, it
    is made anew.
    """
    return _load(data / INVITE_FILE, INVITE_SIZE)


def keep_link(data: Path, link: str) -> None:
    """Leave the join link, which may end in a secret, where who hosts and what watches the table
    find it.

    Raises: LocalError if it cannot be written.
    """
    path = data / LINK_FILE
    try:
        write_beside(path, f"{link}\n".encode()).replace(path)
    except OSError as error:
        raise LocalError(
            "wrong.table.secret.read", path=str(path), why=str(error.strerror)
        ) from None


def read_history(data: Path) -> KeyHistory | None:
    """Return the key history in a folder; None if there is none. Raises: LocalError if it is damaged
    or cannot be read.
    """
    path = data / HISTORY_FILE
    try:
        with path.open("rb") as file:
            return decode_history(file.read(MAX_KEY_HISTORY + 1))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise LocalError(
            "wrong.table.secret.read", path=str(path), why=str(error.strerror)
        ) from None
    except RemoteError:
        raise LocalError("wrong.table.history.damaged", path=str(path)) from None


def shown_history(data: Path, public: bytes) -> bytes:
    """Return the encoded history that a table with this key shows to whoever comes; empty if it has
    none. Raises: LocalError, also if the history in the folder is that of another key.
    """
    history = read_history(data)
    if history is None:
        return b""
    if history.key != public:
        raise LocalError("wrong.table.history.foreign", path=str(data / HISTORY_FILE))
    return encode_history(history)


def keep_history(data: Path, history: KeyHistory) -> None:
    """Put a history in the place of the one in a folder. Raises: LocalError."""
    _replace(data / HISTORY_FILE, encode_history(history))


def next_key(path: Path) -> Identity:
    """Return the key in a file, or a new one in a file that does not exist. Raises: LocalError."""
    if not path.parent.is_dir():
        raise LocalError("wrong.key.folder", folder=str(path.parent))
    return Identity(_load(path, KEY_SIZE))


def replace_key(data: Path, seed: bytes) -> None:
    """Put another key in the place of the one in a folder. Raises: LocalError."""
    _replace(data / KEY_FILE, seed)


def _replace(path: Path, content: bytes) -> None:
    try:
        replace_whole(path, content)
    except OSError as error:
        raise LocalError(
            "wrong.table.secret.write", path=str(path), why=str(error.strerror)
        ) from None


def _load(path: Path, size: int) -> bytes:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return _read(path, size) if path.exists() else _create(path, size)
    except (FileExistsError, NotADirectoryError):
        raise LocalError("wrong.folder.file", folder=str(path.parent)) from None
    except PermissionError:
        raise LocalError("wrong.folder.forbidden", folder=str(path.parent)) from None
    except OSError as error:
        raise LocalError(
            "wrong.table.secret.read", path=str(path), why=str(error.strerror)
        ) from None


def _create(path: Path, size: int) -> bytes:
    """Linked into place, so that a crash leaves a whole secret or none."""
    secret = secrets.token_bytes(size)
    draft = write_beside(path, secret)
    if sys.platform == "emscripten":  # a tab of a browser has no links, and no other process
        draft.replace(path)
        return secret
    try:
        os.link(draft, path)
    finally:
        draft.unlink()
    # else a power cut may take the key after something has been signed for it
    sync_folder(path.parent)
    return secret


def _read(path: Path, size: int, user: int | None = None) -> bytes:
    """A secret of this size: our own, or with `user` one that is given to this user."""
    with open(path, "rb", opener=_without_waiting) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        if found.st_mode & (_OTHERS if user is None else forbidden(found, user)):
            raise LocalError("wrong.table.secret.others", path=str(path))
        secret = file.read(size + 1)
    if len(secret) != size:
        raise LocalError("wrong.table.secret.damaged", path=str(path))
    return secret


def _without_waiting(path: str, flags: int) -> int:
    """Nobody may ever write to a pipe."""
    return os.open(path, flags | os.O_NONBLOCK)
