"""First cards on the page for a person without any, and an old copy of the cards."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from player.cards.creator.run_store import stored_runs
from player.cli.cards.app_cards import AppCards
from player.ui.web.cards.card_requests import CardsRequests
from player.ui.web.messages import Refusal, Request, Value
from protocol.ledger.trading.journal import JournalCount
from tests.support.collectors import STATE


async def _ask(page: CardsRequests, name: str, /, **fields: object) -> Any:
    reply = await page.answer(Request(name, fields))
    assert isinstance(reply, Value), reply
    return reply.data


def _run(tmp_path: Path, act: Any) -> None:
    async def run() -> None:
        cards = AppCards(tmp_path / "dan", lambda: None, asyncio.to_thread)
        screen = await cards.open()
        await act(screen, CardsRequests(screen))
        await cards.close()

    asyncio.run(run())


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE, str(tmp_path / "state"))


def test_starter_fills_binder_with_cards_that_nobody_buys(tmp_path: Path) -> None:
    async def act(screen: Any, page: CardsRequests) -> None:
        assert screen.newest().data["starter"] | {"name": ""} == {
            "name": "",
            "done": None,
            "of": 50,
        }
        made = await _ask(page, "starter", name="Dan")
        assert made["packs"] == [5, 5, 5]
        opened = {card["id"] for card in made["opened"]}
        binder = await _ask(page, "binder")
        there = {
            card["id"]
            for edition in binder["editions"]
            for stack in edition["stacks"]
            for card in stack["cards"]
        }
        assert len(opened) == binder["cards"] == 15 and there == opened
        (creator,) = (await _ask(page, "creators"))["creators"]
        assert creator["person"]["name"] == "Dan"
        again = await page.answer(Request("starter", {"name": "Dan"}))
        assert isinstance(again, Refusal) and "printed cards before" in again.error

    _run(tmp_path, act)
    (kept,) = stored_runs(tmp_path / "dan")
    assert kept.opened


def test_starter_that_was_cut_off_prints_only_one_run(tmp_path: Path) -> None:
    async def cut(screen: Any, page: CardsRequests) -> None:
        steps = screen._starter.make("Dan")
        for done, _ in steps:
            if done == 20:
                break
        steps.close()

    async def go_on(screen: Any, page: CardsRequests) -> None:
        await _ask(page, "starter", name="Dan")

    _run(tmp_path, cut)
    _run(tmp_path, go_on)
    assert len(stored_runs(tmp_path / "dan")) == 1


def test_starter_without_name_makes_nothing(tmp_path: Path) -> None:
    async def act(screen: Any, page: CardsRequests) -> None:
        assert isinstance(await page.answer(Request("starter", {"name": " "})), Refusal)
        assert (await _ask(page, "creators"))["creators"] == []
        assert screen.newest().data["starter"]["done"] is None

    _run(tmp_path, act)


def test_old_copy_is_shown_and_mended_from_page(tmp_path: Path) -> None:
    async def act(screen: Any, page: CardsRequests) -> None:
        assert not screen.newest().data["old"]
        assert isinstance(await page.answer(Request("mend", {})), Refusal)
        journal = screen._store.journal
        journal.record_proven_count(JournalCount(3, bytes(32)))
        screen.changed()
        assert screen.newest().data["old"]
        await _ask(page, "mend")
        assert not screen.newest().data["old"] and not journal.is_outdated()

    _run(tmp_path, act)
