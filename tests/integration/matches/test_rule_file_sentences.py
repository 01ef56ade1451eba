"""Whole matches by the built-in rule files, as log, terminal and page tell them: in the sentences of
the game, in the reader's language, and by names of people.
"""

import re
from collections.abc import Iterator

import pytest

from bots.random_bot import random_bot
from protocol.audit.report_text import match_phrase_renderer
from protocol.audit.transcript import transcript_lines
from protocol.i18n import english, load_translator
from protocol.match.state import MatchStage
from protocol.view.encoding import encode_with_sentences
from protocol.view.view import View
from tests.support.offline import Offline, make_offline

pytestmark = pytest.mark.match
TRANSLATE = {"en": english, "de": load_translator("de")}
# a line that each game has at least once in its log, by language
TOLD = {
    "element-duel": {
        "en": [
            r"Ann lays a card face down",
            r"Bob turns up [A-Z][A-Za-z ]+ \((wood|fire|earth|metal|water) \d\), and behind it .*\.",
            r"Duel \d+: (Ann|Bob) wins by \d+½? to \d+½?\.",
            r"(Ann|Bob) has won the match, with 7 duels\.",
        ],
        "de": [
            r"Ann legt eine Karte verdeckt",
            r"Bob deckt [A-ZÄÖÜ].* \((Holz|Feuer|Erde|Metall|Wasser) \d\) auf und dahinter .*\.",
            r"Duell \d+: (Ann|Bob) gewinnt mit \d+½? zu \d+½?\.",
            r"(Ann|Bob) hat die Partie gewonnen, mit 7 Duellen\.",
        ],
    },
    "mau-mau": {
        "en": [
            r"Ann lays (7|8|9|10|J|Q|K|A)[♥♠♦♣]",
            r"Bob draws a card",
            r"Mau-mau! (Ann|Bob) has won\.",
        ],
        "de": [
            r"Ann legt (7|8|9|10|J|Q|K|A)[♥♠♦♣]",
            r"Bob zieht eine Karte",
            r"Mau-Mau! (Ann|Bob) hat gewonnen\.",
        ],
    },
}
# names of the rule files that people must not read
NAMES = re.compile(r"\b(play|wishing|halves|The rules say|Die Regeln sagen)\b")


def match_of(game: str) -> Offline:
    match = make_offline(2, 3, game, {}, dealing="seeded")
    match.bots = (random_bot, random_bot)
    return match


def views(match: Offline) -> Iterator[View]:
    """Play to the end; yield the view of the first seat at each of its choices."""
    seat, reader = match.seats[0], match.readers[0]
    while sum(match.step(each) for each in match.seats):
        match.catch_up(reader)
        if reader.match.stage is MatchStage.PLAYING and seat.choices(reader.match):
            yield seat.view(reader.match)


@pytest.mark.parametrize("language", TRANSLATE)
@pytest.mark.parametrize("game", TOLD)
def test_log_is_told_in_sentences_of_the_game(game: str, language: str) -> None:
    match = match_of(game)
    match.play()
    lines = list(transcript_lines(match.file(), TRANSLATE[language]))
    for pattern in TOLD[game][language]:
        assert any(re.search(pattern, line) for line in lines), pattern
    told = [line for line in lines if not line.startswith(("Rules", "Regeln"))]
    assert [line for line in told if NAMES.search(line)] == []


@pytest.mark.parametrize("language", TRANSLATE)
@pytest.mark.parametrize("game", TOLD)
def test_terminal_and_page_offer_the_same_sentences(game: str, language: str) -> None:
    match = match_of(game)
    seen = 0
    for view in views(match):
        live = match.readers[0].match
        say = match_phrase_renderer(live, 0, TRANSLATE[language])
        text = live.setup.text
        menu = text.menu_text(view, say)
        page = encode_with_sentences(view, say)
        for offer, shown, line in zip(view.offers, page["offers"], menu[1:], strict=True):
            label = say(offer.label)
            assert shown["label"] == label and line.endswith(label)
            assert NAMES.search(label) is None
            # what is shown can be typed, unless two cards are the same
            same = [other for other in view.offers if say(other.label) == label]
            assert len(same) > 1 or text.parse_choice(view, say, label) == offer.action
        drawn = "\n".join(text.table_text(view, say, 100))
        assert NAMES.search(drawn) is None, drawn
        captions = {region["name"] for region in page["board"]["regions"]}
        # a terminal names the rules before the match
        assert all(caption in drawn for caption in captions - {"Rules", "Regeln"})
        seen += 1
    assert seen > 10
