"""What games for two with nothing hidden have in common: the seats move in turn, and one wins, or
nobody.

Chance alone decides who begins, since that may decide such a game. Nothing is dealt; a seat that
leaves, or whose time is over, has lost: nobody else can move for it without choosing for it. A
search makes a hundred thousand positions a second, so they are plain tuples, and what is wanted is
not made anew.
"""

from typing import Final, Generic, Protocol, Self, TypeVar

from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness
from protocol.errors import Refused
from protocol.games import Act, Action, Hand, Misplay, Over, Want
from protocol.games.operations import Lay, Operation
from protocol.schema import Shape

SEATS: Final = 2
DRAW: Final = -1  # the result of a game that nobody has won
WON, LOST = 1.0, -1.0  # what a position is worth to the seat to act, for a search
OVER: Final = Over()
ACTS: Final = (Act((0,)), Act((1,)))


class OpenPosition(Protocol):
    """A state of such a game."""

    @property
    def to_act(self) -> int:
        """The seat that moves next, or would if the game were not over."""

    @property
    def result(self) -> int | None:
        """The seat that has won, `DRAW`, or None while the game is going on."""

    def _replace(self, *, result: int | None) -> Self: ...


S = TypeVar("S", bound=OpenPosition)


class OpenGame(Generic[S]):
    """A `protocol.games.Game` but for what makes it that game: `shape`, `opening`, `moves`, `fits`,
    `apply`.
    """

    seats = SEATS
    pieces: tuple[str, ...] = ()
    required_operations: tuple[Lay | Operation, ...] = ()
    action_shape: Shape  # of an action as it stands in an entry

    def __init__(self, name: str) -> None:
        self.name = name

    def opening(self, first: int) -> S:
        """The position before the first move, which is seat `first`'s."""
        raise NotImplementedError

    def moves(self, state: S) -> tuple[Action, ...]:
        """All moves of the seat to act, in a stable order; at least one, if the game is not
        over.
        """
        raise NotImplementedError

    def is_legal(self, state: S, action: Action) -> bool:
        """Whether an action of this shape is one of `moves`."""
        raise NotImplementedError

    def apply(self, state: S, seat: int, action: Action) -> S:
        """The position after a move that fits."""
        raise NotImplementedError

    def start(self, chance: JointRandomness) -> S:
        """Chance decides who begins."""
        return self.opening(chance.uniform_below(self.seats))

    def wants(self, state: S) -> Want:
        """A move, until there is a result."""
        return ACTS[state.to_act] if state.result is None else OVER

    def turn(self, state: S) -> int | None:
        """The seat to move, as a search asks for it; None when the game is over."""
        return state.to_act if state.result is None else None

    def after_deal(self, state: S, turned_up: Hand) -> S:
        """Nothing ever is."""
        raise NotImplementedError

    def parse(self, raw: object) -> Action:
        """An action from decoded MessagePack; raises `Refused(BAD_ACTION)` for anything else."""
        if not self.action_shape(raw):
            raise Refused(Code.BAD_ACTION)
        assert isinstance(raw, list)
        return tuple(raw)

    def check(self, state: S, seat: int, action: Action) -> tuple[Operation, ...]:
        """Raises `Refused` for a seat that is not to act, and for a move that is not to be made."""
        if seat != state.to_act or state.result is not None:
            raise Refused(Code.NOT_YOUR_TURN)
        if not self.is_legal(state, action):
            raise Refused(Code.ILLEGAL_MOVE)
        return ()

    def legal(self, state: S, seat: int, hand: Hand) -> tuple[Action, ...]:
        """All moves of this seat; none when it is not its turn."""
        return self.moves(state) if seat == state.to_act and state.result is None else ()

    def timeout(self, state: S, seat: int) -> Action | None:
        """A turn cannot be passed, and no move is made for anybody: who lets its time run out has
        left.
        """
        return None

    def forfeit(self, state: S, seat: int) -> S:
        """The other seat has won. Raises `Refused(NOT_NOW)` if the game is over."""
        if state.result is not None:
            raise Refused(Code.NOT_NOW)
        return state._replace(result=1 - seat)

    def abandon(self, state: S) -> S | None:
        """There are no pieces that could not be opened."""
        return None

    def settle(
        self, state: S, dealt: tuple[Hand, ...], drawn: tuple[Hand, ...]
    ) -> tuple[S, tuple[Misplay, ...]]:
        """There are no hands."""
        return state, ()

    def scores(self, state: S) -> tuple[int, ...]:
        """A point for the winner; none for anybody in a draw, or before the end."""
        return tuple(int(seat == state.result) for seat in range(self.seats))

    def winner(self, state: S) -> int | None:
        """The seat that has won."""
        return None if state.result == DRAW else state.result
