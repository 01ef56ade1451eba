"""The table's clock: its words before their time, and what is no harm (6.9)."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.case import Body, Group
from conformance.player.arena import Arena
from conformance.player.fake_table import Numbered
from conformance.player.lies import LIE, Fork, instead
from conformance.player.room import Room
from protocol.codes import Code
from protocol.dealing import TABLE, Post

GROUP = Group("clock")
STEP = 300_000  # ms: what the clock of the kit's matches allows for a step
NOTICE = 10_000  # ms
SLOW = 30_000  # ms: what a step of a deal may take before the table may say that it is slow


def _says(words: Sequence[tuple[str, list[Any]]], code: Code) -> Body:
    """In place of entry 6 the table posts these; the last may not stand, and the player closes with the code."""

    async def run(arena: Arena) -> None:
        def lie(fork: Fork) -> list[Numbered]:
            return [fork.add(TABLE, kind, body) for kind, body in words]

        instead(arena.table, lie)
        await arena.start()
        await arena.expect_closed(code)
        await arena.expect_stopped(LIE)

    return run


WARNED = ("warning", [1, STEP - NOTICE])
LIES: dict[str, tuple[list[tuple[str, list[Any]]], Code]] = {
    "warning-too-early": ([("warning", [1, STEP - NOTICE - 1])], Code.TOO_EARLY),
    "lapse-without-a-warning": ([("lapse", [1, STEP])], Code.NOT_NOW),
    "lapse-too-early": ([WARNED, ("lapse", [1, STEP - 1])], Code.TOO_EARLY),
    "lapse-too-soon-after-a-late-warning": ([("warning", [1, STEP]), ("lapse", [1, STEP])], Code.TOO_EARLY),
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
async def lapse_by_a_seat(arena: Arena) -> None:
    """A seat says that another's time is over."""
    instead(arena.table, lambda fork: [fork.add(1, "lapse", [0, STEP])])
    await arena.start()
    await arena.expect_closed(Code.TABLE_ACCEPTED)


def _going_on(seat: int, kinds: Sequence[str]) -> Callable[[Arena], Any]:
    """The table posts what is due about a seat's time, and the match goes on."""

    async def run(arena: Arena) -> None:
        table = arena.table
        left = list(kinds)

        def say(room: Room) -> None:
            due = None if room.match.over or not left else room.match.due(seat)
            while due is not None and left and due.kind == left[0]:
                room.post(Post(left.pop(0), [seat, due.after]))
                due = room.match.due(seat)

        table.before = say
        await arena.start()
        await arena.expect_clean()

    return run


GROUP.add("warning-in-time", "6.9", "clean", _going_on(0, ["warning"]))
