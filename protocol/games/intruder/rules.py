"""The rules of the game against a protocol: who begins, who says what to whom, and when a goal is broken."""

from collections.abc import Mapping
from dataclasses import replace

from protocol.codes import Code
from protocol.crypto.chance import Chance
from protocol.errors import Refused
from protocol.games import Act, Action, Hand, Misplay, Over, Want
from protocol.games.intruder.arena import Arena, arena_of
from protocol.games.intruder.costs import TooCostly
from protocol.games.intruder.messages import read_message
from protocol.games.intruder.moves import all_moves
from protocol.games.intruder.row import OWN
from protocol.games.intruder.state import State
from protocol.games.operations import Lay, Operation
from protocol.limits import MAX_INTRUDER_TEXT, MAX_PROTOCOL_NAME, MAX_PROTOCOL_TEXT
from protocol.options import Value
from protocol.schema import text, uint
from protocol.verification.notation.tokens import NotationError
from protocol.verification.protocols.table import SHIPPED
from protocol.verification.strands.reader import CannotRun

PROTOCOL, RUN, SEND, STOP = "protocol", "run", "send", "stop"
_SHAPES = {
    PROTOCOL: lambda values: len(values) == 1 and text(MAX_PROTOCOL_TEXT)(values[0]),
    RUN: lambda values: bool(values) and uint()(values[0]) and all(map(text(MAX_PROTOCOL_NAME), values[1:])),
    SEND: lambda values: len(values) == 2 and uint()(values[0]) and text(MAX_INTRUDER_TEXT)(values[1]),
    STOP: lambda values: not values,
}


class Intruder:
    """A `protocol.games.Game` for one seat."""

    pieces: tuple[str, ...] = ()
    needs: tuple[Lay | Operation, ...] = ()

    def __init__(self, name: str, seats: int, values: Mapping[str, Value]) -> None:
        self.name, self.seats = name, seats
        self._protocol = str(values["protocol"])
        self._sessions, self._typed = int(values["sessions"]), values["typed"] == "yes"

    def arena(self, state: State) -> Arena | None:
        """Where it is played; None before somebody has said which protocol."""
        written = state.text if self._protocol == OWN else SHIPPED[self._protocol].text
        return arena_of(written, self._sessions, self._typed) if written else None

    def start(self, chance: Chance) -> State:
        """Nothing is left to chance."""
        return self.opening()

    def opening(self) -> State:
        """Before anything has happened."""
        arena = self.arena(State())
        return State() if arena is None else arena.start()

    def wants(self, state: State) -> Want:
        """A move, until a goal is broken, the intruder stops, or every strand has come to its end."""
        arena = self.arena(state)
        return Over() if state.over or (arena is not None and arena.done(state)) else Act((0,))

    def dealt(self, state: State, turned_up: Hand) -> State:
        """Nothing ever is."""
        raise NotImplementedError

    def parse(self, raw: object) -> Action:
        """An action from decoded MessagePack; raises `Refused(BAD_ACTION)` for anything else."""
        if not isinstance(raw, list) or not raw or not isinstance(raw[0], str) or raw[0] not in _SHAPES:
            raise Refused(Code.BAD_ACTION)
        if not _SHAPES[raw[0]](raw[1:]):
            raise Refused(Code.BAD_ACTION)
        return tuple(raw)

    def check(self, state: State, seat: int, action: Action) -> tuple[Operation, ...]:
        """Raises `Refused` for what the intruder cannot say, nobody would take, or is too much to work out."""
        if isinstance(self.wants(state), Over):
            raise Refused(Code.NOT_YOUR_TURN)
        try:
            after = self._after(state, action)
        except TooCostly:
            raise Refused(Code.TOO_COSTLY) from None
        if after is None:
            raise Refused(Code.ILLEGAL_MOVE)
        return ()

    def legal(self, state: State, seat: int, hand: Hand) -> tuple[Action, ...]:
        """Every strand that may begin, with whom; what each would take, with the simplest values; and to stop.

        More may be sent than is listed here: any message that the intruder can make and a strand takes.
        """
        if isinstance(self.wants(state), Over):
            return ()
        arena = self.arena(state)
        if arena is None:
            return (*((PROTOCOL, shipped.text) for shipped in SHIPPED.values()), (STOP,))
        return (*all_moves(arena, state), (STOP,))

    def apply(self, state: State, seat: int, action: Action) -> State:
        """The state after a checked action."""
        after = self._after(state, action)
        assert after is not None
        return after

    def _after(self, state: State, action: Action) -> State | None:
        """The state after an action, or None if it cannot be made. Raises: TooCostly."""
        arena = self.arena(state)
        match action:
            case ("stop",):
                return replace(state, stopped=True)
            case ("protocol", written):
                return self._chosen(written) if arena is None else None
            case ("run", number, *names) if arena is not None:
                agents = arena.named(names)
                return arena.run(state, number - 1, agents) if agents is not None else None
            case ("send", number, written) if arena is not None:
                message = read_message(arena, written)
                return arena.sent(state, number - 1, message) if message is not None else None
        return None

    def _chosen(self, written: str) -> State | None:
        """Before the first strand of a protocol that can be played. Raises: TooCostly."""
        try:
            return replace(arena_of(written, self._sessions, self._typed).start(), text=written)
        except (NotationError, CannotRun):
            return None

    def timeout(self, state: State, seat: int) -> Action:
        """Who says nothing more has stopped."""
        return (STOP,)

    def forfeit(self, state: State, seat: int) -> State:
        """The intruder has stopped. Raises `Refused(NOT_NOW)` if the game is over."""
        if isinstance(self.wants(state), Over):
            raise Refused(Code.NOT_NOW)
        return replace(state, stopped=True)

    def abandon(self, state: State) -> State | None:
        """There are no pieces that could not be opened."""
        return None

    def settle(
        self, state: State, dealt: tuple[Hand, ...], drawn: tuple[Hand, ...]
    ) -> tuple[State, tuple[Misplay, ...]]:
        """There are no hands."""
        return state, ()

    def scores(self, state: State) -> tuple[int, ...]:
        """A point for a broken goal."""
        return (int(state.broken is not None),)

    def winner(self, state: State) -> int | None:
        """The intruder, if a goal is broken."""
        return None if state.broken is None else 0
