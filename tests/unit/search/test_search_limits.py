"""Limits of search for any game and caller: no recursion error, and bounded memory."""

from typing import NamedTuple

import pytest

from protocol.games.open_game import OpenGame
from protocol.limits import MAX_SEARCH_PLIES, MAX_SEARCH_TABLE
from search import SearchEffort
from search.algorithms import ALGORITHMS
from search.retrograde import positions_limit
from search.search_game import search_game

# call depth at which a search begins, beyond the test runner's; a page's server has a third of it
ABOVE = 240


class State(NamedTuple):
    """Number of moves that are left."""

    left: int
    to_act: int = 0
    result: int | None = None


class Long(OpenGame):
    """Game in which the last of very many moves wins; a seat makes one or two moves in a row."""

    def opening(self, first):
        return State(10 * MAX_SEARCH_PLIES)

    def moves(self, state):
        return (("once", 0), ("again", 0))

    def is_legal(self, state, action):
        return action in self.moves(state)

    def apply(self, state, seat, action):
        left = state.left - 1
        return State(left, seat if action[0] == "again" else 1 - seat, None if left else seat)


class LongAgain(Long):
    """The same game, but the first move tried leaves the turn with the same seat."""

    def moves(self, state):
        return (("again", 0), ("once", 0))


def from_below(depth, ask):
    return from_below(depth - 1, ask) if depth else ask()


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("kind", [Long, LongAgain])
def test_very_long_game_causes_no_recursion_error(name, kind):
    rules = search_game(kind("long"))
    if not ALGORITHMS[name].fits(rules):
        return
    state = State(10 * MAX_SEARCH_PLIES)
    found = from_below(
        ABOVE, lambda: ALGORITHMS[name].search(rules, state, SearchEffort(2_000, games=3))
    )
    assert found.counts.depth <= MAX_SEARCH_PLIES or name == "retrograde"


def test_search_tables_stay_within_memory_bound():
    assert positions_limit(SearchEffort(1 << 40)).nodes == MAX_SEARCH_TABLE
    assert positions_limit(SearchEffort(5)).nodes == 5
