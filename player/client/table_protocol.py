"""The client's end of the table's protocol on one connection: greeting, phase and messages.

All programs that speak to a table use it: clients of a match and of the lobby, pipes and witnesses.
`protocol.messages.table` defines the messages of each phase (docs/protocol, chapter 4).
"""

from collections.abc import Callable

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.messages import table as messages
from protocol.messages.table import VERSION, ConnectionPhase, Message, Sender


class TableProtocol:
    """A state machine without socket and clock. It outlives a connection: `attach` begins anew."""

    def __init__(self, name: str, invite: bytes = b"") -> None:
        """`name`: the name that the table is told; `invite`: the secret of its link, or empty."""
        self.phase = ConnectionPhase.GREETING
        self._name = name
        self._invite = invite
        self._send: Callable[[bytes], None] | None = None
        self._is_first = True  # the next message is the first one of the connection

    def attach(self, send: Callable[[bytes], None]) -> None:
        """Greet the table over a new connection."""
        self._send = send
        self.phase, self._is_first = ConnectionPhase.GREETING, True
        if self._invite:
            self.post("invite", self._invite)
        self.post("hello", VERSION, self._name)

    def detach(self) -> None:
        """Forget the connection, which has ended."""
        self._send = None

    def post(self, name: str, *values: object) -> None:
        """Send a message; dropped if no connection stands."""
        if self._send is not None:
            self._send(messages.encode(name, *values))

    def receive(self, payload: bytes) -> Message:
        """Decode a message of the table. A `welcome` begins the phase of the lobby.

        Raises: RemoteError if the bytes are no message, if the message is not allowed in this
        phase, or if the table speaks another version.
        """
        message = messages.decode(payload, Sender.TABLE, self.phase)
        # once only: who takes it in checks a hundred signatures
        if message.name == "keys" and not self._is_first:
            raise RemoteError(Code.BAD_MESSAGE)
        self._is_first = False
        if message.name == "welcome":
            if message.values[0] != VERSION:
                raise RemoteError(Code.WRONG_VERSION)
            self.phase = ConnectionPhase.LOBBY
        return message
