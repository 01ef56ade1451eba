"""Names of counters and regions of rule files: in the reader's language, or as the file defines
them.
"""

import pytest

from protocol.fast_replace import replace
from protocol.games.scripted import text, view
from protocol.games.scripted.display_names import COUNTERS, VALUES, WORDS
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.rule_file.built_in import EARLIER_RULES, built_in_text
from protocol.games.scripted.rule_file.contract import parse_contract
from protocol.i18n import english, load_translator
from protocol.rules import RuleError
from protocol.view.board import RegionKind
from protocol.view.text import phrase_renderer
from tests.support.scripts import ClearTable, script

SAY = {
    "en": phrase_renderer(english, ("Ann", "Bob")),
    "de": phrase_renderer(load_translator("de"), ("Ann", "Bob")),
}
OWN = """\
RULES = {"name": "mau-mau", "edition": 1, "seats": 2, "decks": "shared"}
REGIONS = [region("deck", "one"), region("hand", "each", see = "owner", order = "hand")]
ACTIONS = [action("wish", choice = ["hearts", "spades"])]
COUNTERS = {"wish": "one", "tempo": "each"}
CALLED = {"tempo": ["", "slow", "<b>fast"]}
CARDS = [{"name": "c%d" % n} for n in range(8)]
def start(g): return [put("wish", None, 1), put("tempo", 0, 2), put("tempo", 1, 7)]
def legal(g, me, act): return True
def apply(g, me, act): return [end_turn()]
def winner(g): return None
"""


def counters(game: ScriptGame, state, language: str) -> list[str]:
    """Return the counters as a terminal shows them."""
    say = SAY[language]
    found = [
        region for region in view.board(game, state).regions if region.kind is RegionKind.COUNTER
    ]
    return [f"{say(region.name)}: {text._contents(region, say)}" for region in found]


def at_play(game: str, **values: int):
    """Return a game at its first choice, with these counters."""
    table = ClearTable(script(game))
    table.onward()
    names = [name for name, _ in table.game.table(table.state).contract.counters]
    kept = tuple((values.get(name, 0),) for name in names)
    return table.game, replace(table.state, counters=kept)


def test_counters_of_earlier_files_have_names_from_the_catalogue():
    game, state = at_play("mau-mau-1", wish=2, wishing=1)
    assert counters(game, state, "en") == ["wished: spades", "You must name a suit: yes"]
    assert counters(game, state, "de") == ["gewünscht: Pik", "Eine Farbe muss gewünscht werden: ja"]
    game, state = at_play("mau-mau-1", sevens=3)
    assert counters(game, state, "de") == ["Siebenen in Folge: 3"]
    game, state = at_play("crazy-eights-1", suit=4)
    assert counters(game, state, "en") == ["named suit: spades"]
    names = [SAY["de"](region.name) for region in view.board(game, state).regions]
    assert {"Ablage", "Stapel", "Hand"} <= set(names)


def test_foreign_file_uses_its_own_names():
    table = ClearTable(script(OWN), texts=OWN)
    table.onward()
    for language in SAY:
        assert counters(table.game, table.state, language) == [
            "wish: 1",
            "tempo: <b>fast",
            "tempo: 7",
        ]


@pytest.mark.parametrize(
    "texts",
    [
        '{"speed": [""]}',
        '{"tempo": "slow"}',
        '{"tempo": [1]}',
        '["slow"]',
        '{"tempo": ["%s"]}' % ("a" * 200),
    ],
)
def test_file_with_malformed_texts_is_an_error(texts: str):
    broken = OWN.replace('{"tempo": ["", "slow", "<b>fast"]}', texts)
    with pytest.raises(RuleError) as error:
        parse_contract(broken)
    assert error.value.line == 5


def test_words_of_earlier_files_are_all_in_the_catalogue():
    for name in EARLIER_RULES:
        contract = parse_contract(built_in_text(name))
        words = [zone.name for zone in contract.zones] + [
            counter for counter, _ in contract.counters
        ]
        words += [word for kind in contract.kinds for word in (kind.name, *kind.choices)]
        assert set(words) <= WORDS.keys() | COUNTERS.keys()
        assert VALUES.get(contract.name, {}).keys() - {"skip"} <= dict(contract.counters).keys()
