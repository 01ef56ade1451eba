"""A connection to one other person through a table's pipe, for a program that uses that table for
nothing else.
"""

import asyncio
from dataclasses import dataclass, field

from player.client.connection import Connection, Listener
from player.client.environment import Environment
from player.client.table_protocol import TableProtocol
from player.lobby.pipes import Pipes
from protocol.codes import Code, parse_code
from protocol.errors import RemoteError
from protocol.identity.keys import JoinLink
from protocol.messages.lobby import Purpose

# whoever knocks, is answered by whom it is meant for
RELAY_MESSAGES = ("opened", "sent", "granted", "closed")


@dataclass
class PipeCarrier:
    """A table that carries pipes and nothing else: this program greets it, and does not enter its
    lobby. `gone` completes when the connection has ended.
    """

    environment: Environment
    name: str  # that the table is told
    # the secret that the table's link has; empty: none
    invite: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        self.pipes = Pipes(self.environment.identity, self.environment.rng)
        self.greeted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._connection: Connection | None = None
        self._protocol = TableProtocol(self.name, self.invite)

    @property
    def gone(self) -> "asyncio.Future[Code | None]":
        """Return the future of the end of the connection to the table."""
        assert self._connection is not None
        return self._connection.gone

    def established(self, connection: Connection, table_key: bytes) -> None:
        """See `Listener`."""
        self._connection = connection
        self.pipes.attach(self._protocol.post, table_key)
        self._protocol.attach(connection.send)

    def received(self, payload: bytes) -> None:
        """See `Listener`."""
        name, values = self._protocol.receive(payload)
        if name == "welcome":
            if not self.greeted.done():  # else nobody waits for it any more
                self.greeted.set_result(None)
        elif name == "error" and not self.greeted.done():
            raise RemoteError(parse_code(values[0]))
        elif name in RELAY_MESSAGES:
            getattr(self.pipes, name)(*values)

    def ended(self, gone: "asyncio.Future[Code | None]") -> None:
        """The connection to the table has ended."""
        self._protocol.detach()
        self.pipes.detached()
        if not self.greeted.done():
            code = Code.INTERNAL if gone.exception() else gone.result()
            self.greeted.set_exception(RemoteError(code or Code.CUT_OFF))

    def close(self) -> None:
        """Go. All pipes end."""
        if self._connection is not None:
            self._connection.close()


async def reach(
    link: JoinLink, environment: Environment, name: str, expected: str | None = None
) -> PipeCarrier:
    """Greet the table behind a link, as the environment's identity, for pipes through it:
    `relay.pipes.open(...)`.

    `expected`: the fingerprint that the table must have; None: what the link says.
    Raises: LocalError if nobody answers there, RemoteError if the table does not let us in.
    """
    relay = PipeCarrier(environment, name, link.invite)
    identity = environment.identity
    rng = environment.rng
    connection = await environment.connect(link, identity, rng, expected or link.fingerprint, relay)
    connection.gone.add_done_callback(relay.ended)
    try:
        await relay.greeted
    except BaseException:
        connection.cut()
        raise
    return relay


async def through_table(
    link: JoinLink,
    environment: Environment,
    name: str,
    peer: tuple[bytes, Purpose],
    listener: Listener,
    expected: str | None = None,
) -> Connection:
    """A connection to a key through the table behind a link. The two prove their keys to each
    other, and the table carries what it cannot read; when it ends, so does the connection to the
    table. `peer`: whom, and for what; `expected`: as `reach`.

    Raises: LocalError, RemoteError, as `reach` and `Pipes.open`.
    """
    relay = await reach(link, environment, name, expected)
    try:
        connection = await relay.pipes.open(*peer, listener)
    except BaseException:
        relay.close()
        raise
    connection.gone.add_done_callback(lambda _: relay.close())
    return connection
