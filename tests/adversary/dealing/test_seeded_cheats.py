"""Every cheat in seeded dealing is refused, noticed at once, or named when the seeds are opened;
nobody else is.
"""

import pytest

from protocol.codes import Code
from protocol.dealing import DealLoss, Post
from protocol.dealing.seeded.stages import SeededStage
from protocol.errors import ProtocolViolation
from protocol.games.operations import OpenCard, RevealCards
from tests.support.seeded import DEALING, SeededDeal, seeded_deal


def twist(kind, change):
    """Change one seat's posts of one kind by a function of the state and the body."""

    def twisted(state, post):
        return Post(kind, change(state, post.body)) if post.kind == kind else post

    return twisted


def drawn(seats: int = 2, twists: dict | None = None) -> SeededDeal:
    """Return a deal in which every seat has drawn two cards of six."""
    deal = seeded_deal(seats, 6, twists=twists)
    for seat in range(seats):
        deal.hide(*range(seat * 6, seat * 6 + 6))
        deal.draw(seat, seat * 6, seat * 6 + 1)
    return deal


@pytest.mark.parametrize("place", [0, 1])
def test_opening_another_seed_or_salt_is_named(place):
    def other(state, body):
        return [bytes(32) if each == place else value for each, value in enumerate(body)]

    deal = drawn(twists={1: twist("open_seed", other)})
    with pytest.raises(ProtocolViolation) as lie:
        deal.close()
    assert lie.value.code is Code.BAD_SEED


def test_copied_commitment_cannot_be_opened_even_with_copied_seed():
    deal: SeededDeal

    def copy(state, post):
        if post.kind == "commit":
            return Post("commit", [state.commitments[0]])
        if post.kind == "open_seed":
            return Post("open_seed", [deal.seats[0]._seed, deal.seats[0]._salt])
        return post

    deal = drawn(twists={1: copy})
    with pytest.raises(ProtocolViolation) as lie:
        deal.close()
    assert lie.value.code is Code.BAD_SEED


def test_number_not_of_the_seed_names_author_not_drawer():
    def second(state, body):
        return [bytes(32)] if len(state.gives) == 2 else body

    deal = drawn(3, {2: twist("give", second)})
    assert deal.close() == [(2, Code.BAD_GIVE)]
    (fault,) = deal.state.result.faults
    assert deal.state.gives[1].given[2][1] == fault.entry


def test_number_of_another_draw_is_named():
    first = []

    def again(state, body):
        first.append(body)
        return first[0]

    deal = drawn(3, {2: twist("give", again)})
    assert deal.close() == [(2, Code.BAD_GIVE)]


def unlike(deal: SeededDeal, seat: int) -> int:
    """Return a piece that this seat has not drawn."""
    return min(
        set(range(seat * 6, seat * 6 + 6))
        - set(deal.seats[seat].hand)
        - set(deal.state.public_faces.values())
    )


def test_playing_a_card_never_drawn_is_named():
    deal = drawn()
    deal.open(1, 6, unlike(deal, 1))
    at = deal.at - 1
    assert deal.close() == [(1, Code.BAD_OPENING)] and deal.state.result.faults[0].entry == at


def test_card_never_drawn_claimed_as_public_is_named():
    deal = drawn(twists={0: twist("show", lambda state, body: [[body[0][0], unlike(deal, 0)]])})
    deal.reveal(0, 1)
    assert deal.close() == [(0, Code.BAD_OPENING)]


def test_showing_a_card_as_another_held_is_named():
    deal = drawn()
    deal.open(0, 0, deal.seats[0].visible_cards[1])
    assert deal.close() == [(0, Code.BAD_OPENING)]


@pytest.mark.parametrize("piece", ["another's", "shown before", "none"])
def test_card_visibly_impossible_is_named_at_once(piece):
    deal = drawn()
    deal.open(0, 0)
    said = {"another's": 7, "shown before": deal.state.public_faces[0], "none": 12}[piece]
    part = deal.seats[0].part(deal.state, OpenCard(1, said))
    with pytest.raises(ProtocolViolation) as lie:
        DEALING.apply_operation(deal.state, 0, OpenCard(1, said), part, deal.at)
    assert lie.value.code is Code.BAD_OPENING


@pytest.mark.parametrize(
    ("pieces", "code"),
    [([1], Code.BAD_LIST), ([1, 1], Code.BAD_OPENING), ([1, 9], Code.BAD_OPENING)],
)
def test_impossible_list_of_cards_is_named(pieces, code):
    deal = drawn()
    deal.want(RevealCards((0, 1)), until=SeededStage.SHOW)
    with pytest.raises(ProtocolViolation) as lie:
        DEALING.apply(deal.state, 0, "show", [pieces], deal.at)
    assert lie.value.code is code


def test_several_cheats_are_named_in_entry_order():
    deal = drawn(3, {2: twist("give", lambda state, body: [bytes(32)])})
    deal.open(1, 6, unlike(deal, 1))
    assert deal.close() == [(2, Code.BAD_GIVE), (2, Code.BAD_GIVE), (1, Code.BAD_OPENING)]


def test_leaver_keeps_seed_and_others_draw_without_it():
    deal = drawn(3)
    deal.open(2, 12, unlike(deal, 2))
    deal.leave(2)
    assert deal.state.ready and not deal.state.is_stuck
    assert len(deal.draw(0, 2)) == 1 and deal.state.gives[-1].given.keys() == {1}
    assert deal.close() == []  # nobody can tell what the leaver would have opened


def test_public_card_known_only_to_leaver_loses_the_deal():
    for seats in (2, 3):
        deal = drawn(seats)
        deal.want(RevealCards((0,)), until=SeededStage.SHOW)
        state = DEALING.leave(deal.state, 0, deal.at)
        assert state.is_stuck is (seats == 3) and state.ready
        assert DEALING.apply_operation(state, -1, RevealCards((1,)), [], deal.at).is_stuck


def test_leaver_before_drawing_or_after_close_drops_deal():
    deal = drawn(3)
    begun = DEALING.begin(deal.state.context, 0)
    assert DEALING.leave(begun, 0, 1) is DealLoss.DROPPED
    deal.close()
    assert DEALING.leave(deal.state, 0, deal.at) is DealLoss.DROPPED


def test_leaver_during_opening_is_unchecked_and_others_are_checked():
    deal = drawn(3)
    deal.open(0, 0, unlike(deal, 0))
    deal.open(1, 6, unlike(deal, 1))
    deal.apply(DEALING.close(deal.state, (), deal.at))
    deal.leave(0)
    assert [(fault.seat, fault.code) for fault in deal.state.result.faults] == [
        (1, Code.BAD_OPENING)
    ]
