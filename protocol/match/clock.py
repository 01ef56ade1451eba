"""The clock of a match: how long a seat may take, and which of the table's words about it are due.

Nobody's clock is in the log. The table says how many milliseconds a seat has been waited for, and
`next_clock_entry` says what it may post after how many: first a `warning`, then, on a turn and
while the seat has one left, an `extension`, at last a `lapse`. Of a step of a deal it may also say,
once, that it is `slow`: a seat may be that a few times in a deal, so that what it may take for one
step does not add up over a hundred. The fold lets nothing stand before its time, so a table that
hurries must lie about its wait; what seats that kept the arrival times saw of it is in
`protocol.audit.clock_claims`.
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
    """How long a match waits for a seat, and whom it holds up. The field names are those of the
    options.
    """

    # of `turn` seconds each, for every seat, in the whole match
    extensions: int = DEFAULT_EXTENSIONS
    step: int = DEFAULT_STEP_SECONDS  # for an entry that a seat's program posts by itself
    turn: int = DEFAULT_TURN_SECONDS  # for a move
    # milliseconds that every seat's round trip is made to take, if it takes less; 0: as it is
    level: int = 0

    def options(self) -> ClockOptions:
        """As an option list, sorted by name: always all, but for `level` only what is not 0."""
        return tuple(
            sorted(
                (name, value) for name, value in self._asdict().items() if value or name != "level"
            )
        )


def parse_clock(options: ClockOptions) -> Allowance:
    """The allowance in an option list; raises `Refused(BAD_OPTIONS)` unless it is exactly one that
    `options` gives.
    """
    values = {name: value for name, value in options if type(value) is int}
    if values.keys() | {"level"} != set(Allowance._fields):
        raise Refused(Code.BAD_OPTIONS)
    allowance = Allowance(**values)
    if allowance.options() != options:  # another order, something twice, or a level of 0
        raise Refused(Code.BAD_OPTIONS)
    if not 0 <= allowance.extensions <= MAX_EXTENSIONS or not 0 <= allowance.level <= MAX_LEVEL:
        raise Refused(Code.BAD_OPTIONS)
    if not all(1 <= seconds <= MAX_CLOCK_SECONDS for seconds in (allowance.step, allowance.turn)):
        raise Refused(Code.BAD_OPTIONS)
    return allowance


class DutyWait(NamedTuple):
    """What the table has posted about one duty of a seat."""

    since: int = 0  # log number of the entry since which the duty stands
    extensions: int = 0  # times that the limit was put off
    warned_after: int | None = None  # milliseconds waited at the warning for the present limit
    slow: bool = False  # that it is a slow step


class ClockDue(NamedTuple):
    """The clock's next entry about a seat, and how many milliseconds that seat must have been
    waited for.
    """

    kind: str
    after: int


class DeclaredLapse(NamedTuple):
    """A lapse that the table has declared, and who says that it cannot have waited so long."""

    number: int  # in the log
    seat: int
    waited_milliseconds: int  # milliseconds, by the table's word
    # a seat, and how many milliseconds it can have been at most, by its word
    doubts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Clock:
    """What the log says of the clock. Frozen, a part of the fold. All tuples are by seat."""

    extensions_used: tuple[int, ...]  # extensions, in this match
    lapses_in_row: tuple[int, ...]  # turns that lapsed one after the other, up to now
    waits: tuple[DutyWait, ...]  # for its newest duty about which there was something to say
    slow_steps: tuple[int, ...]  # slow steps, in this deal
    lapses: tuple[DeclaredLapse, ...] = ()  # oldest first; not by seat

    def wait(self, seat: int, since: int) -> DutyWait:
        """What was posted about the duty that this seat has since entry `since`."""
        wait = self.waits[seat]
        return wait if wait.since == since else DutyWait(since)

    def with_wait(self, seat: int, wait: DutyWait) -> "Clock":
        """The clock after an entry about this seat's duty."""
        return replace(self, waits=with_seat(self.waits, seat, wait))

    def after_move(self, seat: int) -> "Clock":
        """The clock after this seat has made a move itself."""
        return (
            replace(self, lapses_in_row=with_seat(self.lapses_in_row, seat, 0))
            if self.lapses_in_row[seat]
            else self
        )

    def after_lapse(self, seat: int) -> "Clock":
        """The clock after this seat's turn has lapsed."""
        return replace(
            self, lapses_in_row=with_seat(self.lapses_in_row, seat, self.lapses_in_row[seat] + 1)
        )

    def reset_for_deal(self) -> "Clock":
        """The clock when cards are dealt anew."""
        return replace(self, slow_steps=(0,) * len(self.slow_steps))

    def add_lapse(self, lapse: DeclaredLapse) -> "Clock":
        """The clock after the table has said that a seat's time is over."""
        return replace(self, lapses=(*self.lapses, lapse))

    def add_doubt(self, seat: int, number: int, most: int) -> "Clock":
        """The clock after a seat has said how long the wait for the lapse with this log number was
        at most.

        Raises: Refused(NOT_NOW) if there is none, if that is no doubt, or if the seat has said it
        before.
        """
        lapse = next((lapse for lapse in self.lapses if lapse.number == number), None)
        if lapse is None or most >= lapse.waited_milliseconds or seat in dict(lapse.doubts):
            raise Refused(Code.NOT_NOW)
        doubted = lapse._replace(doubts=(*lapse.doubts, (seat, most)))
        return replace(self, lapses=tuple(doubted if old is lapse else old for old in self.lapses))

    def tolerates_lapse(self, seat: int) -> bool:
        """Whether one more lapsed turn would not yet count as leaving."""
        return self.lapses_in_row[seat] + 1 < MAX_LAPSES


NO_CLOCK = Clock((), (), (), ())


def new_clock(seats: int) -> Clock:
    """The clock at the beginning of a match."""
    return Clock((0,) * seats, (0,) * seats, (DutyWait(),) * seats, (0,) * seats)


def slow_step_seconds(allowance: Allowance) -> int:
    """After how long a step of a deal is a slow one, and how long each may take once too many
    were.
    """
    return max(SLOW_SECONDS, allowance.step // 10)


def slow_due_after(clock: Clock, allowance: Allowance, seat: int, since: int) -> int | None:
    """After how many milliseconds the table may say that a step of a deal is slow; None: not
    (again).
    """
    if clock.wait(seat, since).slow or clock.slow_steps[seat] >= MAX_SLOW_STEPS:
        return None
    return 1000 * slow_step_seconds(allowance)


def step_allowance(clock: Clock, allowance: Allowance, seat: int, since: int) -> Allowance:
    """What of the allowance a seat has for a step of a deal: the last slow one may still take as
    long as any.
    """
    if clock.slow_steps[seat] < MAX_SLOW_STEPS or clock.wait(seat, since).slow:
        return allowance
    return allowance._replace(step=min(allowance.step, slow_step_seconds(allowance)))


def deadline(clock: Clock, allowance: Allowance, seat: int, since: int, *, on_turn: bool) -> int:
    """After how many milliseconds this seat's time for the duty since entry `since` ends, unless it
    is extended.
    """
    each = 1000 * (allowance.turn if on_turn else allowance.step)
    wait = clock.wait(seat, since)
    limit = each * (1 + wait.extensions)
    if wait.warned_after is None:
        return limit
    return max(
        limit, wait.warned_after + _warning_milliseconds(each)
    )  # a late warning gives its notice all the same


def _warning_milliseconds(each: int) -> int:
    """Milliseconds between a warning and the end."""
    return min(1000 * WARNING_SECONDS, each // 2)


def next_clock_entry(
    clock: Clock, allowance: Allowance, seat: int, since: int, *, on_turn: bool
) -> ClockDue:
    """The next entry about a seat that has had a duty since entry `since`."""
    each = 1000 * (allowance.turn if on_turn else allowance.step)
    end = deadline(clock, allowance, seat, since, on_turn=on_turn)
    if clock.wait(seat, since).warned_after is None:
        return ClockDue(WARNING, end - _warning_milliseconds(each))
    return ClockDue(
        EXTENSION if on_turn and clock.extensions_used[seat] < allowance.extensions else LAPSE, end
    )


def record_clock_entry(clock: Clock, kind: str, seat: int, since: int, waited: int) -> Clock:
    """The clock after a warning, an extension or a slow step that was due."""
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
