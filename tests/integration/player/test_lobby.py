"""Two people meet in a table's lobby. One invites the other to a table, both play there, and return
to the lobby.
"""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from bots.registry import BOTS
from player.cards.collection import Collection
from player.cards.storage.ledger_store import LedgerStore
from player.cards.storage.rollback_guard import default_marks
from player.cli.lobby_command import LineSwitch, LobbyPlace, LobbySession
from player.cli.lobby_trade import trade_from_lobby
from player.client.requirements import NO_REQUIREMENTS
from player.client.seat import NOTHING_BROUGHT
from player.lobby.meeting import LobbyPresence
from player.ui.terminal.cards.trade_prompt import TradePrompt
from player.ui.terminal.lobby_screen import LobbyScreen
from player.ui.terminal.terminal_screen import TerminalScreen
from protocol.audit.history import MatchHistory
from protocol.errors import LocalError
from protocol.games.decks.deck_hand import Loadout
from protocol.games.scripted.rule_file.built_in import rule_digest
from protocol.i18n import english
from protocol.ledger.trading.messages import TradePhase
from protocol.match.clock import Allowance
from protocol.match.terms import make_terms
from protocol.options import Selection
from table.config import Creation
from table.manager.server import TableServer
from tests.support.collectors import Collectors
from tests.support.meeting import environment
from tests.support.stores import left_open
from tests.support.tables import config, until
from tests.system.test_rule_files import RULES

QUICK = {"people_seconds": 0.01}


class Keyboard:
    """Lines of a terminal, typed by the test."""

    lively = False

    def __init__(self):
        self.text, self.news = "", asyncio.Event()

    @asynccontextmanager
    async def open(self, behind):
        yield

    def refresh(self):
        """Do nothing: there is no screen."""

    def print(self, text):
        self.text += text
        self.news.set()

    async def until(self, words):
        try:
            async with asyncio.timeout(90):
                while words not in self.text:
                    self.news.clear()
                    await self.news.wait()
        except TimeoutError:
            raise AssertionError(f"{words!r} is not in {self.text!r}") from None
        self.text = self.text.partition(words)[2]


class Somebody:
    """A person in the lobby, for whom a bot plays at a table."""

    def __init__(
        self,
        table,
        folder,
        seed,
        name,
        trade=None,
        identity=None,
        terms=None,
        brings=NOTHING_BROUGHT,
    ):
        self.lines, self.folder, self.name = Keyboard(), folder, name
        self.environment = replace(environment(seed), chooser=BOTS["greedy"], brings=brings)
        if identity is not None:
            self.environment = replace(self.environment, identity=identity)
        lobby = LobbyScreen(self.lines, {}, english, terms or table.config.terms)
        self.switch = LineSwitch(self.lines, lobby)
        place = LobbyPlace(table.link, folder, NO_REQUIREMENTS)
        self.session = LobbySession(
            place, self.environment, LobbyPresence(name), lobby, self.switch, trade
        )
        terminal = TerminalScreen({}, self.lines, english)
        self.task = asyncio.create_task(self.session.run(5.0, terminal))

    def there(self):
        """Check that the partner of a trade is present."""
        trader = self.switch.handler.table.trader
        return trader.trading is not None and trader.trading.phase is TradePhase.TALKING

    def type(self, line):
        self.switch.typed(line)

    async def end(self):
        self.session.stop()
        async with asyncio.timeout(90):
            return await self.task


@pytest.mark.match
async def test_lobby_invitation_leads_to_match_and_back_by_one_key(tmp_path):
    async with asyncio.timeout(240), TableServer(config(tmp_path / "table", bounds=QUICK)) as table:
        ann, bob = (
            Somebody(table, tmp_path / "ann", 1, "Ann"),
            Somebody(table, tmp_path / "bob", 2, "Bob"),
        )
        await ann.lines.until("Bob (")
        await bob.lines.until("Ann (")
        bob.type("say hello")
        await ann.lines.until("Bob to all and the table: hello")
        ann.type("play bob")
        await bob.lines.until("invites you to table-1")
        assert bob.switch.acts("1")
        bob.switch.pressed("1")
        for person in (ann, bob):
            await person.lines.until("Verdict: no cheating found")
            await person.lines.until("You are in the lobby")
        await ann.lines.until("Bob (")
        assert "table-1" not in table.lobby.tables or not table.lobby.tables["table-1"].waiting
        assert [await person.end() for person in (ann, bob)] == [0, 0]


@pytest.mark.match
async def test_rule_file_applies_only_at_tables_using_the_file(tmp_path):
    rules = rule_digest(RULES)
    ours = make_terms(
        Selection("script", (("rules", rules),)), Selection("verified"), Allowance().options(), 2
    )
    brings = Loadout(text=RULES)
    settings = config(tmp_path / "table", bounds=QUICK, creation=Creation.ANY)
    async with asyncio.timeout(240), TableServer(settings) as table:
        ann = Somebody(table, tmp_path / "ann", 1, "Ann", terms=ours, brings=brings)
        bob = Somebody(table, tmp_path / "bob", 2, "Bob", brings=brings)
        for caller, called, asked in (
            (ann, bob, "invites you to table-1"),
            (bob, ann, "invites you to table-"),
        ):
            await caller.lines.until(f"{called.name} (")
            caller.type(f"play {called.name}")
            await called.lines.until(asked)
            called.switch.pressed("1")
            for person in (ann, bob):
                await person.lines.until("Verdict: no cheating found")
                await person.lines.until("You are in the lobby")
        assert [await person.end() for person in (ann, bob)] == [0, 0]
    played = [
        MatchHistory(log.read_bytes()).read().steps[0].after
        for log in (tmp_path / "ann").rglob("*.fairdeal")
    ]
    assert {match.setup.terms.game.name for match in played} == {
        "script",
        table.config.terms.game.name,
    }


@pytest.mark.match
async def test_lobby_trade_runs_through_pipe_and_returns_both(tmp_path):
    collectors = Collectors(tmp_path)
    collectors.everybody_begins()
    with collectors.computer("home"):
        async with (
            asyncio.timeout(240),
            TableServer(config(tmp_path / "table", bounds=QUICK)) as table,
        ):
            ann, bob = (
                Somebody(
                    table,
                    tmp_path / name,
                    seed,
                    name.title(),
                    trade_from_lobby,
                    collectors.people[name],
                )
                for seed, name in enumerate(("ann", "bob"), 1)
            )
            await ann.lines.until("Bob (")
            await bob.lines.until("Ann (")
            ann.type("trade bob")
            await bob.lines.until("wants to trade")
            bob.switch.pressed("1")
            await until(
                lambda: all(
                    isinstance(one.switch.handler, TradePrompt) and one.there()
                    for one in (ann, bob)
                )
            )
            ann.type("give Salamander#1")
            await bob.lines.until("Salamander #1")
            bob.type("propose")
            await until(lambda: all(one.switch.handler.table.trader.terms for one in (ann, bob)))
            for person in (ann, bob):
                person.type("yes")
            for person in (ann, bob):
                await until(lambda person=person: person.switch.handler.table.traded)
            ann.type("leave")
            for person in (ann, bob):
                await person.lines.until("You are in the lobby")
            assert [await person.end() for person in (ann, bob)] == [0, 0]
        for person, count in ((ann, 1), (bob, 3)):
            store = left_open(
                LedgerStore(person.folder, person.environment.identity.public, default_marks())
            )
            try:
                collection = Collection(store, person.environment.identity.public)
                assert len(collection.view.held_by(collection.me)) == count
            finally:
                store.close()


async def test_missing_table_is_reported(tmp_path):
    async with asyncio.timeout(240), TableServer(config(tmp_path / "table")) as table:
        pass
    nobody = Somebody(table, tmp_path / "ann", 1, "Ann")
    with pytest.raises(LocalError):
        await nobody.task
