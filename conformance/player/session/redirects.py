"""Tables of several hosts: redirects that a player follows, and redirects that it ignores (4.8)."""

import socket

from conformance.case import CaseFailed, CaseGroup
from conformance.player.connection import TableConnection
from conformance.player.environment import PlayerEnvironment
from conformance.weak_keys import random_identity
from protocol.codes import Code
from protocol.limits import MAX_HOPS

GROUP = CaseGroup("moving")


def _sends_on(arena: PlayerEnvironment, where: str, times: int) -> None:
    """Let the table redirect a request for a seat to `where`, this number of times; then it gives a
    seat.
    """
    table = arena.table
    left = [where] * times

    async def join(connection: TableConnection, table_id: str | None) -> None:
        if left:
            await connection.say("moved", left.pop(), "main")
        else:
            await table.on_join(connection, table_id)

    table.on["join"] = join


@GROUP.case("4.8.1", "clean")
async def moved_when_it_joins(arena: PlayerEnvironment) -> None:
    """The seat is at another host."""
    other = arena.open_door()
    _sends_on(arena, arena.address(other), 1)
    await arena.start()
    await arena.expect_clean()
    if arena.ports() != [arena.port, other]:
        raise CaseFailed("the player does not go where the table has sent it")


@GROUP.case("4.8.1", "clean")
async def moved_before_closing(arena: PlayerEnvironment) -> None:
    """A host hands over a running match."""
    table, other = arena.table, arena.open_door()

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        if connection.port == arena.port and table.room.log.sequence(table.seat) == 2:
            await connection.say("moved", arena.address(other), match_id)
            await connection.say_close(Code.CLOSING)
        else:
            await table.on_post(connection, match_id, raw)

    table.on["post"] = post
    await arena.start()
    await arena.expect_clean()
    if arena.ports() != [arena.port, other]:
        raise CaseFailed("the player does not go where the table has sent it")


@GROUP.case("4.8.2", "clean")
async def moved_to_another_table(arena: PlayerEnvironment) -> None:
    """A stranger answers at the other address, and learns nothing; the player asks the table
    again.
    """
    other = arena.open_door(random_identity())
    _sends_on(arena, arena.address(other), 1)
    await arena.start()
    await arena.expect_clean()
    if any(connection.answered for connection in arena.connections if connection.port == other):
        raise CaseFailed("the player says who it is to another table")


@GROUP.case("4.8.3", "clean")
async def moved_to_a_foreign_address(arena: PlayerEnvironment) -> None:
    """The redirect names a host that is not in the link: the player does not connect there, and
    asks the table again.
    """
    other = arena.open_door()
    _sends_on(arena, arena.address(other, "localhost"), 1)
    await arena.start()
    await arena.expect_clean()
    if other in arena.ports():
        raise CaseFailed("the player knocks where its link does not lead")


@GROUP.case("4.8.3", "clean")
async def foreign_address_in_the_welcome(arena: PlayerEnvironment) -> None:
    """The foreign address has no effect, also after the line is lost."""
    other = arena.open_door()
    arena.table.addresses = [arena.address(other, "localhost")]
    arena.table.cut_at = [5, 7, 9]
    await arena.start()
    await arena.expect_clean()
    if other in arena.ports():
        raise CaseFailed("the player knocks where its link does not lead")


@GROUP.case("4.8.4", "clean")
async def moved_again_and_again(arena: PlayerEnvironment) -> None:
    """The player follows five redirects; at the sixth it asks at its link again."""
    other = arena.open_door()
    _sends_on(arena, arena.address(other), MAX_HOPS + 1)
    await arena.start()
    await arena.expect_clean()
    if arena.ports().count(other) > MAX_HOPS:
        raise CaseFailed(f"the player lets itself be sent on more than {MAX_HOPS} times")


@GROUP.case("4.8.5", "clean")
async def address_of_the_welcome(arena: PlayerEnvironment) -> None:
    """The host dies; another host, named in `welcome`, has the match."""
    table, other = arena.table, arena.open_door()
    table.addresses = [arena.address(other)]

    async def post(connection: TableConnection, match_id: bytes, raw: bytes) -> None:
        if connection.port == arena.port and table.room.log.sequence(table.seat) == 2:
            arena.shut_door()
            connection.abort()
        else:
            await table.on_post(connection, match_id, raw)

    table.on["post"] = post
    await arena.start()
    await arena.expect_clean()


@GROUP.case("5.3.5", "clean")
async def address_of_the_link(arena: PlayerEnvironment) -> None:
    """One of two addresses in the link does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        arena.first = nobody.getsockname()[1]
    await arena.start()
    await arena.expect_clean()
