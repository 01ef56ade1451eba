"""Games between bots in all games without hidden pieces. No move may be illegal, and no bot may
search more positions than its budget.

Each bot plays both seats, against `random` and against itself, on boards of usual sizes.
"""

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from bots.bot_view import bot_view
from bots.registry import Bot, available_bots
from bots.think_limits import SearchStrength
from protocol.games import Act, Action, AnyGame
from protocol.games.registry import BUILT_IN
from protocol.i18n import english
from protocol.limits import MAX_SEARCH_PLIES
from protocol.view.view import View
from search.positions import opening_position, seat_speaker, view_at

BOARDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("matches", {}),
    ("matches", {"n": 21, "misere": "yes"}),
    ("nim", {}),
    ("nim", {"rows": "2-4-5", "misere": "yes"}),
    ("hexapawn", {}),
    ("hexapawn", {"width": 5, "height": 4}),
    ("connect-four", {}),
    ("connect-four", {"width": 4, "height": 4}),
    ("connect-four", {"popout": "yes"}),
)
# budget for a move
NODES = 200
SIMULATIONS = 30
SAY = seat_speaker(english)


class Counted:
    """Wrapper of a game that counts calculated positions."""

    def __init__(self, game: AnyGame) -> None:
        self.made = 0
        apply = game.apply

        def counted(state: object, seat: int, action: Action) -> object:
            self.made += 1
            return apply(state, seat, action)

        game.apply = counted  # type: ignore[method-assign]


@dataclass
class Tally:
    """Results of games."""

    games: int = 0
    moves: int = 0
    # largest number of positions for one move, by bot
    most: Counter[str] = field(default_factory=Counter)
    illegal: list[str] = field(default_factory=list)


def play(
    board: tuple[str, dict[str, Any]], names: tuple[str, str], seed: int, tally: Tally
) -> int | None:
    """Play a game, and return the winning seat."""
    name, options = board
    row = BUILT_IN.spec(name)
    game = row.create(2, options)
    rng = Random(seed)
    counted = Counted(game)
    bots = available_bots(BUILT_IN, SearchStrength(NODES, SIMULATIONS))
    state = opening_position(game)
    while isinstance(want := game.wants(state), Act):
        seat = want.seats[0]
        view = bot_view(view_at(row, game, state, SAY), game, state)
        action = _asked(bots[names[seat]], view, rng, counted, tally, names[seat])
        if action not in game.legal(state, seat, ()):
            tally.illegal.append(f"{name} {options}, seed {seed}: {names[seat]} plays {action}")
            return None
        state = game.apply(state, seat, action)
        tally.moves += 1
    tally.games += 1
    return game.winner(state)


def _asked(bot: Bot, view: View, rng: Random, counted: Counted, tally: Tally, name: str) -> Action:
    counted.made = 0
    action = bot(view, rng)
    tally.most[name] = max(tally.most[name], counted.made)
    return action


def allowed(name: str) -> int:
    """Return the permitted number of positions for a move: the bot's budget, and the positions of
    the line that it shows.
    """
    longest = MAX_SEARCH_PLIES
    return {"random": 0, "mcts": SIMULATIONS * longest}.get(name, NODES + longest)


def main() -> int:
    """Play all games, and print the results."""
    parser = argparse.ArgumentParser(prog="scripts/bot_games", description=__doc__)
    parser.add_argument(
        "--games", type=int, default=10_000, metavar="N", help="of each bot (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of the first game (default: %(default)s)"
    )
    asked = parser.parse_args()
    wrong = False
    for name in ("random", "search", "mcts", "perfect"):
        tally = Tally()
        won = 0
        for number in range(asked.games):
            other = ("random", name)[number // 2 % 2]
            names = (name, other) if number % 2 else (other, name)
            winner = play(BOARDS[number // 4 % len(BOARDS)], names, asked.seed + number, tally)
            won += winner is not None and names[winner] == name and other == "random"
        wrong = wrong or bool(tally.illegal) or tally.most[name] > allowed(name)
        if name == "random":
            against = ""
        else:
            against = f"; won {won} of {asked.games // 2} against random"
        print(
            f"{name}: {tally.games} games, {tally.moves} moves, at most {tally.most[name]} "
            "positions for a move, "
            f"{len(tally.illegal)} illegal{against}",
            flush=True,
        )
        print("\n".join(tally.illegal[:5]), end="\n" if tally.illegal else "")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
