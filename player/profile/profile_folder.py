"""Data folder of a person as a profile: carried away, backed up, brought back.

Order of steps of a carrying, each on disk before the next: the folder is locked (`leave`), the files
are packed, the file is written. A program that is killed in between leaves a locked folder without a
file; the same command packs the same files again, under the same number.

Order of steps of an import: the folder says that a profile is coming, what was there is set aside,
the files are written, the folder says that the profile is here. A program that is killed in between
leaves a folder from which nobody can play; the same command begins anew.
"""

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path, PurePosixPath

from player.cards.storage import FILE as LEDGER
from player.cards.storage.rollback_guard import RollbackGuard
from player.storage.files import sync_folder
from player.storage.identity_file import FILE as IDENTITY
from player.storage.play_command import LOGS, UNFINISHED
from player.storage.profile_state import (
    FILE,
    Place,
    ProfileState,
    read_profile_state,
    write_profile_state,
)
from player.storage.recovery_state import FOLDER, PEERS
from protocol.errors import LocalError
from protocol.identity.keyfile import parse_keyfile
from protocol.identity.profile_file import (
    Kind,
    Profile,
    ProfileFile,
    SealedProfile,
    is_profile_path,
)
from protocol.limits import MAX_PROFILE, MAX_PROFILE_FILES, MAX_PROFILE_NUMBER

# what belongs to this machine alone: other people's keys, locks, and notes of programs that run
_LOCAL = {FILE, "bots", "table", "open-page.json", f"{LOGS}/{UNFINISHED}"}
_ASIDE = re.compile(r"before-[0-9]+")  # folders with what was there before an import
_LOCAL_ENDS = (".lock", "-wal", "-shm", "-journal")
# secrets of matches that are not over: from a copy nobody may go on with them
_UNFINISHED = {FOLDER, PEERS}
_WAIT_SECONDS = 10.0  # for another program's transaction in the ledger


def leave(data: Path) -> ProfileState:
    """Lock a folder: from now on nobody can play from it, also after a crash. A folder that is
    locked stays under its number. Raises: LocalError if there is no profile.
    """
    state = read_profile_state(data)
    if state.place is Place.COMING:
        raise LocalError("wrong.profile.coming", folder=str(data), day=state.day)
    if not (data / IDENTITY).exists():
        raise LocalError("wrong.profile.none", folder=str(data))
    if state.place is Place.AWAY:
        return state
    if state.number == MAX_PROFILE_NUMBER:
        raise LocalError("wrong.profile.number")
    check_paths(data)
    away = ProfileState(Place.AWAY, state.number + 1, time.time())
    write_profile_state(data, away)
    return away


def check_paths(data: Path) -> None:
    """Check that a file can have all of a folder. Raises: LocalError."""
    total = files = 0
    for name, path in _files(data, Kind.CARRIED):
        if not is_profile_path(name):
            raise LocalError("wrong.profile.path", path=str(path))
        total += path.stat().st_size + len(name) + 16
        files += 1
    if total > MAX_PROFILE * 9 // 10 or files > MAX_PROFILE_FILES:
        raise LocalError("wrong.profile.large", most=MAX_PROFILE >> 20, files=MAX_PROFILE_FILES)


def pack_folder(data: Path, kind: Kind, marks: Path | None) -> Profile:
    """Return the profile of a folder. `marks`: the folder with the marks of cards' signatures.

    A carried folder must be locked (`leave`). Raises: LocalError.
    """
    state = read_profile_state(data)
    if kind is Kind.CARRIED and state.place is not Place.AWAY:
        raise ValueError("the folder is not locked")
    if kind is Kind.BACKUP and state.place is not Place.HERE:
        raise LocalError("wrong.profile.away", folder=str(data), day=state.day)
    try:
        key = parse_keyfile((data / IDENTITY).read_bytes())
    except FileNotFoundError:
        raise LocalError("wrong.profile.none", folder=str(data)) from None
    except OSError as error:
        raise _unreadable(data / IDENTITY, error) from None
    signed = RollbackGuard(marks, key.fingerprint).read() if kind is Kind.CARRIED else None
    files = [
        ProfileFile(name, path.stat().st_mtime_ns, _content(name, path))
        for name, path in _files(data, kind)
    ]
    return Profile(kind, key.fingerprint, state.number, signed=signed, files=files)


def bring(data: Path, profile: Profile, marks: Path | None, *, unused: bool = False) -> Path | None:
    """Put a profile into a folder without one, or with an older copy of the same one. Return the
    folder in which what was there is set aside; None if nothing was there.

    `unused`: the person says that this file was imported nowhere else. Raises: LocalError.
    """
    check_import(data, profile, unused=unused)
    coming = ProfileState(Place.COMING, profile.number, time.time())
    try:
        data.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_profile_state(data, coming)
        aside = _set_aside(data)
        folders = {data}
        for file in profile.files:
            path = data / file.path
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _write(path, file)
            folders |= {data / parent for parent in PurePosixPath(file.path).parents}
        for folder in folders:
            sync_folder(folder)
    except OSError as error:
        raise LocalError("wrong.write.data", path=str(data), why=str(error.strerror)) from None
    if profile.signed is not None:
        guard = RollbackGuard(marks, profile.fingerprint)
        guard.write(max(profile.signed, guard.read() or 0))
    write_profile_state(data, ProfileState(Place.HERE, profile.number, time.time()))
    return aside


def check_import(data: Path, profile: Profile | SealedProfile, *, unused: bool) -> None:
    """Check that a profile may come into a folder. Raises: LocalError."""
    state = read_profile_state(data)
    there = data / IDENTITY
    if state.place is Place.HERE:
        if there.exists():
            raise LocalError("wrong.profile.exists", folder=str(data))
        return
    if state.place is Place.AWAY:
        if _fingerprint(there) != profile.fingerprint or profile.kind is Kind.BACKUP:
            raise LocalError("wrong.profile.exists", folder=str(data))
        if profile.number == state.number and not unused:
            raise LocalError("wrong.profile.same", folder=str(data), day=state.day)
    if profile.number < state.number:
        raise LocalError("wrong.profile.older", folder=str(data), day=state.day)


def _files(data: Path, kind: Kind) -> Iterator[tuple[str, Path]]:
    """Yield the path in the folder, and the path, of each file of a profile."""
    for top, folders, names in os.walk(data):
        here = Path(top)
        prefix = here.relative_to(data).as_posix()
        folders[:] = [name for name in sorted(folders) if _belongs(_join(prefix, name), kind)]
        for name in sorted(names):
            path = here / name
            inside = _join(prefix, name)
            if _belongs(inside, kind) and path.is_file() and not path.is_symlink():
                yield inside, path


def _join(prefix: str, name: str) -> str:
    return name if prefix == "." else f"{prefix}/{name}"


def _belongs(inside: str, kind: Kind) -> bool:
    name = inside.rpartition("/")[2]
    return not (
        inside in _LOCAL
        or name.startswith(".")
        or name.endswith(_LOCAL_ENDS)
        or _ASIDE.fullmatch(inside)
        or (kind is Kind.BACKUP and inside in _UNFINISHED)
    )


def _content(name: str, path: Path) -> bytes:
    try:
        if name != LEDGER:
            return path.read_bytes()
        # what is still in the log of the database, too; no other program writes meanwhile
        with closing(sqlite3.connect(path, isolation_level=None, timeout=_WAIT_SECONDS)) as ledger:
            ledger.execute("BEGIN IMMEDIATE")
            content = ledger.serialize()
            ledger.execute("ROLLBACK")
            return content
    except OSError as error:
        raise _unreadable(path, error) from None
    except sqlite3.Error:
        raise LocalError("wrong.cards.file", path=str(path)) from None


def _unreadable(path: Path, error: OSError) -> LocalError:
    return LocalError("wrong.read", path=str(path), why=str(error.strerror))


def _fingerprint(path: Path) -> str | None:
    """Return the fingerprint in an identity file; None without one. Raises: LocalError if it is
    damaged.
    """
    try:
        return parse_keyfile(path.read_bytes()).fingerprint
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, error) from None


def _set_aside(data: Path) -> Path | None:
    """Move what belongs to a profile into a folder of its own. Raises: OSError."""
    old = [
        path
        for path in sorted(data.iterdir())
        if _belongs(path.name, Kind.CARRIED) or path.name.startswith(LEDGER)
    ]
    if not old:
        return None
    aside = next(path for path in (data / f"before-{n}" for n in count(1)) if not path.exists())
    aside.mkdir(mode=0o700)
    # whoever opens the old copy with --data finds it locked
    write_profile_state(aside, ProfileState(Place.AWAY, 0, time.time()))
    for path in old:
        path.rename(aside / path.name)
    sync_folder(aside)
    return aside


def _write(path: Path, file: ProfileFile) -> None:
    """Raises: OSError."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(handle, "wb") as target:
        target.write(file.content)
        target.flush()
        os.fsync(target.fileno())
    os.utime(path, ns=(file.changed, file.changed))
