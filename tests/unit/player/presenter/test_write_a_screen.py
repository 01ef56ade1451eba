"""The screen in docs/write-a-screen.md plays a whole match by lines of standard input."""

import asyncio
import json
import os
import re
from itertools import repeat
from pathlib import Path
from random import Random

import pytest

from player.cli.arguments import parser
from player.cli.screen_choice import SCREENS, screen_for
from player.cli.table_visits import play_matches
from player.client.environment import Environment
from player.client.outcome import CLEAN
from player.client.seat import Seat
from player.client.table_client import Plan
from protocol.identity.keys import Identity
from tests.support.fake_table import FakeTable, listening

PAGE = Path(__file__).parents[4] / "docs" / "write-a-screen.md"


class Reader:
    """A program that reads the screen's lines, and answers each as soon as it comes."""

    def __init__(self, stdin):
        self.told = []
        self._stdin = stdin

    def read(self, line, *, flush):
        told = json.loads(line)
        self.told.append(told)
        match told["event"]:
            case "your_turn":
                self._choose(told)
            case "again":
                self._write({"line": "no"})

    def of(self, name):
        return [told for told in self.told if told["event"] == name]

    def _choose(self, told):
        offer = next(offer for offer in told["view"]["offers"] if offer["amount"])
        choice = {"offer": offer["id"], "turn": told["turn"]}
        if len(self.of("your_turn")) == 1:
            os.write(self._stdin, b"nonsense\n")
            self._write(choice | {"numbers": [1.5]})
            self._write(choice | {"numbers": 1})
            self._write(choice)  # without the amount
            self._write({"line": "say hello"})
        choice["numbers"] = [offer["amount"]["least"]]
        self._write(choice)
        self._write(choice)

    def _write(self, asked):
        os.write(self._stdin, json.dumps(asked).encode() + b"\n")


@pytest.mark.match
async def test_screen_of_the_documents_plays_a_match(tmp_path, monkeypatch):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    stdin, writer = os.pipe()
    program = Reader(writer)
    names: dict = {"print": program.read}
    exec(compile(code, PAGE.name, "exec"), names)
    monkeypatch.setitem(SCREENS, "json", names["ROW"])
    args = parser().parse_args(["--screen", "json"])
    table = FakeTable(2, game="nim", dealing="none", options={})
    with open(stdin, "rb") as source:
        monkeypatch.setattr("sys.stdin", source)
        async with (
            asyncio.timeout(60),
            listening(table) as link,
            screen_for(args, {}) as (screen, _),
        ):
            me = Identity(b"z" * 32)
            environment = Environment(me, Random(3), Seat, None, screen.hear)
            plans = repeat(Plan("Zoe"))
            exit_code = await play_matches(link, environment, plans, tmp_path, screen)
        os.close(writer)
    assert exit_code == CLEAN
    (ended,) = program.of("ended")
    assert ended["clean"] and ended["lines"]
    turns = program.of("your_turn")
    assert len(turns) > 1 and len({told["turn"] for told in turns}) == len(turns)
    assert len(program.of("error")) == 4 and len(program.of("stale")) >= len(turns) - 1
    assert any("hello" in line for told in program.of("reply") for line in told["lines"])
    assert any("You" in line for told in program.of("happened") for line in told["lines"])
    assert program.of("started")[0]["terms"]["game"] == "nim"
