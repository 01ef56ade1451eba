"""A match on a page: legal actions can be chosen once, other actions never; a page can ask for
missed events.
"""

import pytest

from player.storage.recovery_state import any_recovery_states
from player.ui.web.match_talk import MatchTalk
from protocol.audit.verdict import Verdict, audit
from protocol.match.log import decode_entry
from protocol.match.log_file import read_records
from tests.support.fake_table import FakeTable
from tests.support.pages import Served, playing
from tests.unit.player.client.test_table_client_round_trips import Asking

pytestmark = pytest.mark.match
MARKUP = "<img onerror=alert(1)>"


def asked(snapshot):
    """Return whether our person has to choose."""
    return bool(snapshot["view"] and snapshot["view"]["offers"])


async def choose_all(page: Served, stream) -> dict:
    """Take the first offer each time until the end of the match; return the last snapshot."""
    while True:
        snapshot = await stream.until(lambda shown: asked(shown) or shown["verdict"])
        if snapshot["verdict"]:
            return snapshot
        offer = snapshot["view"]["offers"][0]
        numbers = [offer["amount"]["least"]] if offer["amount"] else []
        body = {"serial": snapshot["serial"], "offer": offer["id"], "numbers": numbers}
        assert (await page.post("do", body)).status in (204, 409)


def moves(log, seat=0):
    """Count the moves of a seat in a log."""
    entries = [decode_entry(record.entry) for record in read_records(log.read_bytes())]
    return sum(entry.kind == "move" and entry.author == seat for entry in entries)


@pytest.mark.parametrize("game", ("block-dominoes", "texas-holdem"))
async def test_page_plays_a_whole_match(tmp_path, game):
    options = {"target": 30} if game == "block-dominoes" else {"hands": 2}
    table = FakeTable(2, game=game, dealing="verified", options=options)
    async with playing(table, tmp_path) as (page, log):
        await page.enter()
        async with page.stream() as stream:
            last = await choose_all(page, stream)
        assert (
            last["stage"] == "over"
            and last["verdict"]["clean"]
            and not last["behind"]
            and last["faults"] == []
        )
        assert audit(log.read_bytes()).verdict is Verdict.CLEAN and moves(log) > 1
        assert (await page.get("log")).body == log.read_bytes()
        alike = await page.post("compare", log.read_bytes())
        assert alike.json["lines"][0].startswith("same: both copies")
        told = [deed["text"] for name, deed in stream.heard if name == "deed"]
        every = (await page.get("deeds?from=0&to=99999")).json
        assert told and {deed["text"] for deed in every} >= set(told)
        assert (await page.post("again", {"yes": False})).status == 204
        assert (await page.post("again", {"yes": False})).status == 409, "it is asked once"
    assert not any_recovery_states(tmp_path)


async def test_round_trips_are_left_out_where_they_change_nothing(tmp_path):
    table = Asking(("trips", [20, 30, 4000]))
    async with playing(table, tmp_path) as (page, _log):
        await page.enter()
        async with page.stream() as stream:
            last = await choose_all(page, stream)
    assert [seat["trip"] for seat in last["view"]["seats"]] == [None] * 3


async def test_page_choice_not_on_offer_is_not_signed(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, log):
        await page.enter()
        async with page.stream() as stream:
            snapshot = await stream.until(asked)
            serial, before = snapshot["serial"], moves(log)
            wrong = [
                {"offer": 99},
                {"offer": -1},
                {"offer": 0, "numbers": [1]},
                {"offer": 0, "numbers": [1, 2]},
            ]
            for body in wrong:
                answer = await page.post("do", {"serial": serial, **body})
                assert (answer.status, answer.json["error"]) == (422, "You can't do that now.")
            for other in (serial + 1000, -1, 0, 10**18):
                assert (await page.post("do", {"serial": other, "offer": 0})).status == 409
            assert (await page.post("sit", {"serial": serial})).status == 422
            assert moves(log) == before


async def test_typed_choice_counts_for_its_own_snapshot_only(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, log):
        await page.enter()
        async with page.stream() as stream:
            snapshot = await stream.until(asked)
            before = moves(log)
            for other in ({}, {"serial": snapshot["serial"] + 100}):
                late = await page.post("command", {"line": "1", **other})
                assert late.status == 409 and moves(log) == before
            talk = await page.post("command", {"line": "say hello"})
            assert talk.status == 200, "a line that chooses nothing needs no snapshot"
            told = await page.post("command", {"line": "1", "serial": snapshot["serial"]})
            assert told.status == 200 and told.json == {"lines": []}
            await stream.until(lambda shown: shown["serial"] > snapshot["serial"] and asked(shown))
            assert moves(log) == before + 1


async def test_first_choice_of_two_pages_counts(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, log):
        await page.enter()
        async with page.stream() as one, page.stream() as other:
            snapshot = await one.until(asked)
            assert (await other.until(asked))["serial"] == snapshot["serial"]
            before, body = (
                moves(log),
                {"serial": snapshot["serial"], "offer": snapshot["view"]["offers"][0]["id"]},
            )
            assert (await page.post("do", body)).status == 204
            late = await page.post("do", body)
            assert late.status == 409 and late.json["snapshot"]["serial"] > snapshot["serial"]
            assert "meanwhile" in late.json["error"]
            newer = await other.until(
                lambda shown: (
                    shown["serial"] > snapshot["serial"] and (asked(shown) or shown["verdict"])
                )
            )  # the move has returned from the table by then
            assert newer["serial"] <= page.screen.newest().serial and moves(log) == before + 1


async def test_page_update_without_new_offers_keeps_the_choice(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, _):
        await page.enter()
        async with page.stream() as stream:
            snapshot = await stream.until(asked)
            assert (await page.post("say", {"text": "a moment"})).status == 204
            await stream.until(lambda shown: shown["serial"] > snapshot["serial"])
            body = {"serial": snapshot["serial"], "offer": snapshot["view"]["offers"][0]["id"]}
            assert (await page.post("do", body)).status == 204


async def test_pending_choice_is_not_offered_again(tmp_path):
    class Silent(FakeTable):
        deaf = False

        def on_post(self, wire, match_id, raw):
            if not self.deaf:
                super().on_post(wire, match_id, raw)

    table = Silent(2)
    async with playing(table, tmp_path) as (page, _):
        await page.enter()
        async with page.stream() as stream:
            snapshot = await stream.until(asked)
            table.deaf = True
            body = {"serial": snapshot["serial"], "offer": snapshot["view"]["offers"][0]["id"]}
            assert (await page.post("do", body)).status == 204
            after = await stream.until(lambda shown: shown["serial"] > snapshot["serial"])
            assert after["view"]["offers"] == [] and after["status"] == "Your move is on its way."


async def test_reading_page_gets_every_event_once(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, _):
        await page.enter()
        async with page.stream() as stream:
            snapshot = await stream.until(asked)
            last, heard = stream.last, len(stream.heard)
            body = {"serial": snapshot["serial"], "offer": snapshot["view"]["offers"][0]["id"]}
            assert (await page.post("do", body)).status == 204
            await stream.until(lambda shown: asked(shown) or shown["verdict"])
            since = [told for name, told in stream.heard[heard:] if name == "deed"]
        async with page.stream(last) as again:
            await again.until("snapshot")
            assert since and [told for name, told in again.heard if name == "deed"] == since
        async with page.stream("nonsense-1-2") as anew:
            missed = await anew.until("missed")
            assert missed["from"] == 0 and (await page.get(f"deeds?from=0&to={missed['to']}")).json


class Remembered(MatchTalk):
    """The talk of one match, whichever it is."""

    def add(self, match_id: bytes, seat: int, remark: str) -> None:
        """Remember a remark."""
        super().add(b"", seat, remark)

    def of(self, match_id: bytes) -> tuple[tuple[int, str], ...]:
        """Return what was said."""
        return super().of(b"")


async def test_screen_that_comes_back_to_match_has_its_talk(tmp_path):
    talk = Remembered()
    for folder, told in (("first", []), ("second", ["hello"])):
        async with playing(FakeTable(2), tmp_path / folder, talk=talk) as (page, _):
            await page.enter()
            async with page.stream() as stream:
                await stream.until(asked)
                heard = [data["text"] for name, data in stream.heard if name == "said"]
                assert heard == told
                if not told:
                    await page.post("say", {"text": "hello"})
                    await stream.until("said")


async def test_page_answers_typed_lines_like_terminal(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, _):
        await page.enter()
        async with page.stream() as stream:
            await stream.until(asked)
            assert (
                "leave or quit to leave the match"
                in (await page.post("command", {"line": "help"})).json["lines"][0]
            )
            assert (await page.post("command", {"line": "say hello"})).json["lines"] == [
                "You say: hello"
            ]
            assert (await stream.until("said"))["text"] == "hello"
            for word in ("leave", "quit"):
                told = (await page.post("command", {"line": word})).json["lines"]
                assert "If you leave, you cannot come back" in told[0]
                told = (await page.post("command", {"line": "no"})).json["lines"]
                assert told == ["You stay in the match."]
            assert any(
                "Your hand" in line
                for line in (await page.post("command", {"line": "board"})).json["lines"]
            )
            refused = await page.post("say", {"text": ""})
            assert refused.status == 422 and "1 to" in refused.json["error"]


async def test_page_shows_texts_of_others_as_plain(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, _):
        await page.enter()
        async with page.stream() as stream:
            await stream.until(asked)
            page.screen.warn(f"{MARKUP}\x1b[2J\u202e")
            assert (await stream.until("notice"))["text"] == f"{MARKUP}\ufffd[2J\ufffd"


async def test_page_leaves_only_after_confirmation(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, _):
        await page.enter()
        async with page.stream() as stream:
            await stream.until(asked)
            assert (await page.post("leave", {"yes": False})).status == 204
            assert (await page.post("leave", {})).status == 400
            assert not page.screen.client.finished
            assert (await page.post("leave", {"yes": True})).status == 204
            # a person who leaves may want to play another match
            ended = await stream.until(lambda shown: shown["again"])
            assert not ended["verdict"]["clean"] and ended["stage"] == "over"
            assert (await page.post("again", {"yes": False})).status == 204


async def test_page_invitation_has_link_and_qr_code(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, _):
        await page.enter()
        async with page.stream() as stream:
            await stream.until(asked)
        told = (await page.get("invitation")).json
        assert told["link"] == page.screen.presenter.link and told["fingerprint"] in told["link"]
        assert told["qr"]["size"] >= 21 and told["qr"]["path"].startswith("M0 0h1v1h-1z")


async def test_hint_is_shown_only_on_the_page(tmp_path):
    async with playing(FakeTable(2, game="hexapawn", dealing="none"), tmp_path) as (page, log):
        await page.enter()
        async with page.stream() as stream:
            shown = await stream.until(asked)
            before = log.read_bytes()
            best = await page.post("hint", {"why": False})
            why = await page.post("hint", {"why": True})
            assert best.status == why.status == 200
            assert len(best.json["lines"]) == 1 and len(why.json["lines"]) > 3
            assert best.json["move"] in [offer["action"] for offer in shown["view"]["offers"]]
            assert log.read_bytes() == before


async def test_page_explains_missing_hint_in_hidden_game(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, _):
        await page.enter()
        async with page.stream() as stream:
            await stream.until(asked)
            assert "nothing hidden" in (await page.post("hint", {"why": True})).json["lines"][0]


async def test_page_reads_the_rules_of_its_match(tmp_path):
    table = FakeTable(2, game="texas-holdem", dealing="verified", options={"hands": 3, "blind": 6})
    async with playing(table, tmp_path) as (page, _):
        await page.enter()
        async with page.stream() as stream:
            await stream.until(asked)
        answer = (await page.post("rules", {})).json
        assert (answer["game"], answer["none"]) == ("texas-holdem", None)
        (setup,) = (
            block
            for title, block in zip(answer["blocks"], answer["blocks"][1:], strict=False)
            if title.get("text") == "Setting up"
        )
        assert any(
            "the small blind of 3, the next one the big blind of 6" in item
            for item in setup["items"]
        )
        assert (await page.post("rules", {"whose": "mine"})).status == 400


async def test_page_of_a_person_who_waits_reads_the_rules(tmp_path):
    async with playing(FakeTable(2), tmp_path) as (page, _):
        await page.enter()
        async with page.stream() as stream:
            await stream.until(lambda shown: shown["stage"] in ("waiting", "match"))
        assert (await page.post("rules", {})).json["blocks"]
