"""Terms as people read them before they sit down."""

import pytest

from player.presenter.terms_text import terms_lines
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.match.clock import Allowance
from protocol.match.terms import Terms, make_terms
from protocol.options import Selection
from protocol.view.phrase import phrase
from tests.support.views import saying

SAY = saying(("Ann", "Bob"))


def _terms(**options: str) -> Terms:
    dealing = Selection("verified", (("leavers", "threshold"),))
    game = Selection("element-duel", tuple(options.items()))
    return make_terms(game, dealing, Allowance().options(), 2, BUILT_IN)


@pytest.mark.parametrize(
    ("mode", "key"),
    [
        ("open", "terms.cards.open"),
        ("closing", "terms.cards.later"),
        ("hidden", "terms.cards.later"),
    ],
)
def test_terms_with_owned_cards_say_whose_cards_may_come(mode: str, key: str) -> None:
    lines = terms_lines(_terms(cards="owned", mode=mode), SAY)
    assert f"  {SAY(phrase(key))}" in lines
    assert english(key, None) in lines[2]


def test_terms_without_owned_cards_say_nothing_of_creators() -> None:
    assert "creator" not in " ".join(terms_lines(_terms(), SAY))
