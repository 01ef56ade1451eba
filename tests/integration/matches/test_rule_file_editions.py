"""Edition 4 of games by rule files, in ASCII, beside edition 5: its logs audit, its matches go on."""

from pathlib import Path

import pytest

from bots.random_bot import random_bot
from protocol.audit.verdict import Verdict, audit
from protocol.games.registry import BUILT_IN, Games
from protocol.games.scripted.edition_4 import AsciiScriptGame
from protocol.games.scripted.game import ScriptGame
from protocol.games.scripted.rule_file.built_in import (
    BUILT_IN_RULES,
    EARLIER_RULES,
    built_in_text,
    rule_digest,
)
from tests.integration.guest_games.test_editions import read_anew
from tests.support.offline import make_offline
from tests.support.scripts import ClearTable

pytestmark = pytest.mark.match

LOGS = Path(__file__).parents[2] / "editions"
SCRIPTED = ("element-duel", "mau-mau", "mau-mau-shared", "crazy-eights", "script")
FOURTH = Games(BUILT_IN.specs | {name: BUILT_IN.specs[name].older[0] for name in SCRIPTED})
NOT_ASCII = """\
RULES = {"name": "\u00e4", "edition": 1, "seats": 2, "decks": "shared"}
REGIONS = [region("deck", "one")]
ACTIONS = [action("end")]
CARDS = [{"name": "K\u00f6nig"}, {"name": "Dame"}]
def start(g): return []
def legal(g, me, act): return True
def apply(g, me, act): return [end_turn()]
def winner(g): return [0]
"""


def test_stored_log_of_edition_4_audits_as_before() -> None:
    report = audit((LOGS / "mau-mau-4.fairdeal").read_bytes())
    assert (report.verdict, report.entries) == (Verdict.CLEAN, 169)
    assert report.reader is not None
    assert report.reader.match.scores == (0, 1)
    assert isinstance(report.reader.match.setup.game, AsciiScriptGame)


def test_match_of_edition_4_goes_on_ends_and_audits() -> None:
    match = make_offline(2, 3, "mau-mau", {}, dealing="seeded", games=FOURTH)
    match.bots = (random_bot, random_bot)
    while len(match.live.records) < 40:
        assert any(match.step(seat) for seat in match.seats)
    went_on = read_anew(match, BUILT_IN)
    went_on.bots = (random_bot, random_bot)
    went_on.play()
    assert went_on.live.match.over and went_on.refused == []
    assert audit(went_on.file()).verdict is Verdict.CLEAN


@pytest.mark.parametrize(("kind", "error"), [(ScriptGame, None), (AsciiScriptGame, "rules.ascii")])
def test_text_outside_ascii_is_wrong_in_edition_4_alone(kind, error) -> None:
    game = kind("script", 2, {"rules": rule_digest(NOT_ASCII)})
    table = ClearTable(game, texts=NOT_ASCII)
    table.onward()
    found = table.state.error
    assert (None if found is None else found.key) == error


def test_editions_of_files_have_other_digests() -> None:
    texts = [built_in_text(name) for name in (*BUILT_IN_RULES, *EARLIER_RULES)]
    assert len({rule_digest(text) for text in texts}) == len(texts)
    assert all(built_in_text(name).isascii() for name in EARLIER_RULES)
