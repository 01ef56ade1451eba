"""Two people who trade over real lines, as with `fairdeal cards trade --yes`. A broken line does
not end the trade.
"""

import asyncio
import time
from argparse import Namespace
from contextlib import asynccontextmanager, closing
from pathlib import Path
from random import Random

import pytest

from player.cards.collection import Collection
from player.cards.storage.ledger_store import LedgerStore
from player.cards.trades.trade_line import TradeCallbacks, TradeOverLines
from player.cards.trades.trade_reach import TradeReach
from player.cards.trades.trader import Trader
from player.cli.cards.card_program import Program
from player.cli.cards.trade_command import Session
from player.client.environment import Environment
from player.client.seat import Seat
from player.multipath.discovery import route_to
from player.multipath.line_set import LineKind
from protocol.i18n import english
from protocol.identity.keys import JoinLink, fingerprint
from protocol.ledger.trading.events import OfferChanged
from protocol.ledger.trading.messages import TradePhase
from protocol.ledger.trading.trade_session import TradeSession
from protocol.view.text import phrase_renderer
from table.manager.server import TableServer
from tests.support.collectors import Collectors
from tests.support.reached import HERE, Gate
from tests.support.stores import left_open
from tests.support.tables import config

pytestmark = pytest.mark.match
HASTE = 10  # factor for the clock that detects silent lines
GIVES = {"ann": "Salamander#1", "bob": "Salamander#3"}


class Paper:
    """Screen that collects text, without a keyboard."""

    def __init__(self) -> None:
        self.text = ""

    def print(self, text: str) -> None:
        self.text += text

    def refresh(self) -> None:
        """Do nothing."""


class Trades:
    """Folders of Ann and Bob, and the gate through which he calls her."""

    def __init__(self, folder: Path) -> None:
        self.people, self.gate, self.port = Collectors(folder), Gate(), 0
        self.runs = 0
        self.people.everybody_begins()

    def store(self, who: str) -> LedgerStore:
        return left_open(
            LedgerStore(self.people.folder / who, self.people.people[who].public, None)
        )

    @property
    def link(self) -> JoinLink:
        return JoinLink(HERE, self.port, fingerprint(self.people.people["ann"].public), direct=True)

    async def run(self, who: str, paper: Paper, keep_trying: float = 300) -> int:
        """Run the program once, and return the exit code."""
        self.runs += 1  # each run has its own random numbers
        other = GIVES["bob" if who == "ann" else "ann"]
        args = Namespace(
            yes=True,
            want=[other],
            name=who.title(),
            data=self.people.folder / who,
            bot=None,
            lines=False,
            through=None,
            keep_trying=keep_trying,
            lan=False,
        )
        identity = self.people.people[who]
        with closing(self.store(who)) as store:
            collection = Collection(store, identity.public)
            program = Program(
                args,
                collection,
                identity,
                {},
                phrase_renderer(english, ()),
                Random(f"{who} {self.runs}"),
            )
            give = (program.card(GIVES[who], collection.view.held_by(collection.me)),)
            session = Session(program, give, who == "bob", paper)
            return await (session.wait(f"{HERE}:0") if who == "ann" else session.call(self.link))

    def holds(self, who: str) -> set[int]:
        """Return the serial numbers of a person's cards according to the person's records."""
        with closing(self.store(who)) as store:
            collection = Collection(store, self.people.people[who].public)
            held = collection.view.held_by(collection.me)
            assert not list(store.journal.reserved())
        return {serial for serial, one in enumerate(self.people.cards, 1) if one.id in held}

    def traded(self) -> None:
        assert self.holds("ann") == {2, 3} and self.holds("bob") == {1, 4}


@asynccontextmanager
async def waiting(folder: Path):
    """Let Ann wait behind the gate. Yield the trades, her screen, and her run."""
    folder.mkdir(exist_ok=True)
    trades, paper = Trades(folder), Paper()
    with trades.people.computer("home"):
        trades.port = await trades.gate.stand()
        ann = asyncio.create_task(trades.run("ann", paper))
        try:
            while "fairdeal cards trade " not in paper.text:
                await asyncio.sleep(0.01)
            trades.gate.to = JoinLink.parse(paper.text.split()[-1]).port
            yield trades, paper, ann
        finally:
            ann.cancel()
            await asyncio.wait({ann})
            await trades.gate.close()


async def test_trade_with_line_cut_anywhere_finishes_once(tmp_path):
    async with asyncio.timeout(240):
        for size in (1500, 2500, 3000, 3600):
            async with waiting(tmp_path / str(size)) as (trades, paper, ann):
                trades.gate.left = size
                theirs = Paper()
                bob = await trades.run("bob", theirs)
                assert [await ann, bob] == [0, 0], (size, paper.text, theirs.text)
                assert trades.gate.breaks == 1
                assert all(
                    "is complete: both of you have signed" in one.text for one in (paper, theirs)
                )
                trades.traded()


async def test_missing_partner_is_awaited_for_limited_time(tmp_path):
    async with asyncio.timeout(240), waiting(tmp_path) as (trades, _, _):
        trades.gate.left = 2500
        theirs = Paper()
        bob = asyncio.create_task(trades.run("bob", theirs, keep_trying=0.5))
        while not trades.gate.breaks:
            await asyncio.sleep(0.002)
        trades.gate.cut()
        assert await bob == 1
        assert "The connection is lost" in theirs.text and "The connection is closed" in theirs.text


async def test_restarted_program_begins_trade_again(tmp_path):
    async with asyncio.timeout(240):
        # 2500 bytes: nothing is signed. 3430: Ann has signed second, and Bob has not received it.
        for size in (2500, 3430):
            async with waiting(tmp_path / str(size)) as (trades, paper, ann):
                trades.gate.left = size
                bob = asyncio.create_task(trades.run("bob", Paper()))
                while not trades.gate.breaks:
                    await asyncio.sleep(0.002)
                trades.gate.cut()  # nobody learns of the trade's end
                bob.cancel()
                await asyncio.wait({bob})
                trades.gate.shut = False
                assert [await trades.run("bob", Paper()), await ann] == [0, 0], paper.text
                assert "was restarted" in paper.text
                trades.traded()


class Side:
    """Side whose consent is given by the test, with addresses for calls."""

    def __init__(
        self,
        trades: Trades,
        who: str,
        store: LedgerStore,
        *,
        calling: bool = False,
        table: JoinLink | None = None,
    ) -> None:
        identity = trades.people.people[who]
        self.collection = Collection(store, identity.public)
        rng = Random(who)
        clock = lambda: HASTE * time.monotonic()  # noqa: E731
        environment = Environment(identity, rng, Seat, None, lambda event: None, steady=clock)
        self.events: list[object] = []
        self.trader = Trader(self.collection, identity, who, rng, {}, self.events.append)
        self.ride = TradeOverLines(self.trader, identity.public, TradeCallbacks())
        routes = [route_to(environment, trades.link)] if calling else []
        self.in_match = False  # at the table
        self.reach = TradeReach(
            self.ride,
            environment,
            routes,
            share=table is None,
            table=table,
            in_match=lambda link: self.in_match,
        )
        self.card = next(iter(self.collection.view.held_by(self.collection.me)))

    @property
    def talking(self) -> bool:
        return self.trader.trading is not None and self.trader.trading.phase is TradePhase.TALKING

    async def see_through(self) -> None:
        try:
            await self.reach.see_through(300)
        finally:
            await self.reach.close()


async def until(holds) -> None:
    while not holds():
        await asyncio.sleep(0.01)


async def over_all(*sides: Side) -> None:
    """Let both offer a card and consent, and check that each has the other's card."""
    for side in sides:
        side.trader.act(lambda trading, card=side.card: trading.offer([card]))
    await until(
        lambda: all(
            any(isinstance(one, OfferChanged) for one in side.events) and side.trader.trading.merged
            for side in sides
        )
    )
    sides[0].trader.act(TradeSession.propose)
    await until(lambda: all(side.trader.terms is not None for side in sides))
    for side in sides:
        side.trader.act(lambda trading, terms=side.trader.terms: trading.sign(terms.id))
    await until(
        lambda: all(
            other.card in side.collection.view.held_by(side.collection.me)
            for side, other in zip(sides, sides[::-1], strict=True)
        )
    )


@asynccontextmanager
async def both(folder: Path, table: JoinLink | None = None, *, in_match: bool = False):
    """Let Ann and Bob meet through the gate. They exchange addresses, or name a table. `in_match`: Ann
    plays there.
    """
    trades = Trades(folder)
    with (
        trades.people.computer("home"),
        closing(trades.store("ann")) as mine,
        closing(trades.store("bob")) as his,
    ):
        trades.port = await trades.gate.stand()
        sides = (
            Side(trades, "ann", mine, table=table),
            Side(trades, "bob", his, calling=True, table=table),
        )
        sides[0].in_match = in_match
        trades.gate.to = await sides[0].reach.listen(HERE, 0)
        if table is None:
            await sides[1].reach.listen(HERE, 0)
        tasks = [asyncio.create_task(side.see_through()) for side in sides]
        try:
            await until(lambda: all(side.talking for side in sides))
            yield trades.gate, *sides
            sides[0].reach.leave()
            await asyncio.wait(tasks)
            assert [side.ride.code for side in sides] == [None, None]
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await trades.gate.close()


async def test_trade_moves_from_silent_line_to_another(tmp_path):
    async with asyncio.timeout(240), both(tmp_path) as (gate, ann, bob):
        gate.deaf = True
        await over_all(ann, bob)


async def test_trade_continues_through_table_without_another_line(tmp_path):
    async with (
        asyncio.timeout(240),
        TableServer(config(tmp_path / "table")) as table,
        both(tmp_path, table.link) as (gate, ann, bob),
    ):
        gate.cut()
        await over_all(ann, bob)
        assert {side.reach.transports.lines.kind for side in (ann, bob)} == {LineKind.RELAY}


async def test_line_through_a_table_takes_no_connection_of_a_match(tmp_path):
    async with (
        asyncio.timeout(240),
        TableServer(config(tmp_path / "table")) as table,
        both(tmp_path, table.link, in_match=True) as (_, ann, bob),
    ):
        people = table.manager.people
        keys = [side.collection.me for side in (ann, bob)]
        await until(lambda: keys[1] in people)  # Bob has called as often as Ann has not
        assert keys[0] not in people
        ann.in_match = False
        await until(lambda: keys[0] in people)
        await over_all(ann, bob)
