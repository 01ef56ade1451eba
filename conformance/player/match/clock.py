"""The table's clock: entries before their time, and entries that do no harm (6.9)."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.player.environment import PlayerEnvironment
from conformance.player.fake_table import NumberedRecord
from conformance.player.forged_logs import LIE_NUMBER, ForkedLog, replace_entry
from conformance.player.kit_match import KitMatch
from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.match.log import ENDED
from protocol.match.state import MatchStage

GROUP = CaseGroup("clock")
STEP = 300_000  # ms: limit for a step in the kit's matches
NOTICE = 10_000  # ms
SLOW = 30_000  # ms: after this time the table may say that a step of a deal is slow


def _says(words: Sequence[tuple[str, list[Any]]], code: Code) -> CaseBody:
    """Make a case: instead of entry 6 the table posts these entries. The last one is invalid, and
    the player closes with the code.
    """

    async def run(arena: PlayerEnvironment) -> None:
        def lie(fork: ForkedLog) -> list[NumberedRecord]:
            return [fork.add(TABLE, kind, body) for kind, body in words]

        replace_entry(arena.table, lie)
        await arena.start()
        await arena.expect_closed(code)
        await arena.expect_stopped(LIE_NUMBER)

    return run


WARNED = ("warning", [1, STEP - NOTICE])
LIES: dict[str, tuple[list[tuple[str, list[Any]]], Code]] = {
    "warning-too-early": ([("warning", [1, STEP - NOTICE - 1])], Code.TOO_EARLY),
    "lapse-without-a-warning": ([("lapse", [1, STEP])], Code.NOT_NOW),
    "lapse-too-early": ([WARNED, ("lapse", [1, STEP - 1])], Code.TOO_EARLY),
    "lapse-too-soon-after-a-late-warning": (
        [("warning", [1, STEP]), ("lapse", [1, STEP])],
        Code.TOO_EARLY,
    ),
    "extension-of-a-step": ([WARNED, ("extension", [1, STEP])], Code.NOT_NOW),
    "lapse-of-a-seat-without-a-duty": ([("lapse", [0, STEP])], Code.NOT_NOW),
    "slow-too-early": ([("slow", [1, SLOW - 1])], Code.TOO_EARLY),
    "slow-twice-in-a-step": ([("slow", [1, SLOW]), ("slow", [1, STEP])], Code.NOT_NOW),
    "slow-of-a-seat-without-a-duty": ([("slow", [0, SLOW])], Code.NOT_NOW),
    "warning-without-a-time": ([("warning", [1])], Code.BAD_ENTRY),
}
for name, (words, code) in LIES.items():
    GROUP.add(name, "6.9", str(code), _says(words, code))


@GROUP.case("6.9", "table_accepted")
async def lapse_by_a_seat(arena: PlayerEnvironment) -> None:
    """A seat posts that another seat's time is over."""
    replace_entry(arena.table, lambda fork: [fork.add(1, "lapse", [0, STEP])])
    await arena.start()
    await arena.expect_closed(Code.TABLE_ACCEPTED)


def _going_on(seat: int, kinds: Sequence[str]) -> Callable[[PlayerEnvironment], Any]:
    """Make a case: the table posts correct entries about a seat's time, and the match goes on."""

    async def run(arena: PlayerEnvironment) -> None:
        table = arena.table
        left = list(kinds)

        def say(room: KitMatch) -> None:
            if room.match.over or not left:
                due = None
            else:
                due = room.match.next_clock_entry(seat)
            while due is not None and left and due.kind == left[0]:
                room.post(Post(left.pop(0), [seat, due.after]))
                due = room.match.next_clock_entry(seat)

        table.before = say
        await arena.start()
        await arena.expect_clean()

    return run


GROUP.add("warning-in-time", "6.9", "clean", _going_on(0, ["warning"]))


@GROUP.case("14.3.5", "clean")
async def slow_in_time(arena: PlayerEnvironment) -> None:
    """The table says that a step of the player is slow: the player loses nothing by this."""
    table = arena.table
    said: list[int] = []

    def say(room: KitMatch) -> None:
        if room.match.over or said:
            after = None
        else:
            after = room.match.slow_due_after(0)
        if after is not None:
            said.append(after)
            room.post(Post("slow", [0, after]))

    table.before = say
    await arena.start()
    await arena.expect_clean()
    if not said:
        raise CaseFailed("no step of the player's was waited for")


@GROUP.case("14.6.2", "clean")
async def doubt_of_another_seat(arena: PlayerEnvironment) -> None:
    """Another seat says that the table did not wait: this has no effect, and the match goes on."""
    table = arena.table
    asked: list[int] = []

    def say(room: KitMatch) -> None:
        (other,) = room.others
        other.silent = lambda match: match.stage is MatchStage.PLAYING and not asked
        if room.match.over or room.match.stage is not MatchStage.PLAYING or asked:
            due = None
        else:
            due = room.match.next_clock_entry(1)
        while due is not None and not asked:
            room.post(Post(due.kind, [1, due.after]))
            if due.kind == "lapse":
                asked.append(room.log.next_number - 1)
                room.offer(other.entry(room.log, Post("doubt", [asked[0], 0])), 1)
            due = room.match.next_clock_entry(1)

    table.before = say
    await arena.start()
    await arena.expect_clean()
    if not asked:
        raise CaseFailed("it was never the other's turn")


@GROUP.case("6.6.4", "clean")
async def match_ended_by_the_table(arena: PlayerEnvironment) -> None:
    """The table ends the match: the player names nobody, posts nothing more, and goes."""
    table = arena.table

    def end(room: KitMatch) -> None:
        if not room.match.over and room.match.stage is MatchStage.PLAYING:
            room.post(Post(ENDED, []))

    table.before = end
    await arena.start()
    await arena.expect_clean()
    number = table.room.match.ended_at
    if number is None:
        raise CaseFailed("the match ended otherwise")
    await arena.expect_stopped(number)


@GROUP.case("6.6.4", "table_accepted")
async def match_ended_by_a_seat(arena: PlayerEnvironment) -> None:
    """A seat ends the match, which only the table can do."""
    replace_entry(arena.table, lambda fork: [fork.add(1, ENDED, [])])
    await arena.start()
    await arena.expect_closed(Code.TABLE_ACCEPTED)


GROUP.add(
    "end-of-a-match-with-a-body",
    "6.6.4",
    str(Code.BAD_ENTRY),
    _says([(ENDED, [0])], Code.BAD_ENTRY),
)


@GROUP.case("14.6.1", "table_accepted")
async def doubt_about_what_is_no_lapse(arena: PlayerEnvironment) -> None:
    replace_entry(arena.table, lambda fork: [fork.add(1, "doubt", [LIE_NUMBER - 1, 0])])
    await arena.start()
    await arena.expect_closed(Code.TABLE_ACCEPTED)
