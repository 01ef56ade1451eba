"""The rules of the game against a protocol: who begins, who says what to whom, and when a goal is
broken.
"""

from collections.abc import Mapping
from dataclasses import replace

from protocol.codes import Code
from protocol.crypto.joint_randomness import JointRandomness
from protocol.errors import Refused
from protocol.games import Act, Action, Game, Hand, Over, Want
from protocol.games.intruder_spec import OWN_PROTOCOL
from protocol.games.operations import Operation
from protocol.limits import MAX_INTRUDER_TEXT, MAX_PROTOCOL_NAME, MAX_PROTOCOL_TEXT
from protocol.options import Value
from protocol.schema import text, uint
from verification.game.arena import Arena, arena_of
from verification.game.costs import TooCostly
from verification.game.messages import read_message
from verification.game.moves import all_moves
from verification.game.state import IntruderState
from verification.notation.tokens import NotationError
from verification.protocols.catalog import BUILT_IN_PROTOCOLS
from verification.strands.reader import RoleNotRunnable

PROTOCOL = "protocol"
RUN = "run"
SEND = "send"
STOP = "stop"
_SHAPES = {
    PROTOCOL: lambda values: len(values) == 1 and text(MAX_PROTOCOL_TEXT)(values[0]),
    RUN: lambda values: (
        bool(values) and uint()(values[0]) and all(map(text(MAX_PROTOCOL_NAME), values[1:]))
    ),
    SEND: lambda values: (
        len(values) == 2 and uint()(values[0]) and text(MAX_INTRUDER_TEXT)(values[1])
    ),
    STOP: lambda values: not values,
}


class Intruder(Game[IntruderState]):
    """Rules for one seat, which is the intruder."""

    def __init__(self, name: str, seats: int, values: Mapping[str, Value]) -> None:
        self.name = name
        self.seats = seats
        self._protocol = str(values["protocol"])
        self._sessions = int(values["sessions"])
        self._typed = values["typed"] == "yes"

    def arena(self, state: IntruderState) -> Arena | None:
        """Where it is played; None before somebody has said which protocol."""
        if self._protocol == OWN_PROTOCOL:
            written = state.text
        else:
            written = BUILT_IN_PROTOCOLS[self._protocol].text
        if written:
            return arena_of(written, self._sessions, self._typed)
        return None

    def start(self, chance: JointRandomness) -> IntruderState:
        """Nothing is left to chance."""
        return self.opening()

    def opening(self) -> IntruderState:
        """Before anything has happened."""
        arena = self.arena(IntruderState())
        return IntruderState() if arena is None else arena.start()

    def wants(self, state: IntruderState) -> Want:
        """A move, until a goal is broken, the intruder stops, or every strand has come to its
        end.
        """
        arena = self.arena(state)
        if state.over or (arena is not None and arena.done(state)):
            return Over()
        return Act((0,))

    def parse(self, raw: object) -> Action:
        """An action from decoded MessagePack; raises `Refused(BAD_ACTION)` for anything else."""
        if (
            not isinstance(raw, list)
            or not raw
            or not isinstance(raw[0], str)
            or raw[0] not in _SHAPES
        ):
            raise Refused(Code.BAD_ACTION)
        if not _SHAPES[raw[0]](raw[1:]):
            raise Refused(Code.BAD_ACTION)
        return tuple(raw)

    def check(self, state: IntruderState, seat: int, action: Action) -> tuple[Operation, ...]:
        """Raises `Refused` for what the intruder cannot say, nobody would take, or is too much to
        work out.
        """
        if isinstance(self.wants(state), Over):
            raise Refused(Code.NOT_YOUR_TURN)
        try:
            after = self._after(state, action)
        except TooCostly:
            raise Refused(Code.TOO_COSTLY) from None
        if after is None:
            raise Refused(Code.ILLEGAL_MOVE)
        return ()

    def legal(self, state: IntruderState, seat: int, hand: Hand) -> tuple[Action, ...]:
        """Every strand that may begin, with whom; what each would take, with the simplest values;
        and to stop.

        More may be sent than is listed here: any message that the intruder can make and a strand
        takes.
        """
        if isinstance(self.wants(state), Over):
            return ()
        arena = self.arena(state)
        if arena is None:
            return (*((PROTOCOL, shipped.text) for shipped in BUILT_IN_PROTOCOLS.values()), (STOP,))
        return (*all_moves(arena, state), (STOP,))

    def apply(self, state: IntruderState, seat: int, action: Action) -> IntruderState:
        """The state after a checked action."""
        after = self._after(state, action)
        assert after is not None
        return after

    def _after(self, state: IntruderState, action: Action) -> IntruderState | None:
        """The state after an action, or None if it cannot be made. Raises: TooCostly."""
        arena = self.arena(state)
        match action:
            case ("stop",):
                return replace(state, stopped=True)
            case ("protocol", written):
                if arena is None:
                    return self._chosen(written)
                return None
            case ("run", number, *names) if arena is not None:
                agents = arena.named(names)
                if agents is not None:
                    return arena.run(state, number - 1, agents)
                return None
            case ("send", number, written) if arena is not None:
                message = read_message(arena, written)
                if message is not None:
                    return arena.sent(state, number - 1, message)
                return None
        return None

    def _chosen(self, written: str) -> IntruderState | None:
        """Before the first strand of a protocol that can be played. Raises: TooCostly."""
        try:
            return replace(arena_of(written, self._sessions, self._typed).start(), text=written)
        except (NotationError, RoleNotRunnable):
            return None

    def timeout(self, state: IntruderState, seat: int) -> Action:
        """Who says nothing more has stopped."""
        return (STOP,)

    def forfeit(self, state: IntruderState, seat: int) -> IntruderState:
        """The intruder has stopped. Raises `Refused(NOT_NOW)` if the game is over."""
        if isinstance(self.wants(state), Over):
            raise Refused(Code.NOT_NOW)
        return replace(state, stopped=True)

    def scores(self, state: IntruderState) -> tuple[int, ...]:
        """A point for a broken goal."""
        return (int(state.broken is not None),)

    def winner(self, state: IntruderState) -> int | None:
        """The intruder, if a goal is broken."""
        return None if state.broken is None else 0
