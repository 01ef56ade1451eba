"""The status line of a match: the seats for which the match waits, and since when, by the own
clock.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from math import ceil
from typing import NamedTuple

from player.client import events
from player.presenter.narration import progress_bar
from protocol.limits import PRESENCE_NEWS_SECONDS
from protocol.match.clock import CLOCK_KINDS
from protocol.match.log import Entry
from protocol.match.state import Match, MatchStage
from protocol.view.phrase import Phrase, SeatRef, phrase
from protocol.view.text import Translate
from protocol.view.view import View

SHORT = 120  # seconds; a longer remaining time is shown in minutes
LONG = 5.0  # seconds; a shorter wait for somebody's program is not shown


class _Wait(NamedTuple):
    entry: int  # the entry since which the match waits for the seat
    since: float  # the time at which that entry came
    exact: bool = True  # False: the wait may have begun earlier


class WaitStatus:
    """The time since which the match waits for each seat. Statements of the table correct the times
    that were measured here.
    """

    def __init__(self) -> None:
        self._waits: dict[int, _Wait] = {}  # by seat
        # by seat: the newest wait whose length the table has stated
        self._stated: dict[int, _Wait] = {}

    def begin(self, match: Match, now: float) -> None:
        """Begin with a match. In a match that goes on, the waits may have begun earlier."""
        self._waits = {
            seat: self._begun(seat, entry, now, live=match.next_number <= 1)
            for seat, entry in _due(match).items()
        }

    def correct(self, by_seat: Mapping[int, tuple[int, float]], now: float) -> None:
        """Correct the waits by a statement of the table: for each seat the entry since which the
        table waits, and the seconds.

        The entries themselves may come later.
        """
        self._stated = {
            seat: _Wait(entry, now - seconds) for seat, (entry, seconds) in by_seat.items()
        }
        for seat, wait in self._waits.items():
            self._waits[seat] = self._begun(seat, wait.entry, wait.since, live=wait.exact)

    def hear(self, entry: Entry, match: Match, now: float, *, live: bool = True) -> None:
        """Update the waits after an entry. `now`: seconds of a clock that only goes forward.

        An entry that is not `live` was written before this program came.
        """
        due = _due(match)
        kept = {seat: wait for seat, wait in self._waits.items() if due.get(seat) == wait.entry}
        self._waits = {
            seat: kept.get(seat) or self._begun(seat, number, now, live)
            for seat, number in due.items()
        }
        if entry.kind in CLOCK_KINDS and entry.body[0] in kept:
            seat, waited = entry.body
            wait = _Wait(kept[seat].entry, now - waited / 1000, live)
            # the entry of the clock may be old itself: the wait is no shorter than it says
            self._waits[seat] = wait if live else min(wait, kept[seat], key=lambda one: one.since)

    def _begun(self, seat: int, entry: int, now: float, live: bool) -> _Wait:
        """Return a wait since now or, if the table has stated one, since the stated time."""
        stated = self._stated.get(seat)
        return stated if stated and stated.entry == entry else _Wait(entry, now, live)

    def seconds(self, seat: int, now: float) -> float:
        """Return the seconds for which the match has waited for this seat, as far as known."""
        if seat in self._waits:
            return now - self._waits[seat].since
        return 0.0

    def is_exact(self, seat: int) -> bool:
        """Return False if the match may have waited longer for this seat than `seconds` says."""
        return seat not in self._waits or self._waits[seat].exact


def _due(match: Match) -> dict[int, int]:
    return {duty.author: match.duty_since(duty.author) for duty in match.duties()}


def with_progress(match: Match | None, status: str, translate: Translate) -> str:
    """Return the status with the progress of a deal before it."""
    bar = "" if match is None else progress_bar(match, translate)
    return "  ".join(part for part in (bar, status) if part)


def connection_lost(match: Match, own: int | None, seconds: float) -> Phrase:
    """Return a line that says for how long the connection has been lost; without a table, the other
    player's.
    """
    other = next(seat for seat in range(match.setup.seats) if seat != own)
    if match.setup.has_table:
        key = "status.lost"
    else:
        key = "status.lost.no_table"
    return phrase(key, who=SeatRef(other), seconds=int(seconds))


def waiting_status(
    match: Match, own: int | None, waits: WaitStatus, now: float, absent: Collection[int] = ()
) -> Phrase | None:
    """Return a line about the seats for which the match waits: about the own seat alone if the match
    waits for it. None if no wait is worth a line.

    `absent`: seats whose players are not connected, as the table says.
    """
    seats = sorted({duty.author for duty in match.duties()})
    if match.stage is MatchStage.PLAYING and own in seats:
        return _own_turn(match, own, waits, now)
    others = [seat for seat in seats if seat != own]
    waited = max((waits.seconds(seat, now) for seat in others), default=0.0)
    if not others or (waited < LONG and match.stage is not MatchStage.PLAYING):
        return None
    away = [seat for seat in others if seat in absent]
    names, lost = (
        tuple(phrase("match.name", who=SeatRef(seat)) for seat in seats) for seats in (others, away)
    )
    unsure = "" if all(waits.is_exact(seat) for seat in others) else ".unsure"
    if lost:
        key = f"status.waiting.absent{unsure}"
        return phrase(key, names=names, seconds=int(waited), absent=lost)
    return phrase(f"status.waiting{unsure}", names=names, seconds=int(waited))


# Keys of the same lines without seconds, for a screen that counts them itself: such a line need not
# be sent again every second.
_WITHOUT_SECONDS = {
    "status.yours": "status.yours.no_clock",
    "status.yours.more": "status.yours.no_clock",
    "status.yours.unsure": "status.yours.no_clock",
    "status.waiting": "status.waiting.still",
    "status.waiting.unsure": "status.waiting.still",
    "status.waiting.absent": "status.waiting.absent.still",
    "status.waiting.absent.unsure": "status.waiting.absent.still",
    "status.seats": "status.seats.still",
    "status.lost": "status.lost.still",
    "status.lost.no_table": "status.lost.no_table.still",
}


def without_seconds(status: Phrase) -> Phrase:
    """Return the status without its time."""
    return replace(status, key=_WITHOUT_SECONDS.get(status.key, status.key))


def _own_turn(match: Match, seat: int, waits: WaitStatus, now: float) -> Phrase:
    if not match.setup.has_table:
        return phrase("status.yours.no_clock")
    left = max(ceil(match.deadline(seat) / 1000 - waits.seconds(seat, now)), 0)
    if not waits.is_exact(seat):
        return phrase("status.yours.unsure", time=_time_left(left))
    extensions = match.setup.allowance.extensions - match.clock.extensions_used[seat]
    return phrase(
        "status.yours.more" if extensions else "status.yours",
        time=_time_left(left),
        count=extensions,
    )


def _time_left(seconds: int) -> Phrase:
    """Return a time as people read it: seconds only where they matter."""
    if seconds <= SHORT:
        return phrase("status.left.seconds", count=seconds)
    return phrase("status.left.minutes", count=ceil(seconds / 60))


def round_trip_lines(view: View) -> list[Phrase]:
    """Return the seats' distances from the table, as the table states them; none where it does not."""
    known = [(seat.seat, seat.trip) for seat in view.seats if seat.trip is not None]
    texts = tuple(phrase("match.trip", who=SeatRef(seat), count=trip) for seat, trip in known)
    return [phrase("match.trips", trips=texts)] if texts else []


class PresenceNews:
    """Lines about players who have gone or come back, from the table's statements. The table may
    repeat a statement at will, and nothing relies on it.

    Status lines and seats show the present state at once. This class remembers which changes its
    lines have reported.
    """

    def __init__(self) -> None:
        self.match: Match | None = None
        self._absent: frozenset[int] = frozenset()
        self._reported: frozenset[int] = frozenset()
        self._quiet_until = float("-inf")

    def hear(self, event: events.Presence) -> None:
        """Take a statement of the table."""
        self.match = event.match
        self._absent = self._absent.union(event.gone).difference(event.back)

    def news(self, now: float) -> list[Phrase]:
        """Return the lines to show now for seats of the match: the present state, once in
        PRESENCE_NEWS_SECONDS.
        """
        if self._absent == self._reported or now < self._quiet_until:
            return []
        gone = sorted(self._absent - self._reported)
        back = sorted(self._reported - self._absent)
        self._reported = self._absent
        self._quiet_until = now + PRESENCE_NEWS_SECONDS
        changes = [("match.absent", gone), ("match.present", back)]
        return [phrase(key, who=SeatRef(seat)) for key, seats in changes for seat in seats]
