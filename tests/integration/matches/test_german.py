"""Whole matches in German: all shown texts are German, and each offered choice can be typed."""

import re

import pytest

from player.client import events
from player.presenter import narration
from protocol.audit.report_text import match_phrase_renderer
from protocol.i18n import english, load_translator
from protocol.match.seat_view import view_of
from protocol.match.state import Match, MatchStage
from protocol.view.text import Translate
from tests.golden.play import Moment, play
from tests.golden.scenarios import SCENARIOS
from tests.support.english import english_in

GERMAN = load_translator("de")
WIDTH = 80
OWN = 0


def shown(moment: Moment, translate: Translate) -> list[str]:
    """Return the texts of an entry for our seat: news, and the board at its turn."""
    assert moment.entry is not None
    match = moment.after
    lines = narration.entry_lines(
        events.Happened(moment.before, moment.entry, match), OWN, translate
    )
    return [*lines, *(table(match, moment.hands[OWN], translate) if OWN in moment.hands else [])]


def table(match: Match, hand: tuple[int, ...], translate: Translate) -> list[str]:
    """Return the board with our choices, and check that each can be typed as shown."""
    view, text = view_of(match, OWN, hand), match.setup.text
    if match.stage is not MatchStage.PLAYING or not view.offers:
        return []
    say = match_phrase_renderer(match, OWN, translate)
    for offer in view.offers:
        words = (
            re.sub(r" \(.*\)| bis \d+| to \d+", "", say(offer.label))
            .replace("PLÄTZE", "1")
            .replace("PLACES", "1")
        )
        assert text.parse_choice(view, say, words) is not None, words
    return [
        *text.table_text(view, say, WIDTH),
        *text.menu_text(view, say),
        text.help_text(view, say),
    ]


@pytest.mark.match
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "draw layered",
            [
                "Runde 1 wird gegeben.",
                "Du ziehst einen Stein.",
                "Dein Blatt:",
                "Dein Zug:",
                "Gespielt wird bis ",
            ],
        ),
        (
            "five-card-draw commutative",
            ["Geber ist", "Dein Zug: ", "tauschen PLÄTZE", "Im Pot sind", "Chips: "],
        ),
        (
            "holdem rebuys and levels",
            ["Blinds 1 und 2.", "mitgehen", "Du steigst aus.", "erhöhen "],
        ),
        ("block partners fives", ["Ann und Cleo gegen Bob und Dan."]),
    ],
)
def test_german_match_shows_no_english(name, lines):
    moments = [moment for moment in play(SCENARIOS[name]) if moment.entry]
    german = "\n".join(line for moment in moments for line in shown(moment, GERMAN))
    other = "\n".join(line for moment in moments for line in shown(moment, english))
    assert english_in(german) == []
    assert [line for line in lines if line not in german] == []
    assert len(english_in(other)) > len(moments) / 10  # the search finds English where it is
