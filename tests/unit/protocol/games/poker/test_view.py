"""Views of poker as data."""

from dataclasses import replace

import pytest

from protocol.games.poker import view
from protocol.games.poker.hand_names import hand_phrase
from protocol.games.poker.phases import Decision, PokerPhase
from protocol.games.poker.ranking import value
from protocol.games.poker.rules import DRAW, HOLDEM, OMAHA
from protocol.view.board import PieceSelection, PokerStreet, Pot, SeatStatus
from tests.support.poker import poker, table

CALL, FOLD = ("call",), ("fold",)


def at(name: str, *before, **options):
    """Return a table for three; seat 0 has the button: the order is 1, 2, 0."""
    game = poker(name, 3, **options)
    match = next(made for seed in range(99) if (made := table(game, seed)).state.button == 0)
    match.play(*before)
    return match


def board(match):
    return view.board(match.game, match.state)


def standings(match):
    return view.standings(match.game, match.state)


def test_view_shows_the_streets_of_a_hand():
    match = at(HOLDEM)
    streets = [(board(match).street, len(board(match).cards))]
    for _ in range(3):
        match.play(CALL, CALL, CALL)
        streets.append((board(match).street, len(board(match).cards)))
    assert streets == [
        (PokerStreet.PREFLOP, 0),
        (PokerStreet.FLOP, 3),
        (PokerStreet.TURN, 4),
        (PokerStreet.RIVER, 5),
    ]
    draw = at(DRAW)
    assert board(draw).street is PokerStreet.DEAL
    draw.play(CALL, CALL, CALL)
    assert board(draw).street is PokerStreet.EXCHANGE
    draw.play(("exchange",), ("exchange", 0), ("exchange",))
    assert board(draw).street is PokerStreet.DRAW


def test_view_lists_claimants_of_each_pot():
    match = at(HOLDEM, ("raise", 20), CALL, CALL)
    assert (board(match).pot, board(match).pots) == (60, (Pot(60, (0, 1, 2)),))
    match.play(("raise", 10), FOLD)
    assert (board(match).pot, board(match).pots[0].chips) == (70, 60)
    assert [seat.bet for seat in standings(match)] == [0, 10, 0]
    assert [seat.status for seat in standings(match)] == [None, None, SeatStatus.FOLDED]
    assert [seat.held for seat in standings(match)] == [2, 2, 0]
    assert [seat.dealer for seat in standings(match)] == [True, False, False]
    assert [seat.to_act for seat in standings(match)] == [True, False, False]


def test_view_marks_all_in_seat():
    match = at(HOLDEM, ("raise", 200))
    seat = standings(match)[match.state.players[2]]
    assert (seat.status, seat.bet, seat.score) == (SeatStatus.ALL_IN, 200, 0)


def test_view_marks_leavers_and_broke_seats():
    match = at(HOLDEM)
    left = match.game.forfeit(match.state, 1)
    assert view.standings(match.game, left)[1].status is SeatStatus.LEFT
    broke = match.game._next_hand(
        replace(match.state, phase=PokerPhase.REBUY, stacks=(0, 300, 300))
    )
    assert [seat.status for seat in view.standings(match.game, broke)] == [
        SeatStatus.OUT,
        None,
        None,
    ]


def test_raises_are_one_offer_with_common_amounts():
    match = at(HOLDEM)
    seat = match.state.to_act
    fold, call, raised = view.offers(match.game, match.state, seat, match.hands[seat])
    assert (fold.kind, call.kind, call.cost, raised.kind) == ("fold", "call", 2, "raise")
    named = {preset.amount: preset.label.key for preset in raised.amount.presets}
    # half the pot is 4 as well
    assert named == {4: "poker.preset.least", 7: "poker.preset.pot", 200: "poker.preset.all_in"}
    assert (raised.amount.least, raised.amount.most) == (4, 200)
    assert (
        raised.build_action(5) == ("raise", 5)
        and raised.build_action(3) is raised.build_action(201) is None
    )
    assert view.offers(match.game, match.state, 1 - seat, match.hands[seat]) == ()


def test_exchange_is_one_offer_of_places():
    match = at(DRAW, CALL, CALL, CALL)
    seat = match.state.to_act
    (offer,) = view.offers(match.game, match.state, seat, match.hands[seat])
    assert offer.places == PieceSelection(5, 5)
    assert offer.build_action() == ("exchange",) and offer.build_action(0, 4) == ("exchange", 0, 4)
    assert offer.build_action(5) is offer.build_action(2, 1) is None


def test_shown_hand_is_open_in_view():
    match = at(HOLDEM, ("raise", 200), CALL, CALL)
    seat = match.state.to_act
    hand = match.hands[seat]
    match.act(("show", *hand))
    shown = standings(match)[seat].shown
    assert tuple(card.index for card in shown) == hand and all(card.faces for card in shown)


def test_cards_of_last_hand_stay_until_next_deal():
    match = at(HOLDEM, ("raise", 200), CALL, CALL)
    seat = match.state.to_act
    shown = match.hands[seat]
    match.act(("show", *shown))
    while match.state.phase is not PokerPhase.SETTLE:
        match.step()
    lying = board(match).cards
    match.step()
    assert match.state.result and match.state.board == () and len(lying) == 5
    assert board(match).cards == lying and board(match).street is PokerStreet.NONE
    assert tuple(card.index for card in standings(match)[seat].shown) == shown
    match = at(HOLDEM, CALL, CALL, CALL, ("raise", 2), FOLD, FOLD)
    assert match.state.hand == 2 and board(match).cards == ()  # it ended on the flop


@pytest.mark.parametrize("name", [HOLDEM, OMAHA, DRAW])
def test_winning_hand_has_its_name_and_five_cards(name):
    match = at(name)
    while match.state.result is None:
        assert board(match).winning == ()
        match.settle_down()
        show = ("show", *match.hands[match.state.to_act])
        match.act(
            {Decision.SHOW: show, Decision.EXCHANGE: ("exchange",)}.get(match.state.decision, CALL)
        )
        while match.state.phase is PokerPhase.SETTLE:
            match.step()
    result = match.state.result
    winning = board(match).winning
    assert [hand.seat for hand in winning] == [seat for seat, _ in result.pots[0]]
    shown = dict(result.shown)
    own = match.state.own_cards
    for hand in winning:
        mine = shown[hand.seat]
        best = value(mine, result.board, own)
        assert hand.name == hand_phrase(mine, result.board, own)
        assert len(set(hand.cards)) == 5 and set(hand.cards) <= {*mine, *result.board}
        assert (
            value(hand.cards, ())
            == best
            == max(value(cards, result.board, own) for cards in shown.values())
        )
        assert not own or len(set(hand.cards) & set(mine)) == own


def test_pot_won_without_a_showdown_has_no_winning_hand():
    match = at(HOLDEM, CALL, CALL, CALL, ("raise", 2), FOLD)
    match.act(FOLD)
    match.step()
    assert match.state.result and board(match).winning == ()
