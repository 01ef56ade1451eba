"""The log on disk, as it comes: after every entry the file is a valid log of all that has been read."""

import os
import time
from pathlib import Path

from protocol.errors import LocalError
from protocol.logfile import MAGIC, SUFFIX, encode_record


def usual_path(data: Path, match_id: bytes) -> Path:
    """Where the log of a match goes unless the person says otherwise; sorts by date."""
    day = time.strftime("%Y-%m-%d-%H%M%S")
    return data / "logs" / f"{day}-{match_id.hex()[:8]}{SUFFIX}"


class Store:
    """One match's log file. Never writes over a file that is there: it may be somebody's evidence."""

    def __init__(self, path: Path) -> None:
        """Begin the file. Raises `LocalError` if that cannot be done."""
        self.path = path
        self._records: list[bytes] = []
        if path.exists():
            raise LocalError(f"{path} exists already. Choose another name for the log, or move it away.")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("xb", buffering=0)
        except OSError as error:
            raise LocalError(f"The log cannot be written to {path} ({error.strerror}). Choose --log FILE.") from None
        self._write(MAGIC)

    def append(self, entry: bytes, head: bytes) -> None:
        """Add the next entry. Raises `LocalError` when the disk does not take it."""
        record = encode_record(entry, head)
        self._records.append(record)
        self._write(record)

    def set_aside(self, number: int, entry: bytes, head: bytes) -> Path:
        """Keep a second version of the log, up to entry `number`, which is this one: the other half of a proof.

        Raises: LocalError.
        """
        other = Store(self.path.with_name(f"{self.path.stem}-other{SUFFIX}"))
        for record in [*self._records[:number], encode_record(entry, head)]:
            other._write(record)
        other.close()
        return other.path

    def close(self) -> None:
        """Make sure that it is on the disk."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()

    def _write(self, data: bytes) -> None:
        try:
            written = self._file.write(data)
        except OSError as error:
            raise LocalError(f"The log cannot be written to {self.path} ({error.strerror}).") from None
        if written != len(data):
            raise LocalError(f"The disk of {self.path} is full: the log there ends too early.")
