"""Time: silent seats, and a table that must wait as long as it says, warn, and then let the match
go on.
"""

import asyncio
import contextlib
import time
from typing import Any

from conformance.case import CaseFailed, CaseGroup
from conformance.table.environment import TableEnvironment
from conformance.table.kit_match import KitMatch, SeatedPlayer
from protocol.codes import Code
from protocol.limits import CLOCK_LINE_SECONDS, SLOW_SECONDS
from protocol.match.clock import CLOCK_KINDS
from protocol.match.log import decode_entry

GROUP = CaseGroup("clock")
LONG: dict[str, Any] = {"options": [["hand", 3], ["target", 1]], "dealing": "verified"}
UNREAD = 400_000  # bytes that nobody reads
SLACK = 0.05  # seconds by which two clocks may differ over a wait


def clock(step: int = 60, turn: int = 60, extensions: int = 0) -> list[list[Any]]:
    """Return an option list; the parameters are in seconds."""
    return [["extensions", extensions], ["step", step], ["turn", turn]]


async def heard(play: KitMatch, last: str, since: float) -> set[int]:
    """Read entries of the table until one of the kind `last`. Check that no claimed wait is longer
    than the time since `since`. Return the seats in these entries.
    """
    seats = set()
    kind = ""
    while kind != last:
        count = len(play.players[0].records)
        await play.read(count + 1)
        entry = decode_entry(play.players[0].records[count][0])
        kind, (seat, waited) = entry.kind, entry.body
        if waited > 1000 * (time.monotonic() - since + SLACK):
            raise CaseFailed("the table says that it has waited longer than it has")
        seats.add(seat)
    return seats


@GROUP.case("14.4.1", str(Code.LAPSED))
async def step_that_nobody_takes(arena: TableEnvironment) -> None:
    play = await arena.play(clock=clock(step=1))
    if await heard(play, "lapse", play.posted_at) != {0, 1}:
        raise CaseFailed("not every seat that is waited for is warned")
    lapsed = decode_entry(play.players[0].records[-1][0]).body[0]
    play.names(lapsed, len(play.players[0].records) - 1, Code.LAPSED)
    await play.is_over()


@GROUP.case("14.4.1", str(Code.LAPSED))
async def step_that_one_does_not_take(arena: TableEnvironment) -> None:
    play = await arena.play(clock=clock(step=2))
    since = play.posted_at
    await play.play(play.players[0])
    if await heard(play, "lapse", since) != {1}:
        raise CaseFailed("the clock runs for a seat that has done its part")
    play.names(1, len(play.players[0].records) - 1, Code.LAPSED)
    await play.is_over()


@GROUP.case("14.3.5", "slow")
async def step_of_a_deal_that_takes_long(arena: TableEnvironment) -> None:
    """The table says which seat is slow, but does not hurry it: the seat may still take the
    step.
    """
    play = await arena.play(clock=clock(step=10 * SLOW_SECONDS), **LONG)
    player = await play.reach("shuffle", 1)
    # longer than the kit waits for any answer; the table must say nothing before
    await asyncio.sleep(SLOW_SECONDS)
    if await heard(play, "slow", play.posted_at) != {1}:
        raise CaseFailed("another seat is said to be slow than the one that is waited for")
    await play.play(player)
    await play.end()


@GROUP.case("9.8", "the turn is skipped")
async def turn_that_is_not_taken(arena: TableEnvironment) -> None:
    play = await arena.play(clock=clock(turn=2), **LONG)
    silent = await play.reach("move")
    if await heard(play, "lapse", play.posted_at) != {silent.number}:
        raise CaseFailed("the clock runs for another seat than the one to act")
    if play.over or next_to_act(play) is silent:
        raise CaseFailed("a turn that lapsed is not skipped")
    await play.end()


@GROUP.case("14.3.2", "extension")
async def turn_that_is_extended(arena: TableEnvironment) -> None:
    play = await arena.play(clock=clock(turn=2, extensions=1), **LONG)
    player = await play.reach("move")
    await heard(play, "extension", play.posted_at)
    await play.play(player)  # still in time
    await play.end()


@GROUP.case("6.7.1", str(Code.NOT_NOW))
async def move_after_the_turn_lapsed(arena: TableEnvironment) -> None:
    play = await arena.play(clock=clock(turn=4), **LONG)
    silent = await play.reach("move")
    due = silent.due()
    assert due is not None
    await heard(play, "lapse", play.posted_at)
    await silent.refused(silent.entry(kind=due.kind, body=due.body), Code.NOT_NOW)
    await play.end()


@GROUP.case("14.6.2", "the turn is skipped")
async def doubt_about_a_lapse(arena: TableEnvironment) -> None:
    """Each seat may say once that the table did not wait long enough; this has no effect."""
    # long enough for the doubts of all seats, in the next seat's turn too
    play = await arena.play(clock=clock(turn=8), **LONG)
    silent = await play.reach("move")
    await heard(play, "lapse", play.posted_at)
    number = len(silent.records) - 1
    before = play.match.duties()
    for player in play.players:
        await play.stands(player, player.entry(kind="doubt", body=[number, 0]))
        await player.refused(player.entry(kind="doubt", body=[number, 0]), Code.NOT_NOW)
    if play.match.duties() != before or play.match.faults:
        raise CaseFailed("a doubt has an effect")
    await play.end()


@GROUP.case("14.6.1", str(Code.NOT_NOW))
async def doubt_that_is_none(arena: TableEnvironment) -> None:
    """A doubt about something that is no lapse, and a doubt that does not contradict the table."""
    play = await arena.play(clock=clock(turn=5), **LONG)
    silent = await play.reach("move")
    await silent.refused(
        silent.entry(kind="doubt", body=[len(silent.records) - 1, 0]), Code.NOT_NOW
    )
    await heard(play, "lapse", play.posted_at)
    number = len(silent.records) - 1
    for entry, most in ((number - 1, 0), (number, play.players[0].log_body(number)[1])):
        await silent.refused(silent.entry(kind="doubt", body=[entry, most]), Code.NOT_NOW)
    await play.end()


@GROUP.case("13.9.6", str(Code.LAPSED))
async def share_that_is_withheld(arena: TableEnvironment) -> None:
    play = await arena.play(dealing="verified", clock=clock(step=4))
    holder = await play.reach("shares", 0)
    since = play.posted_at
    await play.play(play.players[1])
    if await heard(play, "lapse", since) != {holder.number}:
        raise CaseFailed("the clock runs for a seat that has done its part")
    await play.is_over()


@GROUP.case("14.2.2", "the turn is skipped")
async def seat_that_reads_nothing(arena: TableEnvironment) -> None:
    """Its time begins although the table cannot write to it, and no later than after some
    seconds.
    """
    turn = 6
    play = await arena.play(clock=clock(turn=turn), **LONG)
    mover = await play.reach("move")
    await heard(play, "warning", play.posted_at)
    other = play.players[1 - mover.number]
    line = other.peer.writer.transport
    assert isinstance(line, asyncio.Transport)
    with contextlib.suppress(NotImplementedError):  # a WebSocket is read on
        line.pause_reading()
    # more than the systems of both sides take
    for _ in range(UNREAD // sum(len(raw) for raw, _ in mover.records)):
        await other.ask()
    since = time.monotonic()
    await mover.post(mover.entry())
    await asyncio.sleep(CLOCK_LINE_SECONDS)
    kind = ""
    while kind != "lapse":
        await mover.read(len(mover.records) + 1)
        entry = decode_entry(mover.records[-1][0])
        kind = entry.kind
        waited = 1000 * (time.monotonic() - since + SLACK)
        if kind in CLOCK_KINDS and entry.body[0] != other.number:
            raise CaseFailed("the clock runs for another seat than the one to act")
        if kind in CLOCK_KINDS and entry.body[1] > waited:
            raise CaseFailed("the table says that it has waited longer than it has")
    if time.monotonic() - since > turn + CLOCK_LINE_SECONDS + arena.site.patience:
        raise CaseFailed("who does not read stops the clock")


@GROUP.case("14.2.3", "nobody is warned")
async def time_that_the_table_stood_still(arena: TableEnvironment) -> None:
    """A table that stands still for longer than a step may take has said nothing a second
    later.
    """
    table = await arena.host()
    play = await arena.play(clock=clock(step=4))
    await heard(play, "warning", play.posted_at)
    for _ in range(3):  # then nobody owes what it owed when it was warned
        await play.step()
    before = len(play.players[0].records)
    await table.stand_still(6)
    await asyncio.sleep(1)
    await play.step()
    if any(decode_entry(raw).kind in CLOCK_KINDS for raw, _ in play.players[0].records[before:]):
        raise CaseFailed("the table counts the time in which it stood still")
    await play.finish()


def next_to_act(play: KitMatch) -> SeatedPlayer:
    """Return the seat that must move."""
    duties = play.match.duties()
    return play.players[duties[0].author]
