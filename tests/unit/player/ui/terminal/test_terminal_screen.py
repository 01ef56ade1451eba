"""Messages at the terminal before a match begins."""

from contextlib import asynccontextmanager
from random import Random

import pytest

from player.client import events
from player.client.environment import Environment
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from player.presenter.commands import WORDS, in_english
from player.ui.terminal.terminal_screen import TerminalScreen
from protocol.i18n import load_translator
from protocol.identity.keys import Identity
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
    for line in ("help", "what now"):
        paper.printed = ""
        terminal.typed(line)
        assert "Ctrl-C or leave gives the seat back" in paper.printed
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
        ("?", "help"),
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
    assert 'Strg-C oder "verlassen" gibt den Platz zurück' in paper.printed
    terminal.typed("verlassen")
    assert client.finished
