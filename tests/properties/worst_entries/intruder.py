"""Search for protocols and messages of the intruder that cost most."""

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from random import Random

from protocol.errors import Refused
from protocol.games import Action, AnyGame
from protocol.games.registry import create_game
from tests.properties.worst_entries.measuring import Worst, milliseconds
from tests.support.intruding import LOCKED, hostile_moves, hostile_protocol
from verification.game.game_scenario import make_game_scenario
from verification.game.rules import Intruder
from verification.game.state import IntruderState
from verification.protocols.catalog import BUILT_IN_PROTOCOLS

LARGEST = "session"  # the supplied protocol with most names


def worst_intruders(seconds: float, rng: Random, base: float) -> Iterator[Worst]:
    """Search for `seconds`; `base` milliseconds are added to every entry."""
    text, move = _ordinary(rng)
    worst = {
        "protocol": Worst("protocol of the intruder", base + text, base, ""),
        "send": Worst("message of the intruder", base + move, base, ""),
        "run": Worst("strand of the intruder", base + move, base, ""),
    }
    left = seconds * 1000
    texts = [LOCKED]
    while left > 0:
        sessions = rng.choice((1, 2, 3, 6))
        game = _own(sessions, rng.choice(("yes", "no")))
        written = texts.pop() if texts else hostile_protocol(rng, sessions)
        for name, what, took in _entries(game, written, rng):
            left -= took
            if took + base > worst[name].worst:
                worst[name] = worst[name]._replace(worst=took + base, what=what)
    yield from worst.values()


def _own(sessions: int, typed: str) -> Intruder:
    game = create_game("intruder", 1, {"protocol": "own", "sessions": sessions, "typed": typed})
    assert isinstance(game, Intruder)
    return game


def _entries(game: Intruder, written: str, rng: Random) -> Iterator[tuple[str, str, float]]:
    """Yield kind, text and milliseconds of the entries of one match."""
    state = game.opening()
    move: Action = ("protocol", written)
    after, took = _after(game, state, move)
    yield "protocol", written, took
    scenario = game.scenario(after)
    if scenario is None:
        return
    moves = hostile_moves(rng, scenario, after, 25)
    with suppress(StopIteration):
        move = next(moves)
        while True:
            after, took = _after(game, after, move)
            yield str(move[0]), f"{move} after {written}", took
            move = moves.send(after)


def _after(game: AnyGame, state: IntruderState, move: Action) -> tuple[IntruderState, float]:
    """Return the state after a move, refused or not, and the shorter of two measured times."""
    took = milliseconds(partial(_judge, game, state, move), repeats=2)
    return _judge(game, state, move), took


def _judge(game: AnyGame, state: IntruderState, move: Action) -> IntruderState:
    if move[0] == "protocol":
        make_game_scenario.cache_clear()
    try:
        game.check(state, 0, game.parse(list(move)))
    except Refused:
        return state
    after: IntruderState = game.apply(state, 0, move)
    return after


def _ordinary(rng: Random) -> tuple[float, float]:
    """Milliseconds of the largest supplied protocol, and the longest of its moves, as an attack of
    six sessions makes them.
    """
    own = _own(6, "yes")
    text = BUILT_IN_PROTOCOLS[LARGEST].text
    state, first = _after(own, own.opening(), ("protocol", text))
    longest = 0.0
    for turn in range(16):
        offered = own.legal(state, 0, ())[:-1]
        if not offered:
            break
        sends = [move for move in offered if move[0] == "send"]
        state, took = _after(own, state, rng.choice(sends if sends and turn % 3 else offered))
        longest = max(longest, took)
    return first, longest
