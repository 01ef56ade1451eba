"""A table that is killed or stopped, and started again: it keeps everything that it has announced
(15.4).
"""

from typing import Any

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.table.connection import PlayerConnection
from conformance.table.environment import TableEnvironment
from conformance.table.fault_cases import reach_kind
from conformance.table.kit_match import KitMatch, SeatedPlayer
from conformance.table.lobby.log_reading import same_log, seat_given
from conformance.table.match.clock import clock, heard
from protocol.codes import Code
from protocol.match.log import decode_entry
from protocol.messages.claim import CLAIM_ID, SignedClaim, check_claim

GROUP = CaseGroup("restart")
LAYERED: dict[str, Any] = {"options": [["hand", 2], ["target", 1]]}
DRAWING: dict[str, Any] = {"game": "draw-dominoes", "options": [["hand", 4], ["target", 1]]}
OPEN: dict[str, Any] = {"game": "matches", "options": [["n", 5]], "dealing": "none"}
VERIFIED: dict[str, Any] = LAYERED | {"dealing": "verified"}
COMMUTATIVE: dict[str, Any] = LAYERED | {"dealing": "commutative"}
THRESHOLD: dict[str, Any] = VERIFIED | {"seats": 3, "deal_options": [["leavers", "threshold"]]}


def newest(player: SeatedPlayer) -> list[Any] | None:
    """Return a seat's newest head, in the form that `resume` needs."""
    if player.reader is None:
        return None
    number, hashed = player.reader.log.newest_head
    return [number, hashed, player.records[number][1]]


async def returned(arena: TableEnvironment, player: SeatedPlayer) -> PlayerConnection:
    """Reconnect a seat to its match, and check that the log is unchanged, byte for byte."""
    back = await arena.back(player.peer)
    await back.send("resume", player.peer.match_id, newest(player), None)
    await seat_given(back, player)
    await same_log(back, player.records)
    player.peer = back
    return back


async def restarted(arena: TableEnvironment, play: KitMatch) -> None:
    """Kill the table, start it again, and reconnect all seats."""
    await arena.restart()
    for player in play.players:
        await returned(arena, player)


def killed(kind: str, author: int | None, times: int = 1, **terms: Any) -> CaseBody:
    """Make a case: the table is killed when a seat has an entry of this kind to post."""

    async def run(arena: TableEnvironment) -> None:
        await arena.host()
        play, _ = await reach_kind(arena, kind, author, lambda player: True, **terms)
        for _ in range(times):
            await restarted(arena, play)
        await play.finish()

    return run


for name, body in (
    ("in-the-seating", killed("sit", 1)),
    ("in-the-roster", killed("nonce", 1)),
    ("in-the-layers", killed("layer", 1, **LAYERED)),
    ("in-the-selection", killed("hop", 1, **LAYERED)),
    ("in-the-slots", killed("slot_hop", 1, **LAYERED)),
    ("in-the-game", killed("move", None, **LAYERED)),
    ("in-a-draw", killed("draw_key", None, **DRAWING)),
    ("when-all-is-opened", killed("open_seat", 1, **LAYERED)),
    ("in-the-receipts", killed("receipt", 1)),
    ("in-a-game-without-a-deal", killed("move", None, times=2, **OPEN)),
    ("in-a-shuffle", killed("shuffle", 1, **VERIFIED)),
    ("in-the-shares", killed("shares", 1, **VERIFIED)),
    ("while-keys-are-confirmed", killed("confirm", 1, **THRESHOLD)),
    ("while-cards-are-unwrapped", killed("unwrap", 0, **COMMUTATIVE)),
    ("three-times", killed("hop", 0, times=3, **LAYERED)),
):
    section = "15.4.4" if "layers" in name or "selection" in name or "slots" in name else "15.4.3"
    GROUP.add(f"table-killed-{name}", section, "clean", body)


@GROUP.case("15.4.3", str(Code.LEFT))
async def table_killed_while_others_stand_in(arena: TableEnvironment) -> None:
    await arena.host()
    play = await arena.play(**THRESHOLD)
    await play.reach("shares", 0)
    leaver = play.players[2]
    count = await play.stands(leaver, leaver.entry(kind="leave", body=[]))
    await play.play(await play.reach("stand_in", 0))
    await restarted(arena, play)
    await play.go_on_without()
    play.names(2, count, Code.LEFT)


@GROUP.case("15.4.1", "the same bytes")
async def table_killed_with_an_entry_under_way(arena: TableEnvironment) -> None:
    """The log has the entry or not; if not, its author sends it again, and the table accepts it."""
    await arena.host()
    play = await arena.play(**VERIFIED)
    player = await play.reach("shuffle", 1)
    raw = player.entry()
    await player.post(raw)
    await arena.restart()
    other = play.players[0]
    await returned(arena, other)  # the table may wait for the other seat
    back = await returned(arena, player)
    if back.entries == len(player.records):
        await player.post(raw)
    await player.read(len(player.records) + 1)
    if player.records[-1][0] != raw:
        raise CaseFailed("another entry stands where one was under way")
    await other.read(len(player.records))
    await play.finish()


@GROUP.case("15.1.5", str(Code.WRONG_SEQUENCE))
async def entry_again_after_a_restart(arena: TableEnvironment) -> None:
    await arena.host()
    play = await arena.play()
    player = play.players[0]
    raw = player.entry()
    await play.play(player)
    await restarted(arena, play)
    await player.refused(raw, Code.WRONG_SEQUENCE)
    await play.go_on()


@GROUP.case("15.4.3", "the same bytes")
async def entry_refused_before_a_restart(arena: TableEnvironment) -> None:
    """The log does not have the entry after the restart either: the author's next entry has its
    number.
    """
    await arena.host()
    play = await arena.play()
    player = play.players[0]
    await player.refused(player.entry(kind="nonce", body=[bytes(32)]), Code.NOT_NOW)
    await restarted(arena, play)
    await play.finish()


@GROUP.case("4.5.10", "the same bytes")
async def finished_match_after_a_restart(arena: TableEnvironment) -> None:
    await arena.host()
    play = await arena.play()
    await play.finish()
    await arena.restart()
    back = await returned(arena, play.players[0])
    await back.expect("left")


@GROUP.case("14.2.1", str(Code.LAPSED))
async def time_that_a_table_was_not_there(arena: TableEnvironment) -> None:
    """The table may count from zero; it never claims a longer wait than since the previous
    entry.
    """
    await arena.host()
    play = await arena.play(clock=clock(step=2))
    await play.play(play.players[0])
    since = play.posted_at
    await restarted(arena, play)
    await heard(play, "lapse", since)
    play.names(1, len(play.players[0].records) - 1, Code.LAPSED)


@GROUP.case("15.4.6", "closing")
async def table_that_is_told_to_stop(arena: TableEnvironment) -> None:
    """The table announces its end, and goes on with the match after its next start."""
    host = await arena.host()
    play = await arena.play(**LAYERED)
    await play.reach("hop", 1)
    await host.stop()
    for player in play.players:
        await player.peer.expect_closed(Code.CLOSING)
    await restarted(arena, play)
    await play.finish()


# --- what a table may have lost (15.5) ---


@GROUP.case("15.5.1", str(Code.BAD_SIGNATURE))
async def head_that_the_table_did_not_sign(arena: TableEnvironment) -> None:
    """A false head far ahead of the log: a table that believed it would wait for entries that never
    existed.
    """
    await arena.host()
    play = await arena.play()
    player = play.players[0]
    await arena.restart()
    back = await arena.back(player.peer)
    number, hashed, head = newest(player) or [0, bytes(32), bytes(64)]
    for wrong in (
        [number, hashed, bytes(64)],
        [number + 1, hashed, head],
        [10**9, bytes(32), head],
    ):
        await back.send("resume", player.peer.match_id, wrong, None)
        await back.expect_error(Code.BAD_SIGNATURE)
    await back.send("resume", player.peer.match_id, [number, hashed, head], None)
    await seat_given(back, player)
    player.peer = back
    await player.ask(len(player.records))
    await returned(arena, play.players[1])
    await play.finish()


@GROUP.case("15.5.9", str(Code.BAD_SIGNATURE))
async def claim_that_the_table_did_not_sign(arena: TableEnvironment) -> None:
    """After a restart `match` states a claim with the table's signature. Other claims are declined,
    and the match goes on.
    """
    await arena.host()
    play = await arena.play()
    player = play.players[0]
    await arena.restart()
    back = await arena.back(player.peer)
    match_id = player.peer.match_id
    for wrong in ([bytes(CLAIM_ID), bytes(64)], [bytes(CLAIM_ID), (newest(player) or [b""])[-1]]):
        await back.send("resume", match_id, newest(player), wrong)
        await back.expect_error(Code.BAD_SIGNATURE)
    await back.send("resume", match_id, newest(player), None)
    await seat_given(back, player)
    stated = claim_of(back)
    again = await arena.back(back)
    await again.send("resume", match_id, newest(player), list(stated))
    await seat_given(again, player)
    if claim_of(again) != stated:
        raise CaseFailed("another claim, although the host knows the one that it was shown")
    player.peer = again
    await player.ask(len(player.records))
    await returned(arena, play.players[1])
    await play.finish()


@GROUP.case("15.5.9", "clean")
async def restart_that_the_table_has_lost(arena: TableEnvironment) -> None:
    """The table's folder is put back to the day before the last restart. A seat shows the claim of
    that restart: the table states another claim, and the match goes on.
    """
    await arena.host()
    play = await arena.play()
    player = play.players[0]
    await arena.restart()
    await arena.kill()
    kept = arena.copy_data()
    await arena.restart()
    await returned(arena, player)
    lost = claim_of(player.peer)
    await arena.restart(kept)
    back = await arena.back(player.peer)
    await back.send("resume", player.peer.match_id, newest(player), None)
    await seat_given(back, player)
    unaware = claim_of(back)
    back = await arena.back(back)
    await back.send("resume", player.peer.match_id, newest(player), list(lost))
    await seat_given(back, player)
    if claim_of(back) in (lost, unaware):
        raise CaseFailed(
            "the table was shown a claim that it does not know, and has made no new one"
        )
    player.peer = back
    await player.ask(len(player.records))
    await returned(arena, play.players[1])
    await play.finish()


def claim_of(peer: PlayerConnection) -> SignedClaim:
    """Return the claim that `match` has stated. Raises: CaseFailed."""
    if peer.claim is None:
        raise CaseFailed("`match` states no claim after a restart")
    claim = SignedClaim(*peer.claim)
    check_claim(claim, peer.match_id, peer.table_key)
    return claim


@GROUP.case("15.5.3", str(Code.NOT_NOW))
async def tail_that_nobody_asked_for(arena: TableEnvironment) -> None:
    await arena.host()
    play = await arena.play()
    player = play.players[0]
    await arena.restart()
    for each in play.players:
        await returned(arena, each)
    number, hashed, head = newest(player) or [0, bytes(32), bytes(64)]
    await player.peer.send("tail", player.peer.match_id, number + 1, hashed, [[b"made up", head]])
    await player.peer.expect_error(Code.NOT_NOW)
    await play.finish()


# --- the lobby ---


async def listed(peer: PlayerConnection, table: str) -> list[Any]:
    """Return a table's row in the list. Raises: CaseFailed if the list does not have it."""
    await peer.send("list")
    (rows,) = await peer.expect("tables")
    row: list[Any] | None = next((row for row in rows if row[0] == table), None)
    if row is None:
        raise CaseFailed("a table that was made is not there after a restart")
    return row


@GROUP.case("15.4.5", "tables")
async def created_table_after_a_restart(arena: TableEnvironment) -> None:
    await arena.host()
    owner = await arena.guest()
    table = await arena.table(owner)
    before = await listed(owner, table)
    await arena.restart()
    back = await arena.back(owner)
    if await listed(back, table) != before:
        raise CaseFailed("a table that was made is another one after a restart")
    await back.join(table)


@GROUP.case("15.4.5", "waiting")
async def seat_reserved_before_a_restart(arena: TableEnvironment) -> None:
    """A player who waits at a table must come again."""
    await arena.host()
    owner = await arena.guest()
    table = await arena.table(owner)
    await owner.join(table)
    await arena.restart()
    back = await arena.back(owner)
    if (await listed(back, table))[2]:
        raise CaseFailed("a seat is kept for somebody who is not connected")
    await back.join(table)


@GROUP.case("15.4.5", "another id")
async def id_of_a_table_that_is_gone(arena: TableEnvironment) -> None:
    await arena.host()
    owner = await arena.guest()
    table = await arena.table(owner)
    await owner.close()
    await arena.restart()
    if await arena.table(await arena.guest()) == table:
        raise CaseFailed("the id of a table is used again")


@GROUP.case("15.4.3", "match")
async def nobody_is_there_after_a_restart(arena: TableEnvironment) -> None:
    """One seat comes back, and posts. When the other comes, for whom the table may wait, both see
    the entry.
    """
    await arena.host()
    play = await arena.play()
    first, second = play.players
    await arena.restart()
    await returned(arena, first)
    raw = first.entry()
    await first.post(raw)
    await returned(arena, second)
    await first.read(len(first.records) + 1)
    await second.read(len(first.records))
    if decode_entry(second.records[-1][0]).raw != raw:
        raise CaseFailed("an entry that stood is another one")
    await play.finish()
