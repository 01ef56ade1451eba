"""Small random games for search tests: transpositions, draws, and two turns in a row."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from protocol.games.open_game import OpenGame
from search import DRAW, LOSS, WIN
from search.search_game import SearchGame

SHALLOW = 2  # minimum number of moves of a game


class Place(NamedTuple):
    """Position of a game: number of moves made, place, and seat to move."""

    ply: int
    place: int
    mover: int
    value: float | None = None  # value for seat 0, when the game is over


class World(OpenGame):
    """A `protocol.games.Game` with the methods that a search uses. The seed determines
    everything.
    """

    def __init__(self, seed: int, plies: int = 6, places: int = 3, ends: float = 0.15) -> None:
        super().__init__(f"world {seed}")
        self.seed, self.plies, self.places, self.ends = seed, plies, places, ends
        self._moves: dict = {}
        self._after: dict = {}
        self._guesses: dict = {}

    def _chance(self, *what: object) -> Random:
        return Random(repr((self.seed, *what)))

    def opening(self, first: int | None = None) -> Place:
        return Place(0, 0, self.seed % 2 if first is None else first)

    def turn(self, state):
        return state.mover if state.value is None else None

    def moves(self, state):
        return self.legal(state, state.mover, ())

    def is_legal(self, state, action):
        return action in self.moves(state)

    def legal(self, state, seat, hand):
        assert seat == state.mover and state.value is None
        if state not in self._moves:
            self._moves[state] = tuple(
                ("go", number) for number in range(self._chance("moves", state).randint(1, 3))
            )
        return self._moves[state]

    def apply(self, state, seat, action):
        assert action in self.legal(state, seat, ())
        if (state, action) not in self._after:
            self._after[state, action] = self._next(state, self._chance("go", state, action))
        return self._after[state, action]

    def _next(self, state, chance):
        ply, place, again = state.ply + 1, chance.randrange(self.places), chance.random() < 0.15
        mover = state.mover if again else 1 - state.mover
        over = ply >= self.plies or (ply > SHALLOW and chance.random() < self.ends)
        return Place(ply, place, mover, chance.choice((WIN, DRAW, LOSS)) if over else None)

    def winner(self, state):
        return {WIN: 0, DRAW: None, LOSS: 1, None: None}[state.value]

    def scores(self, state):
        return tuple(int(self.winner(state) == seat) for seat in range(2))

    def key(self, state):
        """Return the position without the seat to move."""
        return state.ply, state.place

    def guess(self, state, seat):
        where = state.ply, state.place
        if where not in self._guesses:
            self._guesses[where] = self._chance("guess", where).uniform(-1, 1)
        return self._guesses[where] if seat == 0 else -self._guesses[where]

    def order(self, state, moves):
        return moves[::-1]


def minimax(rules: SearchGame, state, seat: int, depth: int | None = None) -> float:
    """Return the value of a position for a seat, by the plain definition."""
    mover = rules.turn(state)
    if mover is None:
        return rules.result(state, seat)
    if depth == 0:
        return rules.guess(state, seat)
    after = depth if depth is None else depth - 1
    values = [
        minimax(rules, rules.child(state, mover, move), mover, after)
        for move in rules.moves(state, mover)
    ]
    return max(values) if mover == seat else -max(values)


def reachable(rules: SearchGame, state) -> Iterator:
    """Yield every reachable position that is not final."""
    found, todo = {state}, [state]
    while todo:
        state = todo.pop()
        mover = rules.turn(state)
        if mover is None:
            continue
        yield state
        after = {rules.child(state, mover, move) for move in rules.moves(state, mover)} - found
        found |= after
        todo += after
