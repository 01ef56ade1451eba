"""Home's lists: games, own matches, unfinished matches, tables; whatever is in the files."""

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from player.client.connection import connect
from player.lobby.table_programs import OpenedTable, TableRequest
from player.storage.identity_file import load_identity
from player.storage.known_tables import KnownTables
from player.storage.own_key import OwnKey
from player.storage.own_language import read_language
from player.storage.own_name import read_name
from player.storage.play_command import StoredCommand
from player.storage.settings import read_settings
from player.ui.web.home.app_pages import AppPages, Shown
from player.ui.web.home.directory_requests import Directories
from player.ui.web.home.home_messages import HomeMessages, HomeOptions, OpenRequest
from player.ui.web.home.unfinished import unfinished_matches
from player.ui.web.messages import Refusal, RefusalCode, Request, Value
from player.ui.web.stream import News, Snapshot
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.identity.keyfile import Cost
from protocol.identity.keys import Identity, JoinLink
from protocol.limits import MIN_KEYFILE_MEMORY, TABLES_ASKED
from protocol.match.log import EntryContent, decode_entry, encode_content, encode_entry
from protocol.match.log_file import MAGIC, encode_record, read_records
from protocol.view.phrase import phrase
from tests.support.log_files import clean

CHEAP = Cost(1, MIN_KEYFILE_MEMORY)
HOSTILE = "<b>Bob\u202e\x1b[2J"


async def run_here(work):
    """Do work at once."""
    return work()


@pytest.fixture
def opened():
    """Collect what the person opens."""
    return []


def options_of(tmp_path):
    """Return the options of a person with this data folder."""
    return HomeOptions(
        tmp_path,
        BUILT_IN,
        lambda: read_name(tmp_path) or "Zoe",
        OwnKey(tmp_path, Random(1), cost=CHEAP),
        frozenset({"script"}),
        run_here,
        Directories(no_list, connect),
    )


async def no_list(link):
    """Answer as a web server that has no list."""
    raise LocalError("wrong.directory.answer", url=link.url, why="HTTP 404")


@pytest.fixture
def messages(tmp_path, opened):
    """Return the messages of a Home on an empty data folder."""
    return HomeMessages(options_of(tmp_path), english, opened.append, lambda: None)


def store_log(data: Path, name: str, content: bytes) -> None:
    """Put a log into the folder of matches against bots."""
    path = data / "play" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def renamed(log: bytes, name: str) -> bytes:
    """Return the first entry of a log with another name in the second seat."""
    (record, *_) = read_records(log)
    entry = decode_entry(record.entry)
    body = json_copy(entry.body)
    body[5][1][0] = name
    content = EntryContent(
        entry.author, entry.sequence, (entry.seen_number, entry.seen_hash), entry.kind, body
    )
    raw = encode_entry(encode_content(content), entry.signature)
    return MAGIC + encode_record(raw, record.head)


def json_copy(value):
    """Copy nested lists."""
    return [json_copy(each) for each in value] if isinstance(value, list) else value


async def ask(messages, name, /, **fields):
    """Return the value of an answer."""
    reply = await messages.answer(Request(name, fields))
    assert isinstance(reply, Value), reply
    return reply.data


async def refused(messages, name, /, **fields):
    """Return the code of a refusal."""
    reply = await messages.answer(Request(name, fields))
    assert isinstance(reply, Refusal)
    return reply.code


async def test_games_have_sentence_bots_and_picture(messages):
    games = {game["name"]: game for game in await ask(messages, "list", of="games")}
    installed = {row.name for row in BUILT_IN.specs.values() if row.version}
    assert set(games) == installed - {"script"}
    assert all(
        game["about"] and game["least"] <= game["usual"] <= game["most"] for game in games.values()
    )
    assert games["nim"]["picture"]["board"]["is"] == "heaps"
    for one, other in (("block-dominoes", "draw-dominoes"), ("mau-mau", "mau-mau-shared")):
        first, second = games[one]["picture"], games[other]["picture"]
        tiles = [picture["board"] and picture["board"]["tiles"] for picture in (first, second)]
        assert tiles[0] != tiles[1] or first["rows"] != second["rows"]
    assert (await ask(messages, "rules", game="nim"))["blocks"]
    assert (await ask(messages, "rules", game="<i>"))["none"]


async def test_history_lists_newest_match_with_other_people(messages, tmp_path):
    assert await ask(messages, "list", of="logs") == []
    store_log(tmp_path, "one.fairdeal", clean())
    store_log(tmp_path, "torn.fairdeal", b"fairdeal log 1\nnonsense")
    rows = {row["log"]: row for row in await ask(messages, "list", of="logs")}
    assert rows["play/torn.fairdeal"]["game"] is None
    assert rows["play/one.fairdeal"]["game"] == "block-dominoes"
    assert len(rows["play/one.fairdeal"]["people"]) == 2
    checked = await ask(messages, "check", log="play/one.fairdeal")
    assert checked["clean"] and checked["lines"][0].startswith("clean")
    assert not (await ask(messages, "check", log="play/torn.fairdeal"))["clean"]


async def test_hostile_name_in_log_steers_no_screen(messages, tmp_path):
    store_log(tmp_path, "evil.fairdeal", renamed(clean(), HOSTILE))
    (row,) = await ask(messages, "list", of="logs")
    assert any("<b>Bob" in person["name"] for person in row["people"])
    assert not any(sign in json.dumps(row, ensure_ascii=False) for sign in ("\u202e", "\x1b"))


@pytest.mark.parametrize("log", ["../identity", "/etc/passwd", "play/none.fairdeal", "identity"])
async def test_only_listed_logs_are_opened(messages, tmp_path, opened, log):
    store_log(tmp_path, "one.fairdeal", clean())
    (tmp_path / "identity").write_bytes(b"secret")
    assert await refused(messages, "check", log=log) is RefusalCode.REFUSED
    assert await refused(messages, "open", what="replay", name=log) is RefusalCode.REFUSED
    assert opened == []


async def test_one_thing_is_opened_at_a_time(messages, opened):
    await ask(messages, "open", what="play", name="nim", bots=1)
    assert opened[0].words == ("nim", "--bots", "1", "--pace", "1.0")
    assert await refused(messages, "open", what="play", name="nim", bots=1) is RefusalCode.REFUSED
    messages.begin("It failed.")
    assert messages.newest().data["notice"] == "It failed."
    await ask(messages, "open", what="join", name="fairdeal://example.org:7500.")
    assert opened[1].link == JoinLink.parse("fairdeal://example.org:7500")


async def test_cards_are_opened_like_anything_else(messages, opened):
    await ask(messages, "open", what="cards", name="")
    assert opened == [OpenRequest(cards=True)]
    assert await refused(messages, "open", what="cards", name="") is RefusalCode.REFUSED


@pytest.mark.parametrize(
    ("what", "name", "code"),
    [
        ("play", "--forget", RefusalCode.REFUSED),
        ("continue", "../..", RefusalCode.REFUSED),
        ("join", "nonsense", RefusalCode.REFUSED),
        ("shell", "nim", RefusalCode.WRONG),
    ],
)
async def test_wrong_wish_is_refused(messages, opened, what, name, code):
    assert await refused(messages, "open", what=what, name=name) is code
    assert opened == []


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("fairdeal://127.0.0.1:9/abcdefgh", "its end is missing"),
        (" FAIRDEAL+ws://127.0.0.1/x", "its end is missing"),
        ("nonsense", "A link begins with fairdeal://"),
    ],
)
async def test_link_that_was_cut_is_told_from_what_is_no_link(messages, link, said):
    reply = await messages.answer(Request("open", {"what": "join", "name": link}))
    assert isinstance(reply, Refusal) and said in reply.error


async def test_known_tables_become_links(messages, tmp_path):
    link = JoinLink.parse("fairdeal://example.org:7500")
    key = Identity(b"t" * 32).public
    KnownTables(tmp_path).remember(link, key)
    (row,) = await ask(messages, "list", of="tables")
    assert JoinLink.parse(row["link"]).fingerprint is not None
    assert row["address"] == "example.org:7500"


async def test_profile_keeps_fit_names_and_languages(messages, tmp_path):
    shown = await ask(messages, "profile", name=" Ann ", language="de")
    assert (shown["name"], shown["language"], shown["fingerprint"]) == ("Ann", "de", None)
    assert (read_name(tmp_path), read_language(tmp_path)) == ("Ann", "de")
    assert await refused(messages, "profile", name="") is RefusalCode.REFUSED
    assert await refused(messages, "profile", language="xx") is RefusalCode.WRONG
    await ask(messages, "profile", language="")
    assert read_language(tmp_path) is None


async def test_settings_of_pages_are_kept(messages, tmp_path):
    assert await ask(messages, "settings", theme="dark", text=125) == {"theme": "dark", "text": 125}
    assert (await ask(messages, "profile"))["settings"] == read_settings(tmp_path)
    assert await refused(messages, "settings", theme="pink") is RefusalCode.WRONG
    assert await refused(messages, "settings", text="125") is RefusalCode.WRONG
    assert await refused(messages, "settings", secret="x") is RefusalCode.WRONG


async def test_locked_key_is_asked_for_before_a_table(messages, tmp_path, opened):
    load_identity(tmp_path, b"right", Random(1), CHEAP)
    link = {"what": "join", "name": "fairdeal://example.org"}
    reply = await messages.answer(Request("open", link))
    assert isinstance(reply, Refusal) and reply.body()["locked"]
    assert opened == []
    shown = await ask(messages, "profile")
    assert shown["protected"] and shown["locked"]
    await ask(messages, "unlock", passphrase="right")
    await ask(messages, "open", **link)
    assert len(opened) == 1
    assert not any(b"right" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


async def test_passphrase_is_changed_by_who_knows_it(messages, tmp_path):
    load_identity(tmp_path, b"right", Random(1), CHEAP)
    assert await refused(messages, "passphrase", old="wrong", new="x") is RefusalCode.REFUSED
    assert await refused(messages, "unlock", passphrase="right") is RefusalCode.REFUSED  # too soon
    assert load_identity(tmp_path, b"right", Random(2))


def test_unfinished_match_is_listed_while_it_can_go_on(tmp_path):
    folder = tmp_path / "play" / "unfinished" / "abc" / "1"
    state = folder / "you" / "matches" / "1.json"
    state.parent.mkdir(parents=True)
    assert unfinished_matches(tmp_path, BUILT_IN, None) == {}
    StoredCommand("nim", ("nim", "--bots", "1")).write(folder)
    assert unfinished_matches(tmp_path, BUILT_IN, None) == {}
    state.write_text("{}", "utf-8")
    (found,) = unfinished_matches(tmp_path, BUILT_IN, None).values()
    assert (found.game, found.words) == ("nim", ("nim", "--bots", "1"))
    (folder / "command.json").write_text('{"game": "nim", "words": [1]}', "utf-8")
    assert unfinished_matches(tmp_path, BUILT_IN, None) == {}
    shutil.rmtree(folder)


async def test_stream_goes_on_with_what_is_opened(messages):
    pages = AppPages(messages, Shown(messages, messages.news, messages.newest))
    other = Snapshot(7, 0, {"stage": "replay"})
    stream = pages.events(None)
    stages = []
    async for event in stream:
        if event is None or event.name != "snapshot":
            assert event is None or event.name in ("missed", "ended")
            if event is not None and event.name == "ended":
                break
            continue
        stages.append(event.data["stage"])
        if stages[-1] == "home":
            pages.show(Shown(messages, News(), lambda: other))
        else:
            pages.end()
    await stream.aclose()
    assert stages[0] == "home" and stages[-1] == "replay"


def test_random_file_in_folder_of_commands_is_no_command(tmp_path):
    (tmp_path / "command.json").write_bytes(Random(1).randbytes(64))
    assert StoredCommand.read(tmp_path) is None


class Tables:
    """Programs that open nothing."""

    own = OpenedTable(JoinLink("127.0.0.1", 7500, "a" * 40), (phrase("host.app.here"),))

    def __init__(self):
        self.closed = 0

    async def close(self):
        self.closed += 1
        self.own = None


async def test_home_opens_and_closes_own_table(tmp_path, opened):
    tables = Tables()
    options = replace(options_of(tmp_path), tables=tables)
    messages = HomeMessages(options, english, opened.append, lambda: None)
    await ask(messages, "open", what="table", name="nim", near=True)
    assert opened[-1].table == TableRequest("nim", near=True)
    shown = await ask(messages, "list", of="own_table")
    assert shown["link"] == str(Tables.own.link) and "Only this computer" in shown["told"][0]
    await ask(messages, "close")
    assert tables.closed == 1
    assert await ask(messages, "list", of="own_table") is None


async def test_home_asks_only_visited_tables_and_few_at_once(tmp_path, opened):
    free = asyncio.Event()
    looks = []

    async def look(link):
        looks.append(link)
        await free.wait()
        return {"answers": True}

    for number in range(TABLES_ASKED + 2):
        link = JoinLink(f"10.0.0.{number}", 7500)
        KnownTables(tmp_path).remember(link, bytes(32))
    options = replace(options_of(tmp_path), look=look)
    messages = HomeMessages(options, english, opened.append, lambda: None)
    rows = await ask(messages, "list", of="tables")
    assert [each["asked"] for each in rows].count(True) == TABLES_ASKED
    asked = [
        asyncio.create_task(messages.answer(Request("look", {"link": each["link"]})))
        for each in rows
    ]
    await asyncio.sleep(0)
    free.set()
    answers = await asyncio.gather(*asked)
    assert len(looks) == TABLES_ASKED
    assert [isinstance(each, Refusal) for each in answers].count(True) == 2
    strange = await messages.answer(Request("look", {"link": str(Tables.own.link)}))
    assert isinstance(strange, Refusal) and len(looks) == TABLES_ASKED


async def test_form_of_own_table_makes_its_terms(tmp_path, opened):
    options = replace(options_of(tmp_path), tables=Tables())
    messages = HomeMessages(options, english, opened.append, lambda: None)
    shown = (await ask(messages, "form", form={"game": "crazy-eights", "seats": 99}))["form"]
    assert shown["seats"]["value"] == 99 and shown["seats"]["wrong"] and shown["wrong"]
    form = {"game": "crazy-eights", "seats": 3, "pace": "quick"}
    await ask(messages, "open", what="table", name="crazy-eights", form=form, invited=True)
    request = opened[-1].table
    assert request.invited and not request.anew
    assert (request.terms.seats, dict(request.terms.clock)["turn"]) == (3, 30)
    wrong = {"game": "crazy-eights", "seats": 99}
    messages.begin()
    code = await refused(messages, "open", what="table", name="crazy-eights", form=wrong)
    assert code is RefusalCode.REFUSED


async def test_failed_link_stays_until_something_opens(messages, opened):
    link = "fairdeal://127.0.0.1:9"
    await ask(messages, "open", what="join", name=f" {link} ")
    messages.begin("nobody answers", opened[-1])
    shown = messages.newest().data
    assert (shown["notice"], shown["failed"]) == ("nobody answers", {"link": link})
    messages.begin()
    assert messages.newest().data["failed"] is None


async def test_pace_and_strength_of_bots_become_words(messages, opened):
    await ask(messages, "open", what="play", name="nim", bots=1, pace="slow", strength="easy")
    assert opened[-1].words == ("nim", "--bots", "1", "--pace", "2.5", "--bot", "random")
    messages.begin()
    assert await refused(messages, "open", what="play", name="nim", pace="no") is RefusalCode.WRONG


async def test_unfinished_match_against_bots_is_dropped(messages, tmp_path):
    folder = tmp_path / "play" / "unfinished" / "nim" / "1"
    (folder / "you" / "matches").mkdir(parents=True)
    StoredCommand("nim", ("nim",)).write(folder)
    (folder / "you" / "matches" / "00.json").write_text("{}")
    (row,) = await ask(messages, "list", of="unfinished")
    assert (row["game"], row["bots"], row["own"]) == ("nim", True, False)
    await ask(messages, "drop", name=row["name"])
    assert await ask(messages, "list", of="unfinished") == [] and not folder.exists()
    assert await refused(messages, "drop", name=row["name"]) is RefusalCode.REFUSED


async def test_play_with_deck_names_deck_and_brings_bots(tmp_path, opened):
    options = replace(options_of(tmp_path), decks=lambda: {"element-duel": ("first",)})
    messages = HomeMessages(options, english, opened.append, lambda: None)
    assert await ask(messages, "list", of="decks") == {"element-duel": ("first",)}
    assert (await ask(messages, "list", of="limits"))["decks"]
    await ask(messages, "open", what="play", name="element-duel", deck="first")
    words = opened[0].words
    assert words[:3] == ("element-duel", "--bots", "1") and words[-1] == "--deck=first"


async def test_home_without_decks_lists_none(messages, opened):
    assert await ask(messages, "list", of="decks") == {}
    assert not (await ask(messages, "list", of="limits"))["decks"]
    await ask(messages, "open", what="play", name="nim", bots=1, deck="")
    assert not any(word.startswith("--deck") for word in opened[0].words)
