"""Terminal texts of games by rule files: the table from the reader's side, within the terminal's
width.
"""

from dataclasses import replace

import pytest

from bots.random_bot import random_bot
from protocol.games.scripted import text
from protocol.view.text import display_width
from protocol.view.view import View
from tests.support.offline import make_offline
from tests.support.views import saying

pytestmark = pytest.mark.match
SAY = saying(("Ann", "Bob"))
DUEL = [
    "Bob  points: 2 duels won · discards: Mountain (earth 5) [3] · hand: 3 face down · "
    "deck: one face down",
    "Bob  row: Phoenix (fire 5), ?, ?",
    "     duels: 8 of at most 60",
    "Ann  row: Bramble (wood 3), Clay Golem (earth 3)",
    "Ann  deck: one face down · discards: Old Oak (wood 5) [3] · points: 3 duels won",
]


def duel() -> View:
    """Return a duel as the first seat sees it at its next choice."""
    match = make_offline(2, 2, "element-duel", {}, {"leavers": "threshold"}, dealing="verified")
    match.bots = (random_bot,) * 2
    seat, reader = match.seats[0], match.readers[0]
    while sum(match.step(each) for each in match.seats):
        match.catch_up(reader)
        if reader.match.next_number >= 90 and seat.choices(reader.match):
            return seat.view(reader.match)
    raise LookupError


def test_text_puts_others_rows_above_and_own_below():
    view = duel()
    shown = text.table_text(view, SAY, 200)
    assert shown[3:8] == DUEL and not any("fairdeal" in line for line in shown)
    assert text.table_text(replace(view, you=1), SAY, 200)[3].startswith(
        "Ann  points: 3 duels won · discards"
    )
    assert text.parse_choice(view, SAY, "lay mountain") == view.offers[0].action


@pytest.mark.parametrize("name", ["<b>" + "W" * 4000, "\u202e\u2067דניאלה 7"])
def test_hostile_names_are_plain_and_no_wider_than_the_terminal(name: str):
    view = duel()
    hand = tuple(replace(card, faces=(name, 7), marks=((name, 10**18),)) for card in view.hand)
    lines = text.table_text(replace(view, hand=hand), SAY, 80)
    assert all(len(line) < 80 and "\u202e" not in line and "\u2067" not in line for line in lines)
    assert (
        any("\N{FIRST STRONG ISOLATE}" in line for line in lines) == ("ד" in name)
        and display_width(lines[0]) < 80
    )
