"""Messages at the terminal before a match begins."""

from contextlib import asynccontextmanager
from random import Random
from types import SimpleNamespace

import pytest

from player.client import events
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from player.presenter.commands import WORDS, in_english
from player.ui.terminal.terminal_screen import TerminalScreen
from protocol.errors import LocalError
from protocol.games.registry import BUILT_IN
from protocol.i18n import load_translator
from protocol.identity.keys import Identity
from protocol.match.clock import Allowance
from protocol.match.match_rules import MatchRules
from protocol.match.terms import make_terms
from protocol.options import Selection
from tests.support.offline import make_offline


class Paper:
    """Terminal whose input and output the test controls."""

    lively = True

    def __init__(self):
        self.printed = ""

    @asynccontextmanager
    async def open(self, behind):
        yield

    def refresh(self):
        """Redraw."""

    def print(self, text):
        self.printed += text


async def test_terminal_shows_waiting_count_and_leave_command():
    paper = Paper()
    terminal = TerminalScreen({}, paper)
    assert terminal.status() == ""
    client = TableClient(
        Plan("Zoe"), Environment(Identity(b"z" * 32), Random(1), Seat, None, terminal.hear)
    )
    terminal.follow(client)
    people = make_offline(seats=2).live.match.setup.people
    terminal.hear(events.Waiting("main", 3, people[:1]))
    assert terminal.status().startswith("Waiting for 2 more, ")
    terminal.hear(events.Waiting("main", 3, people))
    assert terminal.status().startswith("Waiting for 1 more, ")
    terminal.hear(events.Waiting("main", 2, people))
    assert terminal.status() == "Everybody is here."
    terminal.hear(events.Waiting("main", 3, people))
    for line in ("help", "what now"):
        paper.printed = ""
        terminal.typed(line)
        assert "Press Ctrl-C or type leave to give up your seat" in paper.printed
    terminal.typed("leave")
    assert client.finished and terminal.status() == ""


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("verlassen", "leave"),
        ("Tisch", "board"),
        ("sag Hallo, Bob", "say Hallo, Bob"),
        ("aussetzen", "sit out"),
        ("zurück", "back"),
        ("/stumm Bob", "/mute Bob"),
        ("j", "yes"),
        ("leave", "leave"),
        ("sit out", "sit out"),
        ("?", "rules"),
        ("Regeln", "rules"),
        ("passen", "passen"),
        ("", ""),
    ],
)
def test_commands_are_typed_in_german_or_in_english(line, meant):
    assert in_english(line, load_translator("de")) == meant


def test_english_commands_mean_the_same_in_every_language():
    for language in ("en", "de"):
        for word in WORDS:
            assert in_english(word, load_translator(language)) == word


async def test_leave_command_works_in_german():
    paper = Paper()
    terminal = TerminalScreen({}, paper, load_translator("de"))
    client = TableClient(
        Plan("Zoe"), Environment(Identity(b"z" * 32), Random(1), Seat, None, terminal.hear)
    )
    terminal.follow(client)
    terminal.typed("hilfe")
    assert 'Mit Strg-C oder "verlassen" gibst du deinen Platz auf' in paper.printed
    terminal.typed("verlassen")
    assert client.finished


def in_match(terminal, game, **options):
    """Have a terminal follow a match of this game."""
    match = make_offline(2, game=game, options=options, dealing="none").live.match
    playing = SimpleNamespace(reader=SimpleNamespace(match=match), own=0, leaving=False)
    terminal.presenter.client = SimpleNamespace(
        playing=playing, finished=False, environment=SimpleNamespace(games=BUILT_IN)
    )


@pytest.mark.parametrize("line", ["rules", "?", "Regeln"])
@pytest.mark.parametrize("watching", [False, True])
async def test_rules_are_those_of_this_match(line, watching):
    paper = Paper()
    terminal = TerminalScreen({}, paper, load_translator("de"), watching)
    in_match(terminal, "nim", rows="2-9", misere="yes")
    terminal.typed(line)
    assert "Regeln: nim" in paper.printed and "2, 9" in paper.printed
    assert "Wer das Letzte nimmt, verliert" in paper.printed
    assert "hilfe" in paper.printed


async def test_rules_can_be_read_while_others_are_to_come():
    paper = Paper()
    terminal = TerminalScreen({}, paper)
    client = TableClient(
        Plan("Zoe"), Environment(Identity(b"z" * 32), Random(1), Seat, None, terminal.hear)
    )
    terminal.follow(client)
    terminal.typed("rules")
    assert "The match has not begun yet" in paper.printed
    game = Selection("connect-four", (("width", 9),))
    terms = make_terms(game, Selection("none"), Allowance().options(), 2)
    terminal.hear(events.Offered("main", terms))
    terminal.typed("rules")
    assert "9 columns of 6 cells" in paper.printed


def test_rules_of_a_game_that_is_not_here_are_none():
    terms = make_terms(Selection("nim"), Selection("none"), Allowance().options(), 2)
    for unknown in (
        terms._replace(rules="0"),
        terms._replace(game=Selection("whist")),
        terms._replace(game=Selection("nim", (("rows", "x"),))),
    ):
        rules = MatchRules(unknown)
        assert rules.sheet(load_translator("en")) is None
        assert rules.text(load_translator("en"), 80) == [
            f"There are no rules for people of {unknown.game.name} here."
        ]


async def test_rules_before_any_terms_are_unknown():
    with pytest.raises(LocalError):
        TerminalScreen({}, Paper()).presenter.match_rules()
