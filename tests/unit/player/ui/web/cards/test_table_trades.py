"""Trades through a table: two screens of cards, and a table between them."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from random import Random

import pytest

from player.cards.trades.table_trade import TableTrade, TableTradeFile
from player.cli.cards.app_cards import AppCards
from player.storage.agreement import Agreement
from player.storage.identity_file import load_identity
from player.storage.recovery_state import RecoveryState
from player.ui.web.cards.cards_screen import CardsScreen
from player.ui.web.cards.trade_connections import TradeConnections
from player.ui.web.cards.trade_place import TradePlace
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink
from protocol.ledger.trading import events
from protocol.match.setup import Person
from table.manager.server import TableServer
from tests.page.collectors import people
from tests.support.ports import closed_port
from tests.support.tables import close_all, config, guest, until
from tests.support.wire_client import WireClient

LINK = JoinLink("table.example.org", 24642)
QUICK = {"pipe_ask_seconds": 0.2}


class Trading:
    """A person with cards, who can trade at tables alone."""

    def __init__(self, person, folder, lines=None):
        """`lines`: connections; None: real ones."""
        self.lines = lines or TradeConnections(
            person.identity, Random(7), "127.0.0.1:0", person.trader
        )
        self.key = person.identity.public
        self.file = TableTradeFile(folder)
        self.left = []  # the tables to which the person has gone back
        self.on_leave = lambda: None
        place = TradePlace(False, self.file, self._leave)
        self.screen = CardsScreen(
            person.collection, person.showing, self.lines, person.buyer(folder), place=place
        )
        self.lines.changed = self.screen.changed

    def _leave(self, link):
        self.left.append(link)
        self.on_leave()

    @property
    def shown(self):
        """Return the trade as the page shows it."""
        return self.screen.newest().data["trade"]

    async def meet(self, link, other):
        """Go to a trade with somebody at the table of a link."""
        await self.screen.meet(TableTrade(link, other.key, "Somebody"))

    async def until_met(self):
        """Wait until the other person is there."""
        await until(lambda: "The other person is here" in self.shown["status"])


@asynccontextmanager
async def two(tmp_path):
    """Run Ann and Bob."""
    with people(tmp_path) as (ann, bob):
        pair = [Trading(one, tmp_path / name) for one, name in ((ann, "a"), (bob, "b"))]
        try:
            yield pair
        finally:
            for one in pair:
                await one.screen.close()


async def test_trade_is_stored_until_either_person_ends_it(tmp_path):
    async with (
        asyncio.timeout(90),
        TableServer(config(tmp_path / "table")) as table,
        two(tmp_path) as (ann, bob),
    ):
        await ann.meet(table.link, bob)
        assert ann.file.read() is not None
        await bob.meet(table.link, ann)
        for one in (ann, bob):
            await one.until_met()
            assert "The table carries" in one.shown["through"]
        statuses = []
        ann.on_leave = lambda: statuses.append(bob.shown["status"])
        await ann.screen.trade({"do": "exit"})
        # Ann's connection to the table is free when Bob knows
        assert statuses == ["The other person has left."]
        assert (ann.file.read(), ann.left) == (None, [table.link])
        await until(lambda: bob.file.read() is None)
        assert bob.shown is not None and not bob.left
        await bob.screen.trade({"do": "exit"})
        assert bob.left == [table.link] and bob.shown is None


async def test_person_who_did_not_come_is_waited_for_again(tmp_path):
    async with (
        asyncio.timeout(90),
        TableServer(config(tmp_path / "table", bounds=QUICK)) as table,
        two(tmp_path) as (ann, bob),
    ):
        await ann.meet(table.link, bob)
        await until(lambda: "You have not met Somebody" in ann.shown["status"])
        assert ann.shown["can"] == ["meet"] and ann.file.read() is not None
        await bob.meet(table.link, ann)
        while "The other person is here" not in ann.shown["status"]:
            await ann.screen.trade({"do": "meet"})
            await until(lambda: "Waiting" not in ann.shown["status"])
            if bob.shown["can"] == ["meet"]:
                await bob.screen.trade({"do": "meet"})
        await bob.until_met()


async def test_table_that_does_not_answer_is_named(tmp_path):
    async with asyncio.timeout(90), two(tmp_path) as (ann, bob):
        async with TableServer(config(tmp_path / "table")) as table:
            gone = replace(table.link, port=closed_port())
        await ann.meet(gone, bob)
        await until(lambda: str(gone.port) in ann.shown["status"])
        assert ann.shown["can"] == ["meet"]


class HeldLines:
    """Connections that end when `ended` is set."""

    def __init__(self):
        self.windows = []
        self.ended = asyncio.Event()

    async def meet(self, window, trade, failed):
        self.windows.append(window)

    def hang_up(self):
        """Nothing is connected."""

    async def settle(self):
        await self.ended.wait()

    async def close(self):
        self.ended.set()


@pytest.fixture
def held(tmp_path):
    """Ann, whose connections end when the test says so."""
    with people(tmp_path) as (person, _):
        yield Trading(person, tmp_path / "a", HeldLines())


async def test_end_of_an_earlier_trade_leaves_the_newer_one_stored(held):
    other = TableTrade(LINK, held.key, "Somebody else")
    await held.screen.meet(TableTrade(LINK, held.key, "Somebody"))
    await held.screen.meet(other)
    earlier, newer = held.lines.windows
    earlier.hear(events.SessionEnded())
    assert held.file.read() == other
    newer.hear(events.SessionEnded())
    assert held.file.read() is None


async def test_trade_begun_while_another_ends_stays_open(held):
    other = TableTrade(LINK, held.key, "Somebody else")
    await held.screen.meet(TableTrade(LINK, held.key, "Somebody"))
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        group.create_task(held.screen.trade({"do": "exit"}))
        await until(lambda: "is told that you end" in held.shown["status"])
        await held.screen.meet(other)
        held.lines.ended.set()
    assert held.screen.open_table_trade == held.file.read() == other
    assert not held.left
    await held.screen.trade({"do": "exit"})
    assert held.screen.open_table_trade is None and held.left == [LINK]


@pytest.mark.parametrize(
    "wish", [{"do": "listen"}, {"do": "call", "link": "fairdeal+direct://127.0.0.1:1"}]
)
async def test_place_without_calls_refuses_links_of_people(tmp_path, wish):
    async with two(tmp_path) as (ann, _):
        with pytest.raises(LocalError) as refused:
            await ann.screen.trade(wish)
        assert refused.value.phrase.key == "web.not_offered"


async def test_place_without_calls_says_why_no_shop_is_visited(tmp_path):
    async with two(tmp_path) as (ann, _):
        with pytest.raises(LocalError) as refused:
            ann.screen.visit_shop({"do": "look", "link": "x"})
        assert refused.value.phrase.key == "cardpage.shops.tab"


async def test_match_at_the_table_goes_before_a_trade_there(tmp_path):
    data = tmp_path / "ann"
    identity = load_identity(data, None, Random(1))
    async with asyncio.timeout(90), TableServer(config(tmp_path / "table")) as table:
        playing = WireClient(table.link, 1, "Ann", identity=identity)
        await (await playing.connect()).greet()
        other = await guest(table, 2, "Bob")
        await playing.join()
        await other.join()
        await playing.expect("match")
        person = Person("Ann", identity.public)
        agreement = Agreement(
            playing.match_id, table.manager.identity.public, "main", playing.seat, person, None
        )
        state = RecoveryState(data, data / "log", str(table.link), agreement, bytes(32))
        state.save()
        cards = AppCards(data, lambda: None, asyncio.to_thread)
        screen = await cards.open()
        try:
            await screen.meet(TableTrade(table.link, other.identity.public, "Bob"))
            await until(lambda: "goes first" in screen.newest().data["trade"]["status"])
            seated = table.manager.people[identity.public]
            await playing.send("replay", playing.match_id, 0)
            await playing.expect("entry")
            assert table.manager.people[identity.public] is seated
            assert cards.unfinished_trade() is not None  # the person goes on with it later
            state.forget()
            await screen.trade({"do": "meet"})
            await playing.expect_closed(Code.TAKEN_OVER)
        finally:
            await cards.close()
        await close_all(playing, other)
