"""The table's identity and its invitation on disk: made when first needed, readable by its owner only."""

import os
import secrets
from pathlib import Path

from protocol.errors import LocalError
from protocol.identity.keys import INVITE_SIZE, KEY_SIZE, Identity

KEY_FILE, INVITE_FILE = "identity.key", "invite.key"
_OTHERS = 0o077  # permission bits of group and others


def load_identity(data: Path) -> Identity:
    """The identity kept in a data directory; a new one if there is none yet.

    Raises: LocalError, saying what to do, if the file cannot be used or others may read it.
    """
    return Identity(_load(data / KEY_FILE, KEY_SIZE))


def load_invite(data: Path) -> bytes:
    """The secret of a table that people come to by invitation, kept like the identity; deleted, it is made anew."""
    return _load(data / INVITE_FILE, INVITE_SIZE)


def _load(path: Path, size: int) -> bytes:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return _read(path, size) if path.exists() else _create(path, size)
    except OSError as error:
        raise LocalError("wrong.table.secret.read", path=str(path), why=str(error.strerror)) from None


def _create(path: Path, size: int) -> bytes:
    """Written beside and linked into place, so that a crash leaves a whole secret or none."""
    secret = secrets.token_bytes(size)
    draft = path.with_suffix(f".{os.getpid()}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secret)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    finally:
        draft.unlink()
    return secret


def _read(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        if os.name == "posix" and os.fstat(file.fileno()).st_mode & _OTHERS:
            raise LocalError("wrong.table.secret.others", path=str(path))
        secret = file.read(size + 1)
    if len(secret) != size:
        raise LocalError("wrong.table.secret.damaged", path=str(path))
    return secret
