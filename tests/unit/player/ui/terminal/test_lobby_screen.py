"""The lobby on a terminal: who has gone to a table is told apart from who has only gone."""

from types import SimpleNamespace

import pytest

from player.lobby.roster import LobbyRoster
from player.ui.terminal.lobby_screen import LobbyScreen
from protocol.i18n import english
from protocol.match.clock import Allowance
from protocol.match.terms import make_terms
from protocol.messages.lobby import TRADE
from protocol.options import Selection

ANN = b"a" * 32
BOB = b"b" * 32


class Paper:
    """Lines that keep what is printed."""

    lively = False

    def __init__(self):
        self.text = ""

    def refresh(self):
        pass

    def print(self, text):
        self.text += text


@pytest.fixture
def lobby():
    """Make a lobby with Ann in it, whose screen prints on paper."""
    terms = make_terms(Selection("nim", ()), Selection("none"), Allowance().options(), 2)
    screen = LobbyScreen(Paper(), {}, english, terms)
    roster = LobbyRoster(BOB, SimpleNamespace(__contains__=lambda self, key: False))
    roster.ignored = set()
    screen.visit = SimpleNamespace(meeting=SimpleNamespace(roster=roster), finished=False)
    screen.hear(roster.people([["Ann", ANN, 1]], []))
    return screen, roster


def test_inviter_who_has_gone_may_wait_at_the_table(lobby):
    screen, roster = lobby
    roster.asked(ANN, table_id="table-1")
    screen.hear(roster.people([], [ANN]))
    assert (
        "Ann has left the lobby, perhaps to wait for you at the table. Type 1" in screen._lines.text
    )
    assert screen.acts("1")


@pytest.mark.parametrize("purpose", [None, TRADE])
def test_anybody_else_who_has_gone_has_gone(lobby, purpose):
    screen, roster = lobby
    if purpose is not None:
        roster.asked(ANN, purpose=purpose)
    screen.hear(roster.people([], [ANN]))
    assert screen._lines.text.endswith("Ann has gone.\n")


def test_status_counts_invitations_in_words(lobby):
    screen, roster = lobby
    assert screen.status() == "In the lobby with 1 other person; 0 invitations"
    roster.asked(ANN, table_id="table-1")
    assert screen.status() == "In the lobby with 1 other person; 1 invitation"
