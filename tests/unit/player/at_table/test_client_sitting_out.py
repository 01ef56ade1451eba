"""A person who sits out: their program says it as soon as it may, and plays their cards without
them.
"""

import asyncio
from random import Random

import pytest

from player import events
from player.at_table.client import Client, Plan
from player.at_table.visit import client_for, visit
from player.seat.environment import Environment
from player.seat.seat import Seat
from protocol.audit.verdict import Verdict
from protocol.errors import LocalError
from protocol.identity.keys import Identity
from tests.support.errors import raises_text
from tests.support.fake_table import FakeTable, listening

pytestmark = pytest.mark.match

ME = Identity(b"m" * 32)


class Person:
    """Sits out when first asked, comes back at once, which takes the next hand to be true, and
    calls from then on.
    """

    def __init__(self) -> None:
        self.client: Client | None = None
        self.asked: list[int] = []  # in which hands
        self.kinds: list[str] = []  # of our entries that say where we are

    def hear(self, event: events.Event) -> None:
        client = self.client
        if (
            isinstance(event, events.Happened)
            and event.entry.author == 0
            and event.entry.kind.startswith("sit_")
        ):
            self.kinds.append(event.entry.kind)
            if event.entry.kind == "sit_out":
                asyncio.get_running_loop().call_soon(client.choose, ("sit_in",))
        if isinstance(event, events.YourTurn):
            self.asked.append(event.match.game.hand)
            act = (
                (client.choose, event.choices[-1]) if self.kinds else (client.choose, ("sit_out",))
            )
            asyncio.get_running_loop().call_soon(*act)


async def test_sitting_out_and_coming_back_at_a_table():
    table, person = (
        FakeTable(2, game="five-card-draw", dealing="verified", options={"hands": 2}),
        Person(),
    )
    person.client = client_for(
        Plan("Zoe"), Environment(ME, Random(3), Seat, None, person.hear), None
    )
    async with asyncio.timeout(120), listening(table) as link:
        outcome = await visit(person.client, link, link.fingerprint)
    assert outcome.verdict is Verdict.CLEAN and person.kinds == ["sit_out", "sit_in"]
    assert person.asked[0] == 1 and set(person.asked[1:]) == {2}


async def test_where_there_is_no_sitting_out_that_is_said():
    person = Person()

    def refuse(event: events.Event) -> None:
        if isinstance(event, events.YourTurn):
            with raises_text(LocalError, match="no sitting out in this match"):
                person.client.choose(("sit_out",))
            asyncio.get_running_loop().call_soon(person.client.choose, event.choices[0])

    person.client = client_for(Plan("Zoe"), Environment(ME, Random(3), Seat, None, refuse), None)
    async with asyncio.timeout(120), listening(FakeTable(2)) as link:
        assert (await visit(person.client, link, link.fingerprint)).verdict is Verdict.CLEAN
