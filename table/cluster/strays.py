"""Seats that cannot reach the host of their match, although that host is there.

A host may hear its players while they do not hear it: its beats still come, and others send its
players back to it. So each host says in its beats which seats have come again after it had sent
them to their match's host. That host gives the match up if none of its seats is connected to it.
A report about a seat counts only for the match in which it has its seat.

Pure: the time comes in, in seconds of a clock that only goes forward.
"""

from collections.abc import Collection
from typing import NamedTuple

from protocol.limits import (
    HOST_STRAY_SECONDS,
    HOST_STRAYS_KEPT_SECONDS,
    MAX_STRAYS,
)
from table.cluster.heartbeats import prefix


class Stray(NamedTuple):
    """A seat that cannot reach the host of its match."""

    match_id: bytes
    seat: bytes  # its identity, by `prefix`


class _Sent(NamedTuple):
    """Times at which a seat was sent to the host of its match: first and last."""

    first: float
    last: float


class Strays:
    """The seats that this host has sent to the hosts of their matches."""

    def __init__(self) -> None:
        self._sent: dict[Stray, _Sent] = {}  # the one sent last is last

    def sent(self, match_id: bytes, identity: bytes, now: float) -> bool:
        """A seat is sent to the host of its match. Tell if it comes from there in vain."""
        stray = Stray(match_id, prefix(identity))
        before = self._sent.pop(stray, None)
        if before is None or now - before.last >= HOST_STRAYS_KEPT_SECONDS:
            before = _Sent(now, now)
        self._sent[stray] = _Sent(before.first, now)
        while len(self._sent) > MAX_STRAYS:
            del self._sent[next(iter(self._sent))]
        return now - before.first >= HOST_STRAY_SECONDS

    def tell(self, now: float) -> tuple[Stray, ...]:
        """Return the seats that have come again in vain."""
        self._sent = {
            stray: sent
            for stray, sent in self._sent.items()
            if now - sent.last < HOST_STRAYS_KEPT_SECONDS
        }
        return tuple(
            stray
            for stray, sent in self._sent.items()
            if sent.last - sent.first >= HOST_STRAY_SECONDS
        )


class StrayReports:
    """Reports of other hosts about seats in matches of this host."""

    def __init__(self) -> None:
        # by match and seat: the host that says so, and when it has said so last
        self._reports: dict[bytes, dict[bytes, tuple[str, float]]] = {}

    def heard(self, stray: Stray, seats: Collection[bytes], host: str, now: float) -> None:
        """A host has reported a seat. `seats`: of the match, by `prefix`."""
        if stray.seat in seats:
            self._reports.setdefault(stray.match_id, {})[stray.seat] = host, now

    def reached(self, match_id: bytes, seats: Collection[bytes]) -> None:
        """These seats are connected to this host."""
        reports = self._reports.get(match_id, {})
        for seat in seats:
            reports.pop(seat, None)

    def refuge(self, match_id: bytes, now: float) -> str | None:
        """Return the host that seats of this match reach, by the newest report; None: nobody says
        so.
        """
        fresh = {
            seat: report
            for seat, report in self._reports.pop(match_id, {}).items()
            if now - report[1] < HOST_STRAY_SECONDS
        }
        if fresh:
            self._reports[match_id] = fresh
        return max(fresh.values(), key=lambda report: report[1])[0] if fresh else None

    @property
    def matches(self) -> list[bytes]:
        """The matches that somebody has reported."""
        return list(self._reports)

    def forget(self, match_id: bytes) -> None:
        """The match is given up, or is not here."""
        self._reports.pop(match_id, None)
