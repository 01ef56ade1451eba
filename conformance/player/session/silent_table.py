"""Tables that fall silent: a player of a dead line calls anew, and no other player does."""

import asyncio

from conformance.case import CaseFailed, CaseGroup
from conformance.player.connection import TableConnection
from conformance.player.environment import PlayerEnvironment
from protocol.limits import LIFE_SECONDS, SILENCE_SECONDS
from protocol.messages.table import SIGN_OF_LIFE

GROUP = CaseGroup("silence")
THIRD = 2  # number of the player's entry at which the table falls silent
NOTICED = SILENCE_SECONDS + 2 * LIFE_SECONDS  # seconds after which a player has noticed a dead line
SIGNS = 3  # of the player's life


async def _give_sign(arena: PlayerEnvironment, connection: TableConnection) -> None:
    table = arena.table
    await connection.say("present", table.room.log.match_id, list(range(table.terms.seats)))


def _gives_signs(arena: PlayerEnvironment) -> None:
    """Let the table give a sign of life on each connection, right after `match`."""
    table = arena.table

    async def replay(connection: TableConnection, match_id: bytes, number: int) -> None:
        await _give_sign(arena, connection)
        await table.on_replay(connection, match_id, number)

    table.on["replay"] = replay


@GROUP.case("4.9.5", "clean")
async def table_that_falls_silent(arena: PlayerEnvironment) -> None:
    """The line stands, and nothing comes over it any more: the player calls anew."""
    table = arena.table
    _gives_signs(arena)

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        if table.room.log.sequence(table.seat) == THIRD and connection.is_first:
            await asyncio.Event().wait()  # nothing more is read, and nothing said
        await table.on_post(connection, match_id, raw)

    table.on["post"] = post
    await arena.start()
    await arena.expect_clean()
    if len(arena.connections) != 2:
        raise CaseFailed("the player did not play on over a second connection")


@GROUP.case("4.9.3", "clean")
async def table_that_gives_no_signs(arena: PlayerEnvironment) -> None:
    """A table of an older version says nothing for long: the player waits."""
    table = arena.table

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        if table.room.log.sequence(table.seat) == THIRD:
            await asyncio.sleep(NOTICED)
        await table.on_post(connection, match_id, raw)

    table.on["post"] = post
    await arena.start()
    await arena.expect_clean()
    if len(arena.connections) != 1:
        raise CaseFailed("the player left a table that had not promised to say anything")


@GROUP.case("4.9.2", "clean")
async def table_that_waits_for_signs(arena: PlayerEnvironment) -> None:
    """The table logs the player's third entry once it has heard three signs of life."""
    table = arena.table
    _gives_signs(arena)
    heard: list[bytes] = []
    held: list[tuple[TableConnection, bytes, bytes]] = []

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        if table.room.log.sequence(table.seat) == THIRD and len(heard) < SIGNS:
            held.append((connection, match_id, raw))
        else:
            await table.on_post(connection, match_id, raw)

    async def pong(connection: TableConnection, match_id: bytes, token: bytes) -> None:
        if token != SIGN_OF_LIFE:
            table.noticed.append("it answers a question that was not asked")
        heard.append(token)
        await _give_sign(arena, connection)
        if held and len(heard) >= SIGNS:
            await table.on_post(*held.pop())

    table.on |= {"post": post, "pong": pong}
    await arena.start()
    await arena.expect_clean()
    if len(arena.connections) != 1:
        raise CaseFailed("the player left a table that was there")
