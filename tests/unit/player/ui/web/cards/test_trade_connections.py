"""Calls from the page that are cancelled before the other person answers."""

import asyncio
from itertools import pairwise
from random import Random

import pytest

from player.client.connection import Connection
from player.ui.web.cards.cards_screen import CardsScreen
from player.ui.web.cards.trade_connections import TradeConnections
from player.ui.web.cards.trade_window import TradeWindow
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink, fingerprint
from protocol.ledger.trading import events
from protocol.limits import LEDGER_STEPS
from protocol.session.session import Role, Session
from tests.page.collectors import Caller, people
from tests.properties.ledger.growth import spent_often
from tests.support.ledger import ANN, BOB
from tests.support.shop_programs import free_port

FREE = "127.0.0.1:0"
NOBODY = JoinLink("127.0.0.1", 7500, fingerprint(BOB.public), direct=True)


@pytest.mark.parametrize("answers", [False, True])
async def test_second_call_is_undisturbed_by_earlier_caller_hanging_up(tmp_path, answers):
    answered, asked = asyncio.Event(), asyncio.Event()

    async def slow(link, identity, rng, expected, listener):
        asked.set()
        await answered.wait()
        if not answers:
            raise LocalError("wrong.no_answer", where="there")
        return Connection(
            Session(Role.PLAYER, identity, rng.randbytes(32), rng, expected), listener
        )

    with people(tmp_path) as (ann, bob):
        lines = TradeConnections(ANN, Random(1), "127.0.0.1:0", ann.trader, slow)
        screen = CardsScreen(ann.collection, ann.showing, lines, ann.buyer(ann.data))
        async with asyncio.timeout(120):
            calling = asyncio.create_task(screen.trade({"do": "call", "link": str(NOBODY)}))
            await asked.wait()
            await screen.trade({"do": "exit"})
            await screen.trade({"do": "listen"})
            answered.set()
            await asyncio.wait([calling])
            # the person has hung up: they hear no answer
            assert calling.exception() is None
            assert screen.link is not None
            caller = Caller(bob, screen.link)
            await caller.come()
            await caller.until(events.PartnerIdentified)
        caller.leave()
        screen.end()


async def test_trades_keep_their_port_unless_it_is_taken(tmp_path):
    port = free_port()
    with people(tmp_path) as (ann, bob):
        lines = [
            TradeConnections(one.identity, Random(1), f"127.0.0.1:{port}", one.trader, spare=FREE)
            for one in (ann, bob)
        ]
        mine, other = (TradeWindow(lambda event: None) for _ in lines)
        try:
            for _ in range(2):
                await lines[0].listen(mine)
                assert mine.link is not None and mine.link.port == port and mine.port_is_fixed
            await lines[1].listen(other)
            assert other.link is not None and other.link.port != port and not other.port_is_fixed
        finally:
            for one in lines:
                await one.close()


async def test_page_shows_what_was_before_while_records_are_taken_in(tmp_path):
    with people(tmp_path) as (ann, _):
        screen = CardsScreen(
            ann.collection,
            ann.showing,
            TradeConnections(ANN, Random(1), "127.0.0.1:0", ann.trader),
            ann.buyer(ann.data),
        )
        before = screen.newest()
        ann.collection.add(spent_often(2 * LEDGER_STEPS, signed=False))
        screen.changed(known=True)
        assert screen.newest() is before
        steps, turns = ann.collection.view.steps, []
        watching = asyncio.create_task(_watch(ann.collection.view, turns))
        assert len(await screen.alarms()) == 1
        watching.cancel()
        assert max(turn - last for last, turn in pairwise([steps, *turns])) <= LEDGER_STEPS
        assert screen.newest().data["alarms"] == 1


async def _watch(view, turns):
    """Note the steps that a view has taken, in each turn of the loop."""
    while True:
        turns.append(view.steps)
        await asyncio.sleep(0)
