"""Tables for tests: in this process, on a free port, with matches to one point."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import psutil

from protocol.audit.verdict import Verdict, audit
from protocol.match.clock import Allowance
from protocol.match.packed_log import plain_log
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.config import Bounds, Config
from table.manager.server import TableServer
from tests.support.wire_client import Player, WireClient, play_match

SHORT = (("hand", 1), ("target", 1))
CLOCK = [list(option) for option in Allowance().options()]  # as in messages
HURRIED = Allowance(extensions=0, step=1, turn=1)


def config(
    data: Path, seats: int = 2, bounds: dict[str, Any] | None = None, **values: Any
) -> Config:
    """Make a configuration for tests. `bounds` replaces some of the limits."""
    terms = make_terms(
        Selection("block-dominoes", SHORT), Selection("layered"), Allowance().options(), seats
    )
    given = {"rng": Random(7)} | values
    return Config(data, port=0, terms=terms, bounds=Bounds(**(bounds or {})), **given)


async def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Run the event loop until a condition holds. Fail after so many seconds."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.002)


def resources() -> tuple[int, int]:
    """Return the numbers of tasks of this loop and of file descriptors of this process."""
    return len(asyncio.all_tasks()), psutil.Process().num_fds()


@asynccontextmanager
async def surviving(
    data: Path, seats: int = 2, parts: dict[str, Any] | None = None, **values: Any
) -> AsyncIterator[TableServer]:
    """Run a table that must survive the block. `parts` are arguments of `TableServer`.

    An honest match with a clean audit is played before and after the block. At the end nobody is at
    the table, its lobby is as before, and no tasks or descriptors are left.
    """
    before = resources()
    async with TableServer(config(data, seats, **values), **(parts or {})) as table:
        await sanity(table)
        await until(lambda: not table.connections)
        idle = resources()
        yield table
        await sanity(table)
        await until(lambda: not table.connections)
        assert list(table.lobby.tables) == ["main"]
        assert not table.lobby.reserved
        await until(lambda: no_more_than(idle))
    await until(lambda: no_more_than(before))


def no_more_than(before: tuple[int, int]) -> bool:
    """Check that no task or descriptor was added. Fewer are fine, because some of `before` may have
    been about to end.
    """
    tasks, descriptors = resources()
    return tasks <= before[0] and descriptors <= before[1]


async def sanity(table: TableServer) -> None:
    """Play an honest match. It must end normally with a clean audit, and all clients must have the
    table's log file.
    """
    await until(
        lambda: table.lobby.tables["main"].room is None and not table.lobby.tables["main"].waiting
    )
    players = await play_match(table.link, table.config.terms.seats)
    assert audit(players[0].file).verdict is Verdict.CLEAN
    assert await exported(table, players[0].client.match_id) == players[0].file


async def exported(table: TableServer, match_id: bytes) -> bytes:
    """Wait for the log file of a match, and return it in its plain form."""
    logs, pattern = table.config.data / "logs", f"*-{match_id.hex()[:8]}.fairdeal"
    await until(lambda: any(logs.glob(pattern)))
    (path,) = logs.glob(pattern)
    return plain_log(path.read_bytes())


async def guest(table: TableServer, seed: int = 1, name: str = "Ann", **values: Any) -> WireClient:
    """Connect and greet."""
    return await (await WireClient(table.link, seed, name, **values).connect()).greet()


@asynccontextmanager
async def hurried(table: TableServer, allowance: Allowance = HURRIED) -> AsyncIterator[None]:
    """Give matches that begin in the block at the default table this short clock."""
    main = table.lobby.tables["main"]
    usual, main.terms = main.terms, main.terms._replace(clock=allowance.options())
    yield
    main.terms = usual


async def seated(table: TableServer, *seeds: int) -> list[WireClient]:
    """Make clients with one seat each in a new match at the default table."""
    clients = [
        await guest(table, seed, f"Seat {chr(65 + number)}") for number, seed in enumerate(seeds)
    ]
    for client in clients:
        await client.join()
    for client in clients:
        if not client.match_id:
            await client.expect("match")
    return clients


async def finish(clients: list[WireClient]) -> list[Player]:
    """Play the seats of these clients from the beginning to the end."""
    players = [Player(client) for client in clients]
    async with asyncio.timeout(240):
        await asyncio.gather(*(player.run() for player in players))
    return players


async def close_all(*clients: WireClient) -> None:
    for client in clients:
        await client.close()
