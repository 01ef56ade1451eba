"""Longest and ordinary moves of the games with nothing hidden, at their largest sizes."""

from collections.abc import Iterator
from functools import partial
from random import Random
from statistics import median

from protocol.crypto.joint_randomness import JointRandomness
from protocol.games import Act, Action, AnyGame
from protocol.games.registry import BUILT_IN, create_game
from protocol.limits import MAX_CONNECT_FOUR, MAX_HEXAPAWN, MAX_MATCHES, MAX_NIM_ROW, MAX_NIM_ROWS
from protocol.options import Value
from tests.properties.worst_entries.measuring import Worst, milliseconds

LARGEST: dict[str, dict[str, Value]] = {
    "matches": {"n": MAX_MATCHES},
    "nim": {"rows": "-".join([str(MAX_NIM_ROW)] * MAX_NIM_ROWS)},
    "hexapawn": {"width": MAX_HEXAPAWN, "height": MAX_HEXAPAWN},
    "connect-four": {"width": MAX_CONNECT_FOUR, "height": 4},
}


def worst_open_games(rng: Random, base: float) -> Iterator[Worst]:
    """Play each game at its largest size; `base` milliseconds are added to every entry."""
    for name, options in LARGEST.items():
        if name not in BUILT_IN.specs:
            continue
        times = _moves(create_game(name, 2, options), rng)
        yield Worst(name, base + median(times), base + max(times), str(options))


def _moves(game: AnyGame, rng: Random) -> list[float]:
    state = game.start(JointRandomness(b"", [rng.randbytes(32)]))
    times = []
    while isinstance(want := game.wants(state), Act):
        action = rng.choice(game.legal(state, want.seats[0], ()))
        times.append(milliseconds(partial(_post, game, state, want.seats[0], action)))
        state = game.apply(state, want.seats[0], action)
    return times


def _post(game: AnyGame, state: object, seat: int, action: Action) -> None:
    game.check(state, seat, action)
    game.apply(state, seat, action)
