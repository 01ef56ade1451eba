"""The matches game: from one heap a seat takes one, two or three; who takes the last one wins, or,
in misère, loses.

Action: ("take", count). The position is lost for the seat to act exactly if the matches are
divisible by four; in misère, if they are one more than that (C. L. Bouton's theory of Nim, 1901, in
its simplest case).
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
    """Everything there is. A `protocol.games.open_game.OpenPosition`."""

    left: int
    to_act: int
    result: int | None = None


class Matchsticks(OpenGame[MatchsticksState]):
    """The rules for a number of matches."""

    action_shape = staticmethod(
        schema.fields(lambda word: word == "take", schema.uint(MAX_MATCHES_TAKEN))
    )

    def __init__(self, name: str, seats: int, values: Values) -> None:
        super().__init__(name)
        self.matches: Final = int(values["n"])
        self.misere: Final = values["misere"] == "yes"

    def opening(self, first: int) -> MatchsticksState:
        """The whole heap."""
        return MatchsticksState(self.matches, first)

    def moves(self, state: MatchsticksState) -> tuple[Action, ...]:
        """One, two or three, as far as they go."""
        return TAKES[: state.left]

    def is_legal(self, state: MatchsticksState, action: Action) -> bool:
        """Whether so many are left."""
        return action in TAKES[: state.left]

    def apply(self, state: MatchsticksState, seat: int, action: Action) -> MatchsticksState:
        """The position after some are taken."""
        left, other = state.left - action[1], 1 - seat
        if left:
            return MatchsticksState(left, other)
        return MatchsticksState(0, other, other if self.misere else seat)

    def key(self, state: MatchsticksState) -> int:
        """Its number among all positions."""
        return state.left

    def smaller_positions(self, state: MatchsticksState) -> Iterator[MatchsticksState]:
        """This position and all before the end that may follow, whoever is to move, from the
        smallest number on.
        """
        return (MatchsticksState(left, state.to_act) for left in range(1, state.left + 1))

    def solve_by_formula(self, state: MatchsticksState) -> tuple[float, Action]:
        """Whether the seat to act wins (1) or loses (−1), and how it should move: to what is lost
        for the other.
        """
        take = (state.left - self.misere) % (MAX_MATCHES_TAKEN + 1)
        return (WON, TAKES[take - 1]) if take else (LOST, TAKES[0])
