"""The screen in docs/write-a-screen.md shows a whole match at a table."""

import json
import re
from pathlib import Path
from random import Random

import pytest

from bots.registry import BOTS
from player.cli.table_visits import play_at
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_client import Plan
from protocol.audit.verdict import Verdict
from protocol.identity.keys import Identity
from tests.support.fake_table import FakeTable, listening

PAGE = Path(__file__).parents[4] / "docs" / "write-a-screen.md"


@pytest.mark.match
async def test_screen_of_the_documents_shows_a_match(tmp_path, capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    names: dict = {}
    exec(compile(code, PAGE.name, "exec"), names)
    screen = names["JsonScreen"]({})
    environment = Environment(Identity(b"z" * 32), Random(3), Seat, BOTS["greedy"], screen.hear)
    async with listening(FakeTable()) as link:
        outcome = await play_at(link, environment, Plan("Zoe"), tmp_path, screen)
    assert outcome.verdict is Verdict.CLEAN
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    views = [each["view"] for each in told if "view" in each]
    assert any(view["board"] for view in views) and "verdict" in told[-1]
    assert any("You" in line for each in told for line in each.get("lines", ()))
