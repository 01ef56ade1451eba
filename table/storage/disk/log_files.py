"""The log files of matches that are over, in a folder of their own."""

import os
from collections.abc import Callable, Generator, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar, cast

from protocol.limits import EXPORT_PART, JOURNAL_ROWS, MAX_ENTRY
from protocol.match.log import Record, decode_entry
from protocol.match.log_file import SUFFIX, TruncatedLog, read_records
from protocol.match.packed_log import PACKED_MAGIC, LogPacker, read_packed
from protocol.match.setup import creation_time
from table.storage.disk.atomic_files import sync_folder

DRAFT = ".part"
_BEGINNING = 2 * MAX_ENTRY  # bytes of a log file that have its first record
T = TypeVar("T")


def write_log(folder: Path, match_id: bytes, records: Iterable[Record]) -> Path:
    """Write a match's log file, packed, whole or not at all, and give its path. Raises: OSError."""
    return run_to_end(write_log_parts(folder, match_id, records))


def run_to_end(parts: Generator[None, None, T]) -> T:
    """Do what is done in parts, and give what comes of it."""
    while True:
        try:
            next(parts)
        except StopIteration as end:
            return cast(T, end.value)


def write_log_parts(
    folder: Path,
    match_id: bytes,
    records: Iterable[Record],
    taken: Callable[[str], bool] = lambda name: False,
) -> Generator[None, None, Path]:
    """Write a match's log file as `write_log` does, with a stop after each EXPORT_PART bytes, which
    are synced. `taken`: tells if a name is that of another match.
    """
    several = iter(records)
    first = next(several)
    date = (
        datetime.fromtimestamp(creation_time(decode_entry(first.entry).body), UTC)
        .date()
        .isoformat()
    )
    name = f"{date}-{match_id.hex()[:8]}{SUFFIX}"
    path = folder / (f"{date}-{match_id.hex()}{SUFFIX}" if taken(name) else name)
    draft = path.with_suffix(DRAFT)
    packer = LogPacker()
    with draft.open("wb") as file:
        unsynced = file.write(packer.add(first))
        for number, record in enumerate(several, 1):
            unsynced += file.write(packer.add(record))
            if unsynced >= EXPORT_PART:
                file.flush()
                os.fsync(file.fileno())
                unsynced = 0
            if not unsynced or not number % JOURNAL_ROWS:
                yield
        file.write(packer.finish())
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_folder(folder)  # the file is soon the only copy
    return path


def read_first_record(path: Path) -> Record:
    """Read the first record of a log file of either form. Raises: OSError, RemoteError,
    TruncatedLog.
    """
    with path.open("rb") as file:
        data = file.read(_BEGINNING)
    reader = read_packed if data.startswith(PACKED_MAGIC) else read_records
    for record in reader(data):
        return record
    raise TruncatedLog


def read_log_parts(path: Path) -> Generator[None, None, list[Record]]:
    """Read a log file of either form, with a stop after some records. Raises: OSError, RemoteError,
    TruncatedLog.
    """
    data = path.read_bytes()
    reader = read_packed if data.startswith(PACKED_MAGIC) else read_records
    found: list[Record] = []
    for record in reader(data):
        found.append(record)
        if not len(found) % JOURNAL_ROWS:
            yield
    return found
