"""Matches that are not to be claimed again at once: claims cost the store, and who goes on may be
somebody else.
"""

import asyncio
from typing import NamedTuple

from protocol.limits import HOST_UNREACHED_AGAIN_SECONDS
from table.config import Pace

_TIMES = 16  # how often its first pause a match is left alone at most


class _Pause(NamedTuple):
    """Seconds, of the loop's clock."""

    until: float
    length: float


class ClaimBackoff:
    """Those that ended here, could not go on here, or went to others."""

    def __init__(self) -> None:
        self.pace = Pace()  # in which hosts of one table claim
        # that are over, and whose last heads the store has not acknowledged
        self.ending: set[bytes] = set()
        self._pauses: dict[bytes, _Pause] = {}  # the one left last is last

    def until(self, match_id: bytes) -> float:
        """When it may be claimed here again, by the loop's clock."""
        return self._pauses[match_id].until if match_id in self._pauses else 0.0

    def to_others(self, match_id: bytes) -> None:
        """Another host has claimed it, or may."""
        self._leave(match_id, self.pace.silent)

    def unreached(self, match_id: bytes) -> None:
        """Its seats do not reach this host."""
        self._leave(match_id, HOST_UNREACHED_AGAIN_SECONDS)

    def for_long(self, match_id: bytes) -> None:
        """It cannot go on here, or is over."""
        self._leave(match_id, self.pace.again)

    def _leave(self, match_id: bytes, length: float) -> None:
        """For so many seconds at least, and each time twice as long, unless it may have been
        claimed for long.
        """
        now, longest = asyncio.get_running_loop().time(), _TIMES * self.pace.again
        before = self._pauses.pop(match_id, None)
        if before is not None and now - before.until < longest:
            length = min(max(length, 2 * before.length), longest)
        self._pauses[match_id] = _Pause(now + length, length)
        while now - self._pauses[oldest := next(iter(self._pauses))].until >= longest:
            del self._pauses[oldest]
