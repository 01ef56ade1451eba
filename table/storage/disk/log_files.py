"""The log files of matches that are over, in a folder of their own."""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from protocol.match.log import Record, decode_entry
from protocol.match.log_file import MAGIC, SUFFIX, encode_record
from protocol.match.setup import creation_time

DRAFT = ".part"


def write_log(folder: Path, match_id: bytes, records: Iterable[Record]) -> Path:
    """Write a match's log file, whole or not at all, and give its path. Raises: OSError."""
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
        file.write(MAGIC + encode_record(first.entry, first.head))
        file.writelines(encode_record(record.entry, record.head) for record in several)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    return path
