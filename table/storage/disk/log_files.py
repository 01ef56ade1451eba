"""The log files of matches that are over, in a folder of their own."""

import os
from collections.abc import Generator, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar, cast

from protocol.limits import EXPORT_PART
from protocol.match.log import Record, decode_entry
from protocol.match.log_file import MAGIC, SUFFIX, encode_record
from protocol.match.setup import creation_time

DRAFT = ".part"
T = TypeVar("T")


def write_log(folder: Path, match_id: bytes, records: Iterable[Record]) -> Path:
    """Write a match's log file, whole or not at all, and give its path. Raises: OSError."""
    return run_to_end(write_log_parts(folder, match_id, records))


def run_to_end(parts: Generator[None, None, T]) -> T:
    """Do what is done in parts, and give what comes of it."""
    while True:
        try:
            next(parts)
        except StopIteration as end:
            return cast(T, end.value)


def write_log_parts(
    folder: Path, match_id: bytes, records: Iterable[Record]
) -> Generator[None, None, Path]:
    """Write a match's log file as `write_log` does, with a stop after each EXPORT_PART bytes, which
    are synced.
    """
    several = iter(records)
    first = next(several)
    date = (
        datetime.fromtimestamp(creation_time(decode_entry(first.entry).body), UTC)
        .date()
        .isoformat()
    )
    path = folder / f"{date}-{match_id.hex()[:8]}{SUFFIX}"
    draft = path.with_suffix(DRAFT)
    with draft.open("wb") as file:
        unsynced = file.write(MAGIC + encode_record(first.entry, first.head))
        for record in several:
            unsynced += file.write(encode_record(record.entry, record.head))
            if unsynced >= EXPORT_PART:
                file.flush()
                os.fsync(file.fileno())
                unsynced = 0
                yield
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    return path
