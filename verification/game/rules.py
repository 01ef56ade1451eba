"""Rules of the game `intruder`: which strands begin, which messages they receive, and when a goal
is broken.
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
from verification.game.costs import TooCostly
from verification.game.game_scenario import GameScenario, make_game_scenario
from verification.game.messages import read_message
from verification.game.moves import all_moves
from verification.game.state import IntruderState
from verification.notation.tokens import NotationError
from verification.protocols.catalog import BUILT_IN_PROTOCOLS
from verification.strands.role_knowledge import RoleNotRunnable

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
    """Rules as a `protocol.games.Game` for one seat."""

    def __init__(self, name: str, seats: int, values: Mapping[str, Value]) -> None:
        self.name = name
        self.seats = seats
        self._protocol = str(values["protocol"])
        self._sessions = int(values["sessions"])
        self._typed = values["typed"] == "yes"

    def scenario(self, state: IntruderState) -> GameScenario | None:
        """Return the scenario of the chosen protocol, or None if no protocol has been chosen yet."""
        if self._protocol == OWN_PROTOCOL:
            written = state.text
        else:
            written = BUILT_IN_PROTOCOLS[self._protocol].text
        if written:
            return make_game_scenario(written, self._sessions, self._typed)
        return None

    def start(self, chance: JointRandomness) -> IntruderState:
        """Return the first state. The game has no randomness."""
        return self.opening()

    def opening(self) -> IntruderState:
        """Return the state before the first action."""
        scenario = self.scenario(IntruderState())
        if scenario is None:
            return IntruderState()
        return scenario.first_state()

    def brought_text(self, state: IntruderState) -> str:
        return state.text

    def wants(self, state: IntruderState) -> Want:
        """Ask for a move until a goal is broken, the intruder stops, or all strands have ended."""
        scenario = self.scenario(state)
        if state.over or (scenario is not None and scenario.is_finished(state)):
            return Over()
        return Act((0,))

    def parse(self, raw: object) -> Action:
        """Convert decoded MessagePack into an action. Raises `Refused(BAD_ACTION)` for anything
        else.
        """
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
        """Check an action. Raises `Refused` for a message that the intruder cannot say or no strand
        accepts, and for too much work.
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
        """List the strands that may begin, messages with the simplest values that strands accept,
        and `stop`.

        More messages are legal than are listed: any message that the intruder can make and a strand
        accepts.
        """
        if isinstance(self.wants(state), Over):
            return ()
        scenario = self.scenario(state)
        if scenario is None:
            return (*((PROTOCOL, shipped.text) for shipped in BUILT_IN_PROTOCOLS.values()), (STOP,))
        return (*all_moves(scenario, state), (STOP,))

    def apply(self, state: IntruderState, seat: int, action: Action) -> IntruderState:
        """Return the state after a checked action."""
        after = self._after(state, action)
        assert after is not None
        return after

    def _after(self, state: IntruderState, action: Action) -> IntruderState | None:
        """Return the state after an action, or None if the action is impossible. Raises:
        TooCostly.
        """
        scenario = self.scenario(state)
        match action:
            case ("stop",):
                return replace(state, stopped=True)
            case ("protocol", written):
                if scenario is None:
                    return self._chosen(written)
                return None
            case ("run", number, *names) if scenario is not None:
                agents = scenario.agents_by_name(names)
                if agents is not None:
                    return scenario.begin_strand(state, number - 1, agents)
                return None
            case ("send", number, written) if scenario is not None:
                message = read_message(scenario, written)
                if message is not None:
                    return scenario.deliver(state, number - 1, message)
                return None
        return None

    def _chosen(self, written: str) -> IntruderState | None:
        """Return the first state of a protocol, or None if the protocol cannot be played. Raises:
        TooCostly.
        """
        try:
            return replace(
                make_game_scenario(written, self._sessions, self._typed).first_state(), text=written
            )
        except (NotationError, RoleNotRunnable):
            return None

    def timeout(self, state: IntruderState, seat: int) -> Action:
        """Return the action for a seat without time: stop."""
        return (STOP,)

    def forfeit(self, state: IntruderState, seat: int) -> IntruderState:
        """Return the state after the intruder leaves. Raises `Refused(NOT_NOW)` if the game is
        over.
        """
        if isinstance(self.wants(state), Over):
            raise Refused(Code.NOT_NOW)
        return replace(state, stopped=True)

    def scores(self, state: IntruderState) -> tuple[int, ...]:
        """Return one point if a goal is broken, otherwise none."""
        return (int(state.broken is not None),)

    def winner(self, state: IntruderState) -> int | None:
        """Return seat 0 if a goal is broken."""
        return None if state.broken is None else 0
