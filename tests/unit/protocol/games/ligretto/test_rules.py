"""Rules of Ligretto one by one: laying, flipping, the stop, gridlock, leaving, winning."""

import pytest

from protocol.codes import Code
from protocol.errors import Refused
from protocol.fast_replace import replace
from protocol.games import Act, Action, Over, Settle
from protocol.games.ligretto.rules import Ligretto
from protocol.games.ligretto.state import LigrettoPhase, LigrettoResult, LigrettoState, SeatCards
from protocol.games.operations import Lay, Turn
from protocol.limits import LIGRETTO_TAKE_UPS
from protocol.options import BadOptions
from tests.support.ligretto import DECK, Dealer, ligretto


def card(name: str, seat: int = 0) -> int:
    """Return a card by name: "r1" is a red one."""
    return 40 * seat + 10 * "rygb".index(name[0]) + int(name[1:]) - 1


def table(*seats: str, stock: str = "", **options: int | str) -> Dealer:
    """Return decks with these rows and hands; unnamed cards follow, and the stock is last unless it
    is named too.
    """
    dealer, decks = Dealer.of(ligretto(len(seats), **options)), []
    for seat, names in enumerate(seats):
        first, below = ([card(name, seat) for name in part.split()] for part in (names, stock))
        rest = [each for each in range(40 * seat, 40 * seat + 40) if each not in first + below]
        count = 10 - len(below)
        decks.append([*below, *rest[len(rest) - count :], *first, *rest[: len(rest) - count]])
    dealer.deal(decks)
    return dealer


def run(dealer: Dealer, *acts: tuple[int, Action]) -> LigrettoState:
    for seat, action in acts:
        assert dealer.act(seat, action)
    return dealer.state


def refused(dealer: Dealer, seat: int, action: Action) -> Code:
    with pytest.raises(Refused) as refusal:
        dealer.game.check(dealer.state, seat, action)
    return refusal.value.code


def lay(slot: int, pile: int) -> Action:
    return ("lay", slot, pile)


FLIP: Action = ("flip",)
OPEN: Action = ("open", 0)
REST: Action = ("rest",)


def resting(dealer: Dealer, seat: int) -> None:
    action = dealer.game.timeout(dealer.state, seat)
    assert action == REST
    dealer.state = dealer.game.apply(dealer.state, seat, action)


def test_ligretto_deal_has_rows_stocks_and_hands():
    game = ligretto(4)
    assert isinstance(game, Ligretto) and game.row == 3
    want = game.wants(game.start())
    assert isinstance(want, Lay)
    assert [
        (pile.size, pile.hand_size, pile.owner, pile.face_up_places) for pile in want.piles
    ] == [(40, 0, seat, (10, 11, 12)) for seat in range(4)]
    assert len(game.pieces) == len(set(game.pieces)) == 160
    dealer = Dealer.of(game)
    dealer.deal()
    assert dealer.state.seats[2].row == tuple(dealer.decks[2][10:13])
    assert {len(own.hand) for own in dealer.state.seats} == {27} and dealer.state.round == 1


@pytest.mark.parametrize(("seats", "row"), [(2, 5), (3, 4), (4, 3), (9, 3)])
def test_row_size_default_depends_on_seats(seats: int, row: int):
    game = ligretto(seats)
    assert (game.row, game.target, game.rounds, game.rescues, game.redeal) == (
        row,
        99,
        30,
        10,
        False,
    )


@pytest.mark.parametrize(
    "options", [{"row": 2}, {"row": 6}, {"target": 0}, {"rounds": 0}, {"redeal": "perhaps"}]
)
def test_bad_ligretto_options_are_refused(options: dict[str, int | str]):
    with pytest.raises(BadOptions):
        ligretto(4, **options)


@pytest.mark.parametrize(
    "raw",
    [
        ["open"],
        ["open", 4],
        ["open", -1],
        ["lay", 0],
        ["lay", 0, 16],
        ["flip", 0],
        ["rest"],
        [],
        "flip",
        ["open", True],
    ],
)
def test_invalid_ligretto_action_is_refused(raw: object):
    with pytest.raises(Refused) as refusal:
        ligretto(4).parse(raw)
    assert refusal.value.code is Code.BAD_ACTION


def test_one_opens_pile_and_stock_refills_its_place():
    dealer = table("r1 g5 b7 y9 r4", "r2 g6 b8 y8 r9", stock="b3")
    assert dealer.game.check(dealer.state, 0, OPEN) == (Turn(0, (0,)),)
    state = run(dealer, (0, OPEN))
    assert state.piles[0].cards == (card("r1"),) and state.piles[0].at == (0,)
    assert state.seats[0] == SeatCards(
        (card("b3"), *dealer.states[0].seats[0].row[1:]), 9, state.seats[0].hand, 0, 1
    )
    assert dealer.game.check(state, 0, FLIP) == (Turn(0, (17,)),)


def test_card_fits_only_next_lower_one_of_colour():
    dealer = table("r1 y2 b7 y9 r3", "r2 g6 b8 y8 r9")
    assert refused(dealer, 1, lay(0, 0)) is Code.ILLEGAL_MOVE  # no pile exists
    assert refused(dealer, 1, OPEN) is Code.ILLEGAL_MOVE  # the card is a two
    run(dealer, (0, OPEN))
    assert refused(dealer, 0, lay(1, 0)) is Code.ILLEGAL_MOVE  # another colour
    assert refused(dealer, 0, lay(4, 0)) is Code.ILLEGAL_MOVE  # one too high
    assert refused(dealer, 0, lay(5, 0)) is Code.ILLEGAL_MOVE  # no card has been flipped
    state = run(dealer, (1, lay(0, 0)), (0, lay(4, 0)))
    assert state.piles[0].cards == (card("r1"), card("r2", 1), card("r3")) and state.piles[
        0
    ].at == (0, 1, 2)


def test_ten_closes_a_pile():
    names = [f"r{number}" for number in range(1, 11)]
    dealer = table(" ".join(["r1 g5 b7 y9 b4", "g2 g3", *names[1:]]), "g2 g6 b8 y8 g9")
    run(dealer, (0, OPEN))
    taken: list[Action] = [FLIP]
    while len(dealer.state.piles[0].cards) < 10:
        legal = [
            action
            for action in dealer.game.legal(dealer.state, 0)
            if action[0] == "lay" and action[2] == 0
        ]
        taken.append(legal[0] if legal else FLIP)
        run(dealer, (0, taken[-1]))
    assert len(taken) > 10
    for seat in (0, 1):
        for slot in range(6):
            assert ("lay", slot, 0) not in dealer.game.legal(dealer.state, seat)


def test_flip_turns_three_and_lower_card_appears_after_laying():
    dealer = table("r9 g5 b7 y9 b4 y2 g1 r1", "g2 g6 b8 y8 g9")
    state = run(dealer, (0, FLIP))
    assert (state.seats[0].top, state.seats[0].mark, state.seats[0].hand[:2]) == (
        card("r1"),
        3,
        (~15, ~16),
    )
    assert dealer.game.check(state, 0, ("open", 5)) == (Turn(0, (16,)),)
    state = run(dealer, (0, ("open", 5)))
    assert (state.seats[0].top, state.seats[0].mark) == (card("g1"), 2)
    state = run(dealer, (0, ("open", 5)))
    assert (state.seats[0].top, state.seats[0].mark, state.seats[0].stock) == (card("y2"), 1, 10)
    assert dealer.game.check(state, 0, FLIP) == (Turn(0, (20,)),)


def test_discards_turn_over_in_order_and_seen_cards_stay():
    dealer = table("r9 g5 b7 y9 b4", "g2 g6 b8 y8 g9")
    tops = []
    for _ in range(9):
        tops.append(run(dealer, (0, FLIP)).seats[0].top)
    # 3 · 8, and the last one
    assert dealer.state.seats[0].mark == 25 and dealer.state.dry == (0, 0)
    assert dealer.game.check(dealer.state, 0, FLIP) == ()
    state = run(dealer, (0, FLIP))
    assert (state.seats[0].top, state.dry, state.seats[0].mark) == (tops[0], (1, 0), 3)
    for _ in range(8):
        assert dealer.game.check(dealer.state, 0, FLIP) == ()
        run(dealer, (0, FLIP))
    assert dealer.state.seats[0].top == tops[-1]


def stopped(rounds: int = 30) -> Dealer:
    """Return a round in which seat 0 has laid nine of its ten stock cards, and can lay the last."""
    red = " ".join(f"r{number}" for number in range(2, 10))
    dealer = table("r1 g5 b7 y9 b4", "r9 g6 b8 y8 b9", stock=f"{red} r10 g9", rounds=rounds)
    run(dealer, (0, OPEN), *[(0, lay(0, 0))] * 8)
    assert dealer.state.seats[0].stock == 1 and dealer.state.phase is LigrettoPhase.PLAY
    return dealer


def test_last_stock_card_ends_the_round():
    dealer = stopped()
    state = run(dealer, (0, lay(0, 0)))
    assert (state.stopped, state.ended, dealer.game.wants(state)) == (0, 9, Settle(()))
    assert refused(dealer, 1, FLIP) is Code.NOT_NOW and not dealer.game.legal(state, 0)
    state, misplays = dealer.game.settle(state)
    assert state.result == LigrettoResult(0, (10, -20), (10, 0), (0, 10)) and not misplays
    assert dealer.game.scores(state) == (10, -20) and isinstance(dealer.game.wants(state), Lay)


def test_action_before_seeing_the_stop_is_late():
    dealer = stopped()
    run(dealer, (0, lay(0, 0)))
    for state in (dealer.state, dealer.game.settle(dealer.state)[0]):
        assert dealer.game.was_overtaken(state, 1, FLIP, 9)
        assert not dealer.game.was_overtaken(state, 1, FLIP, 10)  # the seat had seen the stop
        assert not dealer.game.was_overtaken(state, 1, lay(0, 0), 9)  # the nine was already there
        assert dealer.game.was_overtaken(state, 1, lay(0, 0), 8)
        assert not dealer.game.was_overtaken(state, 1, OPEN, 9)


def test_late_action_has_no_effect_and_illegal_is_not_late():
    dealer = table("r1 g5 b7 y9 r2", "r2 g6 b8 y8 r3")
    before = run(dealer, (0, OPEN), (0, lay(4, 0)))
    assert not dealer.act(1, lay(0, 0), seen=1)
    assert dealer.state is before and dealer.late == [0, 1]
    for seen, action in (
        (0, lay(0, 0)),
        (2, lay(0, 0)),
        (1, lay(1, 0)),
        (1, lay(0, 1)),
        (1, lay(5, 0)),
    ):
        with pytest.raises(Refused):
            dealer.act(1, action, seen=seen)
    # the card fits now; at sending time it did not, which harms nobody
    assert dealer.act(1, lay(4, 0), seen=1)


def flips(dealer: Dealer, *times: int) -> None:
    """Let each seat flip this many times."""
    for seat, count in enumerate(times):
        run(dealer, *[(seat, FLIP)] * count)


def gridlocked(**options: int) -> Dealer:
    """Return a round in which no visible card fits: nobody has laid anything, and the ones are in
    both stocks.
    """
    return table("r9 g5 b7 y9 b4", "g2 g6 b8 y8 g9", stock="r1 g1 b1 y1", **options)


def test_gridlock_moves_a_card_of_every_hand_to_back():
    dealer = gridlocked()
    flips(dealer, 19, 18)
    assert dealer.state.dry == (2, 1) and dealer.state.phase is LigrettoPhase.PLAY
    hands = [own.hand for own in dealer.state.seats]
    flips(dealer, 0, 1)
    assert dealer.state.phase is LigrettoPhase.RESCUE and dealer.game.wants(dealer.state) == ()
    assert dealer.go_on()
    state = dealer.state
    assert [own.hand for own in state.seats] == [(*hand[1:], hand[0]) for hand in hands]
    assert (
        [own.mark for own in state.seats] == [0, 0] and state.dry == (0, 0) and state.rescues == 1
    )
    assert isinstance(dealer.game.wants(state), Act)


def test_repeated_gridlock_rescues_end_the_round():
    dealer = gridlocked(rescues=2)
    for _ in range(2):
        flips(dealer, 19, 19)
        assert dealer.go_on() and dealer.state.phase is LigrettoPhase.PLAY
    flips(dealer, 19, 19)
    assert dealer.go_on() and dealer.state.phase is LigrettoPhase.SCORE
    assert dealer.go_on() and dealer.state.result == LigrettoResult(
        None, (-20, -20), (0, 0), (10, 10)
    )


def test_lay_restarts_the_rescue_count():
    dealer = table("r9 g5 b7 y9 b4 g3 g4 r1", "g2 g6 b8 y8 g9", stock="g1 b1 y1")
    flips(dealer, 18)
    assert dealer.state.dry == (1, 0)
    for _ in range(5):  # onto the red one
        if dealer.state.seats[0].top == card("r1"):
            break
        flips(dealer, 1)
    state = run(dealer, (0, ("open", 5)))
    assert state.dry == (0, 0) and state.rescues == 0


def test_fitting_unplayed_card_doubles_the_waiting_time():
    dealer = table("r1 g5 b7 y9 b4", "g2 g6 b8 y8 g9")
    flips(dealer, 37, 36)
    assert dealer.state.dry == (4, 3) and dealer.state.phase is LigrettoPhase.PLAY
    flips(dealer, 0, 1)
    assert dealer.state.phase is LigrettoPhase.RESCUE


def without_hands(dealer: Dealer) -> Dealer:
    """Return the round as if all cards of the hands had been laid."""
    seats = tuple(own._replace(hand=(), mark=0) for own in dealer.state.seats)
    dealer.state = LigrettoState(**{**vars(dealer.state), "seats": seats})
    return dealer


def test_seat_without_hand_or_fitting_card_is_not_awaited():
    dealer = without_hands(table("r1 g5 b7 y9 b4", "r2 g6 b8 y8 g9"))
    assert dealer.game.wants(dealer.state) == Act((0,), simultaneous=True)
    assert refused(dealer, 1, FLIP) is Code.ILLEGAL_MOVE
    run(dealer, (0, OPEN))
    assert dealer.game.wants(dealer.state) == Act((1,), simultaneous=True)
    run(dealer, (1, lay(0, 0)))
    assert dealer.state.phase is LigrettoPhase.RESCUE
    # no hand has a card to move
    assert dealer.go_on() and dealer.state.phase is LigrettoPhase.SCORE


def test_lapse_changes_nothing_and_is_counted():
    dealer = gridlocked()
    before = dealer.state
    resting(dealer, 1)
    assert dealer.state == LigrettoState(**{**vars(before), "actions": 1})


def test_leaver_cards_stay_and_delay_nobody():
    dealer = table("r9 g5 b7 y9", "g2 g6 b8 y8", "r1 g3 b3 y3", stock="g1 b1 y1")
    flips(dealer, 20, 20)
    assert dealer.state.phase is LigrettoPhase.PLAY
    dealer.state = dealer.game.forfeit(dealer.state, 2)
    assert dealer.state.phase is LigrettoPhase.RESCUE  # its one fits, and is dead
    assert dealer.go_on() and dealer.game.wants(dealer.state) == Act((0, 1), simultaneous=True)
    assert refused(dealer, 2, OPEN) is Code.NOT_NOW and dealer.game.legal(dealer.state, 2) == ()
    with pytest.raises(Refused):
        dealer.game.forfeit(dealer.state, 2)


def test_leaver_has_no_next_deck_and_keeps_points():
    dealer = table("r1 g5 b7 y9", "g2 g6 b8 y8", "r2 g3 b3 y3")
    run(dealer, (0, OPEN), (2, lay(0, 0)))
    dealer.state = dealer.game.abandon(dealer.game.forfeit(dealer.state, 0))
    assert dealer.go_on() and dealer.state.result == LigrettoResult(
        None, (None, -20, -17), (1, 0, 1), (9, 10, 9)
    )
    assert dealer.state.totals == (0, -20, -17)
    assert dealer.game.wants(dealer.state) == dealer.game.wants(dealer.game.start())
    dealer.deal()
    assert dealer.state.seats[0] == SeatCards() and dealer.state.seats[1].row == tuple(
        dealer.decks[1][10:14]
    )
    (turn,) = dealer.game.check(dealer.state, 1, FLIP)
    assert turn == Turn(1, (16,))
    run(dealer, (1, FLIP), (2, FLIP))
    assert dealer.state.seats[2].top == dealer.decks[2][16]


def test_leaver_during_deal_has_no_cards():
    game = ligretto(3)
    state = game.after_deal(game.start(), (10, 11, 12, 13, 90, 91, 92, 93))
    assert [len(own.row) for own in state.seats] == [4, 0, 4]
    state = game.forfeit(state, 1)
    assert game.wants(state) == Act((0, 2), simultaneous=True)


def test_remaining_seat_of_two_wins():
    dealer = gridlocked()
    state = dealer.game.forfeit(dealer.state, 0)
    assert dealer.game.wants(state) == Over() and dealer.game.winner(state) == 1
    assert dealer.game.winner(dealer.state) is None


def test_lost_round_is_scored_if_begun():
    dealer = gridlocked()
    assert dealer.game.abandon(dealer.state).phase is LigrettoPhase.SCORE
    new = dealer.game.start()
    assert dealer.game.abandon(new) == new


def scored(
    totals: tuple[int, ...], round: int = 1, **options: int
) -> tuple[Ligretto, LigrettoState]:
    """Return the match after a round without points; -20 points are taken from everybody."""
    game = ligretto(len(totals), **options)
    dealer = Dealer.of(game)
    dealer.deal()
    before = {
        "totals": tuple(total + 20 for total in totals),
        "round": round,
        "phase": LigrettoPhase.SCORE,
    }
    return game, game.settle(LigrettoState(**{**vars(dealer.state), **before}))[0]


def test_most_points_win_after_target_is_reached():
    game, state = scored((99, 120, 40))
    assert game.wants(state) == Over() and game.winner(state) == 1
    game, state = scored((98, 60, 40))
    assert state.phase is LigrettoPhase.DEAL


def test_most_points_win_after_last_round():
    game, state = scored((12, 11), round=5, rounds=5)
    assert game.winner(state) == 0
    game, state = scored((12, 11), round=4, rounds=5)
    assert state.phase is LigrettoPhase.DEAL and game.winner(state) is None


def test_tie_extends_the_match():
    _, state = scored((100, 100, 3))
    assert state.phase is LigrettoPhase.DEAL
    _, state = scored((10, 10), round=9, rounds=5)
    assert state.phase is LigrettoPhase.DEAL


def test_too_high_row_redeals_for_all():
    names = ("r10 g10 b10", "r1 g2 b3", "r2 g3 b4", "r3 g4 b5")
    dealer = table(*names, redeal="yes")
    assert dealer.state.phase is LigrettoPhase.AGAIN and dealer.state.round == 0
    assert dealer.game.wants(dealer.state) == Settle(())
    assert dealer.game.abandon(dealer.state).phase is LigrettoPhase.DEAL
    assert (
        dealer.go_on() and dealer.state.phase is LigrettoPhase.DEAL and dealer.state.result is None
    )
    assert table(*names).state.phase is LigrettoPhase.PLAY
    assert table("r10 g10 b9", *names[1:], redeal="yes").state.phase is LigrettoPhase.PLAY


def test_seat_only_flipping_must_wait_for_lay():
    dealer = next(
        one for one in map(only_flips, range(50)) if one.game.legal(one.state, 1)[0] != ("flip",)
    )
    assert dealer.state.dry[0] == LIGRETTO_TAKE_UPS and len(dealer.states) < 100
    assert ("flip",) not in dealer.game.legal(dealer.state, 0)
    with pytest.raises(Refused) as refused:
        dealer.act(0, ("flip",))
    assert refused.value.code == Code.ILLEGAL_MOVE
    want = dealer.game.wants(dealer.state)
    assert 1 in want.seats and (0 in want.seats) == bool(dealer.game.legal(dealer.state, 0))
    dealer.act(1, dealer.game.legal(dealer.state, 1)[0])
    assert dealer.act(0, ("flip",))


def only_flips(seed: int) -> Dealer:
    """Return a round in which one seat flips as long as it may, and the other does nothing."""
    dealer = Dealer.of(ligretto(2), seed)
    dealer.deal()
    while dealer.state.dry[0] < LIGRETTO_TAKE_UPS:
        dealer.act(0, ("flip",))
    return dealer


def test_waiting_seat_is_not_late_at_round_stop():
    dealer = only_flips(0)
    seen = len(dealer.states) - 1
    state = dealer.state
    # a 1 in its row, and one card to turn
    own = state.seats[1]._replace(stock=1, row=(DECK, *state.seats[1].row[1:]))
    dealer.state = replace(state, seats=(state.seats[0], own))
    dealer.act(1, ("open", 0))
    assert dealer.state.phase is LigrettoPhase.SCORE
    with pytest.raises(Refused) as refused:
        dealer.act(0, ("flip",), seen)
    assert refused.value.code == Code.NOT_NOW and dealer.late == [0, 0]
