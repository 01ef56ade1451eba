"""The app and commands in a terminal on one data folder at a time: nothing that either has stored is
lost, nobody is suspected, and the page shows what a command has changed.
"""

import asyncio
import json
import os
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from random import Random

import pytest

from player.cards.decks.deck_choice import FolderDecks
from player.cards.decks.loadout import FolderLoadouts
from player.cards.storage.database import FILE
from player.cli.cards.app_cards import AppCards
from player.storage.identity_file import load_identity
from player.ui.web.cards.card_requests import CardsRequests
from protocol.ledger.bundle import write_bundle
from tests.support.collectors import STATE
from tests.support.ledger import ANN, BOB, CAROL, TYPE, card, maker, slot_of, traded
from tests.support.ledger import MAKER as CHEAT
from tests.support.shop_programs import (
    PACK,
    ROOT,
    finish_program,
    make_press,
    open_shop,
    run_program,
)

pytestmark = [pytest.mark.process, pytest.mark.match]
KILLS = 6
DUEL = "element-duel"


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the marks outside of the data folders a place in the folder of the test."""
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    return tmp_path


class Shown:
    """The cards page of the app, as its page asks for it."""

    def __init__(self, cards: AppCards) -> None:
        assert cards.screen is not None
        self.screen = cards.screen
        self._requests = CardsRequests(cards.screen)

    async def ask(self, name: str, **fields: object) -> dict[str, object]:
        """Send a request of the page, and return the answer."""
        reply = await self._requests.requests[name].handler(fields)
        return dict(json.loads(json.dumps(reply.data or {})))

    async def counted(self) -> tuple[int, int, int]:
        """Return the numbers of own cards, creators and alarms that the page shows."""
        binder, creators, alarms = [
            await self.ask(name) for name in ("binder", "creators", "alarms")
        ]
        return binder["cards"], len(creators["creators"]), len(alarms["alarms"])


@asynccontextmanager
async def app_of(data: Path) -> AsyncIterator[Shown]:
    """Open the cards of the app on a data folder."""
    cards = AppCards(data, lambda: None, asyncio.to_thread)
    await cards.open()
    try:
        yield Shown(cards)
    finally:
        await cards.close()


def double_gift(folder: Path) -> Path:
    """Return a file by which Ann is a cheat: she has given one card to two people."""
    one = card(1)
    given = traded(CHEAT, ANN, [slot_of(one.id)])
    records = [maker(), TYPE, one, given]
    records += [traded(ANN, to, [slot_of(one.id, given.id)]) for to in (BOB, CAROL)]
    path = folder / "cheat.cards"
    path.write_bytes(write_bundle(records))
    return path


def whole(data: Path) -> list[tuple[str]]:
    """Return the answer of SQLite about damage in the file."""
    with closing(sqlite3.connect(data / FILE)) as database:
        return database.execute("PRAGMA integrity_check").fetchall()


async def test_app_beside_commands_loses_nothing(people: Path):
    ann, press = people / "ann", people / "press"
    await make_press(press)
    async with app_of(ann) as page, open_shop(press) as link:
        me = load_identity(ann, None, Random(0)).public
        known = page.screen.newest().data["known"]
        assert await page.counted() == (0, 0, 0)
        await run_program("cards", "import", double_gift(people), "--data", ann)
        assert await page.counted() == (0, 1, 1)
        assert page.screen.newest().data["known"] > known
        await run_program("cards", "buy", link, "--data", ann)
        assert await page.counted() == (PACK, 2, 1)
        await run_program("cards", "deck", "new", "mine", "--all", "--data", ann)
        assert (await page.ask("decks"))["decks"] == ["mine"]
        # a match looks at decks, creators and pictures, in this process
        loadouts = FolderLoadouts(ann)
        FolderDecks(ann, me).brings("mine", None)
        loadouts.check_free(me, loadouts.load(me, "mine"))
        loadouts.creators(me)
        loadouts.picture(bytes(32))
        code, said = await finish_program("play", DUEL, "--deck", "mine", "--data", ann)
        assert code == 1 and "made for this match alone" in said, said  # nobody types there
        log = (ann / f"{FILE}-wal").stat().st_ino
        await run_program("cards", "list", "--data", ann)
        assert (ann / f"{FILE}-wal").stat().st_ino == log
        makers = [one["person"] for one in (await page.ask("creators"))["creators"]]
        (maker_key,) = (one["fingerprint"] for one in makers if one["name"] == "The Press")
        await page.ask("trust", key=maker_key, mark="trusted")
        assert "trusted" in await run_program("cards", "trust", "--data", ann)
        await run_program("cards", "buy", link, "--data", ann)
        assert (await page.counted())[0] == 2 * PACK
        assert not page.screen._store.journal.is_outdated()
    assert whole(ann) == [("ok",)]


async def test_killed_programs_lose_nothing_that_was_stored(people: Path):
    ann = people / "ann"
    await run_program("cards", "import", double_gift(people), "--data", ann)
    page = await _binder(ann)
    try:
        for number in range(KILLS):
            deck = f"deck {number}"
            await run_program(*("cards", "deck", "new", deck, "Spark", "--proxies", "--data", ann))
            killed = await _begin("cards", "import", str(people / "cheat.cards"), "--data", ann)
            await asyncio.sleep(0.1 * number)
            killed.kill()
            await killed.wait()
            if number % 2:
                page.kill()
                await page.wait()
                page = await _binder(ann)
            said = await run_program("cards", "deck", "list", "--data", ann)
            assert all(f"deck {one}" in said for one in range(number + 1)), said
    finally:
        page.kill()
        await page.wait()
    assert "1 alarm" in await run_program("cards", "alarms", "--data", ann)
    assert whole(ann) == [("ok",)]


async def _begin(*words: object) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-um", "fairdeal", *map(str, words)),
        cwd=ROOT,
        env={**os.environ, "LANGUAGE": "en"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def _binder(data: Path) -> asyncio.subprocess.Process:
    """Start the page of the cards, and wait until it has read them."""
    program = await _begin("cards", "binder", "--web", "--data", data)
    assert program.stdout is not None
    async with asyncio.timeout(60):
        assert await program.stdout.readline()
    return program
