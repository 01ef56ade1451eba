"""Whatever game is searched, and from wherever it is asked for: no call too deep, and no more
memory than there is.
"""

from typing import NamedTuple

import pytest

from protocol.games.open_game import OpenGame
from protocol.limits import MAX_SEARCH_PLIES, MAX_SEARCH_TABLE
from search import SearchEffort
from search.algorithms import ALGORITHMS
from search.retrograde import positions_limit
from search.search_game import search_game

# calls in one another where a search begins, beside the test runner's own; a page's server has a
# third
ABOVE = 240


class State(NamedTuple):
    """So many moves are left."""

    left: int
    to_act: int = 0
    result: int | None = None


class Long(OpenGame):
    """Whoever makes the last of very many moves wins; a seat makes two in a row, or one."""

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
    """The same, and the first move that is tried leaves it the same seat's turn."""

    def moves(self, state):
        return (("again", 0), ("once", 0))


def from_below(depth, ask):
    return from_below(depth - 1, ask) if depth else ask()


@pytest.mark.parametrize("name", ALGORITHMS)
@pytest.mark.parametrize("kind", [Long, LongAgain])
def test_a_game_without_end_is_no_call_too_deep(name, kind):
    rules = search_game(kind("long"))
    if not ALGORITHMS[name].fits(rules):
        return
    state = State(10 * MAX_SEARCH_PLIES)
    found = from_below(
        ABOVE, lambda: ALGORITHMS[name].search(rules, state, SearchEffort(2_000, games=3))
    )
    assert found.counts.depth <= MAX_SEARCH_PLIES or name == "retrograde"


def test_who_keeps_every_position_keeps_no_more_than_fit():
    assert positions_limit(SearchEffort(1 << 40)).nodes == MAX_SEARCH_TABLE
    assert positions_limit(SearchEffort(5)).nodes == 5
