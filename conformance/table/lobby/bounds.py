"""Too many requests of every kind: a table limits them as chapter 12 says, or more tightly, and
other players notice nothing.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

from conformance.case import CaseFailed, CaseGroup, CaseSkipped
from conformance.table.connection import PlayerConnection
from conformance.table.environment import TableEnvironment
from conformance.table.kit_match import KitMatch
from conformance.table.lobby.lobby import clock
from conformance.table.sanity import check_health, match_table_id
from protocol.codes import Code
from protocol.limits import (
    ARRIVALS_PER_ADDRESS,
    MAX_HALF_OPEN,
    MAX_HALF_OPEN_PER_ADDRESS,
    MAX_PER_ADDRESS,
    MAX_SEATS_PER_ADDRESS,
    MAX_SPECTATORS,
    MAX_TABLES_PER_ADDRESS,
    MAX_TABLES_PER_IDENTITY,
    REQUESTS,
    TALK_ENVELOPE,
)
from protocol.session.session import turned_away

GROUP = CaseGroup("bounds")
SEATS = 4  # of one match, so that a few tables are enough
# connections at a time: fewer than the limit of half-open connections, so that only their rate can
# be too high
KNOCKS = 20
READERS, REPLAYS = 16, 200  # spectators of one address, and how often each asks for the log
# what a table may say before it hangs up (3.2.6)
TURNED_AWAY = tuple(map(turned_away, (Code.TOO_MANY_HERE, Code.TOO_MANY)))
BYSTANDER = 3.0  # seconds in which the table must answer a bystander


def other_address(arena: TableEnvironment) -> str:
    """Return another address than the one that makes too many requests."""
    address = arena.site.address()
    if address is None:
        raise CaseSkipped("needs a table on this machine, to come from several addresses")
    return address


async def bystander(arena: TableEnvironment) -> None:
    """Check that the table admits and answers a player from another address as usual."""
    peer = await arena.peer(address=arena.site.address())
    async with asyncio.timeout(BYSTANDER):
        await peer.greet()
        await peer.send("list")
        await peer.expect("tables")


async def gone(peer: PlayerConnection) -> bool:
    """Check whether the table has dropped a connection; it has had the time."""
    with contextlib.suppress(CaseFailed):
        await peer.read_to_end()
        return True
    return False


@GROUP.case("4.7.1", "close without an answer", alone=True)
async def one_connection_too_many_from_one_address(arena: TableEnvironment) -> None:
    other_address(arena)
    peers = [await arena.guest() for _ in range(MAX_PER_ADDRESS)]
    one_more = await arena.peer()
    await one_more.write(one_more.session.start())
    if await one_more.read_to_end() not in (b"", *TURNED_AWAY):
        raise CaseFailed("an answer to one connection too many")
    for peer in peers:
        await peer.send("list")
        await peer.expect("tables")
    await bystander(arena)
    await peers[0].close()
    await in_the_end(arena.guest)


async def in_the_end(act: Callable[[], Awaitable[object]]) -> None:
    """Repeat `act` until it works: the table may need time to notice a lost connection."""
    for _ in range(20):
        with contextlib.suppress(CaseFailed):
            await act()
            return
        await asyncio.sleep(0.1)
    raise CaseFailed("the place of one who has gone is not free")


@GROUP.case("4.7.2", "the oldest gives way", alone=True)
async def one_half_open_too_many_from_one_address(arena: TableEnvironment) -> None:
    other_address(arena)
    silent = [await arena.peer() for _ in range(MAX_HALF_OPEN_PER_ADDRESS + 1)]
    if not await gone(silent[0]):
        raise CaseFailed("the oldest half-open connection is still there")
    await silent[-1].greet()
    await bystander(arena)


@GROUP.case("4.7.2", "others get in", alone=True)
async def flood_of_half_open_connections(arena: TableEnvironment) -> None:
    for _ in range(1 + 2 * MAX_HALF_OPEN // MAX_HALF_OPEN_PER_ADDRESS):
        address = other_address(arena)
        for _ in range(MAX_HALF_OPEN_PER_ADDRESS):
            await arena.peer(address=address)
    await bystander(arena)
    if not all(await asyncio.gather(*map(gone, arena.peers[:8]))):
        raise CaseFailed("the oldest half-open connections are still there")


@GROUP.case("4.7.1", "close without an answer", alone=True)
async def flood_of_connections_from_one_address(arena: TableEnvironment) -> None:
    other_address(arena)
    # the limit of arrivals refills during the case
    for _ in range(4 * ARRIVALS_PER_ADDRESS[0] // KNOCKS):
        for _ in range(KNOCKS):
            await knock(arena)
        peer = await arena.peer()
        await peer.write(peer.session.start())
        answered = await peer.read() not in (b"", *TURNED_AWAY)
        await peer.close(polite=False)
        if not answered:
            await bystander(arena)
            return
    raise CaseFailed("one address may connect as fast as it likes")


async def knock(arena: TableEnvironment) -> None:
    """Connect, and hang up."""
    link = arena.site.link
    local = (arena.address or "", 0)
    with contextlib.suppress(ConnectionError):
        _, writer = await asyncio.open_connection(link.host, link.port, local_addr=local)
        writer.transport.abort()


@GROUP.case("4.7.4", str(Code.TOO_MANY))
async def flood_of_requests(arena: TableEnvironment) -> None:
    peer = await arena.guest()
    count = REQUESTS[0] + 40
    await peer.write(b"".join(peer.record("list") for _ in range(count)))
    answers = [await peer.receive() for _ in range(count)]
    if not any(answer is not None and answer.values == [str(Code.TOO_MANY)] for answer in answers):
        raise CaseFailed("one identity may ask as fast as it likes")
    await bystander(arena)


@GROUP.case("4.7.9", str(Code.TOO_MANY), alone=True)
async def one_table_too_many_from_one_address(arena: TableEnvironment) -> None:
    """The table refuses because of the number of tables, or because of their rate."""
    other_address(arena)
    made = 0
    for _ in range(1 + MAX_TABLES_PER_ADDRESS // MAX_TABLES_PER_IDENTITY):
        owner = await arena.guest()
        for _ in range(MAX_TABLES_PER_IDENTITY):
            await owner.send("create", arena.terms())
            message = await owner.receive()
            if message is None or message.name not in ("created", "error"):
                raise CaseFailed(f"{owner.described(message)} instead of created or an error")
            if message.name == "error" and message.values != [str(Code.TOO_MANY)]:
                raise CaseFailed(f"{owner.described(message)} instead of {Code.TOO_MANY}")
            made += message.name == "created"
    if made > MAX_TABLES_PER_ADDRESS:
        raise CaseFailed("one address may have any number of tables")
    await arena.table(await arena.guest(address=arena.site.address()))


@GROUP.case("4.7.9", str(Code.TOO_MANY), alone=True)
async def one_seat_too_many_from_one_address(arena: TableEnvironment) -> None:
    """The seat of an absent player counts, and the table admits this player again. Other addresses
    create the tables.
    """
    elsewhere = other_address(arena)
    playing: list[PlayerConnection] = []
    for _ in range(1 + MAX_SEATS_PER_ADDRESS // SEATS):
        owner = await arena.guest(address=elsewhere)
        table = await arena.table(owner, seats=SEATS, clock=clock(step=60, turn=60))
        people = [await arena.guest() for _ in range(SEATS)]
        for peer in people:
            if await is_seated(peer, table):
                continue
            if playing:
                await (await arena.back(playing[0])).join()
            return
        for peer in people:
            if not peer.match_id:
                await peer.expect("match")
            await peer.close()
        playing += people
    raise CaseFailed("one address may take any number of seats")


async def is_seated(peer: PlayerConnection, table: str) -> bool:
    """Ask for a seat; return False if the address already has too many."""
    await peer.send("join", table)
    message = await peer.receive()
    if message is None or message.name not in ("waiting", "match", "error"):
        raise CaseFailed(f"{peer.described(message)} instead of waiting or an error")
    if message.name == "error" and message.values != [str(Code.TOO_MANY)]:
        raise CaseFailed(f"{peer.described(message)} instead of {Code.TOO_MANY}")
    return message.name != "error"


@GROUP.case("12.9", str(Code.TOO_MANY), alone=True)
async def one_spectator_too_many(arena: TableEnvironment) -> None:
    play = await arena.play()
    for _ in range(MAX_SPECTATORS):
        await (await watch(arena, play)).expect("match")
    await (await watch(arena, play)).expect_error(Code.TOO_MANY)
    await play.go_on()


async def watch(arena: TableEnvironment, play: KitMatch) -> PlayerConnection:
    """Return one more player who asks to watch, from another address."""
    peer = await arena.guest(address=other_address(arena))
    await peer.send("spectate", match_table_id(play))
    return peer


@GROUP.case("4.7.7", "others do not notice", alone=True)
async def spectators_that_read_again_and_again(arena: TableEnvironment) -> None:
    play = await arena.play()
    address = other_address(arena)
    crowd = [await arena.guest(address=address) for _ in range(READERS)]
    for peer in crowd:
        await peer.send("spectate", match_table_id(play))
        match_id = (await peer.expect("match"))[1]
        await peer.write(b"".join(peer.record("replay", match_id, 0) for _ in range(REPLAYS)))
    await check_health(arena)
    await bystander(arena)
    await play.go_on()


@GROUP.case("4.7.7", "others do not notice")
async def seat_that_does_not_read(arena: TableEnvironment) -> None:
    play = await arena.play(seats=3)
    ann, bob, cleo = play.players
    asking = b"".join(bob.peer.record("replay", bob.peer.match_id, 0) for _ in range(20_000))
    writing = asyncio.create_task(bob.peer.write(asking))  # this player reads nothing
    await asyncio.wait([writing], timeout=1.0)
    async with asyncio.timeout(BYSTANDER):
        # The table drops talk to a player who does not read; nobody else waits.
        for _ in range(20):
            await cleo.peer.send("relay", cleo.peer.match_id, 1, bytes(TALK_ENVELOPE))
        await cleo.peer.expect_error(Code.TOO_MANY)
        await check_health(arena)
        raw = cleo.entry()
        await cleo.post(raw)
        await cleo.read(2)
    writing.cancel()
    if cleo.records[1][0] != raw:
        raise CaseFailed("another entry stands where one was posted")
    for player in (ann, bob):
        await player.peer.close(polite=False)
