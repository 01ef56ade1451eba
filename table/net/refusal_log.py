"""Log lines about what peers do wrong: each class once a minute, with the number of times."""

import logging
from collections import Counter

from protocol.limits import MAX_REFUSED_ADDRESSES, REFUSED_LOG_SECONDS
from table.net.admission import Refusal

log = logging.getLogger(__name__)

_WHY = {
    Refusal.FULL: "too many connections in all",
    Refusal.CROWDED: "too many connections from their address",
    Refusal.HASTY: "too many in a short time from their address",
    Refusal.RUSH: "too many in a short time in all",
}


class _Class:
    """Count of one class since its last line."""

    def __init__(self, level: int, said: float) -> None:
        self.level, self.said = level, said
        self.count = 0
        self.newest = ""
        self.addresses = Counter[str]()


class RefusalLog:
    """Log with at most one line for each class of events in some time.

    A class is a sentence of this program. Addresses go along with the line as attributes of the
    record; `commandline.log_output` writes them if the host asks for them.
    """

    def __init__(self, seconds: float = REFUSED_LOG_SECONDS) -> None:
        """`seconds`: between two lines of one class."""
        self._seconds = seconds
        self._classes: dict[str, _Class] = {}

    def turned_away(self, refusal: Refusal | None, address: str, now: float) -> bool:
        """Tell if a newcomer is turned away, and count it then. `refusal`: why, or None if there is
        a place for it.
        """
        if refusal is None:
            return False
        why = _WHY.get(refusal, refusal.value)
        self.add(f"turned away: {why}", address, now, logging.WARNING)
        return True

    def add(self, what: str, address: str, now: float, level: int = logging.INFO) -> None:
        """Count what a peer did, and write a line if one is due. `what` has no text of a peer;
        `now`: the event loop's time.
        """
        found = self._classes.get(what)
        if found is None:
            found = self._classes[what] = _Class(level, now - self._seconds)
        found.count += 1
        found.newest = address
        if address in found.addresses or len(found.addresses) < MAX_REFUSED_ADDRESSES:
            found.addresses[address] += 1
        if now - found.said >= self._seconds:
            self._write(what, found, now)

    def tell(self, now: float, *, ends: bool = False) -> None:
        """Write the lines that are due, although nothing more has come; all of them if the
        program ends.
        """
        for what, found in list(self._classes.items()):
            if found.count and (ends or now - found.said >= self._seconds):
                self._write(what, found, now)

    def _write(self, what: str, found: _Class, now: float) -> None:
        ((often, times),) = found.addresses.most_common(1)
        more = {"address": found.newest, "often": often, "times": times}
        log.log(found.level, "%s (%d since the last such line)", what, found.count, extra=more)
        self._classes[what] = _Class(found.level, now)
