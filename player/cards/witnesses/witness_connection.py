"""Connection to one witness: a table that gets one request after another."""

import asyncio
from random import Random
from typing import Any

from player.client.connection import Connect, Connection, connect
from player.client.table_protocol import TableProtocol
from protocol.codes import Code, parse_code
from protocol.errors import RemoteError
from protocol.identity.keys import KEY_SIZE, Identity, JoinLink
from protocol.messages.table import Message

NAME = "somebody"  # a client of a witness shows neither its person's name nor key
MAX_ANSWERS = 256  # answers in the queue: at most one for each message sent
ANSWER_SECONDS = 20.0  # wait for one answer; a slow disk takes seconds


class WitnessConnection:
    """`Listener` of a connection to a witness. `key`: key of the witness, after the greeting."""

    def __init__(self, invite: bytes) -> None:
        self._protocol = TableProtocol(NAME, invite)
        self._answers: asyncio.Queue[Message | Code] = asyncio.Queue()
        self._connection: Connection | None = None
        self.key = b""

    # --- Listener ---

    def established(self, connection: Connection, table_key: bytes) -> None:
        """Implement `Listener.established`."""
        self._connection = connection
        self.key = table_key
        self._protocol.attach(connection.send)

    def received(self, payload: bytes) -> None:
        """Implement `Listener.received`."""
        message = self._protocol.receive(payload)
        # the witness has moved and answers no request; the connection ends, and the link has other
        # addresses. What its host announces answers nothing either, nor does its key history.
        if message.name in ("moved", "announced", "keys"):
            return
        if self._answers.qsize() >= MAX_ANSWERS:
            raise RemoteError(Code.TOO_MANY)
        self._answers.put_nowait(message)

    # --- requests ---

    async def greeted(self, connection: Connection) -> None:
        """Wait for the welcome of the table. Raises: RemoteError."""
        connection.gone.add_done_callback(self._ended)
        message = await self._wait()
        if message.name != "welcome":
            raise RemoteError(_why(message))

    async def ask(self, name: str, *values: object) -> list[Any]:
        """Send a message, and return the values of its answer. Raises: RemoteError with the code of
        a refusal, or CUT_OFF.
        """
        self._protocol.post(name, *values)
        message = await self._wait()
        if message.name != ANSWERS[name]:
            raise RemoteError(_why(message))
        return message.values

    async def send(self, name: str, *several: object) -> None:
        """Send messages that get an answer only if they are refused. Raises: RemoteError for the
        first refusal.
        """
        for values in several:
            self._protocol.post(name, values)
        self._protocol.post("which", [])
        refused: Code | None = None
        while (message := await self._wait()).name != "lacking":
            refused = refused or _why(message)
        if refused is not None:
            raise RemoteError(refused)

    async def close(self) -> None:
        """Hang up, and wait for the end of the connection."""
        if self._connection is not None:
            self._connection.close()
            await asyncio.wait({self._connection.gone})

    async def _wait(self) -> Message:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await self._answers.get()
        except TimeoutError:
            raise RemoteError(Code.TOO_SLOW) from None
        if isinstance(answer, Code):
            self._answers.put_nowait(answer)  # later requests fail in the same way
            raise RemoteError(answer)
        return answer

    def _ended(self, gone: "asyncio.Future[Code | None]") -> None:
        self._protocol.detach()
        code = Code.INTERNAL if gone.exception() else gone.result()
        self._answers.put_nowait(code or Code.CUT_OFF)


ANSWERS = {
    "witness": "head",
    "which": "lacking",
    "certify": "certified",
    "prove": "proof",
    "follow": "followed",
}


def _why(message: Message) -> Code:
    if message.name == "error":
        return parse_code(message.values[0])
    return Code.BAD_MESSAGE


async def connect_witness(
    link: JoinLink, rng: Random, calls: Connect = connect
) -> WitnessConnection:
    """Connect to the table behind a link with a fingerprint, and greet it without a name.

    Raises: LocalError if nobody answers; RemoteError if the table refuses.
    """
    line = WitnessConnection(link.invite)
    connection = await calls(link, Identity(rng.randbytes(KEY_SIZE)), rng, link.fingerprint, line)
    try:
        await line.greeted(connection)
    except BaseException:
        connection.cut()
        raise
    return line
