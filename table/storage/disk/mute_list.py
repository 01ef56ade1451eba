"""Whom the host of a table does not want to talk in its lobby: a file that may be edited while the
table runs.
"""

import logging
import re
from pathlib import Path

from protocol.identity.keys import FINGERPRINT_LETTERS, SHORT_LETTERS, fingerprint
from protocol.limits import MAX_MUTED_FILE

MUTED_FILE = "muted.txt"
_LETTERS = re.compile(f"[a-z2-7]{{{SHORT_LETTERS},{FINGERPRINT_LETTERS}}}")

log = logging.getLogger(__name__)


class MuteList:
    """The keys whose fingerprints stand in the file, whole or as screens show them; `#` begins a
    remark.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # when the file was changed that we know, and its size
        self._read: tuple[int, int] | None = None
        self._muted: tuple[str, ...] = ()  # beginnings of fingerprints

    def __contains__(self, identity: object) -> bool:
        self._look()
        return (
            bool(self._muted)
            and isinstance(identity, bytes)
            and fingerprint(identity).startswith(self._muted)
        )

    def _look(self) -> None:
        """Read the file anew if it is another. A file that cannot be read leaves everything as it
        was.
        """
        try:
            stat = self._path.stat()
            if (stat.st_mtime_ns, stat.st_size) != self._read:
                self._read = stat.st_mtime_ns, stat.st_size
                with self._path.open("rb") as file:
                    self._take(file.read(MAX_MUTED_FILE).decode(errors="replace"))
        except FileNotFoundError:
            self._read, self._muted = None, ()
        except OSError as error:
            log.warning("%s cannot be read: %s", self._path, error.strerror)

    def _take(self, text: str) -> None:
        lines = [re.sub(r"[\s-]", "", line.partition("#")[0]).lower() for line in text.splitlines()]
        for number, line in enumerate(lines, 1):
            if line and not _LETTERS.fullmatch(line):
                log.warning("%s: line %d is no fingerprint", self._path, number)
        self._muted = tuple(line for line in lines if _LETTERS.fullmatch(line))
