"""Reading the log, talk, spectators and resumed matches: missing numbers, other people's matches,
and the same bytes for all.
"""

from conformance.case import CaseBody, CaseFailed, CaseGroup
from conformance.table.connection import PlayerConnection
from conformance.table.environment import TableEnvironment
from conformance.table.kit_match import KitMatch, LogFollower, RecordPairs, SeatedPlayer
from conformance.table.sanity import match_table_id, start_spectator
from protocol import wire
from protocol.codes import Code
from protocol.limits import FRAMES, MAX_SEATS, RELAYS, TALK_ENVELOPE

GROUP = CaseGroup("reading")
BAD_MESSAGE = str(Code.BAD_MESSAGE)
SEALED = bytes(TALK_ENVELOPE)  # the case needs no valid ciphertext


async def same_records(onlooker: LogFollower, play: KitMatch) -> None:
    """Check that a reader gets the whole log again, byte for byte."""
    await same_log(onlooker.peer, play.players[0].records)


async def same_log(peer: PlayerConnection, records: RecordPairs) -> None:
    """Check that a player gets exactly these records from the beginning of the log."""
    onlooker = LogFollower(peer)
    await onlooker.ask()
    await onlooker.read(len(records))
    if onlooker.records != records:
        raise CaseFailed("the log is not the same bytes when it is read again")


# --- replay ---


def replay(number: int) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        play = await arena.play()
        peer = play.players[0].peer
        await peer.send("replay", peer.match_id, number)
        await peer.expect_error(Code.WRONG_HEAD)
        await play.go_on()

    return run


GROUP.add("replay-from-one-beyond-the-end", "4.6", str(Code.WRONG_HEAD), replay(2))
GROUP.add("replay-from-2-to-the-63-less-1", "4.6", str(Code.WRONG_HEAD), replay(2**63 - 1))


@GROUP.case("4.6", str(Code.WRONG_MATCH))
async def replay_of_a_match_of_others(arena: TableEnvironment) -> None:
    play = await arena.play()
    others = await arena.play()
    await play.players[0].peer.send("replay", others.players[0].peer.match_id, 0)
    await play.players[0].peer.expect_error(Code.WRONG_MATCH)
    await play.go_on()
    await others.go_on()


@GROUP.case("4.5.3", "the same bytes")
async def replay_in_the_middle_of_a_match(arena: TableEnvironment) -> None:
    play = await arena.play()
    await play.reach("commit")
    await same_records(LogFollower(play.players[0].peer), play)
    await play.end()


@GROUP.case("4.5.3", "the same bytes")
async def replay_from_the_middle(arena: TableEnvironment) -> None:
    play = await arena.play()
    await play.reach("commit")
    player = play.players[0]
    kept = player.records
    half = len(player.records) // 2
    await player.ask(half)
    for number in range(half, len(kept)):
        values = await player.peer.expect("entry")
        if values[1:] != [number, *kept[number]]:
            raise CaseFailed("the log is not the same bytes when it is read again")
    await play.end()


# --- coming back ---


async def returned(arena: TableEnvironment, play: KitMatch) -> PlayerConnection:
    """Return the first seat's player on a new connection, in its match."""
    back = await arena.back(play.players[0].peer)
    await back.send("join", match_table_id(play))
    await seat_given(back, play.players[0])
    return back


async def seat_given(back: PlayerConnection, player: SeatedPlayer) -> None:
    """Expect `match` with the seat's own number, and at least the entries that the seat has read;
    the table may have added some.
    """
    _, match_id, seat, entries, _ = await back.expect("match")
    if (match_id, seat) != (player.peer.match_id, player.number):
        raise CaseFailed("one who comes back is not given the seat that is its own")
    if entries < len(player.records):
        raise CaseFailed("entries are missing that stood in the log")


@GROUP.case("4.5.7", str(Code.TAKEN_OVER))
async def second_connection_of_one_identity(arena: TableEnvironment) -> None:
    first = await arena.guest()
    second = await arena.back(first)
    await first.expect_closed(Code.TAKEN_OVER)
    await second.send("list")
    await second.expect("tables")


@GROUP.case("4.5.7", str(Code.TAKEN_OVER))
async def second_connection_of_a_seat(arena: TableEnvironment) -> None:
    play = await arena.play()
    player = play.players[0]
    back = await returned(arena, play)
    await player.peer.expect_closed(Code.TAKEN_OVER)
    await same_records(LogFollower(back), play)
    player.peer = back
    await play.go_on()


@GROUP.case("4.5.7", str(Code.TAKEN_OVER))
async def second_connection_of_one_who_waits(arena: TableEnvironment) -> None:
    first = await arena.guest()
    await first.join(await arena.table(first))
    second = await arena.back(first)
    await first.expect_closed(Code.TAKEN_OVER)
    await second.send("list")
    (rows,) = await second.expect("tables")
    if any([first.name, first.identity.public] in row[2] for row in rows):
        raise CaseFailed("a seat is kept for a connection that is closed")


@GROUP.case("4.5.7", str(Code.TAKEN_OVER))
async def older_connection_that_proves_itself_last(arena: TableEnvironment) -> None:
    older = await arena.peer()
    newer = await arena.back(older)
    await older.handshake()
    await older.expect_closed(Code.TAKEN_OVER)
    await newer.send("list")
    await newer.expect("tables")


@GROUP.case("4.5.7", "match")
async def join_of_nowhere_with_a_seat(arena: TableEnvironment) -> None:
    play = await arena.play()
    back = await arena.back(play.players[0].peer)
    await back.send("join", None)
    if (await back.expect("match"))[1] != play.players[0].peer.match_id:
        raise CaseFailed("one who has a seat is sent to another match")
    play.players[0].peer = back
    await play.players[0].ask(1)
    await play.go_on()


@GROUP.case("4.6", str(Code.ALREADY_SEATED))
async def join_elsewhere_with_a_seat(arena: TableEnvironment) -> None:
    play = await arena.play()
    owner = await arena.guest()
    back = await arena.back(play.players[0].peer)
    await back.send("join", await arena.table(owner))
    await back.expect_error(Code.ALREADY_SEATED)


@GROUP.case("4.6", str(Code.ALREADY_SEATED))
async def spectate_at_ones_own_match(arena: TableEnvironment) -> None:
    play = await arena.play()
    back = await arena.back(play.players[0].peer)
    await back.send("spectate", match_table_id(play))
    await back.expect_error(Code.ALREADY_SEATED)


@GROUP.case("4.5.7", "the match goes on")
async def seat_that_comes_back_at_every_step(arena: TableEnvironment) -> None:
    play = await arena.play()
    player = play.players[0]
    number = 0
    while await play.step():
        number += 1
        if not play.over and number % 7 == 0:
            await player.peer.close(polite=False)
            player.peer = await returned(arena, play)
            await player.ask(len(player.records))
    await play.finish()


@GROUP.case("4.5.10", "the same bytes")
async def resume_of_a_running_match(arena: TableEnvironment) -> None:
    play = await arena.play()
    await play.reach("commit")
    player = play.players[0]
    back = await arena.back(player.peer)
    await back.send("resume", player.peer.match_id, None, None)
    await seat_given(back, player)
    await same_records(LogFollower(back), play)
    player.peer = back
    await play.end()


@GROUP.case("4.5.10", "the same bytes, left")
async def resume_of_a_finished_match(arena: TableEnvironment) -> None:
    play = await arena.play()
    await play.finish()
    player = play.players[1]
    back = await arena.back(player.peer)
    await back.send("resume", player.peer.match_id, None, None)
    await seat_given(back, player)
    await same_records(LogFollower(back), play)
    await back.expect("left")


@GROUP.case("4.6", str(Code.WRONG_MATCH))
async def resume_of_a_match_of_others(arena: TableEnvironment) -> None:
    play = await arena.play()
    peer = await arena.guest()
    await peer.send("resume", play.players[0].peer.match_id, None, None)
    await peer.expect_error(Code.WRONG_MATCH)
    await play.go_on()


@GROUP.case("4.6", str(Code.WRONG_MATCH))
async def resume_of_a_finished_match_of_others(arena: TableEnvironment) -> None:
    play = await arena.play()
    await play.end()
    peer = await arena.guest()
    await peer.send("resume", play.players[0].peer.match_id, None, None)
    await peer.expect_error(Code.WRONG_MATCH)


@GROUP.case("4.6", str(Code.WRONG_MATCH))
async def resume_of_no_match(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    await peer.send("resume", bytes(range(32)), None, None)
    await peer.expect_error(Code.WRONG_MATCH)


# --- messages that cross ---


@GROUP.case("4.6", str(Code.NOT_NOW))
async def leave_that_crosses_the_beginning(arena: TableEnvironment) -> None:
    ann = await arena.guest()
    bob = await arena.guest()
    table = await arena.table(ann)
    await ann.join(table)
    await bob.join(table)
    if not bob.match_id:
        await bob.expect("match")
    await ann.send("leave")  # ann has not yet read that the match has begun
    await ann.expect("match")
    await ann.expect_error(Code.NOT_NOW)


@GROUP.case("4.6", str(Code.MATCH_OVER))
async def relay_that_crosses_the_end(arena: TableEnvironment) -> None:
    play = await arena.play()
    await play.finish()
    peer = play.players[0].peer
    await peer.send("relay", peer.match_id, 1, SEALED)
    await peer.expect_error(Code.MATCH_OVER)


# --- watching ---


async def watcher(arena: TableEnvironment) -> tuple[KitMatch, PlayerConnection]:
    play = await arena.play()
    return play, (await start_spectator(arena, play)).peer


@GROUP.case("4.3", BAD_MESSAGE)
async def post_by_a_spectator(arena: TableEnvironment) -> None:
    play, peer = await watcher(arena)
    await peer.send("post", peer.match_id, play.players[0].entry())
    await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
    await play.go_on()


@GROUP.case("4.3", BAD_MESSAGE)
async def relay_by_a_spectator(arena: TableEnvironment) -> None:
    play, peer = await watcher(arena)
    await peer.send("relay", peer.match_id, 0, SEALED)
    await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
    await play.go_on()


@GROUP.case("4.4", "silence")
async def relay_that_a_spectator_must_not_see(arena: TableEnvironment) -> None:
    play, peer = await watcher(arena)
    ann, bob = (player.peer for player in play.players)
    await ann.send("relay", ann.match_id, 1, SEALED)
    await bob.expect("relayed")
    await peer.send("list")
    await peer.expect("tables")
    await play.go_on()


@GROUP.case("4.3", "left")
async def spectator_that_leaves(arena: TableEnvironment) -> None:
    play, peer = await watcher(arena)
    await peer.send("leave")
    await peer.expect("left")
    await play.go_on()
    await peer.send("list")
    await peer.expect("tables")


@GROUP.case("4.3", BAD_MESSAGE)
async def leave_by_a_seat(arena: TableEnvironment) -> None:
    play = await arena.play()
    peer = play.players[0].peer
    await peer.send("list")  # this player knows that the match has begun
    await peer.expect("tables")
    await peer.send("replay", peer.match_id, 1)
    await peer.send("leave")
    await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)


# --- relays ---


@GROUP.case("4.4", "relayed")
async def relay_of_an_envelope(arena: TableEnvironment) -> None:
    play = await arena.play(seats=3)
    ann, bob, cleo = (player.peer for player in play.players)
    envelope = bytes(number % 256 for number in range(TALK_ENVELOPE))
    await ann.send("relay", ann.match_id, 2, envelope)
    if await cleo.expect("relayed") != [ann.match_id, 0, envelope]:
        raise CaseFailed("an envelope arrives as another, or from another seat")
    await bob.send("list")
    await bob.expect("tables")
    await play.go_on()


@GROUP.case("4.7.3", "none is lost")
async def more_records_than_the_rate_allows(arena: TableEnvironment) -> None:
    play = await arena.play()
    ann = play.players[0].peer
    many = FRAMES[0] + 200
    await ann.write(b"".join(_asking(ann, many)))
    for _ in range(many):
        await ann.expect_error(Code.WRONG_HEAD)
    await play.go_on()


def _asking(peer: PlayerConnection, times: int) -> list[bytes]:
    """Return records that ask for entries beyond the log."""
    return [peer.record("replay", peer.match_id, 1_000_000) for _ in range(times)]


@GROUP.case("4.7.6", str(Code.TOO_MANY))
async def more_talk_than_the_rate_allows(arena: TableEnvironment) -> None:
    """The table drops talk above the rate, and says so once; the other seat receives the rest."""
    play = await arena.play(seats=3)
    ann, bob, cleo = (player.peer for player in play.players)
    envelopes = [number.to_bytes(TALK_ENVELOPE, "big") for number in range(50 * RELAYS[0])]
    await ann.write(
        b"".join(ann.record("relay", ann.match_id, 1, envelope) for envelope in envelopes)
    )
    await ann.expect_error(Code.TOO_MANY)
    # the limit counts separately for each receiver
    await ann.send("relay", ann.match_id, 2, SEALED)
    await cleo.expect("relayed")
    await ann.send("list")
    await ann.expect("tables")
    for envelope in envelopes[: RELAYS[0]]:
        if (await bob.expect("relayed"))[2] != envelope:
            raise CaseFailed("talk below the rate is lost, or arrives in another order")
    await play.go_on()


@GROUP.case("4.6", BAD_MESSAGE)
async def relay_to_a_seat_that_is_not_there(arena: TableEnvironment) -> None:
    play = await arena.play()
    peer = play.players[0].peer
    await peer.send("relay", peer.match_id, 2, SEALED)
    await peer.expect_error(Code.BAD_MESSAGE)
    await play.go_on()


@GROUP.case("4.6", str(Code.WRONG_MATCH))
async def relay_for_another_match(arena: TableEnvironment) -> None:
    play = await arena.play()
    others = await arena.play()
    await play.players[0].peer.send("relay", others.players[0].peer.match_id, 1, SEALED)
    await play.players[0].peer.expect_error(Code.WRONG_MATCH)
    await play.go_on()
    await others.go_on()


def misshapen_relay(to: int, envelope: bytes) -> CaseBody:
    async def run(arena: TableEnvironment) -> None:
        play = await arena.play()
        peer = play.players[0].peer
        await peer.send_payload(wire.encode(["relay", peer.match_id, to, envelope]))
        await peer.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)

    return run


GROUP.add("relay-beyond-the-last-seat", "4.3", BAD_MESSAGE, misshapen_relay(MAX_SEATS, SEALED))
GROUP.add("relay-of-nothing", "4.3", BAD_MESSAGE, misshapen_relay(1, b""))
GROUP.add(
    "relay-one-byte-too-long", "4.3", BAD_MESSAGE, misshapen_relay(1, bytes(TALK_ENVELOPE + 1))
)
GROUP.add(
    "relay-one-byte-too-short", "4.3", BAD_MESSAGE, misshapen_relay(1, bytes(TALK_ENVELOPE - 1))
)


@GROUP.case("4.5.17", "waited")
async def who_comes_later_hears_how_long_seats_are_waited_for(arena: TableEnvironment) -> None:
    """A list that came has one item for each seat, about entries that stand. None is no fault."""
    play = await arena.play()
    await play.reach("move")
    spectator = await start_spectator(arena, play)
    waited = spectator.peer.waited
    known = len(play.players[0].records)
    if waited and len(waited) != len(play.players):
        raise CaseFailed(f"{len(waited)} items in waited, for {len(play.players)} seats")
    if any(wait is not None and wait[0] >= known for wait in waited):
        raise CaseFailed("waited names an entry that does not stand")
    await play.finish()
