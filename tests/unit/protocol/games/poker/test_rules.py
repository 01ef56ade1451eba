"""Poker's own rules: seats and players, the button, destinations of hidden cards, duties,
refusals.
"""

import warnings
from dataclasses import replace

import pytest

from protocol.codes import Code
from protocol.dealing.registry import DEALINGS
from protocol.errors import Refused
from protocol.games import Act, Over, Settle
from protocol.games.operations import EVERYBODY, Lay, Look, Pile, PutAway, Reveal, Shuffle
from protocol.games.poker import view
from protocol.games.poker.button import Places
from protocol.games.poker.phases import Decision, PokerPhase
from protocol.games.poker.rules import ACTIONS, DRAW, HOLDEM, OMAHA, VERBS
from protocol.games.registry import BUILT_IN, Games
from protocol.match.terms import make_terms
from protocol.options import Selection
from tests.support.poker import cards, poker, start, table

CLOCK = (("extensions", 0), ("step", 60), ("turn", 60))
CALL, FOLD, MUCK = ("call",), ("fold",), ("muck",)


def refused(code: Code, function, *arguments) -> None:
    with pytest.raises(Refused) as refusal:
        function(*arguments)
    assert refusal.value.code is code


# --- options, needs ---


@pytest.mark.parametrize(
    ("name", "seats", "options"),
    [
        (HOLDEM, 1, {}),
        (HOLDEM, 11, {}),
        (OMAHA, 11, {}),
        (DRAW, 7, {}),
        (HOLDEM, 2, {"blind": 1}),
        (HOLDEM, 2, {"stack": 0}),
        (HOLDEM, 2, {"stack": 10_001}),
        (HOLDEM, 2, {"hands": 0}),
        (HOLDEM, 2, {"hands": 501}),
        (HOLDEM, 2, {"blind": 201}),
        (DRAW, 2, {"ante": 0}),
        (DRAW, 2, {"ante": 201}),
        (HOLDEM, 2, {"levels": 501}),
        (HOLDEM, 2, {"rebuys": 4}),
        (HOLDEM, 2, {"target": 1}),
        (HOLDEM, 2, {"blind": "2"}),
        (HOLDEM, 2, {"blind": True}),
    ],
)
def test_bad_poker_options_are_refused(name: str, seats: int, options: dict) -> None:
    refused(Code.BAD_OPTIONS, lambda: poker(name, seats, **options))


def test_poker_states_its_needs_of_a_dealing() -> None:
    assert poker(HOLDEM, 10).required_operations == (Look(3, EVERYBODY),)
    assert poker(DRAW, 5).required_operations == (PutAway((0,)), Look(5, 0))
    assert poker(DRAW, 6).required_operations == (PutAway((0,)), Look(5, 0), Shuffle())


@pytest.mark.parametrize("name", [HOLDEM, DRAW])
@pytest.mark.parametrize("seats", [2, 6])
def test_dealing_without_a_needed_ability_is_refused(name: str, seats: int) -> None:
    for dealing in DEALINGS:
        arguments = (Selection(name), Selection(dealing), CLOCK, seats)
        if DEALINGS[dealing].can_deal(poker(name, seats)):
            assert make_terms(*arguments).dealing.name == dealing
        else:
            refused(Code.BAD_OPTIONS, make_terms, *arguments)
    refused(Code.BAD_OPTIONS, make_terms, Selection(name), Selection("layered"), CLOCK, seats)


def test_poker_without_pokerkit_has_only_its_newest_edition() -> None:
    spec = BUILT_IN.specs[HOLDEM]
    older = replace(spec.older[0], library="no-such-library")
    without = Games({HOLDEM: replace(spec, older=(older,))})
    terms = make_terms(Selection(HOLDEM), Selection("verified"), CLOCK, 2, without)
    assert terms.rules == spec.edition
    refused(Code.UNKNOWN_RULES, without.spec_of_version, HOLDEM, spec.older[0].version)


# --- the shape of actions ---


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        "fold",
        ["bluff"],
        [7],
        ["fold", 1],
        ["call", 0],
        ["raise"],
        ["raise", -1],
        ["raise", 1, 2],
        ["raise", "8"],
        ["raise", True],
        ["raise", 10_000 * 10 * 4 + 1],
        ["exchange", 52],
        ["exchange", [0]],
        ["exchange", 0, 1, 2, 3, 4, 5],
        ["rebuy", 1],
        ["decline", 0],
        ["show", -1],
        ["show", 0.0],
        ["muck", 1],
        ("fold",),
        [["fold"]],
        {"fold": 1},
    ],
)
def test_invalid_poker_action_is_refused(raw: object) -> None:
    refused(Code.BAD_ACTION, poker(HOLDEM, 2).parse, raw)


WAITS = {
    Decision.BET: (HOLDEM, []),
    Decision.EXCHANGE: (DRAW, [CALL, CALL]),
    Decision.SHOW: (DRAW, [CALL, CALL, ("exchange",), ("exchange",), CALL, CALL]),
}
SAMPLE = {
    "fold": FOLD,
    "call": CALL,
    "raise": ("raise", 4),
    "exchange": ("exchange", 0),
    "show": (),
    "muck": MUCK,
    "rebuy": ("rebuy",),
    "decline": ("decline",),
}


@pytest.mark.parametrize("waiting", WAITS)
@pytest.mark.parametrize("verb", ACTIONS)
def test_poker_verbs_are_checked_at_every_moment(waiting: Decision, verb: str) -> None:
    name, before = WAITS[waiting]
    match = table(poker(name, 2))
    match.play(*before)
    assert match.state.decision is waiting
    seat = match.state.to_act
    action = SAMPLE[verb] or ("show", *match.hands[seat])
    if VERBS[verb] is waiting:
        match.game.check(match.state, seat, action)
    else:
        refused(Code.ILLEGAL_MOVE, match.game.check, match.state, seat, action)
    refused(Code.NOT_YOUR_TURN, match.game.check, match.state, 1 - seat, action)


@pytest.mark.parametrize(
    "phase", [PokerPhase.DEAL, PokerPhase.SETTLE, PokerPhase.OVER, PokerPhase.RESHUFFLE]
)
def test_poker_action_between_hands_is_refused(phase: PokerPhase) -> None:
    match = table(poker(DRAW, 2))
    match.play()
    state = replace(match.state, phase=phase)
    for seat in (0, 1):
        refused(Code.NOT_YOUR_TURN, match.game.check, state, seat, CALL)
        assert match.game.legal(state, seat, ()) == ()


@pytest.mark.parametrize(
    ("waiting", "wrong"),
    [
        (Decision.BET, ("raise", 3)),  # below the minimum
        (Decision.BET, ("raise", 201)),  # above the stack
        (Decision.EXCHANGE, ("exchange", 1, 0)),
        (Decision.EXCHANGE, ("exchange", 1, 1)),
        (Decision.EXCHANGE, ("exchange", 5)),
        (Decision.SHOW, ("show",)),
        (Decision.SHOW, ("show", 1, 2, 3, 4)),
        (Decision.SHOW, ("show", 1, 2, 3, 4, 4)),
    ],
)
def test_illegal_poker_action_is_refused(waiting: Decision, wrong: tuple) -> None:
    name, before = WAITS[waiting]
    match = table(poker(name, 2))
    match.play(*before)
    refused(
        Code.ILLEGAL_MOVE,
        match.game.check,
        match.state,
        match.state.to_act,
        match.game.parse(list(wrong)),
    )


def test_poker_exchange_beyond_stock_is_refused() -> None:
    match = table(poker(DRAW, 2))
    match.play(CALL, CALL)
    state = replace(match.state, stock=1)
    assert match.game.check(state, state.to_act, ("exchange", 3)) == (
        PutAway((3,)),
        Look(1, state.to_act),
    )
    refused(Code.ILLEGAL_MOVE, match.game.check, state, state.to_act, ("exchange", 0, 1))
    assert all(len(action) <= 2 for action in match.game.legal(state, state.to_act, ()))


def test_fold_is_refused_if_check_is_possible() -> None:
    match = table(poker(HOLDEM, 2))
    match.play(CALL)
    assert FOLD not in match.game.legal(match.state, match.state.to_act, ())
    refused(Code.ILLEGAL_MOVE, match.game.check, match.state, match.state.to_act, FOLD)


# --- a hand ---


def test_holdem_hand_runs_from_deal_to_showdown() -> None:
    """Heads up: the button has the small blind, acts first before the flop and last after it."""
    game = poker(HOLDEM, 2, hands=1)
    match = table(game, pack="As Ah Kc Kd 2c 7d 9h Jc 3s")
    button = match.state.button
    assert game.wants(match.state) == Lay((Pile(52, 2),), (1 - button, button))
    match.step()
    assert (
        match.state.to_act == button and match.state.pot == 3 and match.state.chips[button] == 199
    )
    match.act(CALL)
    match.act(CALL)
    assert game.wants(match.state) == (Look(3, EVERYBODY),)
    match.settle_down()
    assert match.state.to_act == 1 - button and match.state.board == cards("2c 7d 9h")
    match.play(("raise", 10), CALL)
    assert match.state.board == cards("2c 7d 9h Jc")
    match.play(CALL, CALL)
    assert match.state.board == cards("2c 7d 9h Jc 3s")
    match.play(CALL, CALL)
    assert match.game.check(match.state, 1 - button, ("show", *cards("As Ah"))) == tuple(
        map(Reveal, cards("As Ah"))
    )
    match.act(("show", *cards("As Ah")))
    match.act(("show", *cards("Kc Kd")))
    assert game.wants(match.state) == Settle(show=())
    match.settle_down()
    state = match.state
    assert state.result is not None and state.result.gains[1 - button] == 12
    assert (game.wants(state), game.winner(state), game.scores(state)) == (
        Over(),
        1 - button,
        state.stacks,
    )


def test_ties_split_and_odd_chip_goes_after_the_button() -> None:
    game = poker(HOLDEM, 3, hands=1, blind=3)  # 1 and 3
    match = table(game, pack="As Ks Ad Kd 2c 3c Ah Kh Qd Jc 9s")
    first, second, button = match.state.players
    # the small blind bets its last chip
    match.play(CALL, FOLD, CALL, CALL, CALL, CALL, CALL, CALL, CALL)
    for seat in (second, button):
        assert match.state.to_act == seat
        match.act(("show", *match.hands[seat]))
    match.settle_down()
    gains = match.state.result.gains
    assert sum(gains) == 0 and gains[first] == -1
    assert sorted((gains[second], gains[button])) in ([-3, 4], [0, 1])


def test_omaha_counts_exactly_two_own_cards() -> None:
    """Four hearts in the hand and one on the board make no flush."""
    game = poker(OMAHA, 2, hands=1)
    assert game.required_operations == (Look(3, EVERYBODY),)
    match = table(game, pack="Ah Kh Qh Jh 2s 3s 9d 9c 4h 9s 8d 5c 2d")
    assert game.wants(match.state) == Lay((Pile(52, 4),), match.state.players)
    match.play(*[CALL] * 8)
    first, second = match.state.players
    made = view.hand_name(game, match.state, match.hands[first])
    assert made is not None and made.key == "poker.made.high_card"
    for seat in (first, second):
        assert match.state.to_act == seat
        match.act(("show", *match.hands[seat]))
    match.settle_down()
    assert match.state.result.gains[second] > 0, "three nines beat an ace"


def test_match_with_equal_chips_has_no_winner() -> None:
    game = poker(HOLDEM, 3, hands=1)
    state = replace(start(game), phase=PokerPhase.OVER)
    assert game.winner(state) is None
    assert game.winner(replace(state, stacks=(250, 250, 100))) is None
    assert game.winner(replace(state, stacks=(250, 250, 100), out=frozenset({0}))) == 1
    assert game.winner(replace(state, stacks=(600, 0, 0), out=frozenset({0}))) is None
    assert game.winner(replace(state, phase=PokerPhase.DEAL, stacks=(600, 0, 0))) is None


def test_side_pots_go_to_their_winners() -> None:
    """The shortest stack wins only the pot to which all contributed; the rest goes to the better of
    the others.
    """
    game = poker(HOLDEM, 3, hands=1, stack=100)
    match = table(game, pack="Kc Kd Qc Qd As Ah 2c 7d 9h Jc 3s")
    first, second, button = match.state.players
    match.state = replace(
        match.state, stacks=tuple({button: 20}.get(seat, 100) for seat in range(3))
    )
    match.play(("raise", 20), ("raise", 60), CALL, CALL, CALL, CALL, CALL, CALL, CALL)
    for seat in (first, second, button):
        assert match.state.to_act == seat
        match.act(("show", *match.hands[seat]))
    match.settle_down()
    gains = match.state.result.gains
    assert (gains[button], gains[first], gains[second]) == (40, 20, -60)


def test_last_claimant_takes_side_pot_though_silent() -> None:
    game = poker(HOLDEM, 4, hands=1, stack=100)
    match = table(game, pack="Kc Kd Qc Qd As Ah Ac Ad 2c 7d 9h Jc 3s")
    one, two, short, other = match.state.players
    match.state = replace(
        match.state, stacks=tuple({short: 20, other: 20}.get(seat, 100) for seat in range(4))
    )
    match.play(("raise", 20), CALL, ("raise", 60), CALL, CALL, CALL, CALL, CALL, CALL, CALL)
    for seat in (one, two):  # their time runs out
        assert match.state.to_act == seat
        match.state = game.apply(match.state, seat, game.timeout(match.state, seat))
    for seat in (short, other):
        match.act(("show", *match.hands[seat]))
    match.settle_down()
    gains = match.state.result.gains
    assert (gains[one], gains[two], gains[short], gains[other]) == (-60, 20, 20, 20)


def test_board_precedes_all_in_showdown_and_nobody_mucks() -> None:
    match = table(poker(HOLDEM, 3, hands=1, stack=20))
    first, second, button = match.state.players
    match.play(("raise", 20), CALL, CALL)
    assert match.state.decision is Decision.SHOW and len(match.state.board) == 5
    for seat in (button, first, second):  # the last to raise begins, as before the board
        assert match.state.to_act == seat
        with pytest.raises(Refused):
            match.game.check(match.state, seat, MUCK)
        assert match.game.legal(match.state, seat, match.hands[seat]) == (
            ("show", *match.hands[seat]),
        )
        match.act(("show", *match.hands[seat]))
    match.settle_down()
    assert match.state.phase is PokerPhase.OVER


def test_only_beaten_hand_may_be_mucked() -> None:
    game = poker(HOLDEM, 2, hands=1)
    match = table(game, pack="As Ah Kc Kd 2c 7d 9h Jc 3s")
    match.play(*[CALL] * 8)
    best, beaten = match.state.players
    assert game.wants(match.state) == Act((best,), automatic=True)
    assert game.legal(match.state, best, match.hands[best]) == (("show", *match.hands[best]),)
    match.act(("show", *match.hands[best]))
    assert game.legal(match.state, beaten, match.hands[beaten]) == (
        ("show", *match.hands[beaten]),
        MUCK,
    )


def test_last_player_takes_pot_unshown_when_others_muck() -> None:
    match = table(poker(DRAW, 3, hands=1))
    match.play(
        CALL, CALL, CALL, ("exchange",), ("exchange",), ("exchange",), CALL, CALL, CALL, MUCK, MUCK
    )
    result = match.state.result
    assert sorted(result.gains) == [-1, -1, 2] and result.shown == ()


def test_draw_shuffles_the_discards_back_when_the_stock_runs_short() -> None:
    match = table(poker(DRAW, 6, hands=1))
    match.play(*[CALL] * 6, *[("exchange", 0, 1, 2, 3, 4)] * 6)
    assert match.seen["reshuffle"] == 1 and match.state.decision is Decision.BET
    assert match.state.stock + match.state.put_away == 22


def test_false_card_found_later_does_no_harm_before() -> None:
    """Some dealings accept shown cards until the keys are opened: a false one may be on the board,
    or shown twice.
    """
    match = table(poker(HOLDEM, 3, hands=1, stack=20), pack="2c 3c 4c 5c 6c 7c As Ks Qs Js Ts")
    match.play(("raise", 20), CALL, CALL)
    state = match.state
    assert state.board == cards("As Ks Qs Js Ts")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for claim in ("As Ks", "As Ks", "2h 3h"):
            state = match.game.apply(state, state.to_act, ("show", *cards(claim)))
        state, _ = match.game.settle(state, (), ())
    assert sum(state.stacks) == 60


# --- from hand to hand ---


def test_button_skips_seats_without_chips() -> None:
    game = poker(HOLDEM, 4, hands=10)
    state = replace(start(game), stacks=(300, 0, 300, 200), places=Places(0), hand=1)
    assert game._next_hand(state).players == (3, 0, 2)
    assert game._next_hand(replace(state, out=frozenset({2}))).players == (0, 3)
    assert game._next_hand(replace(state, hand=10)).phase is PokerPhase.OVER
    assert game._next_hand(replace(state, stacks=(800, 0, 0, 0))).phase is PokerPhase.OVER


def test_first_button_is_random() -> None:
    game = poker(HOLDEM, 6)
    assert {start(game, seed).button for seed in range(60)} == set(range(6))
    assert all(start(game, seed).players[-1] == start(game, seed).button for seed in range(9))


# --- leavers and turns that lapse ---


def test_leaver_folds_on_turn_and_keeps_chips() -> None:
    match = table(poker(HOLDEM, 4, hands=2))
    match.play(("raise", 10))
    bettor, second = match.state.players[2], match.state.players[3]
    match.state = match.game.forfeit(match.state, bettor)
    assert match.state.to_act == second and match.state.chips[bettor] == 190
    match.play(CALL, CALL, CALL)
    assert bettor not in match.state.live and bettor != match.state.to_act
    refused(Code.NOT_NOW, match.game.forfeit, match.state, bettor)


def test_last_remaining_player_takes_pot_at_once() -> None:
    match = table(poker(HOLDEM, 3, hands=1))
    match.play(("raise", 10))
    one, two, bettor = match.state.players
    state = match.game.forfeit(match.state, one)
    assert state.phase is PokerPhase.PLAY and state.to_act == two
    state = match.game.forfeit(state, bettor)
    assert state.phase is PokerPhase.SETTLE and state.taker == two
    # Any chips won stay won, if the seat leaves before the hand is settled.
    gone = match.game.forfeit(state, two)
    for each in (state, gone):
        settled, _ = match.game.settle(each, (), ())
        assert settled.stacks[two] == 200 + 1 + 10 and sum(settled.stacks) == 600


@pytest.mark.parametrize(
    ("name", "before", "forced"),
    [
        (HOLDEM, [], FOLD),
        (HOLDEM, [CALL, CALL], CALL),
        (DRAW, [CALL, CALL], ("exchange",)),
        (DRAW, [CALL, CALL, ("exchange",), ("exchange",), CALL, CALL], MUCK),
    ],
)
def test_lapsed_poker_turn_checks_or_folds(name: str, before: list, forced: tuple) -> None:
    match = table(poker(name, 2))
    match.play(*before)
    state, seat = match.state, match.state.to_act
    assert match.game.timeout(state, seat) == forced
    assert match.game.check(state, seat, forced) == ()
    after = match.game.apply(state, seat, forced)
    assert after.chips[seat] >= state.chips[seat]


def test_leaver_during_discard_shuffle_folds() -> None:
    match = table(poker(DRAW, 6, hands=1))
    match.play(*[CALL] * 6)
    while match.state.phase is not PokerPhase.RESHUFFLE:
        match.act(("exchange", 0, 1, 2, 3, 4))
    waiting = match.state.players[4]
    match.state = match.game.forfeit(match.state, waiting)
    assert match.state.phase is PokerPhase.RESHUFFLE
    match.step()
    assert (
        isinstance(match.game.wants(match.state), Act)
        and match.state.to_act == match.state.players[5]
    )
