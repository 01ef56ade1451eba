"""The file that docs/rules.md builds is valid, and works as the page says."""

import re
from pathlib import Path

import pytest

from protocol.games.scripted.rule_file.built_in import built_in_text
from protocol.games.scripted.rule_file.constants import RESERVED
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.games.scripted.rule_file.texts import check_texts
from protocol.rules import Module, load, parse
from protocol.rules.prelude import prelude
from tests.support.scripts import ClearTable, script

PAGE = Path(__file__).parents[3] / "docs" / "rules.md"


def tutorial(name: str = "climb") -> str:
    """Join the blocks of a tutorial file."""
    return "\n".join(
        re.findall(rf"```python {name}\.rules\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    )


def played(module: Module, rank: int, *, free: int) -> object:
    g = {
        "seats": 2,
        "out": [],
        "counters": {"free": free},
        "regions": {"pile": [7], "deck": [], "hand": [[1], [2, 3]]},
        "faces": [None] * 7 + [{"name": "red 4", "colour": "red", "rank": 4}],
    }
    return module.call(
        "legal", g, 0, {"name": "lay", "card": 1, "face": {"name": "red", "rank": rank}}
    )


def test_page_game_is_valid_and_does_as_described():
    module = load(parse(tutorial()))
    assert len(module.constants["CARDS"]) == 32
    assert [played(module, 4, free=0), played(module, 5, free=0), played(module, 1, free=1)] == [
        False,
        True,
        True,
    ]
    assert module.call("start", {"seats": 3})[0] == ["shuffle", "deck", None, None]


def test_rules_page_names_everything_in_the_prelude():
    text = PAGE.read_text("utf-8")
    assert [name for name in prelude().functions if f"`{name}(" not in text] == []


def test_first_five_lines_are_a_valid_file():
    first = tutorial().split("\nCOUNTERS")[0]
    assert len(first.strip().splitlines()) == 5
    load(parse(first))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "seats"), [("climb", 2), ("climb", 4), ("crazy-eights", 2), ("crazy-eights", 3)]
)
def test_page_games_are_checked_and_playable_to_end(name, seats):
    text = tutorial(name)
    assert parse_contract(text).name == name
    state = ClearTable(script(text, seats), 5, texts=text).play()
    assert state.error is None and state.winners


def test_page_complete_game_equals_shipped_file_without_its_texts():
    rules, texts = built_in_text("crazy-eights").split("\n# Texts for players: ")
    assert tutorial("crazy-eights") == rules
    assert "HELP = {" in texts and "SENTENCES = {" in texts and "\ndef " not in texts


def test_page_game_has_texts_that_are_right():
    contract = parse_contract(tutorial())
    assert dict(check_texts(contract).args) == {"help": "en, de", "sentences": "en, de"}


def test_rules_page_lists_all_reserved_action_names():
    text = PAGE.read_text("utf-8")
    (said,) = re.findall(r"^Names of actions cannot be ([^.]*)\.", text, re.MULTILINE)
    assert set(re.findall("`([a-z_]+)`", said)) == set(RESERVED)
