"""Slow tables: the player must not give up (chapter 3, 4.5)."""

import asyncio

from conformance.case import CaseGroup
from conformance.player.connection import TableConnection
from conformance.player.environment import PlayerEnvironment

GROUP = CaseGroup("patience")
PAUSE = 3.0  # seconds, as with a bad line or a table with a slow disk


@GROUP.case("4.5.1", "clean")
async def slow_welcome(arena: PlayerEnvironment) -> None:
    """The table sends `welcome` late."""
    table = arena.table

    async def hello(connection: TableConnection, version: int, name: str) -> None:
        await asyncio.sleep(PAUSE)
        await table.on_hello(connection, version, name)

    table.on["hello"] = hello
    await arena.start()
    await arena.expect_clean()


@GROUP.case("4.5.4", "clean")
async def slow_answer_to_an_entry(arena: PlayerEnvironment) -> None:
    """The table logs the player's third entry late; the player must not send another entry
    meanwhile.
    """
    table = arena.table

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        if table.room.log.sequence(table.seat) == 2:
            await asyncio.sleep(PAUSE)
        await table.on_post(connection, match_id, raw)

    table.on["post"] = post
    await arena.start()
    await arena.expect_clean()
    if len(arena.connections) > 1:
        await arena.end(len(arena.connections) - 1)
