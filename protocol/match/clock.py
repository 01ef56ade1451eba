"""The clock of a match: how long a seat may take, and which entries the table may post about the
wait.

The log contains no clock times. The table states how many milliseconds it has waited for a seat.
`next_clock_entry` says which entry the table may post next, and after how long a wait. The first is
a `warning`. On a turn an `extension` follows, as long as the seat has one left. The last is a
`lapse`.

During a deal the table may also post `slow` once for each step. Each seat may be slow only a few
times in a deal. Otherwise the full time for one step could be used up in each of a hundred steps.

The fold refuses a clock entry before its time. A table that hurries must therefore lie about its
wait. `protocol.audit.clock_claims` compares the claimed wait with the arrival times that the seats
recorded.
"""

from dataclasses import dataclass
from typing import NamedTuple

from protocol.codes import Code
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.limits import (
    DEFAULT_EXTENSIONS,
    DEFAULT_STEP_SECONDS,
    DEFAULT_TURN_SECONDS,
    MAX_CLOCK_SECONDS,
    MAX_EXTENSIONS,
    MAX_LAPSES,
    MAX_LEVEL,
    MAX_SLOW_STEPS,
    SLOW_SECONDS,
    WARNING_SECONDS,
)
from protocol.seats import with_seat

ClockOptions = tuple[tuple[str, int | str], ...]
WARNING, EXTENSION, LAPSE, SLOW = CLOCK_KINDS = ("warning", "extension", "lapse", "slow")


class Allowance(NamedTuple):
    """Time limits of a match, and the round trip that it imposes on all seats.

    The field names are the names of the options.
    """

    # extensions of `turn` seconds each, for every seat, in the whole match
    extensions: int = DEFAULT_EXTENSIONS
    step: int = DEFAULT_STEP_SECONDS  # seconds for an entry that a seat's program posts by itself
    turn: int = DEFAULT_TURN_SECONDS  # seconds for a move
    # minimum round trip in milliseconds: faster seats are delayed up to this; 0: no delay
    level: int = 0

    def options(self) -> ClockOptions:
        """Return the option list, sorted by name. Only `level` is left out when it is 0."""
        return tuple(
            sorted(
                (name, value) for name, value in self._asdict().items() if value or name != "level"
            )
        )


def parse_clock(options: ClockOptions) -> Allowance:
    """Read the allowance from an option list.

    Raises: Refused(BAD_OPTIONS) unless `options` is exactly what `Allowance.options` returns.
    """
    values = {name: value for name, value in options if type(value) is int}
    if values.keys() | {"level"} != set(Allowance._fields):
        raise Refused(Code.BAD_OPTIONS)
    allowance = Allowance(**values)
    if allowance.options() != options:  # refuses another order, duplicates, and a level of 0
        raise Refused(Code.BAD_OPTIONS)
    if not 0 <= allowance.extensions <= MAX_EXTENSIONS or not 0 <= allowance.level <= MAX_LEVEL:
        raise Refused(Code.BAD_OPTIONS)
    if not all(1 <= seconds <= MAX_CLOCK_SECONDS for seconds in (allowance.step, allowance.turn)):
        raise Refused(Code.BAD_OPTIONS)
    return allowance


class DutyWait(NamedTuple):
    """Clock entries that the table has posted about one duty of a seat."""

    since: int = 0  # log number of the entry that created the duty
    extensions: int = 0  # number of extensions of the limit
    warned_after: int | None = None  # milliseconds waited at the warning for the present limit
    slow: bool = False  # the table has declared the step slow


class ClockDue(NamedTuple):
    """The next clock entry about a seat, and the wait in milliseconds before the table may post
    it.
    """

    kind: str
    after: int


class DeclaredLapse(NamedTuple):
    """A lapse that the table has declared, and the doubts of other seats about its wait."""

    number: int  # log number
    seat: int
    waited_milliseconds: int  # as the table claims
    # (seat, longest wait in milliseconds that this seat considers possible)
    doubts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Clock:
    """State of the clock according to the log: frozen, part of the fold. Tuples are by seat."""

    extensions_used: tuple[int, ...]  # extensions used in this match
    lapses_in_row: tuple[int, ...]  # latest turns that lapsed, without a move in between
    waits: tuple[DutyWait, ...]  # for the newest duty with a clock entry
    slow_steps: tuple[int, ...]  # slow steps in this deal
    lapses: tuple[DeclaredLapse, ...] = ()  # oldest first; not by seat

    def wait(self, seat: int, since: int) -> DutyWait:
        """Return the clock entries about the duty that `seat` has since entry `since`."""
        wait = self.waits[seat]
        return wait if wait.since == since else DutyWait(since)

    def with_wait(self, seat: int, wait: DutyWait) -> "Clock":
        """Return the clock with `wait` as the state of the seat's duty."""
        return replace(self, waits=with_seat(self.waits, seat, wait))

    def after_move(self, seat: int) -> "Clock":
        """Return the clock after a move by the seat itself, which ends its row of lapses."""
        if self.lapses_in_row[seat]:
            return replace(self, lapses_in_row=with_seat(self.lapses_in_row, seat, 0))
        return self

    def after_lapse(self, seat: int) -> "Clock":
        """Return the clock after a lapsed turn of `seat`."""
        return replace(
            self, lapses_in_row=with_seat(self.lapses_in_row, seat, self.lapses_in_row[seat] + 1)
        )

    def reset_for_deal(self) -> "Clock":
        """Return the clock at the start of a new deal."""
        return replace(self, slow_steps=(0,) * len(self.slow_steps))

    def add_lapse(self, lapse: DeclaredLapse) -> "Clock":
        """Return the clock with one more declared lapse."""
        return replace(self, lapses=(*self.lapses, lapse))

    def add_doubt(self, seat: int, number: int, most: int) -> "Clock":
        """Return the clock with a doubt about the lapse of log number `number`.

        `most` is the longest wait in milliseconds that `seat` considers possible. Raises:
        Refused(NOT_NOW) if no lapse has this number, `most` does not contradict its wait, or the
        seat has doubted the lapse before.
        """
        lapse = next((lapse for lapse in self.lapses if lapse.number == number), None)
        if lapse is None or most >= lapse.waited_milliseconds or seat in dict(lapse.doubts):
            raise Refused(Code.NOT_NOW)
        doubted = lapse._replace(doubts=(*lapse.doubts, (seat, most)))
        return replace(self, lapses=tuple(doubted if old is lapse else old for old in self.lapses))

    def tolerates_lapse(self, seat: int) -> bool:
        """Check that one more lapsed turn does not yet count as leaving."""
        return self.lapses_in_row[seat] + 1 < MAX_LAPSES


NO_CLOCK = Clock((), (), (), ())


def new_clock(seats: int) -> Clock:
    """Return the clock at the beginning of a match."""
    return Clock((0,) * seats, (0,) * seats, (DutyWait(),) * seats, (0,) * seats)


def slow_step_seconds(allowance: Allowance) -> int:
    """Return the seconds after which a step of a deal is slow.

    A seat that has used up its slow steps has only this long for each further step.
    """
    return max(SLOW_SECONDS, allowance.step // 10)


def slow_due_after(clock: Clock, allowance: Allowance, seat: int, since: int) -> int | None:
    """Return the wait in milliseconds after which the table may declare a step slow.

    None if the step is declared slow already, or if the seat has used up its slow steps.
    """
    if clock.wait(seat, since).slow or clock.slow_steps[seat] >= MAX_SLOW_STEPS:
        return None
    return 1000 * slow_step_seconds(allowance)


def step_allowance(clock: Clock, allowance: Allowance, seat: int, since: int) -> Allowance:
    """Return the allowance of a seat for one step of a deal.

    The last step declared slow still has the full time. Steps after it have only the time of a slow
    step.
    """
    if clock.slow_steps[seat] < MAX_SLOW_STEPS or clock.wait(seat, since).slow:
        return allowance
    return allowance._replace(step=min(allowance.step, slow_step_seconds(allowance)))


def deadline(clock: Clock, allowance: Allowance, seat: int, since: int, *, on_turn: bool) -> int:
    """Return the wait in milliseconds at which the seat's time for its duty ends, without an
    extension.
    """
    each = 1000 * (allowance.turn if on_turn else allowance.step)
    wait = clock.wait(seat, since)
    limit = each * (1 + wait.extensions)
    if wait.warned_after is None:
        return limit
    # a late warning still gives its full notice
    return max(limit, wait.warned_after + _warning_milliseconds(each))


def _warning_milliseconds(each: int) -> int:
    """Milliseconds between a warning and the end of the time."""
    return min(1000 * WARNING_SECONDS, each // 2)


def next_clock_entry(
    clock: Clock, allowance: Allowance, seat: int, since: int, *, on_turn: bool
) -> ClockDue:
    """Return the next clock entry about a seat that has had a duty since entry `since`."""
    each = 1000 * (allowance.turn if on_turn else allowance.step)
    end = deadline(clock, allowance, seat, since, on_turn=on_turn)
    if clock.wait(seat, since).warned_after is None:
        return ClockDue(WARNING, end - _warning_milliseconds(each))
    return ClockDue(
        EXTENSION if on_turn and clock.extensions_used[seat] < allowance.extensions else LAPSE, end
    )


def record_clock_entry(clock: Clock, kind: str, seat: int, since: int, waited: int) -> Clock:
    """Return the clock after a warning, an extension or a slow step that was due."""
    wait = clock.wait(seat, since)
    if kind == SLOW:
        counted = replace(
            clock, slow_steps=with_seat(clock.slow_steps, seat, clock.slow_steps[seat] + 1)
        )
        return counted.with_wait(seat, wait._replace(slow=True))
    if kind == WARNING:
        return clock.with_wait(seat, wait._replace(warned_after=waited))
    extended = replace(
        clock,
        extensions_used=with_seat(clock.extensions_used, seat, clock.extensions_used[seat] + 1),
    )
    return extended.with_wait(seat, DutyWait(since, wait.extensions + 1))
