"""Tables that are slow, and players that must not give up for it (chapter 3, 4.5)."""

import asyncio

from conformance.case import Group
from conformance.player.guest import Guest
from conformance.player.stage import Stage

GROUP = Group("patience")
PAUSE = 3.0  # seconds: a bad line, or a table with a slow disk


@GROUP.case("4.5.1", "clean")
async def slow_welcome(stage: Stage) -> None:
    """The greeting takes its time."""
    table = stage.table

    async def hello(guest: Guest, version: int, name: str) -> None:
        await asyncio.sleep(PAUSE)
        await table.on_hello(guest, version, name)

    table.on["hello"] = hello
    await stage.start()
    await stage.expect_clean()


@GROUP.case("4.5.4", "clean")
async def slow_answer_to_an_entry(stage: Stage) -> None:
    """The player's third entry is logged late; it must not send another one meanwhile."""
    table = stage.table

    async def post(guest: Guest, match_id: bytes, raw: bytes) -> None:
        if table.kept.log.sequence(table.seat) == 2:
            await asyncio.sleep(PAUSE)
        await table.on_post(guest, match_id, raw)

    table.on["post"] = post
    await stage.start()
    await stage.expect_clean()
    if len(stage.guests) > 1:
        await stage.end(len(stage.guests) - 1)
