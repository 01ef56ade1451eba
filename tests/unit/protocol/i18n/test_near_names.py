"""Names that a person may have meant by a word that is no name."""

import pytest

from protocol.games.game_names import no_game
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.i18n.near_names import near_names

COMMANDS = ("play", "host", "join", "lobby")


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("hsot", ("host",)),
        ("lob", ("lobby",)),
        ("xyz", ()),
        ("", ()),
        ("--", ()),
        ("JOIN", ("join",)),
    ],
)
def test_word_leads_to_names_that_are_like_it(word, near):
    assert near_names(word, COMMANDS) == near


def test_word_of_description_leads_to_name():
    described = {"river": "cards with a flop", "draw": "cards that one changes"}
    assert near_names("flop", described) == ("river",)
    assert near_names("cards", described) == ("river", "draw")


def test_family_of_games_leads_to_its_games():
    error = no_game("poker", BUILT_IN, english)
    assert error.phrase.key == "wrong.no_game.near"
    assert no_game("qqqq", BUILT_IN, english).phrase.key == "wrong.no_game"
