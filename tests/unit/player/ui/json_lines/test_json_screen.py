"""Lines of JSON play whole matches, show tables, and refuse what is no request."""

import asyncio
import json
from itertools import repeat
from random import Random

import pytest

from player.cli.table_browser import TableBrowser
from player.cli.table_visits import play_matches
from player.client.environment import Environment
from player.client.outcome import CLEAN
from player.client.seat import Seat
from player.client.table_client import Plan
from player.presenter.match_screen import InputScreen, TableScreen
from player.ui.json_lines.json_screen import JsonScreen
from protocol.i18n import english
from protocol.identity.keys import Identity
from tests.support.fake_table import FakeTable, listening

WRONG = (
    "nonsense",
    "[" * 100_000,
    "5",
    '{"offer": 0}',
    '{"offer": 0, "turn": 1, "numbers": 1}',
    '{"offer": 0, "turn": 1, "numbers": ["1"]}',
    '{"tables": {}}',
)


class Partner:
    """A program that answers each line of the screen as soon as it comes."""

    def __init__(self):
        self.told = []
        self.screen = JsonScreen({}, english, write=self.read)
        me = Identity(b"z" * 32)
        self.environment = Environment(me, Random(3), Seat, None, self.screen.hear)

    def read(self, line):
        assert line.isascii() and line.endswith("\n") and line.count("\n") == 1
        told = json.loads(line)
        self.told.append(told)
        asyncio.get_running_loop().call_soon(self.answer, told)

    def answer(self, told):
        match told["event"]:
            case "your_turn":
                offer = next(iter(told["view"]["offers"]))
                numbers = [offer["amount"]["least"]] if offer["amount"] else []
                choice = {"offer": offer["id"], "turn": told["turn"], "numbers": numbers}
                self.type(**choice)
                self.type(**choice)
            case "again":
                self.type(line="no")
            case "tables" if told["tables"]:
                table = told["tables"][0]
                going = {"do": "join", "table": table["id"], "terms": table["terms"]}
                self.type(tables=going)

    def type(self, **asked):
        self.screen.typed(json.dumps(asked))

    def of(self, name):
        return [told for told in self.told if told["event"] == name]


async def test_screen_has_the_members_that_commands_call():
    screen = JsonScreen({}, english)
    assert isinstance(screen, TableScreen) and isinstance(screen, InputScreen)


@pytest.mark.match
@pytest.mark.parametrize(
    ("game", "dealing", "options"),
    [("nim", "none", {}), ("texas-holdem", "verified", {"hands": 2})],
)
async def test_lines_play_a_whole_match(tmp_path, game, dealing, options):
    partner = Partner()
    table = FakeTable(2, game=game, dealing=dealing, options=options)
    async with asyncio.timeout(120), listening(table) as link:
        plans = repeat(Plan("Zoe"))
        code = await play_matches(link, partner.environment, plans, tmp_path, partner.screen)
    assert code == CLEAN
    assert partner.of("ended")[0]["clean"] and partner.of("again")
    # the second line of each choice comes for a turn that is over
    assert partner.of("error")


@pytest.mark.match
async def test_table_is_chosen_by_a_line(tmp_path):
    partner = Partner()
    table = FakeTable(2, game="nim", dealing="none", options={})
    async with asyncio.timeout(120), listening(table) as link:
        browser = TableBrowser(partner.environment, Plan("Zoe"), tmp_path, partner.screen)
        assert await browser.play(link) == CLEAN
    assert partner.of("tables") and partner.of("ended")[0]["clean"]


@pytest.mark.parametrize("line", WRONG, ids=range(len(WRONG)))
async def test_line_that_is_no_request_is_refused(line):
    partner = Partner()
    partner.screen.typed(line)
    assert [told["event"] for told in partner.told] == ["error"]


async def test_end_of_input_stops_a_player_and_no_onlooker():
    for watching in (False, True):
        screen = JsonScreen({}, english, watching)
        screen.typed(None)
        assert screen.stopped is not watching


async def test_nobody_is_asked_again_without_input():
    assert not await JsonScreen({}, english, has_input=False).again()
