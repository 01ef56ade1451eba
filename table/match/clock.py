"""Rule for the clock entries of a table. Pure: times come in, in seconds of a clock that only goes
forward; the entry to post comes out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

from protocol.dealing import Post
from protocol.limits import STANDSTILL_SECONDS
from protocol.match.clock import Allowance, new_clock, next_clock_entry, slow_step_seconds
from table.match.status import ClockDuty, MatchStatus


class Tick(NamedTuple):
    """The clock entry to post now, if any, and the seconds after which to ask again at the latest."""

    post: Post | None
    again: float


@dataclass
class _Wait:
    """The wait for one duty of a seat."""

    since: int  # number of the entry that brought the duty
    ready: float  # when that entry could be written to the seat
    begins: float  # when the seat's time begins, which may be later than now
    is_written: bool  # or the seat was away: it begins then, and not because it must begin


class WaitTimes:
    """The duties that the table waits for, by seat, and since when.

    The time of a seat begins when the entry that brought its duty has been written to its
    connection, or `line_seconds` after that was possible, or at once while the seat is away or
    has not asked for the log. It begins once for each duty.
    """

    def __init__(self, line_seconds: float) -> None:
        self._line_seconds = line_seconds
        self._waits: dict[int, _Wait] = {}  # by seat
        self._written: dict[int, int] = {}  # by seat: newest entry that was written to it
        self._here: set[int] = set()  # seats that read the log
        # by seat: what was before is the seat's time, or has been taken out of it
        self._settled: dict[int, float] = {}

    def begin(self, status: MatchStatus, stored: int, now: float, anew: bool = False) -> None:
        """Note new duties, whose entries can be written now, as some of `stored` entries.

        `anew`: also start the waits again that had begun.
        """
        for seat, since in enumerate(status.duty_since):
            wait = self._waits.get(seat)
            if since < stored and (anew or wait is None or wait.since != since):
                at_once = seat not in self._here or self._written.get(seat, -1) >= since
                begins = now if at_once else now + self._line_seconds
                self._waits[seat] = _Wait(since, now, begins, at_once)

    def written(self, seat: int, number: int, now: float) -> None:
        """Note that the entries up to `number` have been written to the seat's connection."""
        if number <= self._written.get(seat, -1):
            return
        self._written[seat] = number
        wait = self._waits.get(seat)
        if wait is not None and wait.since <= number:
            _begin(wait, now)

    def came(self, seat: int) -> None:
        """Note that the seat reads the log. A wait that has begun goes on."""
        self._here.add(seat)

    def left(self, seat: int, now: float) -> None:
        """Note that the seat does not read the log any more."""
        self._here.discard(seat)
        if (wait := self._waits.get(seat)) is not None:
            _begin(wait, now)

    def excuse(self, first: float, now: float) -> None:
        """Subtract the time from `first` until now from each wait: no seat has to pay for it."""
        for seat, wait in self._waits.items():
            start = max(first, self._settled.get(seat, 0.0))
            # nor could an entry be written in this time
            start = max(start, wait.begins if wait.is_written else wait.ready)
            wait.begins += max(0.0, now - start)
            self._settled[seat] = now

    def charge(self, seat: int, now: float) -> None:
        """Keep the time until now in the seat's wait, whatever a later `excuse` says."""
        self._settled[seat] = now

    def seconds(self, status: MatchStatus, seat: int, now: float) -> float:
        """Return the seat's time for its present duty; 0 if it has not begun."""
        wait = self._waits.get(seat)
        if wait is None or wait.since != status.duty_since[seat]:
            return 0
        return max(0.0, now - wait.begins)


def _begin(wait: _Wait, now: float) -> None:
    """Begin a wait, unless it has begun."""
    if now < wait.begins:
        wait.begins, wait.is_written = now, True


class LoopWatch:
    """Counter of the time in which a program's event loop stood still.

    A beat comes every LOOP_BEAT_SECONDS while the loop runs. What exceeds that is a standstill: the
    program was stopped, its machine slept, or one callback took long.
    """

    def __init__(self) -> None:
        self._due = inf  # when the next beat is due; infinity: none has come
        self._counted = 0.0  # until when all is known: when the last beat came, or a look since
        self.seconds = 0.0  # in which the loop stood still, in all
        self._at_beat = 0.0  # these, at the last beat

    def beat(self, now: float, next_beat: float) -> float:
        """Note that the loop runs, and when it is to say so again. Return the seconds in which it
        stood still since the last beat.
        """
        lost = self.look(now) - self._at_beat
        self._due, self._counted, self._at_beat = next_beat, now, self.seconds
        return lost

    def look(self, now: float) -> float:
        """Return `seconds` as of now. What the loop did not read meanwhile may be read only now."""
        if now - self._due > STANDSTILL_SECONDS:
            self.seconds += now - self._counted
            self._counted = now
        return self.seconds


def tick(duties: Sequence[ClockDuty], allowance: Allowance, waited: Callable[[int], float]) -> Tick:
    """Return the clock entry that is due.

    `waited` gives the seconds for which the present duty of a seat has stood.
    """
    again = _soonest(allowance)
    for seat, due in duties:
        milliseconds = int(waited(seat) * 1000)
        for kind, after in due:
            if milliseconds >= after:
                return Tick(Post(kind, [seat, milliseconds]), 0)
            again = min(again, (after - milliseconds) / 1000)
    return Tick(None, again)


def _soonest(allowance: Allowance) -> float:
    """Return the seconds in which nothing can become due about a duty that does not stand yet."""
    fresh = new_clock(1)
    quick = allowance._replace(step=min(allowance.step, slow_step_seconds(allowance)))
    return (
        min(
            next_clock_entry(fresh, quick, 0, 0, on_turn=on_turn).after for on_turn in (False, True)
        )
        / 1000
    )
