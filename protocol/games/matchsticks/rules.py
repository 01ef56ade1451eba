"""Game of matches: a seat takes one, two or three matches from a heap. Whoever takes the last match
wins or, in misère, loses.

Action: ("take", count). A position is lost for the seat to act exactly if the number of matches is
divisible by four; in misère, if it is one more than a multiple of four. This is the simplest case
of C. L. Bouton's theory of Nim (1901).
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from protocol import schema
from protocol.games import Action
from protocol.games.open_game import LOST, WON, OpenGame
from protocol.limits import MAX_MATCHES_TAKEN
from protocol.options import Values

TAKES: Final = tuple(("take", count) for count in range(1, MAX_MATCHES_TAKEN + 1))


class MatchsticksState(NamedTuple):
    """Position of the game of matches. A `protocol.games.open_game.OpenPosition`."""

    left: int
    to_act: int
    result: int | None = None


class Matchsticks(OpenGame[MatchsticksState]):
    """Rules of the game of matches, for the number of matches of the option `n`."""

    action_shape = staticmethod(
        schema.fields(lambda word: word == "take", schema.uint(MAX_MATCHES_TAKEN))
    )

    def __init__(self, name: str, seats: int, values: Values) -> None:
        super().__init__(name)
        self.matches: Final = int(values["n"])
        self.misere: Final = values["misere"] == "yes"

    def opening(self, first: int) -> MatchsticksState:
        """Return the position with the complete heap."""
        return MatchsticksState(self.matches, first)

    def moves(self, state: MatchsticksState) -> tuple[Action, ...]:
        """List the moves: one, two or three matches, but no more than are left."""
        return TAKES[: state.left]

    def is_legal(self, state: MatchsticksState, action: Action) -> bool:
        """Check whether the heap has enough matches left."""
        return action in TAKES[: state.left]

    def apply(self, state: MatchsticksState, seat: int, action: Action) -> MatchsticksState:
        left, other = state.left - action[1], 1 - seat
        if left:
            return MatchsticksState(left, other)
        return MatchsticksState(0, other, other if self.misere else seat)

    def key(self, state: MatchsticksState) -> int:
        """Number of the position among all positions."""
        return state.left

    def smaller_positions(self, state: MatchsticksState) -> Iterator[MatchsticksState]:
        """Iterate over this position and all that may follow it before the end, for the same seat
        to act, in ascending order of `key`.
        """
        return (MatchsticksState(left, state.to_act) for left in range(1, state.left + 1))

    def solve_by_formula(self, state: MatchsticksState) -> tuple[float, Action]:
        """Return the value for the seat to act, 1 (it wins) or −1 (it loses), and its best move.
        The best move leaves a lost position to the other seat, if this is possible.
        """
        take = (state.left - self.misere) % (MAX_MATCHES_TAKEN + 1)
        return (WON, TAKES[take - 1]) if take else (LOST, TAKES[0])
