"""Bots pick legal actions, and greedy is as greedy as it says."""

from dataclasses import replace
from random import Random
from typing import Any, cast

import pytest

from player.bots import BOTS, bots_help, greedy_bot, random_bot
from protocol.games import Act, Draw, Game, Hand
from protocol.games.dominoes import Dominoes
from protocol.games.dominoes.state import State
from protocol.games.dominoes.tiles import Tile, index

GAME = Dominoes(2, "block")


def greedy(line: tuple[Tile, ...], hand: Hand) -> Any:
    """What greedy plays with this hand on this line."""
    state: State = replace(GAME.dealt(replace(GAME.start(), leader=1)), line=line)
    return greedy_bot(GAME, state, 0, hand, GAME.legal(state, 0, hand), Random(1))


def test_random_is_uniform_over_what_is_legal() -> None:
    legal = (("a",), ("b",), ("c",))
    rng = Random(7)
    picks = [random_bot(GAME, None, 0, (), legal, rng) for _ in range(3000)]
    assert all(900 < picks.count(action) < 1100 for action in legal)


def test_greedy_plays_the_heaviest_tile() -> None:
    assert greedy((), (index(6, 4), index(5, 4), index(1, 1))) == ("play", index(6, 4), 0)


def test_greedy_prefers_a_double_of_the_same_weight() -> None:
    assert greedy((), (index(4, 4), index(5, 3), index(6, 2))) == ("play", index(4, 4), 0)


def test_greedy_keeps_most_to_play() -> None:
    # 5-3 fits both ends of 3…5; on the left it leaves 5 and 5, on the right 3 and 3.
    assert greedy(((3, 0), (0, 5)), (index(5, 3), index(3, 1), index(3, 2))) == ("play", index(5, 3), 1)
    assert greedy(((3, 0), (0, 5)), (index(5, 3), index(5, 1), index(1, 0))) == ("play", index(5, 3), 0)


@pytest.mark.parametrize("action", [("pass",), ("draw",), ("deny",)])
def test_greedy_does_the_one_thing_left(action: Any) -> None:
    assert greedy_bot(GAME, GAME.start(), 0, (), (action,), Random(1)) == action


def test_greedy_falls_back_in_games_it_does_not_know() -> None:
    unknown = cast(Game, object())
    legal = (("play", 1), ("play", 2))
    picks = {greedy_bot(unknown, None, 0, (), legal, Random(seed)) for seed in range(20)}
    assert picks == set(legal)


def test_every_bot_has_a_line_of_help() -> None:
    assert len(bots_help().splitlines()) == len(BOTS)
    assert all(bot.__doc__ and "\n" not in bot.__doc__ for bot in BOTS.values())


@pytest.mark.parametrize("name", BOTS)
@pytest.mark.parametrize("variant", ["block", "draw"])
def test_bots_play_whole_hands(name: str, variant: str) -> None:
    rng = Random(name + variant)
    game = Dominoes(3, variant)
    for _ in range(20):
        deck = rng.sample(range(28), 28)
        dealt = [[deck.pop() for _ in range(game.hand)] for _ in range(3)]
        hands = [set(hand) for hand in dealt]
        drawn: list[list[int]] = [[], [], []]
        state = game.dealt(game.start())
        while isinstance(want := game.wants(state), Act):
            seat = want.seats[0]
            hand = tuple(sorted(hands[seat]))
            action = BOTS[name](game, state, seat, hand, game.legal(state, seat, hand), rng)
            if isinstance(game.check(state, seat, action), Draw):
                drawn[seat].append(deck.pop())
                hands[seat].add(drawn[seat][-1])
            elif action[0] == "play":
                hands[seat].remove(action[1])
            state = game.apply(state, seat, action, 0)
        _, misplays = game.settle(state, tuple(map(tuple, dealt)), tuple(map(tuple, drawn)))
        assert misplays == ()
