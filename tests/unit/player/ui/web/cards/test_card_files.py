"""Files of cards on the page: one that somebody has sent, and one of the person's own cards."""

import asyncio
from pathlib import Path

import pytest

from player.cards.trades.trade_letter import MAGIC as LETTER
from player.cli.cards.app_cards import AppCards
from player.ui.web.cards.card_requests import CardsRequests
from player.ui.web.messages import File, Refusal, Request, Value
from protocol.ledger.bundle import SUFFIX, read_bundle, write_bundle
from protocol.ledger.records import LedgerRecord, read_record
from tests.support.collectors import STATE
from tests.support.ledger import ANN, BOB, CAROL, MAKER, TYPE, card, maker, slot_of, traded

ONE = card(1)
GIVEN = traded(MAKER, ANN, [slot_of(ONE.id)])
TWICE = [traded(ANN, to, [slot_of(ONE.id, GIVEN.id)]) for to in (BOB, CAROL)]


def test_page_takes_in_file_and_tells_of_new_alarm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(STATE, str(tmp_path / "state"))
    records: list[LedgerRecord] = [maker(), TYPE, ONE, GIVEN, *TWICE]

    async def run() -> None:
        cards = AppCards(tmp_path / "dan", lambda: None, asyncio.to_thread)
        page = CardsRequests(await cards.open())
        named = {"name": f"x{SUFFIX}"}
        taken = await page.answer(Request("import", named, write_bundle(records)))
        assert isinstance(taken, Value)
        assert taken.data["alarms"] == 1
        assert taken.data["lines"] == [f"x{SUFFIX}: 6 new records, 0 known."]
        wrong = await page.answer(Request("import", named, b"no cards"))
        assert isinstance(wrong, Refusal)
        letter = await page.answer(Request("import", named, LETTER))
        assert isinstance(letter, Refusal) and "a letter of a trade" in letter.error
        saved = await page.answer(Request("export", {}))
        # there are no own cards, but the alarm goes along
        assert isinstance(saved, File)
        assert {record.id for record in TWICE} <= {
            read_record(raw).id for raw in read_bundle(saved.data).raws
        }
        await cards.close()

    asyncio.run(run())
