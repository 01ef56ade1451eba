"""Attacks on honest seats through their cards: no honest seat is named for them, and no program
stops.
"""

import pytest

from player.client.seat import Seat
from protocol.codes import Code
from protocol.crypto.group import decode_points, encode, scalar_from_int
from protocol.dealing import Post
from protocol.dealing.card_state import piece_points
from protocol.errors import Refused
from protocol.games.operations import EVERYBODY, PutAway, Reveal
from tests.support.commutative import DEALING, commutative_deal
from tests.support.offline import make_offline
from tests.support.views import legal_in

TWO = scalar_from_int(2)


def twist(kind, change):
    """Change one seat's posts of one kind by a function of the state and the points in it."""

    def twisted(state, post):
        return (
            Post(kind, [encode(change(state, decode_points(post.body[0])))])
            if post.kind == kind
            else post
        )

    return twisted


def test_seat_showing_substituted_cards_is_not_named():
    """The cards are real pieces, but not those of the seat: the holder cannot know, and shows them
    as it reads them.
    """
    deal = commutative_deal(
        2, 12, 3, twists={0: twist("unwrap", lambda state, points: points[::-1])}
    )
    for piece in deal.hands[1]:
        deal.show(1, piece)
    assert deal.close() == [(0, Code.BAD_UNWRAP)]


def test_card_packed_twice_is_read_by_named_cheat_only():
    """With two seats, and on a card that was dealt: two keys make it two cards, one for the victim
    and one for the cheat.
    """

    def twice(state, post):
        if post.kind == "choose":
            return Post("choose", [[[1], [0]]])
        return twist("pack", lambda state, points: [TWO * points[0], *points[:-1]])(state, post)

    deal = commutative_deal(2, 6, 1, twists={1: twice})
    stolen = TWO.inverse() * (deal.seats[1]._inverse * deal.state.points[0])
    assert piece_points(6)[deal.hands[0][0]] == stolen
    assert {seat for seat, _ in deal.close()} == {1}


def test_hand_with_invalid_card_can_still_be_viewed():
    deal = commutative_deal(
        2,
        12,
        3,
        twists={0: twist("unwrap", lambda state, points: [*points[:-1], TWO * points[-1]])},
    )
    assert deal.state.protest is not None
    assert len(deal.seats[1].hand) == 2
    assert deal.close() == [(0, Code.BAD_UNWRAP)]


def test_own_piece_shown_by_another_is_protested():
    deal = commutative_deal()
    at = deal.at
    deal.show(0, deal.hands[1][2], [deal.state.hidden_of(0)[0]])
    assert deal.state.protest is not None and deal.state.protest.seat == 1
    assert (1, "protest") in deal.kinds
    assert deal.seats[1]._duplicate_since(deal.state) == at
    assert deal.close() == [(0, Code.BAD_OPENING)]


def test_discarded_piece_shown_by_another_is_protested():
    deal = commutative_deal()
    piece = deal.hands[1][2]
    deal.exchange(1, 2)
    deal.show(0, piece, [deal.state.hidden_of(0)[0]])
    assert deal.state.protest is not None
    assert deal.close() == [(0, Code.BAD_OPENING)]


@pytest.mark.parametrize("cheat", [0, 1])
def test_hand_with_one_piece_twice_is_protested(cheat):
    """The same card is unwrapped for two places."""
    deal = commutative_deal(
        2, 12, 3, twists={cheat: twist("unwrap", lambda state, points: [points[0]] * len(points))}
    )
    assert deal.state.protest is not None and deal.state.protest.seat != cheat
    assert deal.close() == [(cheat, Code.BAD_UNWRAP)]


def turned_up_as(state, points, piece):
    """Return the points of the last seat to unwrap that turn up this piece."""
    return (
        [piece_points(12)[piece]] * len(points)
        if all(state.holders[card] == EVERYBODY for card in state.requested)
        else points
    )


def test_turned_up_card_lying_in_hand_is_protested():
    deal = commutative_deal(2, 12, 3)
    deal.twists[0] = twist(
        "unwrap", lambda state, points: turned_up_as(state, points, deal.hands[1][0])
    )
    deal.turn_up(1)
    assert deal.state.protest is not None and deal.state.protest.seat == 1
    assert deal.close() == [(0, Code.BAD_UNWRAP)]


def test_one_piece_turned_up_twice_opens_the_keys_at_once():
    deal = commutative_deal(2, 12, 3)
    free = next(piece for piece in range(12) if piece not in {*deal.hands[0], *deal.hands[1]})
    deal.twists[0] = twist("unwrap", lambda state, points: turned_up_as(state, points, free))
    deal.turn_up(3)
    assert deal.state.protest is None
    assert deal.close() == [(0, Code.BAD_UNWRAP)]


def test_one_piece_shown_by_two_opens_the_keys_at_once():
    deal = commutative_deal(3, 12, 2)
    free = next(piece for piece in range(12) if all(piece not in hand for hand in deal.hands))
    deal.show(0, free, [deal.state.hidden_of(0)[0]])
    assert deal.state.ready
    deal.show(1, free, [deal.state.hidden_of(1)[0]])
    assert deal.state.protest is None
    assert deal.close() == [(0, Code.BAD_OPENING), (1, Code.BAD_OPENING)]


def test_empty_exchange_reveals_nothing():
    deal = commutative_deal()
    deal.operate(0, PutAway(()))
    assert deal.state.hidden_of(0) == commutative_deal().state.hidden_of(0)
    with pytest.raises(Refused) as refusal:
        DEALING.apply_operation(deal.state, 0, PutAway(()), [deal.state.stock[0]], deal.at)
    assert refusal.value.code is Code.BAD_ENTRY


class ShowsAnothersHand(Seat):
    """Claims at the showdown to hold the other seat's hand."""

    victim: Seat

    def move(self, match, action):
        if action[0] != "show" or len(self.victim.hand) != len(self.hand):
            return super().move(match, action)
        assert self._half is not None
        return Post(
            "move",
            [
                ["show", *self.victim.hand],
                [self._half.part(match.deal, Reveal(piece)) for piece in self.hand],
            ],
        )


class TurnsUpOneCard(Seat):
    """As last seat to unwrap, makes all cards on the board the same."""

    def respond(self, match):
        post = super().respond(match)
        if (
            post is None
            or post.kind != "unwrap"
            or {match.deal.holders[card] for card in match.deal.requested} != {EVERYBODY}
        ):
            return post
        return Post("unwrap", [encode([piece_points(52)[7]] * len(match.deal.requested))])


@pytest.mark.slow
@pytest.mark.parametrize("cheat", [0, 1])
@pytest.mark.parametrize("cheat_type", [ShowsAnothersHand, TurnsUpOneCard])
def test_poker_match_ends_with_only_the_cheat_named(cheat, cheat_type):
    def to_the_showdown(view, rng):
        return next(action for action in legal_in(view) if action[0] in ("call", "show"))

    offline = make_offline(
        2, 3, "texas-holdem", seat_types={cheat: cheat_type}, dealing="commutative"
    )
    offline.bots = (to_the_showdown,)
    offline.seats[cheat].victim = offline.seats[1 - cheat]
    offline.play()
    assert offline.live.match.over and not offline.refused
    assert {fault.seat for fault in offline.live.match.faults} == {cheat}
    assert offline.live.match.winner is None
