"""Backups of a table's folder: one tar file, whose last member lists the others with their hashes.

    journal.sqlite     the journal at one moment, as SQLite copies it
    logs/NAME          the log files that this journal lists, and that were still there
    identity.key, key-history, invite.key, bans, muted.txt      as far as the folder has them
    manifest.json      {"version": 1, "made": Unix seconds, "files": {name: [bytes, SHA-256 in hex]}}

A backup has the table's key, if that lies in the folder: whoever has it can be the table. It has no
secrets of matches that ran: these are stopped in it.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, NamedTuple

from protocol.errors import LocalError
from protocol.limits import MAX_BANS_FILE, MAX_KEY_HISTORY, MAX_LOG_FILE, MAX_MUTED_FILE
from protocol.match.log_file import SUFFIX
from protocol.schema import uint
from table.lobby.bans import BANS_FILE
from table.storage.disk.finished_rows import finished_files
from table.storage.disk.journal import JOURNAL_FILE, LOGS, Journal
from table.storage.disk.keys import HISTORY_FILE, INVITE_FILE, KEY_FILE, read_history
from table.storage.disk.mute_list import MUTED_FILE

MANIFEST = "manifest.json"
VERSION = 1
_SMALL = {
    KEY_FILE: 1024,
    INVITE_FILE: 1024,
    HISTORY_FILE: MAX_KEY_HISTORY,
    BANS_FILE: MAX_BANS_FILE,
    MUTED_FILE: MAX_MUTED_FILE,
}  # the other files of a folder, with the most bytes of each
_LOG = re.compile(rf"{LOGS}/[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}-[0-9a-f]{{8,64}}{re.escape(SUFFIX)}")
_CHUNK = 1 << 20
_MAX_MANIFEST = 256 * 1024 * 1024  # bytes; two million log files
_DRAFT = ".part"


class Restored(NamedTuple):
    """Contents of a restored folder."""

    finished: int  # matches that are over
    stopped: int  # matches that are stopped for good: they ran when the backup was made, or forked
    made: int  # Unix seconds of the backup
    has_key: bool
    has_next: bool  # the table's key had committed to a next one


def draft_of(target: Path) -> Path:
    """Return a new place for the copy of the journal while a backup is made: two backups may be
    made at once.
    """
    return target.with_name(f"{target.name}.{token_hex(8)}{_DRAFT}")


def write_backup(data: Path, copy: Path, target: Path, now: int) -> int:
    """Write a backup of a folder, with the copy of its journal at `copy`, which is removed; return
    how many files it has. `now`: Unix seconds.

    Raises: LocalError if the target exists or cannot be written.
    """
    try:
        with new_file(target) as file:
            return _write(file, data, copy, now)
    finally:
        remove_draft(copy)


@contextlib.contextmanager
def new_file(target: Path) -> Iterator[IO[bytes]]:
    """Write a file that does not exist, for its owner only: it is there on disk whole, or not at all.

    Raises: LocalError if it exists, or its folder is missing or may not be written to.
    """
    draft = draft_of(target)
    try:
        _check_absent(target)
        with open(draft, "xb", opener=_for_owner) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # a link, since it takes no other file's place
        os.link(draft, target)
    except FileExistsError as error:
        name = error.filename2 or error.filename or target
        raise LocalError("wrong.backup.exists", path=str(name)) from None
    except OSError as error:
        raise unwritable(target, error) from None
    finally:
        remove_draft(draft)


def unwritable(target: Path, error: Exception) -> LocalError:
    """Return why a backup cannot be written: its folder is missing or forbidden, or the disk
    refuses.
    """
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return LocalError("wrong.backup.folder", folder=str(target.parent))
    if isinstance(error, PermissionError):
        return LocalError("wrong.backup.forbidden", path=str(error.filename or target))
    return LocalError("wrong.backup.disk", path=str(target), why=error_reason(error))


def error_reason(error: Exception) -> str:
    """Return the words of the system for an error, or those of the error."""
    return os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)


def remove_draft(draft: Path) -> None:
    """Remove a draft. What forbids that has forbidden the backup already, and is said for that."""
    with contextlib.suppress(OSError):
        draft.unlink()


def copy_draft(draft: Path, file: IO[bytes]) -> None:
    """Copy the backup that a running table has made. The table's user may be another than ours, so
    a link to some other file is not followed. Raises: OSError.
    """
    with open(draft, "rb", opener=_without_links) as source:
        shutil.copyfileobj(source, file, _CHUNK)


def _without_links(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))


def _check_absent(target: Path) -> None:
    if target.exists():
        raise LocalError("wrong.backup.exists", path=str(target))


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _write(file: IO[bytes], data: Path, copy: Path, now: int) -> int:
    listed: dict[str, tuple[int, str]] = {}
    places = [(name, data / name) for name in _SMALL]
    places += [(f"{LOGS}/{name}", data / LOGS / name) for name in finished_files(copy)]
    with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        with copy.open("rb") as source:
            listed[JOURNAL_FILE] = _add(archive, JOURNAL_FILE, source, now)
        for name, path in places:
            # a log file may have been let go since the journal was copied
            with contextlib.suppress(FileNotFoundError), path.open("rb") as source:
                listed[name] = _add(archive, name, source, now)
        manifest = json.dumps({"version": VERSION, "made": now, "files": listed}).encode()
        _add(archive, MANIFEST, BytesIO(manifest), now)
    return len(listed)


def _add(archive: tarfile.TarFile, name: str, source: IO[bytes], now: int) -> tuple[int, str]:
    info = tarfile.TarInfo(name)
    info.size = source.seek(0, os.SEEK_END)
    info.mode, info.mtime = 0o600, now
    source.seek(0)
    hashing = _Hashing(source)
    archive.addfile(info, hashing)
    return info.size, hashing.digest.hexdigest()


class _Hashing:
    """A file that is hashed as it is read."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Read and hash."""
        part = self._source.read(size)
        self.digest.update(part)
        return part


def has_key(source: Path) -> bool:
    """Return whether a backup has the table's key. It is before all logs. Raises: OSError."""
    with tarfile.open(source) as archive:
        while (info := archive.next()) is not None and not info.name.startswith(f"{LOGS}/"):
            if info.name == KEY_FILE:
                return True
    return False


def restore(source: Path, data: Path) -> Restored:
    """Make a folder of a backup, all of it or nothing. Raises: LocalError, saying what to do."""
    if data.exists():
        raise LocalError("wrong.restore.exists", path=str(data))
    draft = data.with_name(f"{data.name}.{os.getpid()}{_DRAFT}")
    try:
        with source.open("rb") as file:
            made = check_backup(file, source)
            file.seek(0)
            _extract(file, draft)
        restored = _begin(draft, made)
        draft.rename(data)
        return restored
    except OSError as error:
        why = str(error.strerror or error)
        raise LocalError("wrong.restore.disk", path=str(source), why=why) from None
    finally:
        _remove(draft)


def check_backup(file: IO[bytes], source: Path) -> int:
    """Check all of a backup, and return when it was made, in Unix seconds. Raises: LocalError."""
    found: dict[str, list[Any]] = {}
    manifest: Any = None
    try:
        for name, member in _members(file):
            if manifest is not None or name in found:
                raise ValueError(name)
            if name == MANIFEST:
                manifest = json.loads(member.read(_MAX_MANIFEST))
                continue
            hashing = _Hashing(member)
            size = 0
            while part := hashing.read(_CHUNK):
                size += len(part)
            if size > _most(name):
                raise ValueError(name)
            found[name] = [size, hashing.digest.hexdigest()]
        if not isinstance(manifest, dict) or set(manifest) != {"version", "made", "files"}:
            raise ValueError(MANIFEST)
        if type(manifest["version"]) is int and manifest["version"] > VERSION:
            raise LocalError("wrong.restore.newer", path=str(source))
        if not uint()(manifest["made"]) or manifest["version"] != VERSION:
            raise ValueError(MANIFEST)
        if manifest["files"] != found or JOURNAL_FILE not in found:
            raise ValueError(MANIFEST)
    except (tarfile.TarError, ValueError, RecursionError, EOFError):
        raise LocalError("wrong.restore.damaged", path=str(source)) from None
    return int(manifest["made"])


def _members(file: IO[bytes]) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the files of a backup. Raises: ValueError for what no backup has, tarfile.TarError."""
    with tarfile.open(fileobj=file, mode="r:") as archive:
        for info in archive:
            known = info.name in (JOURNAL_FILE, MANIFEST) or info.name in _SMALL
            # a sparse file has few bytes here and may be read for ever
            plain = info.isreg() and not info.issparse()
            if not plain or not (known or _LOG.fullmatch(info.name)):
                raise ValueError(info.name)
            member = archive.extractfile(info)
            assert member is not None
            yield info.name, member
            archive.members.clear()  # type: ignore[attr-defined]  # or all stay in memory


def _most(name: str) -> int:
    """Return the most bytes of a file; of a journal there is no bound."""
    return _SMALL.get(name, MAX_LOG_FILE if name != JOURNAL_FILE else 1 << 62)


def _extract(file: IO[bytes], folder: Path) -> None:
    (folder / LOGS).mkdir(parents=True, mode=0o700)
    folder.chmod(0o700)
    for name, member in _members(file):
        if name == MANIFEST:
            continue
        with open(folder / name, "xb", opener=_for_owner) as copy:
            while part := member.read(_CHUNK):
                copy.write(part)
    os.sync()  # once: a file by itself takes milliseconds, and there may be 100,000


def _begin(folder: Path, made: int) -> Restored:
    journal = Journal(folder)
    try:
        stopped = journal.begin_again()
        finished = sum(1 for _ in journal.finished_matches())
    finally:
        journal.close()
    try:
        history = read_history(folder)
    except LocalError:  # the table says at its start that it is damaged
        history = None
    has_next = history is not None and bool(history.next)
    return Restored(finished, stopped, made, (folder / KEY_FILE).exists(), has_next)


def _remove(folder: Path) -> None:
    """Remove a draft, as far as there is one."""
    for path in [*folder.glob(f"{LOGS}/*"), *folder.glob("*")]:
        if not path.is_dir():
            path.unlink(missing_ok=True)
    for place in (folder / LOGS, folder):
        with contextlib.suppress(FileNotFoundError):
            place.rmdir()
