"""A trade at a table and a match there, in the app: the match has a clock, and goes first."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from player.cards.trades.table_trade import TableTrade, TableTradeFile
from player.cli.app_program import AppProgram, Surroundings
from player.client.connection import Connect, connect
from player.storage.agreement import Agreement
from player.storage.identity_file import load_identity
from player.storage.own_key import OwnKey
from player.storage.recovery_state import RecoveryState
from player.ui.web.home.directory_requests import Directories
from player.ui.web.home.home_messages import OpenRequest
from player.ui.web.lobby.tables import Lobby, terms_digest
from protocol.games.registry import BUILT_IN
from protocol.match.setup import Person
from protocol.messages.lobby import TRADE, encode_wants
from table.manager.server import TableServer
from tests.support.tables import close_all, config, guest, seated, until
from tests.support.wire_client import WireClient


@asynccontextmanager
async def app(data: Path, how: Connect = connect) -> AsyncIterator[AppProgram]:
    """Run the app of Ann on a data folder, without pages. `how` reaches tables."""

    async def nothing(*asked: object) -> None:
        raise AssertionError

    around = Surroundings(
        data,
        BUILT_IN,
        lambda: "Ann",
        OwnKey(data, Random(1)),
        nothing,
        asyncio.to_thread,
        Directories(nothing, nothing),
        connect=how,
    )
    program = AppProgram(around)
    running = asyncio.create_task(program.serve_requests())
    try:
        yield program
    finally:
        program.stop()
        await running
        await program.close()


def stage(program: AppProgram) -> str:
    """Return what the pages show."""
    return str(program.pages.shown.newest().data["stage"])


def lobby(program: AppProgram) -> Lobby:
    """Return the lobby that the pages show."""
    screen = program._screen
    assert screen is not None and screen.lobby is not None
    return screen.lobby


def row(program: AppProgram) -> dict[str, object] | None:
    """Return the first table that the pages show."""
    screen = program._screen
    if screen is None or screen.lobby is None:
        return None
    tables = screen.lobby.shown()["tables"]
    return tables[0] if tables else None


async def ask_bob(program: AppProgram, table: TableServer, bob: WireClient) -> bytes:
    """Have Ann wait at the default table, and ask Bob to trade. Return Ann's key."""
    await bob.send("appear", encode_wants())
    program.open(OpenRequest(link=table.link, seen=True))
    await until(lambda: row(program))
    terms = table.lobby.tables["main"].played
    lobby(program).answer({"do": "join", "table": "main", "terms": terms_digest(terms)})
    await until(lambda: table.lobby.tables["main"].waiting)
    await until(lambda: lobby(program).shown()["company"]["people"])
    lobby(program).answer({"do": "trade", "number": 1})
    while (message := await bob.receive()) is not None and message.name != "knock":
        """News of people come before."""
    assert message is not None
    return bytes(message.values[0])


async def test_match_that_begins_while_a_trade_does_goes_first(tmp_path: Path):
    async with (
        asyncio.timeout(120),
        TableServer(config(tmp_path / "table")) as table,
        app(tmp_path / "ann") as program,
    ):
        bob, carl = await guest(table, 2, "Bob"), await guest(table, 3, "Carl")
        ann = await ask_bob(program, table, bob)
        # the table hears both before Ann's program has heard of either
        await bob.send("open", ann, TRADE)
        await carl.send("join", "main")
        await carl.expect("match")
        await until(lambda: stage(program) in ("match", "cards"))
        assert stage(program) == "match"
        await close_all(bob, carl)


async def test_match_of_others_at_the_table_holds_up_no_trade(tmp_path: Path):
    asked = asyncio.Event()
    filled = asyncio.Event()
    own = load_identity(tmp_path / "ann", None, Random(1)).public

    async def held(link, identity, *how, **named):
        """Connect. A question about the tables waits until others have a match there."""
        if identity.public != own:
            asked.set()
            await filled.wait()
        return await connect(link, identity, *how, **named)

    async with (
        asyncio.timeout(120),
        TableServer(config(tmp_path / "table")) as table,
        app(tmp_path / "ann", held) as program,
    ):
        filled.set()
        bob = await guest(table, 2, "Bob")
        await ask_bob(program, table, bob)
        asked.clear()
        filled.clear()
        await bob.send("open", own, TRADE)
        await asked.wait()
        await until(lambda: not table.lobby.tables["main"].waiting)
        others = await seated(table, 3, 4)
        filled.set()
        await until(lambda: stage(program) == "cards")
        await close_all(bob, *others)


async def test_unfinished_match_goes_before_an_unfinished_trade(tmp_path: Path):
    data = tmp_path / "ann"
    async with asyncio.timeout(120), TableServer(config(tmp_path / "table")) as table:
        identity = load_identity(data, None, Random(1))
        bob = await guest(table, 2, "Bob")
        TableTradeFile(data).write(TableTrade(table.link, bob.identity.public, "Bob"))
        agreement = Agreement(
            bytes(32),
            table.manager.identity.public,
            "main",
            0,
            Person("Ann", identity.public),
            None,
        )
        state = RecoveryState(data, data / "log", str(table.link), agreement, bytes(32))
        state.save()
        async with app(data) as program:
            program.open(OpenRequest(link=table.link))
            # the table does not have this match, and says so
            await until(lambda: stage(program) == "stopped")
        state.forget()
        async with app(data) as program:
            program.open(OpenRequest(link=table.link))
            await until(lambda: stage(program) == "cards")
        await close_all(bob)
