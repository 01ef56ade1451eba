"""Common base of open games, that is, games for two without hidden information. The seats move in
turn, and one of them wins, or neither.

Chance decides which seat begins, because the first move may decide such a game. Nothing is dealt. A
seat that leaves or runs out of time has lost: nobody else can move for it without choosing for it.

A search creates a hundred thousand positions a second. Positions are therefore plain tuples, and
`wants` returns constants.
"""

from abc import abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import Final, Protocol, Self, TypeVar

from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness
from protocol.errors import Refused
from protocol.games import Act, Action, Game, Hand, Over, Want
from protocol.games.operations import Operation
from protocol.schema import Shape

SEATS: Final = 2
DRAW: Final = -1  # result of a game without a winner
WON, LOST = 1.0, -1.0  # values of a position for the seat to act, as the search uses them
OVER: Final = Over()
REQUESTS: Final = (Act((0,)), Act((1,)))


class OpenPosition(Hashable, Protocol):
    """State of an open game."""

    @property
    def to_act(self) -> int:
        """Seat that moves next. After the end of the game: seat that would move next."""

    @property
    def result(self) -> int | None:
        """Seat that has won, or `DRAW`. None: the game is going on."""

    def _replace(self, *, result: int | None) -> Self: ...


S = TypeVar("S", bound=OpenPosition)


class OpenGame(Game[S]):
    """Base class of open games. A subclass adds `action_shape`, `opening`, `moves`, `is_legal` and
    `apply`.

    The methods from `key` on help a search, which plays every open game. Each has a default, and a
    subclass that implements it makes the search faster or better (`search.search_game`).
    """

    seats = SEATS
    action_shape: Shape  # shape of an action as it is encoded in an entry
    solvable = True  # False: the solver that the spec names cannot judge these options

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def opening(self, first: int) -> S:
        """Return the position before the first move, which seat `first` makes."""

    @abstractmethod
    def moves(self, state: S) -> tuple[Action, ...]:
        """Return all moves of the seat to act, in a stable order. The list is not empty unless the
        game is over.
        """

    @abstractmethod
    def is_legal(self, state: S, action: Action) -> bool:
        """Check whether an action of the right shape is one of `moves`."""

    def start(self, chance: JointRandomness) -> S:
        """Choose by chance which seat begins."""
        return self.opening(chance.uniform_below(self.seats))

    def wants(self, state: S) -> Want:
        """Ask for a move until the game has a result."""
        return REQUESTS[state.to_act] if state.result is None else OVER

    def parse(self, raw: object) -> Action:
        """Convert decoded MessagePack to an action. Raises: `Refused(BAD_ACTION)` if `raw` is no
        action of this game.
        """
        if not self.action_shape(raw):
            raise Refused(Code.BAD_ACTION)
        assert isinstance(raw, list)
        return tuple(raw)

    def check(self, state: S, seat: int, action: Action) -> tuple[Operation, ...]:
        """Check a move. Raises: Refused if it is not this seat's turn, or if the move is
        illegal.
        """
        if seat != state.to_act or state.result is not None:
            raise Refused(Code.NOT_YOUR_TURN)
        if not self.is_legal(state, action):
            raise Refused(Code.ILLEGAL_MOVE)
        return ()

    def legal(self, state: S, seat: int, hand: Hand) -> tuple[Action, ...]:
        """Return all moves of this seat; none if it is not the seat's turn."""
        return self.moves(state) if seat == state.to_act and state.result is None else ()

    def forfeit(self, state: S, seat: int) -> S:
        """Make the other seat the winner. Raises: `Refused(NOT_NOW)` if the game is over."""
        if state.result is not None:
            raise Refused(Code.NOT_NOW)
        return state._replace(result=1 - seat)

    def scores(self, state: S) -> tuple[int, ...]:
        """Points: one for the winner; none for anybody after a draw or before the end."""
        return tuple(int(seat == state.result) for seat in range(self.seats))

    def winner(self, state: S) -> int | None:
        """Seat that has won; None after a draw or before the end."""
        return None if state.result == DRAW else state.result

    def turn(self, state: S) -> int | None:
        """Seat to move, in the form that a search needs; None if the game is over."""
        return state.to_act if state.result is None else None

    def key(self, state: S) -> Hashable:
        """Short value that is different for every position with the same seat to act. A search
        uses it as a key of its table.
        """
        return state

    def guess(self, state: S, seat: int) -> float:
        """Estimated value of a position for a seat, between −1 and 1. The other seat's value is
        the negative. A search that cannot look further uses it.
        """
        return 0.0

    def order(self, state: S, moves: Sequence[Action]) -> Sequence[Action]:
        """Sort the moves for a search, the most promising first."""
        return moves

    def mirror(self, state: S) -> S:
        """Return the position with left and right exchanged, which has the same value."""
        return state

    def solve_by_formula(self, state: S) -> tuple[float, Action | None] | None:
        """Return the value for the seat to act, 1 (it wins), 0 or −1 (it loses), and a best move.
        None: no formula is known for this position.
        """
        return None

    def smaller_positions(self, state: S) -> Iterable[S]:
        """Iterate over this position and all that may follow it before the end, each after all
        positions that it leads to.

        Only for games in which the seat to act does not matter, and whose `key` is a number.
        """
        raise NotImplementedError(f"{self.name} does not number its positions")

    def position(self, text: str) -> S | None:
        """Parse a position in the game's own notation, with seat 0 to act. None: the text is no
        position of this game.
        """
        return None
