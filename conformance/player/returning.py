"""Lines that break, tables that come back changed, and players that are ended at once (4.5, 6.3)."""

from conformance.case import Body, Failed, Group
from conformance.handshaker import another_identity
from conformance.player.guest import Guest
from conformance.player.lies import Fork
from conformance.player.stage import Stage
from conformance.player.table import Table, short
from protocol.codes import Code
from protocol.match.terms import Terms

GROUP = Group("returning")


def _cut(*entries: int, terms: Terms | None = None) -> Body:
    """The line breaks once so many entries have been shown; the player comes back, and plays to the end."""

    async def run(stage: Stage) -> None:
        table = stage.play(terms or short())
        table.cut_at = list(entries)
        await stage.start()
        await stage.expect_clean()
        if len(stage.guests) <= len(entries):
            raise Failed("the player ended before the line broke")

    return run


for at, where in ((1, "before-it-sits-down"), (4, "in-the-roster"), (7, "in-its-layer"), (10, "in-the-selection")):
    GROUP.add(f"line-cut-{where}", "4.5.3", "clean", _cut(at))
GROUP.add("line-cut-in-a-shuffle", "4.5.3", "clean", _cut(8, terms=short("verified")))
GROUP.add("line-cut-four-times", "4.5.3", "clean", _cut(2, 6, 9, 15))


def _losing(table: Table, sequence: int, arrives: bool) -> list[bytes]:
    """Cut the line when this entry of the player comes, having taken it in or not; gives what it then was."""
    lost: list[bytes] = []

    async def post(guest: Guest, match_id: bytes, raw: bytes) -> None:
        if lost or table.kept.log.sequence(table.seat) != sequence:
            await table.on_post(guest, match_id, raw)
            return
        lost.append(raw)
        table.look_at(raw)
        if arrives:
            table.kept.offer(raw, table.seat)
        guest.abort()

    table.on["post"] = post
    return lost


@GROUP.case("6.3.3", "the same bytes")
async def entry_lost_with_the_line(stage: Stage) -> None:
    """The player sends it again as it was: never a second version."""
    lost = _losing(stage.table, 3, arrives=False)
    await stage.start()
    await stage.expect_clean()
    if [entry.raw for entry in stage.table.posts()].count(lost[0]) != 2:
        raise Failed("the player did not send the same bytes again")


@GROUP.case("6.3.3", "clean")
async def entry_that_arrived_before_the_line_broke(stage: Stage) -> None:
    """The player finds it in the log."""
    _losing(stage.table, 3, arrives=True)
    await stage.start()
    await stage.expect_clean()


@GROUP.case("6.4.3", "table_forked")
async def other_entry_after_a_break(stage: Stage) -> None:
    """The newest entry that the player has seen is another one when it comes back."""
    table = stage.table
    table.cut_at = [7]

    async def replay(guest: Guest, match_id: bytes, number: int) -> None:
        if guest.is_first:
            await table.on_replay(guest, match_id, number)
        else:
            shown, record = Fork(table.kept, number - 1).add(1, "leave", [])
            await guest.say("entry", match_id, shown, *record)

    table.on["replay"] = replay
    await stage.start()
    await stage.expect_closed(Code.TABLE_FORKED, number=1)


@GROUP.case("6.4", "ends")
async def log_shorter_after_a_break(stage: Stage) -> None:
    """The table has lost entries whose heads it had signed: the player posts nothing into such a log."""
    table = stage.table
    table.cut_at = [7]
    table.announced = lambda values: values if stage.guests[-1].is_first else [*values[:3], 3]

    async def replay(guest: Guest, match_id: bytes, number: int) -> None:
        if guest.is_first:
            await table.on_replay(guest, match_id, number)

    table.on["replay"] = replay
    await stage.start()
    first, second = await stage.end(0), await stage.end(1)
    known = [message.values[1] for message in first.heard if message.name == "post"]
    if any(message.name == "post" and message.values[1] not in known for message in second.heard):
        raise Failed("the player went on playing")
    stage.look()


@GROUP.case("4.5.9", "ends")
async def other_match_after_a_break(stage: Stage) -> None:
    """The seat is in another match now."""
    table = stage.table
    table.cut_at = [7]
    table.announced = lambda values: values if stage.guests[-1].is_first else [values[0], bytes(32), *values[2:]]
    await stage.start()
    guest = await stage.end(1)
    if any(message.name == "post" for message in guest.heard):
        raise Failed("the player posted into another match")


@GROUP.case("3.3.5", "dropped")
async def other_table_after_a_break(stage: Stage) -> None:
    """Somebody else listens where the table was."""
    stage.table.cut_at = [7]
    stage.table.second = None
    await stage.start()
    await stage.wait(lambda: bool(stage.table.keeper), "the match did not begin")
    stage.table.identity = another_identity()
    await stage.expect_dropped(1)


# --- the player's process ends at once, and is started again with its data folder ---


def _killed(sequence: int, arrives: bool = True, terms: Terms | None = None) -> Body:
    """The player dies when it has sent its entry of this sequence; the table has taken it in, or has not."""

    async def run(stage: Stage) -> None:
        table = stage.play(terms or short())

        async def post(guest: Guest, match_id: bytes, raw: bytes) -> None:
            if not guest.is_first or table.kept.log.sequence(table.seat) != sequence:
                await table.on_post(guest, match_id, raw)
                return
            table.look_at(raw)
            if arrives:
                table.kept.offer(raw, table.seat)

        table.on["post"] = post
        await stage.start()
        await stage.wait(lambda: table.has_signed(sequence), "the player did not come so far")
        await stage.restart()
        await stage.expect_clean()

    return run


for sequence, where in ((0, "in-the-seating"), (2, "in-its-layer"), (4, "in-the-selection"), (9, "in-the-slots")):
    GROUP.add(f"player-killed-{where}", "6.3.3", "clean", _killed(sequence))
GROUP.add("player-killed-in-a-shuffle", "6.3.3", "clean", _killed(3, terms=short("verified")))
GROUP.add("player-killed-with-an-entry-under-way", "6.3.3", "the same bytes", _killed(3, arrives=False))
GROUP.add("player-killed-before-it-sits-down", "6.3.3", "the same bytes", _killed(0, arrives=False))
