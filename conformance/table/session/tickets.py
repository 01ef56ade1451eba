"""A full table takes back the seats of running matches by their tickets, and nobody else (4.10)."""

import asyncio
import contextlib

from conformance.case import CaseFailed, CaseGroup, CaseSkipped
from conformance.table.connection import PlayerConnection
from conformance.table.environment import TableEnvironment
from conformance.table.lobby.bounds import TURNED_AWAY, other_address
from protocol.limits import MAX_PER_ADDRESS, TICKET, TICKET_SECRET
from protocol.session.ticket import Ticket

GROUP = CaseGroup("tickets")


async def full(arena: TableEnvironment) -> PlayerConnection:
    """Return a seat of a running match that has kept its ticket, with all connections taken that
    its address may have.
    """
    other_address(arena)
    ann, bob = await arena.seated()
    for peer in (ann, bob):
        try:
            async with asyncio.timeout(peer.patience):
                await peer.keep_ticket()
        except (TimeoutError, CaseFailed):
            raise CaseSkipped("the table gives no tickets") from None
    for _ in range(MAX_PER_ADDRESS - 2):
        await arena.guest()
    if not await is_turned_away(arena, ann, None):
        raise CaseFailed("one address may have more connections than chapter 12 says")
    return ann


async def back(
    arena: TableEnvironment, peer: PlayerConnection, ticket: Ticket | None
) -> PlayerConnection:
    """Return the same player in its seat, on a new connection with this ticket."""
    again = await arena.guest(name=peer.name, identity=peer.identity, ticket=ticket)
    await again.send("resume", peer.match_id, None, None)
    await again.expect("match")
    return again


async def is_turned_away(
    arena: TableEnvironment, peer: PlayerConnection, ticket: Ticket | None
) -> bool:
    """Check whether a new connection with this ticket is turned away."""
    again = await arena.peer(name=peer.name, identity=peer.identity, ticket=ticket)
    await again.write(again.session.start())
    return await answer(again) in (b"", *TURNED_AWAY)


async def answer(peer: PlayerConnection) -> bytes:
    """Return the first bytes that a table says, and hang up."""
    said = b""
    with contextlib.suppress(CaseFailed):
        said = await peer.read()
    await peer.close(polite=False)
    return said


@GROUP.case("4.10.7", "back at its seat", alone=True)
async def seat_comes_back_to_a_full_table(arena: TableEnvironment) -> None:
    ann = await full(arena)
    again = await back(arena, ann, ann.ticket)
    await again.send("list")
    await again.expect("tables")


@GROUP.case("4.10.3", "back at its seat", alone=True)
async def ticket_counts_until_the_next_is_kept(arena: TableEnvironment) -> None:
    ann = await full(arena)
    for _ in range(2):
        again = await back(arena, ann, ann.ticket)
        await again.close(polite=False)
    again = await back(arena, ann, ann.ticket)
    newer = await again.keep_ticket()
    await again.send("list")
    await again.expect("tables")
    if not await is_turned_away(arena, ann, ann.ticket):
        raise CaseFailed("a spent ticket still counts")
    await back(arena, ann, newer)


@GROUP.case("4.10.4", "as none", alone=True)
async def wrong_tickets(arena: TableEnvironment) -> None:
    ann = await full(arena)
    assert ann.ticket is not None
    shown, secret = ann.ticket
    for ticket in (
        Ticket(bytes(TICKET), secret),
        Ticket(shown, bytes(TICKET_SECRET)),
        Ticket(bytes([shown[0] ^ 1]) + shown[1:], secret),
    ):
        if not await is_turned_away(arena, ann, ticket):
            raise CaseFailed("a wrong ticket counts")
    await back(arena, ann, ann.ticket)


@GROUP.case("4.10.4", "welcome")
async def newcomer_with_a_wrong_ticket(arena: TableEnvironment) -> None:
    """A wrong ticket does no harm where there is a place."""
    await arena.guest(ticket=Ticket(bytes(TICKET), bytes(TICKET_SECRET)))


@GROUP.case("4.10.5", "as none", alone=True)
async def copy_of_a_first_message(arena: TableEnvironment) -> None:
    """A copy gets nothing, and does not keep the seat out."""
    ann = await full(arena)
    lost = await arena.peer(name=ann.name, identity=ann.identity, ticket=ann.ticket)
    seen = lost.session.start()
    await lost.write(seen)
    await answer(lost)
    for _ in range(3):
        onlooker = await arena.peer()
        await onlooker.write(seen)
        if await answer(onlooker) not in (b"", *TURNED_AWAY):
            raise CaseFailed("a copy of a first message counts")
    await back(arena, ann, ann.ticket)


@GROUP.case("4.10.7", "no place", alone=True)
async def ticket_of_another_key(arena: TableEnvironment) -> None:
    ann = await full(arena)
    other = await arena.peer(ticket=ann.ticket)
    try:
        await other.greet()
    except CaseFailed:
        await back(arena, ann, ann.ticket)
        return
    raise CaseFailed("another key has the place of a ticket's seat")
