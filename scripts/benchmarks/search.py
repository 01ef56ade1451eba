"""Generic search: positions per second of alpha-beta with a table, and games per second of
Monte-Carlo tree search.

Both search Connect Four from the empty board on one core, in CPU seconds. Each takes about a
second.
"""

import time

from protocol.games.registry import create_game
from search import SearchEffort
from search.algorithms import solve
from search.positions import opening_position

BOARD = {"width": 7, "height": 6}
GAMES_A_NODE = 1 / 20  # games of one search for each node of the other


def measure(nodes: int) -> dict[str, float]:
    """Measure `nodes` nodes, and a twentieth as many games."""
    game = create_game("connect-four", 2, BOARD)
    state = opening_position(game)
    games = int(nodes * GAMES_A_NODE)
    begun = time.process_time()
    found = solve(game, state, "table", SearchEffort(nodes))
    searched = time.process_time()
    played = solve(game, state, "mcts", SearchEffort(nodes, games=games))
    ended = time.process_time()
    return {
        "search_nodes_per_s": found.counts.nodes / (searched - begun),
        "mcts_per_s": played.counts.leaves / (ended - searched),
    }
