"""Choices of a person: the presenter takes an offer that the person has seen, and no other."""

import asyncio
from contextlib import asynccontextmanager
from random import Random

import pytest

from player.cli.table_visits import play_at
from player.client import events
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_client import Plan
from player.presenter.presenter import Presenter, StaleChoice
from player.ui.terminal.plain_screen import PlainScreen
from protocol.errors import LocalError
from protocol.i18n import english
from protocol.identity.keys import Identity
from tests.support.fake_table import FakeTable, listening


class Turns(PlainScreen):
    """A screen that keeps its turns."""

    def __init__(self):
        super().__init__({}, write=lambda text: None)
        clock = asyncio.get_running_loop().time
        self.presenter = Presenter({}, english, clock=clock, tell_hint=list)
        self.turns = asyncio.Queue()

    def follow(self, client, link=None):
        super().follow(client, link)
        self.presenter.follow(client, link)

    def hear(self, event):
        self.presenter.hear(event)
        if isinstance(event, events.YourTurn) and self.presenter.is_asked:
            self.turns.put_nowait(event.match)


@asynccontextmanager
async def seated(tmp_path):
    """Play nim. Yield the presenter at the first own turn, and a function for the next turn."""
    screen = Turns()
    environment = Environment(Identity(b"z" * 32), Random(3), Seat, None, screen.hear)
    table = FakeTable(2, game="nim", dealing="none", options={})
    async with asyncio.timeout(20), listening(table) as link:
        playing = asyncio.create_task(play_at(link, environment, Plan("Zoe"), tmp_path, screen))
        try:
            await screen.turns.get()
            yield screen.presenter, screen.turns.get
        finally:
            screen.stop()
            screen.presenter.stop()
            await playing


def heap_offer(presenter):
    view = presenter.view(presenter.match)
    return next(offer for offer in view.offers if offer.amount is not None)


@pytest.mark.match
async def test_offer_with_its_amount_is_chosen_once(tmp_path):
    async with seated(tmp_path) as (presenter, next_turn):
        offer = heap_offer(presenter)
        turn = presenter.turn_number()
        assert turn == presenter.turn_number()
        presenter.choose(offer.id, [offer.amount.least], turn)
        assert not presenter.is_asked
        with pytest.raises(StaleChoice):
            presenter.choose(offer.id, [offer.amount.least], turn)
        await next_turn()
        assert presenter.turn_number() > turn and presenter.is_asked


@pytest.mark.match
async def test_number_of_an_earlier_turn_is_stale(tmp_path):
    async with seated(tmp_path) as (presenter, next_turn):
        offer = heap_offer(presenter)
        turn = presenter.turn_number()
        presenter.choose(offer.id, [offer.amount.least], turn)
        await next_turn()
        with pytest.raises(StaleChoice):
            presenter.choose(heap_offer(presenter).id, [1], turn)
        assert presenter.is_asked


@pytest.mark.match
@pytest.mark.parametrize("numbers", [(), (0,), (10**6,), (1, 1)])
async def test_amount_that_does_not_fit_leaves_the_person_asked(tmp_path, numbers):
    async with seated(tmp_path) as (presenter, _):
        with pytest.raises(LocalError) as refused:
            presenter.choose(heap_offer(presenter).id, numbers)
        assert refused.value.phrase.key == "web.not_offered" and presenter.is_asked
        with pytest.raises(LocalError):
            presenter.choose(99)
        assert presenter.is_asked


@pytest.mark.match
async def test_choice_that_the_client_refuses_leaves_the_person_asked(tmp_path, monkeypatch):
    async with seated(tmp_path) as (presenter, _):

        def refuse(action):
            raise LocalError("choice.impossible")

        monkeypatch.setattr(presenter.client, "choose", refuse)
        with pytest.raises(LocalError):
            presenter.choose(heap_offer(presenter).id, [1])
        assert presenter.is_asked
