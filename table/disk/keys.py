"""The table's identity on disk: made at the first start, readable by its owner only."""

import os
import secrets
from pathlib import Path

from protocol.errors import LocalError
from protocol.identity.keys import KEY_SIZE, Identity

KEY_FILE = "identity.key"
_OTHERS = 0o077  # permission bits of group and others


def load_identity(data: Path) -> Identity:
    """The identity kept in a data directory; a new one if there is none yet.

    Raises: LocalError, saying what to do, if the file cannot be used or others may read it.
    """
    path = data / KEY_FILE
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Identity(_read(path) if path.exists() else _create(path))
    except OSError as error:
        raise LocalError(
            f"The table's key {path} cannot be read or made ({error.strerror}). "
            "Choose a directory of your own with --data."
        ) from None


def _create(path: Path) -> bytes:
    """Written beside and linked into place, so that a crash leaves a whole key or none."""
    seed = secrets.token_bytes(KEY_SIZE)
    draft = path.with_suffix(f".{os.getpid()}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(seed)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    finally:
        draft.unlink()
    return seed


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        if os.name == "posix" and os.fstat(file.fileno()).st_mode & _OTHERS:
            raise LocalError(f"Others may read the table's key. Run: chmod 600 {path}")
        seed = file.read(KEY_SIZE + 1)
    if len(seed) != KEY_SIZE:
        raise LocalError(
            f"The table's key {path} is damaged. Restore it from a copy, or delete it to make a new one: "
            "then everybody needs the new join link."
        )
    return seed
