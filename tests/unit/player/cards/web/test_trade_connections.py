"""Calls from the page that are cancelled before the other person answers."""

import asyncio
from random import Random

import pytest

from player.cards.web.cards_screen import CardsScreen
from player.cards.web.trade_connections import DirectLines
from player.connection import Connection
from protocol.errors import LocalError
from protocol.identity.keys import JoinLink, fingerprint
from protocol.ledger.trading import events
from protocol.session.session import Role, Session
from tests.page.collectors import Caller, people
from tests.support.ledger import ANN, BOB

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
        lines = DirectLines(ANN, Random(1), "127.0.0.1:0", ann.trader, slow)
        screen = CardsScreen(ann.collection, ann.showing, lines)
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
