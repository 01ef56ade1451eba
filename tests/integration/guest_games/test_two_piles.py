"""Game with two piles at a table: played to its end and audited, with cheats that mix up the
piles.
"""

import pytest

from player.client.seat import Seat
from protocol.codes import Code
from protocol.dealing import Fault, Post
from protocol.errors import Refused
from protocol.games.operations import Reveal
from protocol.match.state import MatchStage
from protocol.match.terms import make_terms
from protocol.options import Selection
from tests.support.guest_games.offline_match import GUESTS, agreed, guest_match
from tests.support.guest_games.suits import Careless
from tests.support.offline import make_offline

pytestmark = pytest.mark.match


@pytest.mark.parametrize("dealing", ["verified", "commutative"])
@pytest.mark.parametrize("seats", [2, 3])
def test_two_pile_game_ends_with_clean_audit(dealing, seats):
    drawn = set()
    for seed in range(3):
        match = guest_match("suits", seats, seed, dealing)
        match.play()
        end = agreed(match)
        assert end.stage is MatchStage.OVER and end.faults == () and match.refused == []
        low, high = end.game.turned_up
        assert low < 8 <= high and sum(end.scores) > 0
        drawn |= {pile for pile, left in enumerate(end.game.stocks) if left < 7 - seats}
    assert drawn == {0, 1}


def test_game_needs_dealing_with_several_piles():
    with pytest.raises(Refused) as refusal:
        make_terms(Selection("suits"), Selection("layered"), (), 2, GUESTS)
    assert refusal.value.code is Code.BAD_OPTIONS


class OpensAcross(Seat):
    """Seat that lays a card with the opening of its card from the other pile."""

    def move(self, match, action):
        mine = next((piece for piece in self.hand if (piece < 8) != (action[1] < 8)), None)
        if action[0] != "lay" or mine is None:
            return super().move(match, action)
        return Post(
            "move", [list(action), [self._private_half(match).part(match.deal, Reveal(mine))]]
        )


class SharesAcross(Seat):
    """Seat that gives a share of the next card of the other pile."""

    def respond(self, match):
        post = super().respond(match)
        if post is None or post.kind != "shares" or match.pending_action is None:
            return post
        (asked,) = match.deal.requested
        stock = match.deal.stock_of(int(asked < 8))
        return Post("shares", self._half._give_shares(match.deal, stock[:1])) if stock else post


class ChoosesAcross(Seat):
    """Seat that draws from one pile, and takes a card of the other."""

    def move(self, match, action):
        post = super().move(match, action)
        if action[0] == "lay":
            return post
        return Post("move", [list(action), [[match.deal.stock_of(1 - action[1])[0]]]])


@pytest.mark.parametrize(
    ("cheat", "code"), [(OpensAcross, Code.BAD_OPENING), (SharesAcross, Code.BAD_PROOF)]
)
def test_card_of_other_pile_passed_off_is_named(cheat, code):
    named = 0
    for seed in range(6):
        match = make_offline(
            2, seed, "suits", {}, seat_types={1: cheat}, dealing="verified", games=GUESTS
        )
        match.bots = ("random",)
        match.play()
        faults = agreed(match).faults
        assert all(fault == Fault(1, len(match.live.records) - 1, code) for fault in faults)
        named += len(faults)
    assert named >= 3


def test_card_of_other_pile_cannot_be_drawn_by_choice():
    match = make_offline(
        2, 1, "suits", {}, seat_types={1: ChoosesAcross}, dealing="commutative", games=GUESTS
    )
    match.bots = ("random",)
    match.play()
    assert {refusal.code for refusal in match.refused} == {Code.NOT_IN_STOCK}
    assert agreed(match).faults == ()


def test_empty_pile_gives_nothing_despite_wrong_rules():
    # of eight cards six are dealt, one is turned up, one is left
    match = guest_match(Careless.name, 6, 1, "verified")
    match.play()
    assert {refusal.code for refusal in match.refused} == {Code.NOT_IN_STOCK}
    assert agreed(match).game.turn == 1
