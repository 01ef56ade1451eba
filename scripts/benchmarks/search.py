"""The generic search: positions a second of alpha-beta with a table, and games a second of
Monte-Carlo tree search.

Both in Connect Four from the empty board, on one core: CPU seconds. So many positions do for a
second of either.
"""

import time

from protocol.games.registry import create_game
from search import SearchEffort
from search.algorithms import solve
from search.positions import opening_position

BOARD = {"width": 7, "height": 6}
GAMES_A_NODE = 1 / 20  # that are played for each node of the other search


def measure(nodes: int) -> dict[str, float]:
    """Of so many nodes, and a twentieth as many games."""
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
