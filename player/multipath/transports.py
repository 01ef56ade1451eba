"""Connections as lines: a set of lines is told as they come, speak and end, and what time it is."""

import asyncio
from functools import partial
from ipaddress import ip_address

from net.addresses import is_loopback
from player.client.connection import Connection
from player.multipath.line_set import LineKind, LineSet
from protocol.codes import Code

BEAT_SECONDS = 0.5  # between two looks at which lines are silent


def kind_of(host: str) -> LineKind:
    """Return the kind of a connection to this address. A host name may be anywhere."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return LineKind.DIRECT
    if address.is_private or address.is_link_local:
        return LineKind.LAN
    return LineKind.DIRECT


class LineTransports:
    """The connections under a set of lines. `failed` completes with an error of this program, for
    the program to raise.

    `changed` is set whenever a line came, ended or was chosen.
    """

    def __init__(self, lines: LineSet) -> None:
        self.lines = lines
        self.changed = asyncio.Event()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._connections: set[Connection] = set()
        self._closed = False

    @property
    def connections(self) -> frozenset[Connection]:
        """Return all connections that are lines, or are ending."""
        return frozenset(self._connections)

    @property
    def on_this_machine(self) -> bool:
        """Return True if a line leads to a program on this machine."""
        return any(is_loopback(connection.remote) for connection in self._connections)

    def adopt(self, connection: Connection, kind: LineKind, peer: bytes) -> None:
        """A session stands with this identity: it is one of the lines from now on, unless all is
        over.
        """
        if self._closed:
            connection.close(Code.CLOSING)
            return
        self._connections.add(connection)
        connection.gone.add_done_callback(partial(self._gone, connection))
        self.lines.add(connection, kind, peer)
        self.changed.set()

    def received(self, connection: Connection, payload: bytes) -> None:
        """A message. Raises: RemoteError, which ends the connection."""
        kind = self.lines.kind
        self.lines.received(connection, payload)
        if self.lines.kind is not kind:
            self.changed.set()

    def _gone(self, connection: Connection, gone: "asyncio.Future[object]") -> None:
        self._connections.discard(connection)
        error = gone.exception()
        if error is None:
            self.lines.gone(connection, connection.gone.result())
        elif not self.failed.done():
            self.failed.set_exception(error)
        self.changed.set()

    async def beat(self) -> None:
        """Keep the set of lines up with the time, for ever."""
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            kind = self.lines.kind
            self.lines.beat()
            if self.lines.kind is not kind:
                self.changed.set()

    async def close(self) -> None:
        """Hang up everywhere, and wait until it is done."""
        self._closed = True
        connections = set(self._connections)
        self.lines.close()
        if connections:
            await asyncio.wait({connection.gone for connection in connections})
