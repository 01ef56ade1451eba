"""A line to one witness: a table that is greeted, and asked one thing after another."""

import asyncio
from random import Random
from typing import Any

from player.connection import Connect, Connection, connect
from protocol.codes import Code, parse_code
from protocol.errors import RemoteError
from protocol.identity.keys import KEY_SIZE, Identity, JoinLink
from protocol.messages import table as messages
from protocol.messages.table import VERSION, ConnectionPhase, Message, Sender

NAME = "somebody"  # who asks a witness shows neither name nor key
MAX_ANSWERS = 256  # that wait to be looked at; there is one for each message of ours
ANSWER_SECONDS = 20.0  # for one answer; a disk that is slow takes seconds


class WitnessLine:
    """The `Listener` of a connection. `key`: the witness's, once greeted."""

    def __init__(self, invite: bytes) -> None:
        self._invite = invite
        self._phase = ConnectionPhase.GREETING
        self._answers: asyncio.Queue[Message | Code] = asyncio.Queue()
        self._connection: Connection | None = None
        self.key = b""

    # --- Listener ---

    def established(self, connection: Connection, table_key: bytes) -> None:
        """See `Listener`."""
        self._connection, self.key = connection, table_key
        if self._invite:
            connection.send(messages.encode("invite", self._invite))
        connection.send(messages.encode("hello", VERSION, NAME))

    def received(self, payload: bytes) -> None:
        """See `Listener`."""
        message = messages.decode(payload, Sender.TABLE, self._phase)
        if message.name == "welcome":
            self._phase = ConnectionPhase.LOBBY
        # it answers nothing of ours; the line ends, and the link has other addresses
        if message.name == "moved":
            return
        if self._answers.qsize() >= MAX_ANSWERS:
            raise RemoteError(Code.TOO_MANY)
        self._answers.put_nowait(message)

    # --- asking ---

    async def greeted(self, connection: Connection) -> None:
        """Wait until the table has let us in. Raises: RemoteError."""
        connection.gone.add_done_callback(self._ended)
        message = await self._wait()
        if message.name != "welcome":
            raise RemoteError(_why(message))

    async def ask(self, name: str, *values: object) -> list[Any]:
        """The values of the answer to a message. Raises: RemoteError with the code of a refusal, or
        CUT_OFF.
        """
        assert self._connection is not None
        self._connection.send(messages.encode(name, *values))
        message = await self._wait()
        if message.name != ANSWERS[name]:
            raise RemoteError(_why(message))
        return message.values

    async def send(self, name: str, *several: object) -> None:
        """Send several messages that are answered only if they are refused. Raises: RemoteError,
        the first refusal.
        """
        assert self._connection is not None
        for values in several:
            self._connection.send(messages.encode(name, values))
        self._connection.send(messages.encode("which", []))
        refused: Code | None = None
        while (message := await self._wait()).name != "lacking":
            refused = refused or _why(message)
        if refused is not None:
            raise RemoteError(refused)

    def close(self) -> None:
        """Go."""
        if self._connection is not None:
            self._connection.close()

    async def _wait(self) -> Message:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await self._answers.get()
        except TimeoutError:
            raise RemoteError(Code.TOO_SLOW) from None
        if isinstance(answer, Code):
            self._answers.put_nowait(answer)  # it stays so
            raise RemoteError(answer)
        return answer

    def _ended(self, gone: "asyncio.Future[Code | None]") -> None:
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
    return parse_code(message.values[0]) if message.name == "error" else Code.BAD_MESSAGE


async def reach(link: JoinLink, rng: Random, calls: Connect = connect) -> WitnessLine:
    """Call the table behind a link, which names its fingerprint, and greet it as nobody in
    particular.

    Raises: LocalError if nobody answers there, RemoteError if it does not let us in.
    """
    line = WitnessLine(link.invite)
    connection = await calls(link, Identity(rng.randbytes(KEY_SIZE)), rng, link.fingerprint, line)
    try:
        await line.greeted(connection)
    except BaseException:
        connection.close()
        raise
    return line
