"""The question to a table for its key history, by a visitor whom the table does not know."""

import asyncio
from random import Random

from player.client.connection import Connect, Connection
from player.client.table_protocol import TableProtocol
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.identity.key_history import KeyHistory, decode_history
from protocol.identity.keys import KEY_SIZE, Identity, JoinLink

NAME = "somebody"  # a table that may be another's hears neither the person's name nor key
ANSWER_SECONDS = 10.0  # for connection, handshake and the first message


class _Question:
    """`Listener` of a connection. `answer` is done with the history; None: the table shows none."""

    def __init__(self) -> None:
        self.answer: asyncio.Future[KeyHistory | None] = asyncio.get_running_loop().create_future()
        self._key = b""
        # the link's secret is for the table that it names alone
        self._protocol = TableProtocol(NAME)

    def established(self, connection: Connection, table_key: bytes) -> None:
        """See `Listener`."""
        self._key = table_key
        self._protocol.attach(connection.send)

    def received(self, payload: bytes) -> None:
        """See `Listener`: the first message is the history, if there is one."""
        if self.answer.done():
            return
        message = self._protocol.receive(payload)
        history = decode_history(message.values[0]) if message.name == "keys" else None
        if history is not None and history.key != self._key:
            raise RemoteError(Code.BAD_MESSAGE)
        self.answer.set_result(history)

    def ended(self, gone: "asyncio.Future[Code | None]") -> None:
        """The connection has ended, by a fault of the other side or without an answer."""
        if not gone.cancelled():
            gone.exception()  # what is wrong with its answer is no answer
        if not self.answer.done():
            self.answer.set_result(None)


async def ask_history(link: JoinLink, rng: Random, connect: Connect) -> KeyHistory | None:
    """Return the key history that the table behind a link shows, whoever it is; None if it shows
    none, or does not answer in time.
    """
    question = _Question()
    visitor = Identity(rng.randbytes(KEY_SIZE))
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            connection = await connect(link, visitor, rng, None, question)
            connection.gone.add_done_callback(question.ended)
            try:
                return await question.answer
            finally:
                connection.close()
    except (TimeoutError, LocalError):
        return None
