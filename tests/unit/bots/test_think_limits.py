"""Bots that look ahead: legal moves, within their budget, from the position alone, and without
blocking the event loop.
"""

import asyncio
import threading
from random import Random
from types import SimpleNamespace

import pytest

from bots.bot_view import OpenView, bot_view
from bots.pace import ThinkTime
from bots.registry import BOTS, available_bots, best_bot
from bots.think_limits import SearchStrength, ThinkDeadline
from player.client import events
from player.client.bot_pace import ThinkingBot
from protocol.games import Act
from protocol.games.registry import BUILT_IN, create_game
from protocol.i18n import english
from protocol.limits import SEARCH_STOP_NODES
from scripts.bot_games import BOARDS, Tally, allowed, play
from search.positions import seat_speaker, view_at
from tests.support.game_trees import open_game

THINKERS = ("search", "mcts", "perfect")
SAY = seat_speaker(english)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["random", *THINKERS])
@pytest.mark.parametrize("board", BOARDS, ids=lambda board: f"{board[0]} {board[1]}")
def test_bots_move_legally_and_within_their_budget(name, board):
    tally = Tally()
    for seed, names in enumerate(((name, "random"), (name, name))):
        play(board, names, seed, tally)
    assert tally.illegal == [] and tally.games == 2
    assert tally.most[name] <= allowed(name)


def seen(game, state):
    return bot_view(view_at(BUILT_IN.spec(game.name), game, state, SAY), game, state)


@pytest.mark.slow
@pytest.mark.parametrize("name", THINKERS)
def test_search_bot_with_more_nodes_is_stronger(name):
    """From 3-5-7 there is one good move: with one node the bot takes the first legal move."""
    game = open_game("nim", rows="2-3-4")
    state = game.opening(0)
    value, _ = game.solve_by_formula(state)
    strong = available_bots(BUILT_IN, SearchStrength(50_000, 3_000))[name](
        seen(game, state), Random(1)
    )
    assert value == 1 and game.solve_by_formula(game.apply(state, 0, strong))[0] == -1


def test_perfect_bot_never_loses_a_won_position():
    tally = Tally()
    for seed in range(6):
        assert play(("hexapawn", {}), ("random", "perfect"), seed, tally) == 1
        assert play(("matches", {"n": 21}), ("perfect", "random"), seed, tally) == 0
        assert play(("nim", {}), ("random", "perfect"), seed, tally) == 1


def test_perfect_bot_plays_connect_four_by_solver():
    game = open_game("connect-four", width=5, height=4)
    state = game.opening(0)
    for column in (2, 2, 2, 1, 2, 1):
        state = game.apply(state, state.to_act, ("drop", column))
    action = available_bots(BUILT_IN, SearchStrength(200_000))["perfect"](
        seen(game, state), Random(1)
    )
    solver = BUILT_IN.spec("connect-four").load_solver()
    least, most, move, _ = solver(game, state, 100_000, lambda: False)
    assert least == most and action == move


@pytest.mark.slow
def test_perfect_bot_knows_midgame_score_without_a_depth():
    game = open_game("connect-four")
    state = game.opening(0)
    for column in (3, 3, 3, 3, 3, 2, 2, 2, 4, 4, 1, 1, 0, 5, 6, 2):
        state = game.apply(state, state.to_act, ("drop", column))
    solver = BUILT_IN.spec("connect-four").load_solver()
    least, most, move, nodes = solver(game, state, 1_000_000, lambda: False)
    assert least == most and nodes > 20_000, "more than a search looks at"
    assert available_bots(BUILT_IN)["perfect"](seen(game, state), Random(1)) == move


@pytest.mark.slow
@pytest.mark.parametrize("name", ["search", "mcts"])
def test_interrupted_search_returns_best_move_so_far(name):
    asked = []

    def stop():
        asked.append(True)
        return len(asked) > 3

    game = open_game("connect-four")
    bot = available_bots(BUILT_IN, SearchStrength(10**9, 10**9, stop))[name]
    action = bot(seen(game, game.opening(0)), Random(1))
    assert action in game.legal(game.opening(0), 0, ()) and len(asked) == 4, SEARCH_STOP_NODES


def test_bot_in_hidden_game_sees_only_its_view():
    game = create_game("draw-dominoes", 2, {})
    shown = view_at(BUILT_IN.spec("nim"), open_game("nim"), open_game("nim").opening(0), SAY)
    assert bot_view(shown, game, object()) is shown
    assert bot_view(shown, open_game("nim"), None) is shown  # before the match has begun
    assert isinstance(seen(open_game("nim"), open_game("nim").opening(0)), OpenView)


def test_best_bot_of_open_game_looks_ahead():
    found = {row.name: best_bot(row) for row in BUILT_IN.specs.values()}
    assert {name for name, bot in found.items() if bot in THINKERS} >= {
        "matches",
        "nim",
        "hexapawn",
        "connect-four",
    }
    assert found["texas-holdem"] == "sensible"
    assert set(THINKERS) < set(BOTS)


@pytest.mark.parametrize("name", THINKERS)
def test_bot_without_evaluation_plays_at_random(name):
    class Rush(type(open_game("nim"))):
        def wants(self, state):
            return Act((0, 1), simultaneous=True)

    game = Rush("nim", 2, {"rows": "1-2", "misere": "no"})
    shown = view_at(BUILT_IN.spec("nim"), open_game("nim"), open_game("nim").opening(0), SAY)
    assert BOTS[name](bot_view(shown, game, game.opening(0)), Random(1))[0] == "take"


class Sitting:
    """Client at a game, with only the parts that a bot's output uses."""

    def __init__(self):
        self.game = open_game("nim")
        self.chosen: list = []
        self.stopped = self.finished = False
        self.turn = 3
        self.allowed = 120_000  # milliseconds for the turn
        match = SimpleNamespace(duty_since=lambda seat: self.turn)
        seat = SimpleNamespace(
            number=0,
            seen=lambda match: seen(self.game, self.game.opening(0)),
            choices=lambda match: self.game.legal(self.game.opening(0), 0, ()),
        )
        self.playing = SimpleNamespace(seat=seat, reader=SimpleNamespace(match=match), own=0)
        self.environment = SimpleNamespace(rng=Random(1))
        setup = SimpleNamespace(has_table=True)
        asked = SimpleNamespace(
            duty_since=lambda seat: 3, deadline=lambda seat: self.allowed, setup=setup
        )
        self.asked = events.YourTurn(asked, ())

    def choose(self, action):
        self.chosen.append(action)

    def stop(self):
        self.stopped = True


async def until(done):
    async with asyncio.timeout(120):
        while not done():
            await asyncio.sleep(0.001)


async def test_thinking_bot_does_not_block_the_loop():
    """The bot waits for an action of the event loop: a bot that blocks the loop would wait for
    ever.
    """
    told = threading.Event()

    def bot(view, rng):
        assert told.wait(60)
        return ("take", 0, 1)

    client, thinker = Sitting(), ThinkingBot(bot, ThinkDeadline())
    thinker.turn(client, client.asked.match)
    await asyncio.sleep(0)
    assert client.chosen == []
    told.set()
    await until(lambda: client.chosen)
    assert client.chosen == [("take", 0, 1)]


async def test_search_result_for_past_turn_is_dropped():
    begun, told, thought = threading.Event(), threading.Event(), threading.Event()

    def bot(view, rng):
        begun.set()
        assert told.wait(60)
        thought.set()
        return ("take", 0, 1)

    client, thinker = Sitting(), ThinkingBot(bot, ThinkDeadline())
    thinker.turn(client, client.asked.match)
    await until(begun.is_set)
    client.turn = 5  # the time of its turn is over, and it is another turn
    told.set()
    await until(lambda: thought.is_set() and not thinker.thinking)
    assert client.chosen == []


async def test_failing_bot_leaves_its_seat():
    def bot(view, rng):
        raise ValueError("no idea")

    complaints: list = []
    asyncio.get_running_loop().set_exception_handler(
        lambda loop, context: complaints.append(context["exception"])
    )
    client, thinker = Sitting(), ThinkingBot(bot, ThinkDeadline())
    thinker.turn(client, client.asked.match)
    await until(lambda: complaints)
    assert client.stopped and isinstance(complaints[0], ValueError)


@pytest.mark.slow
async def test_bot_thinks_no_longer_than_its_turn():
    """A table may give a turn one second: a bot that thinks for two would lapse, and lose where
    nobody can pass.
    """
    patience = ThinkDeadline(ThinkTime(100.0))
    bot = available_bots(BUILT_IN, SearchStrength(10**9, 10**9, patience.is_over))["search"]
    client, thinker = Sitting(), ThinkingBot(bot, patience)
    client.game, client.allowed = open_game("connect-four"), 200
    thinker.turn(client, client.asked.match)
    await until(lambda: client.chosen)
    assert client.chosen[0] in client.game.moves(client.game.opening(0))
