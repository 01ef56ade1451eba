"""Common base of open games, that is, games for two without hidden information. The seats move in
turn, and one of them wins, or neither.

Chance decides which seat begins, because the first move may decide such a game. Nothing is dealt. A
seat that leaves or runs out of time has lost: nobody else can move for it without choosing for it.

A search creates a hundred thousand positions a second. Positions are therefore plain tuples, and
`wants` returns constants.
"""

from typing import Final, Generic, Protocol, Self, TypeVar

from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness
from protocol.errors import Refused
from protocol.games import Act, Action, Hand, Misplay, Over, Want
from protocol.games.operations import Lay, Operation
from protocol.schema import Shape

SEATS: Final = 2
DRAW: Final = -1  # result of a game without a winner
WON, LOST = 1.0, -1.0  # values of a position for the seat to act, as the search uses them
OVER: Final = Over()
REQUESTS: Final = (Act((0,)), Act((1,)))


class OpenPosition(Protocol):
    """State of an open game."""

    @property
    def to_act(self) -> int:
        """Seat that moves next. After the end of the game: seat that would move next."""

    @property
    def result(self) -> int | None:
        """Seat that has won, or `DRAW`. None: the game is going on."""

    def _replace(self, *, result: int | None) -> Self: ...


S = TypeVar("S", bound=OpenPosition)


class OpenGame(Generic[S]):
    """Base class that implements `protocol.games.Game`. A subclass adds `action_shape`, `opening`,
    `moves`, `is_legal` and `apply`.
    """

    seats = SEATS
    pieces: tuple[str, ...] = ()
    required_operations: tuple[Lay | Operation, ...] = ()
    action_shape: Shape  # shape of an action as it is encoded in an entry

    def __init__(self, name: str) -> None:
        self.name = name

    def opening(self, first: int) -> S:
        """Return the position before the first move, which seat `first` makes."""
        raise NotImplementedError

    def moves(self, state: S) -> tuple[Action, ...]:
        """Return all moves of the seat to act, in a stable order. The list is not empty unless the
        game is over.
        """
        raise NotImplementedError

    def is_legal(self, state: S, action: Action) -> bool:
        """Check whether an action of the right shape is one of `moves`."""
        raise NotImplementedError

    def apply(self, state: S, seat: int, action: Action) -> S:
        """Return the position after a legal move."""
        raise NotImplementedError

    def start(self, chance: JointRandomness) -> S:
        """Choose by chance which seat begins."""
        return self.opening(chance.uniform_below(self.seats))

    def wants(self, state: S) -> Want:
        """Ask for a move until the game has a result."""
        return REQUESTS[state.to_act] if state.result is None else OVER

    def turn(self, state: S) -> int | None:
        """Seat to move, in the form that a search needs; None if the game is over."""
        return state.to_act if state.result is None else None

    def after_deal(self, state: S, turned_up: Hand) -> S:
        """Not called, because nothing is dealt."""
        raise NotImplementedError

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

    def timeout(self, state: S, seat: int) -> Action | None:
        """Return None: a seat that runs out of time has left. It cannot pass, and nobody moves for
        it.
        """
        return None

    def forfeit(self, state: S, seat: int) -> S:
        """Make the other seat the winner. Raises: `Refused(NOT_NOW)` if the game is over."""
        if state.result is not None:
            raise Refused(Code.NOT_NOW)
        return state._replace(result=1 - seat)

    def abandon(self, state: S) -> S | None:
        """Return None: without pieces, no hand can become unopenable."""
        return None

    def settle(
        self, state: S, dealt: tuple[Hand, ...], drawn: tuple[Hand, ...]
    ) -> tuple[S, tuple[Misplay, ...]]:
        """Return the state unchanged: no hands exist."""
        return state, ()

    def scores(self, state: S) -> tuple[int, ...]:
        """Points: one for the winner; none for anybody after a draw or before the end."""
        return tuple(int(seat == state.result) for seat in range(self.seats))

    def winner(self, state: S) -> int | None:
        """Seat that has won; None after a draw or before the end."""
        return None if state.result == DRAW else state.result
