"""The page of a match by messages alone: no server, and the same as over HTTP."""

import asyncio
import json
import subprocess
import sys
from contextlib import aclosing, asynccontextmanager
from itertools import repeat
from pathlib import Path
from random import Random

import pytest

from player.cli.table_visits import play_matches
from player.client.environment import Environment
from player.client.requirements import NO_REQUIREMENTS
from player.client.seat import Seat
from player.client.table_client import Plan
from player.ui.web.lobby.tables import Lobby
from player.ui.web.messages import File, Refusal, RefusalCode, Request, Value
from player.ui.web.page_messages import PageMessages
from player.ui.web.page_screen import PageScreen
from protocol.audit.verdict import Verdict, audit
from protocol.games.registry import BUILT_IN
from protocol.i18n import english, load_translator
from protocol.identity.keys import Identity, JoinLink
from protocol.view.phrase import phrase
from protocol.view.text import phrase_renderer
from tests.support.fake_table import FakeTable, listening
from tests.support.pages import playing

ROOT = Path(__file__).parents[5]
ZOE = Identity(b"z" * 32)
SHORT = {"target": 30}
ABSENT = ("starlette", "uvicorn", "h11", "anyio", "net.http", "player.ui.web.http")


async def ask(page, name, **fields):
    return await page.answer(Request(name, fields))


async def choose(page, snapshot):
    """Take the first offer of a snapshot."""
    offer = snapshot["view"]["offers"][0]
    numbers = [offer["amount"]["least"]] if offer["amount"] else []
    return await ask(page, "do", serial=snapshot["serial"], offer=offer["id"], numbers=numbers)


async def play_out(page, events, seen=lambda snapshot: None):
    """Take the first offer each time until the end of the match; return the last snapshot."""
    async for event in events:
        if event is None or event.name != "snapshot":
            continue
        shown = json.loads(json.dumps(event.data))
        seen(shown)
        if shown["verdict"]:
            return shown
        if shown["view"] and shown["view"]["offers"]:
            reply = await choose(page, shown)
            assert reply == Value() or reply.code is RefusalCode.STALE
    raise AssertionError("the stream ended before the match")


@asynccontextmanager
async def match(tmp_path, table):
    """Play at this table on a screen without a server. Yield its messages and the log's path."""
    log = tmp_path / "match.fairdeal"
    screen = PageScreen({}, english)
    environment = Environment(ZOE, Random(3), Seat, None, screen.hear)
    async with asyncio.timeout(240), listening(table) as link:
        plans = repeat(Plan("Zoe", log=log))
        matches = asyncio.create_task(play_matches(link, environment, plans, tmp_path, screen))
        try:
            yield PageMessages(screen, BUILT_IN), log
        finally:
            screen.stop()
            await matches


@pytest.mark.match
@pytest.mark.parametrize("game", ("block-dominoes", "texas-holdem"))
async def test_messages_alone_play_a_whole_match(tmp_path, game):
    options = SHORT if game == "block-dominoes" else {"hands": 2}
    table = FakeTable(2, game=game, dealing="verified", options=options)
    async with match(tmp_path, table) as (page, log), aclosing(page.events(None)) as events:
        assert (await ask(page, "session")).data["mode"] == "play"
        last = await play_out(page, events)
        assert last["stage"] == "over" and last["verdict"]["clean"] and last["faults"] == []
        assert await ask(page, "log") == File(log.name, log.read_bytes())
        alike = await page.answer(Request("compare", file=log.read_bytes()))
        assert alike.data["lines"][0].startswith("same: both copies")
        assert (await ask(page, "deeds", **{"from": 0, "to": 99999})).data
        assert await ask(page, "again", yes=False) == Value()
        assert (await ask(page, "again", yes=False)).code is RefusalCode.STALE
    assert audit(log.read_bytes()).verdict is Verdict.CLEAN


async def test_question_is_answered_once_and_by_its_number():
    screen = PageScreen({}, english)
    page = PageMessages(screen, BUILT_IN)
    assert (await ask(page, "answer", number=0, yes=True)).code is RefusalCode.STALE
    for number, yes in ((1, True), (2, False)):
        asking = asyncio.create_task(screen.confirm(phrase("web.connecting")))
        await asyncio.sleep(0)
        asked = screen.newest().data["question"]
        assert asked == {"number": number, "text": screen.presenter.words("web.connecting")}
        late = await ask(page, "answer", number=number - 1, yes=True)
        assert late.code is RefusalCode.STALE and not asking.done()
        assert await ask(page, "answer", number=number, yes=yes) == Value()
        assert await asking is yes and screen.newest().data["question"] is None
    asking = asyncio.create_task(screen.confirm(phrase("web.connecting")))
    await asyncio.sleep(0)
    screen.stop()
    assert await asking is False and await screen.confirm(phrase("web.connecting")) is False


@pytest.mark.match
async def test_messages_show_the_same_as_http(tmp_path):
    by_message, by_http = {}, {}
    async with playing(FakeTable(2, options=SHORT), tmp_path) as (served, _):
        page = PageMessages(served.screen, BUILT_IN)
        await served.enter()
        async with served.stream() as stream, aclosing(page.events(None)) as events:
            reading = asyncio.create_task(stream.until(lambda shown: shown["verdict"]))

            def note(shown):
                by_message[shown["serial"]] = shown

            await play_out(page, events, note)
            await reading
        by_http = {told["serial"]: told for name, told in stream.heard if name == "snapshot"}
        for name, query, fields in (
            ("deeds", "?from=0&to=99999", {"from": 0, "to": 99999}),
            ("invitation", "", {}),
        ):
            reply = await ask(page, name, **fields)
            assert (await served.get(f"{name}{query}")).json == json.loads(json.dumps(reply.data))
        assert (await served.get("log")).body == (await ask(page, "log")).data
    both = by_message.keys() & by_http.keys()
    assert len(both) > 10 and max(by_message) in both
    assert all(by_message[serial] == by_http[serial] for serial in both)


@pytest.mark.match
async def test_message_for_an_old_snapshot_gets_the_newest(tmp_path):
    async with match(tmp_path, FakeTable(2)) as (page, _), aclosing(page.events(None)) as events:
        async for event in events:
            view = event.data.get("view") if event else None
            if view and view["offers"]:
                break
        assert await choose(page, event.data) == Value()
        late = await choose(page, event.data)
        assert late.code is RefusalCode.STALE and "meanwhile" in late.error
        assert late.more["snapshot"]["serial"] > event.data["serial"]
        wrong = await ask(page, "do", serial=late.more["snapshot"]["serial"], offer=99)
        assert wrong == Refusal(RefusalCode.REFUSED, "You can't do that now.")


async def test_lobby_messages_decide_and_name_wrong_fields():
    screen = PageScreen({}, english)
    page = PageMessages(screen, BUILT_IN)
    assert (await ask(page, "lobby", do="form")).code is RefusalCode.STALE
    decided = []
    link = JoinLink("127.0.0.1", 7500, "a" * 40)
    plan = Plan("Zoe", requires=NO_REQUIREMENTS)
    lobby = Lobby(link, plan, BUILT_IN, phrase_renderer(english, ()), decided.append)
    screen.show_lobby(lobby)
    assert (await ask(page, "lobby", do="form", game="nim")).data["form"]["game"] == "nim"
    options = {"hand": 99}
    wrong = await ask(page, "lobby", do="create", game="block-dominoes", options=options)
    assert (wrong.code, wrong.more) == (RefusalCode.REFUSED, {"field": "options-hand"})
    assert (await ask(page, "lobby", do="create", seats="2")).code is RefusalCode.WRONG
    assert not decided
    assert await ask(page, "lobby", do="create", game="nim") == Value({})
    assert decided[0].plan.create.game.name == "nim"


async def test_session_message_chooses_the_language(monkeypatch):
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    page = PageMessages(PageScreen({}, english), BUILT_IN)
    told = (await ask(page, "session", languages="de-AT,de;q=0.9,en;q=0.8")).data
    assert (told["mode"], told["language"]) == ("play", "de")
    assert told["labels"]["page.program.lost"] == load_translator("de")("page.program.lost", None)
    nothing = await ask(page, "log")
    assert nothing.code is RefusalCode.NOTHING
    assert nothing.error == load_translator("de")("web.no_log", None)


@pytest.mark.process
@pytest.mark.parametrize("module", ("page_messages", "page_port"))
def test_messages_load_without_server_packages(module):
    absent = f"sys.modules.update(dict.fromkeys({ABSENT!r}))"
    code = f"import sys; {absent}; import player.ui.web.{module}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
