"""The log on disk, as it comes: after every entry the file is a valid log of all that has been
read.
"""

import os
import time
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, count, islice
from pathlib import Path

from player.storage.arrival_times import ArrivalTimes
from player.storage.files import take_alone, write_whole
from protocol import wire
from protocol.errors import FairdealError, LocalError
from protocol.identity.keys import fingerprint
from protocol.limits import FRAME_HEADER, MAX_LOG_FILE
from protocol.match.log import Record
from protocol.match.log_file import MAGIC, SUFFIX, encode_record, read_records
from protocol.match.refusal import SUFFIX as REFUSAL
from protocol.match.refusal import SavedRefusal, encode_saved_refusal

LOGS = "logs"  # folder in the data folder


def usual_path(data: Path, match_id: bytes, identity: bytes) -> Path:
    """Return the default file of this identity's log of a match; the names sort by date.

    Two players of one match on one computer have two logs: what the table showed to one is no
    evidence for the other.
    """
    day = time.strftime("%Y-%m-%d-%H%M%S")
    return data / LOGS / f"{day}-{match_id.hex()[:8]}-{fingerprint(identity)[:8]}{SUFFIX}"


def damaged(path: Path) -> LocalError:
    """Return the error for a match whose stored state cannot be read."""
    return LocalError("wrong.disk.damaged", path=str(path))


def read_log(path: Path) -> list[Record]:
    """The whole (entry, head) records at the beginning of a log file, not yet checked; none if
    there is no file.
    """
    records: list[Record] = []
    try:
        with path.open("rb") as file:
            records.extend(read_records(file.read(MAX_LOG_FILE)))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise LocalError("wrong.read", path=str(path), why=str(error.strerror)) from None
    except FairdealError:  # cut short, or damaged from here on
        pass
    return records


@dataclass(frozen=True)
class StoredLog:
    """A match that is remembered in a data folder, by where its log is."""

    data: Path
    # as a path in the data folder if it lies there: the folder may be carried to another machine
    log: Path

    @property
    def log_path(self) -> Path:
        """The log file."""
        return self.data / self.log

    def records(self) -> list[Record]:
        """Return the stored log, not yet checked."""
        return read_log(self.log_path)

    def open_store(self, records: int) -> "LogStore":
        """The log file, to go on after its first so many records; what follows them is cut off.
        Raises: LocalError.
        """
        if self.log_path.exists():
            return LogStore.again(self.log_path, records)
        return LogStore(self.log_path)


class LogStore:
    """One match's log file. Never writes over a file that is there: it may be somebody's
    evidence.
    """

    def __init__(self, path: Path, mode: str = "xb") -> None:
        """Begin the file. Raises `LocalError` if that cannot be done."""
        self.path = path
        self._times = ArrivalTimes(path)
        self._records: list[bytes] = []
        if mode == "xb" and path.exists():
            raise LocalError("wrong.log.exists", path=str(path))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open(mode, buffering=0)
        except OSError as error:
            raise LocalError("wrong.log.write", path=str(path), why=str(error.strerror)) from None
        if not take_alone(self._file):
            self._file.close()
            raise LocalError("wrong.log.held", path=str(path))
        if mode == "xb":
            self._write(MAGIC)

    @classmethod
    def again(cls, path: Path, keep: int) -> "LogStore":
        """Go on with a file that a crash has left: after its first `keep` records, without what
        follows them.

        What is cut off must prove nothing: a record that the crash tore, or that its head does not
        fit. Raises: LocalError, also if it is no log.
        """
        store = cls(path, "r+b")
        begins = store._file.read(len(MAGIC))
        if not MAGIC.startswith(begins) and any(begins):
            store.close()
            raise LocalError("wrong.log.strange", path=str(path))
        store._records = [encode_record(*record) for record in islice(read_log(path), keep)]
        store._file.truncate(0 if not keep else len(MAGIC) + sum(map(len, store._records)))
        store._file.seek(0, os.SEEK_END)
        if not keep:
            store._write(MAGIC)
        return store

    def append(
        self, entry: bytes, head: bytes, live: bool = False, waited: float | None = None
    ) -> None:
        """Add the next entry; `live`: it came as it happened; `waited`: so many seconds after we
        had sent it.

        Raises: LocalError when the disk does not take it.
        """
        record = encode_record(entry, head)
        if live:
            self._times.note(len(self._records), waited)
        self._records.append(record)
        self._write(record)

    def records(self, first: int) -> list[Record]:
        """Return the stored entries from this number on."""
        return [Record(*wire.decode(record[FRAME_HEADER:])) for record in self._records[first:]]

    def set_aside(self, number: int, entry: bytes, head: bytes) -> Path:
        """Keep a second version of the log, up to entry `number`, which is this one: the other half
        of a proof.

        Raises: LocalError.
        """
        names = (
            f"{self.path.stem}-other{more}{SUFFIX}"
            for more in chain([""], (f"-{at}" for at in count(2)))
        )
        other = LogStore(
            next(path for path in map(self.path.with_name, names) if not path.exists())
        )
        for record in [*self._records[:number], encode_record(entry, head)]:
            other._write(record)
        other.close()
        return other.path

    def keep_refusal(self, kept: SavedRefusal) -> Path | None:
        """Keep a refusal beside the log: the first one of an entry; None if there is one. Raises:
        LocalError.
        """
        path = self.path.with_name(
            f"{self.path.stem}-{sha256(kept.entry).hexdigest()[:16]}{REFUSAL}"
        )
        if write_whole(path, encode_saved_refusal(kept), replace=False):
            return path
        return None

    def sync(self) -> None:
        """Come back when all of it is on the disk. Raises: LocalError."""
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise LocalError(
                "wrong.log.write.now", path=str(self.path), why=str(error.strerror)
            ) from None

    def close(self) -> None:
        """Make sure that it is on the disk. Raises: LocalError."""
        self._times.close()
        if not self._file.closed:
            try:
                self.sync()
            finally:
                self._file.close()

    def _write(self, data: bytes) -> None:
        try:
            written = self._file.write(data)
        except OSError as error:
            raise LocalError(
                "wrong.log.write.now", path=str(self.path), why=str(error.strerror)
            ) from None
        if written != len(data):
            raise LocalError("wrong.log.full", path=str(self.path))
