"""Log lines about newcomers that are turned away: the reason and their number, no addresses."""

import logging

from protocol.limits import REFUSED_LOG_SECONDS
from table.net.admission import Refusal

log = logging.getLogger(__name__)

_WHY = {
    Refusal.FULL: "too many connections in all",
    Refusal.CROWDED: "too many connections from their address",
    Refusal.HASTY: "too many in a short time from their address",
    Refusal.RUSH: "too many in a short time in all",
}


class RefusalLog:
    """One line for each reason in REFUSED_LOG_SECONDS, however many come."""

    def __init__(self) -> None:
        self._counts: dict[Refusal, int] = {}  # since the last line
        self._said: dict[Refusal, float] = {}  # when

    def add(self, refusal: Refusal, address: str, now: float) -> None:
        """Count a newcomer, and say how many there were since the last line, if that is due.

        Its address is only in the log of a host who asks for it, by `--log-level debug`.
        """
        count = self._counts.get(refusal, 0) + 1
        if now - self._said.get(refusal, -REFUSED_LOG_SECONDS) < REFUSED_LOG_SECONDS:
            self._counts[refusal] = count
            return
        self._counts[refusal], self._said[refusal] = 0, now
        why = _WHY.get(refusal, refusal.value)
        log.warning("turned away: %s (%d since the last such line)", why, count)
        log.debug("the newest of them: %s", address)
