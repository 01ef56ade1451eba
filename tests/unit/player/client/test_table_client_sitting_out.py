"""A person who sits out: the program announces it as soon as possible, and plays the cards by
default.
"""

import asyncio
from random import Random

import pytest

from player.client import events
from player.client.environment import Environment
from player.client.reconnect import client_for, visit
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from protocol.audit.verdict import Verdict
from protocol.errors import LocalError
from protocol.identity.keys import Identity
from tests.support.errors import raises_text
from tests.support.fake_table import FakeTable, listening

pytestmark = pytest.mark.match

ME = Identity(b"m" * 32)


class Person:
    """Person who sits out when first asked, returns at once (effective in the next hand), and calls
    from then on.
    """

    def __init__(self) -> None:
        self.client: TableClient | None = None
        self.asked: list[int] = []  # hands in which the person was asked
        self.kinds: list[str] = []  # kinds of our entries about sitting out

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


async def test_person_sits_out_and_returns_at_table():
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


async def test_sitting_out_unsupported_by_game_is_reported():
    person = Person()

    def refuse(event: events.Event) -> None:
        if isinstance(event, events.YourTurn):
            with raises_text(LocalError, match="cannot sit out in this match"):
                person.client.choose(("sit_out",))
            asyncio.get_running_loop().call_soon(person.client.choose, event.choices[0])

    person.client = client_for(Plan("Zoe"), Environment(ME, Random(3), Seat, None, refuse), None)
    async with asyncio.timeout(120), listening(FakeTable(2)) as link:
        assert (await visit(person.client, link, link.fingerprint)).verdict is Verdict.CLEAN
