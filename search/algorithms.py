"""Table of all algorithms. Each of them improves on one before it."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from protocol.errors import LocalError
from protocol.games import AnyGame
from protocol.games.spec import PositionSolver
from protocol.options import or_phrase
from search import SearchEffort, SearchResult
from search.alpha_beta import AlphaBetaOptions
from search.iterative_deepening import deepen, mtd, search_window, seat_to_move
from search.minimax import first_win, full_tree, look_ahead
from search.monte_carlo import tree_search
from search.retrograde import retrograde, solve_by_formula, solve_exactly, sweep
from search.search_game import SearchGame, State, search_game

# called only while the game is not over
Search = Callable[[SearchGame, State, SearchEffort], SearchResult]

TABLE = AlphaBetaOptions(table=True)
ORDER = AlphaBetaOptions(table=True, order=True)
KILLERS = AlphaBetaOptions(table=True, order=True, killers=True)
ALL = AlphaBetaOptions(table=True, order=True, killers=True, scout=True, mirror=True)


class Algorithm(NamedTuple):
    """A search algorithm."""

    name: str
    about: str  # key of a text
    search: Search
    fits: Callable[[SearchGame], bool] = lambda rules: True
    exact: bool = True  # the value is exact if there are enough nodes
    tree: bool = True  # the visited positions form a tree that can be drawn
    given_up: str = "solve.value.none"  # key of the text if the search has found nothing


ALGORITHMS = {
    row.name: row
    for row in (
        Algorithm("full", "search.full", full_tree),
        Algorithm("first-win", "search.first_win", first_win),
        Algorithm("depth", "search.depth", look_ahead, exact=False),
        Algorithm(
            "alpha-beta", "search.alpha_beta", partial(search_window, means=AlphaBetaOptions())
        ),
        Algorithm("table", "search.table", partial(search_window, means=TABLE)),
        Algorithm("order", "search.order", partial(search_window, means=ORDER)),
        Algorithm("deepening", "search.deepening", partial(deepen, means=ORDER)),
        Algorithm(
            "sweep",
            "search.sweep",
            sweep,
            lambda rules: rules.smaller_positions is not None,
            tree=False,
        ),
        Algorithm(
            "formula",
            "search.formula",
            solve_by_formula,
            lambda rules: rules.solve_by_formula is not None,
            tree=False,
        ),
        Algorithm("killers", "search.killers", partial(deepen, means=KILLERS)),
        Algorithm("scout", "search.scout", partial(deepen, means=ALL)),
        Algorithm("mtd", "search.mtd", partial(mtd, means=ORDER)),
        Algorithm("mcts", "search.mcts", tree_search, exact=False, tree=False),
        Algorithm(
            "perfect",
            "search.perfect",
            solve_exactly,
            lambda rules: bool(rules.solve_by_formula or rules.solver),
            tree=False,
            given_up="solve.value.unsolved",
        ),
        Algorithm("retrograde", "search.retrograde", retrograde, tree=False),
    )
}


def algorithm(name: str) -> Algorithm:
    """Look up an algorithm. Raises: LocalError that lists all names."""
    if name not in ALGORITHMS:
        raise LocalError("search.unknown", name=name, names=or_phrase(tuple(ALGORITHMS)))
    return ALGORITHMS[name]


def solve(
    game: AnyGame,
    state: State,
    name: str,
    effort: SearchEffort,
    solver: PositionSolver | None = None,
) -> SearchResult:
    """Search with the algorithm `name`. Raises: LocalError for a game that search cannot judge, and
    for a finished game.
    """
    rules = search_game(game, solver)
    seat_to_move(rules, state)
    return algorithm(name).search(rules, state, effort)
