"""Bots choose legal actions, and the greedy bot prefers heavy tiles."""

from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from bots.dominoes import greedy_bot
from bots.poker import chen, discards, sensible_bot
from bots.random_bot import random_bot
from bots.registry import BOTS, HINT, LOOKAHEAD_BOT, bots_help
from protocol.games import Act, Action, Hand
from protocol.games.dominoes.state import DominoesState
from protocol.games.dominoes.tiles import Tile, index
from protocol.games.operations import Look
from protocol.games.spec import load_object
from protocol.view.board import Offer
from protocol.view.phrase import phrase
from protocol.view.view import View
from tests.support.dominoes import dominoes
from tests.support.poker import Table, cards, played_by, poker, table
from tests.support.views import position

GAME = dominoes(2, "block")


def greedy(line: tuple[Tile, ...], hand: Hand) -> Any:
    """Return the greedy bot's move with this hand on this line."""
    begun: DominoesState = GAME.after_deal(replace(GAME.start(), leader=1))
    state = replace(begun, layout=begun.layout._replace(line=line))
    return greedy_bot(position(GAME, state, 0, hand), Random(1))


def offering(*actions: Action, game: str = "block-dominoes") -> View:
    """Return a view with these legal actions."""
    offers = tuple(Offer(id, action[0], action, phrase("")) for id, action in enumerate(actions))
    return replace(position(GAME, GAME.start(), 0, ()), game=game, offers=offers)


@pytest.mark.slow
def test_random_bot_is_uniform_over_legal_actions() -> None:
    legal = (("a",), ("b",), ("c",))
    rng = Random(7)
    picks = [random_bot(offering(*legal), rng) for _ in range(3000)]
    assert all(900 < picks.count(action) < 1100 for action in legal)


def test_greedy_plays_the_heaviest_tile() -> None:
    assert greedy((), (index(6, 4), index(5, 4), index(1, 1))) == ("play", index(6, 4), 0)


def test_greedy_prefers_a_double_of_the_same_weight() -> None:
    assert greedy((), (index(4, 4), index(5, 3), index(6, 2))) == ("play", index(4, 4), 0)


def test_greedy_keeps_most_playable_tiles() -> None:
    # 5-3 fits both ends of 3…5; on the left it leaves 5 and 5, on the right 3 and 3.
    assert greedy(((3, 0), (0, 5)), (index(5, 3), index(3, 1), index(3, 2))) == (
        "play",
        index(5, 3),
        1,
    )
    assert greedy(((3, 0), (0, 5)), (index(5, 3), index(5, 1), index(1, 0))) == (
        "play",
        index(5, 3),
        0,
    )


@pytest.mark.parametrize("action", [("pass",), ("draw",), ("deny",)])
def test_greedy_takes_the_only_legal_action(action: Any) -> None:
    assert greedy_bot(offering(action), Random(1)) == action


def test_bot_kind_missing_for_game_plays_as_random() -> None:
    legal = (("play", 1), ("play", 2))
    picks = {
        BOTS["greedy"](offering(*legal, game="texas-holdem"), Random(seed)) for seed in range(20)
    }
    assert picks == set(legal)


def test_bots_registry_loads_search_bot_and_hint() -> None:
    from search.bots import thinking_bot
    from search.hints import hint

    assert load_object(LOOKAHEAD_BOT) is thinking_bot
    assert load_object(HINT) is hint


def test_every_bot_has_a_line_of_help() -> None:
    assert len(bots_help().splitlines()) == len(BOTS)
    assert all(
        f"{name}: " in line for name, line in zip(BOTS, bots_help().splitlines(), strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("variant", ["block", "draw"])
def test_bots_play_whole_hands(name: str, variant: str) -> None:
    rng = Random(name + variant)
    game = dominoes(3, variant)
    for _ in range(20):
        deck = rng.sample(range(28), 28)
        dealt = [[deck.pop() for _ in range(game.hand)] for _ in range(3)]
        hands = [set(hand) for hand in dealt]
        drawn: list[list[int]] = [[], [], []]
        state = game.after_deal(game.start())
        while isinstance(want := game.wants(state), Act):
            seat = want.seats[0]
            hand = tuple(sorted(hands[seat]))
            action = BOTS[name](position(game, state, seat, hand), rng)
            if game.check(state, seat, action) == (Look(1, seat),):
                drawn[seat].append(deck.pop())
                hands[seat].add(drawn[seat][-1])
            elif action[0] == "play":
                hands[seat].remove(action[1])
            state = game.apply(state, seat, action)
        _, misplays = game.settle(state, tuple(map(tuple, dealt)), tuple(map(tuple, drawn)))
        assert misplays == ()


# --- poker ---


def holdem(*before: Any, seats: int = 2, pack: str = "") -> Table:
    match = table(poker("texas-holdem", seats), pack=pack)
    match.play(*before)
    return match


def test_random_chooses_a_verb_before_an_amount() -> None:
    match = holdem()
    state, seat = match.state, match.state.to_act
    assert seat is not None
    legal = match.game.legal(state, seat, match.hands[seat])
    rng, view = Random(3), position(match.game, state, seat, match.hands[seat])
    verbs = [random_bot(view, rng)[0] for _ in range(3000)]
    assert len(legal) > 190 and all(
        900 < verbs.count(verb) < 1100 for verb in ("fold", "call", "raise")
    )


@pytest.mark.parametrize(
    ("hand", "points"),
    [
        ("As Ah", 20),
        ("As Ks", 12),
        ("Ts Th", 10),
        ("2s 2h", 5),
        ("5s 7s", 5.5),
        ("2s 7h", -1.5),
        ("Js Ts", 9),
    ],
)
def test_chen_score_matches_published_points(hand: str, points: float) -> None:
    assert chen(cards(hand)) == points  # to the half point; Chen rounds up at the end


def sensible(match: Table, hand: str, seeds: int = 200) -> Counter[str]:
    """Count the bot's actions with this hand over many seeds."""
    state, seat = match.state, match.state.to_act
    assert seat is not None
    held = cards(hand)
    legal = match.game.legal(state, seat, held)
    view = position(match.game, state, seat, held)
    actions = [sensible_bot(view, Random(seed)) for seed in range(seeds)]
    assert set(actions) <= set(legal)
    return Counter(action[0] for action in actions)


def test_sensible_raises_aces_and_folds_rags() -> None:
    facing = holdem(("raise", 40))
    assert sensible(facing, "As Ah")["raise"] > 150
    assert sensible(facing, "2s 7h")["fold"] > 150


@pytest.mark.slow
def test_sensible_considers_the_board_and_the_price() -> None:
    board = "2c 3c 4d 5h As Ks Qd"  # four cards for two seats; the flop is A K Q
    bet = holdem(("call",), ("call",), ("raise", 100), pack=board)
    assert sensible(bet, "Ad Ah")["raise"] > 150
    assert sensible(bet, "6d 7h")["fold"] > 150
    cheap = holdem(("raise", 50), ("call",), ("raise", 2), pack=board)
    assert sensible(cheap, "Qc 7h")["fold"] < 50


def test_sensible_never_pays_to_fold() -> None:
    free = holdem(("call",))
    assert "fold" not in sensible(free, "2s 7h")


@pytest.mark.parametrize(
    ("hand", "away"),
    [
        ("As Ah 2c 3d 4h", (2, 3, 4)),
        ("As Ah Kc Kd 4h", (4,)),
        ("As Ah Ac 3d 4h", (3, 4)),
        ("As Ah Ac Ad 4h", (4,)),
        ("As Ks 2s 9s 4h", (4,)),
        ("5s 6h 7c 8d Kh", (4,)),
        ("2s 3h 4c 5d 6h", ()),
        ("2s 9s 4s 5s 6s", ()),
        ("2s 2h 4c 4d 4h", ()),
        ("As Kh 2c 7d 4h", (2, 3, 4)),
        ("9s 4h 2c 7d 5h", (0, 1, 2, 3, 4)),
    ],
)
def test_poker_bot_exchanges_the_expected_cards(hand: str, away: tuple[int, ...]) -> None:
    assert discards(cards(hand)) == away


def test_sensible_shows_hand_that_may_win() -> None:
    match = table(poker("five-card-draw", 2), pack="As Ah Ac 3d 4h Ks Kh 2c 7d 9h")
    match.play(("call",), ("call",), ("exchange",), ("exchange",), ("call",), ("call",))
    assert sensible(match, "As Ah Ac 3d 4h", 5) == {"show": 5}
    match.play(("show", *cards("As Ah Ac 3d 4h")))
    assert sensible(match, "Ks Kh 2c 7d 9h", 5) == {"muck": 5}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize(("game", "seats"), [("texas-holdem", 6), ("five-card-draw", 6)])
def test_bots_play_poker(name: str, game: str, seats: int) -> None:
    match = table(poker(game, seats, hands=3), 3, played_by(BOTS[name]))
    for state in match.run():
        assert sum(state.chips) + state.pot == 200 * seats
    assert match.state.hand > 0


@pytest.mark.match
def test_sensible_wins_from_random() -> None:
    """Over many short matches the sensible bot wins most of the chips."""
    won = 0
    for seed in range(12):

        def bot(view: View, rng: Random) -> Action:
            return (sensible_bot if view.you == 0 else random_bot)(view, rng)

        match = table(poker("texas-holdem", 2, hands=10), seed, played_by(bot))
        for _ in match.run():
            pass
        won += match.state.stacks[0] - 200
    assert won > 0
