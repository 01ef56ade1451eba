"""The arrival time of each entry, beside the log: a seat's evidence when it is asked whether the
table waited as long as it says.
"""

import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from protocol.audit.fairness.arrival_times import RUN, SUFFIX


class ArrivalTimes:
    """The file of arrival times of one log. Nothing depends on it: if the disk does not take it,
    there is none.
    """

    def __init__(self, log: Path) -> None:
        self._path = log.with_suffix(SUFFIX)
        self._file: IO[str] | None = None
        self._broken = False

    def note(self, number: int, waited: float | None = None) -> None:
        """Note that the entry with this number has just come from the table; for an own entry, with
        the seconds that this program waited for it.
        """
        of_ours = "" if waited is None else f" {int(1000 * waited)}"
        line = f"{number} {time.monotonic_ns() // 1_000_000}{of_ours}\n"
        if self._broken:
            return
        try:
            if self._file is None:
                self._file = self._path.open("a", encoding="ascii", buffering=1)
                line = f"{RUN}\n{line}"
            self._file.write(line)
        except OSError:
            self._broken = True

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with suppress(OSError):  # what was not written before is tried once more
                self._file.close()
