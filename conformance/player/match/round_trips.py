"""Round trips: the player answers the table's measurements at once; the published times decide
nothing.
"""

from typing import Any

from conformance.case import CaseFailed, CaseGroup
from conformance.player.connection import TableConnection
from conformance.player.environment import PlayerEnvironment
from protocol.codes import Code

GROUP = CaseGroup("trips")
TOKEN = bytes(range(8))
THIRD = 2  # number of the player's entry before which the table sends its message


def _says(arena: PlayerEnvironment, name: str, value: Any) -> None:
    """Let the table send this once, before it accepts the player's third entry."""
    table = arena.table

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        if table.room.log.sequence(table.seat) == THIRD:
            await connection.say(name, match_id, value)
        await table.on_post(connection, match_id, raw)

    table.on["post"] = post


@GROUP.case("20.3.1", "clean")
async def question(arena: PlayerEnvironment) -> None:
    """The player answers a measurement once, with the same bytes, and the match goes on."""
    answers: list[bytes] = []

    async def pong(connection: TableConnection, match_id: bytes, token: bytes) -> None:
        answers.append(token)

    _says(arena, "ping", TOKEN)
    arena.table.on["pong"] = pong
    await arena.start()
    await arena.expect_clean()
    if answers != [TOKEN]:
        raise CaseFailed("the question was not answered once, with its own bytes")


@GROUP.case("20.3.3", "clean")
async def round_trips(arena: PlayerEnvironment) -> None:
    """The table says that one seat is near, and that the other's round trip is unknown: the match
    goes on.
    """
    _says(arena, "trips", [20, None])
    await arena.start()
    await arena.expect_clean()


@GROUP.case("20.3.3", "bad_message")
async def round_trips_of_some_seats(arena: PlayerEnvironment) -> None:
    _says(arena, "trips", [20])
    await arena.start()
    await arena.expect_closed(Code.BAD_MESSAGE)


@GROUP.case("4.5.17", "clean")
async def waits_that_the_table_states(arena: PlayerEnvironment) -> None:
    """The table says that it has waited for one seat for long, since an entry that may not be the
    present one: the match goes on.
    """
    _says(arena, "waited", [[2, 10**9], None])
    await arena.start()
    await arena.expect_clean()


@GROUP.case("4.5.17", "bad_message")
async def waits_of_some_seats(arena: PlayerEnvironment) -> None:
    _says(arena, "waited", [None])
    await arena.start()
    await arena.expect_closed(Code.BAD_MESSAGE)
