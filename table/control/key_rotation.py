"""The next key of a table, and rotation to it: work on the folder of a table, by its host's command.

The folder has the key history (`protocol.identity.key_history`) beside the table's key. The next key
lies in a file that the host keeps elsewhere.
"""

import os
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

from protocol.errors import LocalError
from protocol.identity.key_history import KeyHistory, commit, commitment_to, rotate
from protocol.identity.keys import Identity, fingerprint
from table.config import Bounds
from table.storage.disk.journal import JOURNAL_FILE, Journal
from table.storage.disk.keys import (
    HISTORY_FILE,
    KEY_FILE,
    given_key,
    keep_history,
    load_identity,
    next_key,
    read_history,
    replace_key,
)


class Committed(NamedTuple):
    """The table's key has committed to the next one."""

    next: str  # fingerprint of the next key
    is_new: bool  # the next key was made now


class Rotated(NamedTuple):
    """The table has another key."""

    old: str  # fingerprints
    new: str
    number: int  # of rotations so far
    has_next: bool  # the new key has committed to a following one
    in_folder: bool  # the new key lies in the folder; else the host gives it to the table


def commit_to_next(data: Path, key: Path | None, file: Path) -> Committed:
    """Commit a table's key to the key in a file, which is made if the file does not exist.

    `key`: file of the table's key, if it is not in the folder. Raises: LocalError, also if the key
    has committed to another one.
    """
    identity = _present(data, key)
    history = read_history(data) or KeyHistory(identity.public)
    _check_key(data, history, identity)
    is_new = not file.exists()
    if history.next and is_new:
        raise LocalError("wrong.key.committed", path=str(file))
    following = next_key(file)
    if history.next:
        if history.next != commitment_to(following.public):
            raise LocalError("wrong.key.committed", path=str(file))
    else:
        _check_new(history, file, following)
        keep_history(data, commit(history, identity, following.public))
    return Committed(fingerprint(following.public), is_new)


def rotate_key(data: Path, key: Path | None, following: Path, then: Path | None) -> Rotated:
    """Give a table the key in the file `following`, to which its present key has committed, and
    commit that one to the key in the file `then`, which is made if it does not exist.

    A rotation that was interrupted is finished. Raises: LocalError, also if the table runs, or has
    matches that are not over.
    """
    new_seed = given_key(following, os.geteuid())
    new = Identity(new_seed)
    history = read_history(data)
    if history is None:
        raise LocalError("wrong.rotate.none", folder=str(data))
    with ExitStack() as stack:
        _check_matches(stack, data)
        if history.key != new.public:
            history = _rotated(data, history, _present(data, key), new, following, then)
            keep_history(data, history)
        elif not history.rotations:
            raise LocalError("wrong.rotate.next", path=str(following))
        if key is None:
            replace_key(data, new_seed)
    return Rotated(
        fingerprint(history.rotations[-1].old),
        fingerprint(history.key),
        history.number,
        bool(history.next),
        key is None,
    )


def _rotated(
    data: Path,
    history: KeyHistory,
    old: Identity,
    new: Identity,
    following: Path,
    then: Path | None,
) -> KeyHistory:
    """Raises: LocalError."""
    _check_key(data, history, old)
    if not history.next:
        raise LocalError("wrong.rotate.none", folder=str(data))
    if commitment_to(new.public) != history.next:
        raise LocalError("wrong.rotate.next", path=str(following))
    after = None
    if then is not None:
        after = next_key(then)
        _check_new(history, then, after)
        if after.public == new.public:
            raise LocalError("wrong.key.used", path=str(then))
    return rotate(history, old, new, None if after is None else after.public)


def _present(data: Path, key: Path | None) -> Identity:
    """Return the table's key, which must be there. Raises: LocalError."""
    if key is None and not (data / KEY_FILE).exists():
        raise LocalError("wrong.key.none", folder=str(data))
    return load_identity(data, key)


def _check_key(data: Path, history: KeyHistory, identity: Identity) -> None:
    if history.key != identity.public:
        raise LocalError("wrong.table.history.foreign", path=str(data / HISTORY_FILE))


def _check_new(history: KeyHistory, file: Path, following: Identity) -> None:
    """A key that the table has had may be in the hands of others."""
    if following.public in (history.key, *(each.old for each in history.rotations)):
        raise LocalError("wrong.key.used", path=str(file))


def _check_matches(stack: ExitStack, data: Path) -> None:
    """Hold the folder's journal, and check that no match needs the old key. Raises: LocalError."""
    if not (data / JOURNAL_FILE).exists():  # the store of a table on several hosts is elsewhere
        return
    journal = stack.enter_context(closing(Journal(data, Bounds())))
    try:
        kept, running = journal.load(), len(journal.open_matches())
    except sqlite3.Error as error:
        raise LocalError("wrong.control.disk", why=str(error)) from None
    if running:
        raise LocalError("wrong.rotate.matches", count=running)
    if kept.words:
        raise LocalError("wrong.rotate.witness")
