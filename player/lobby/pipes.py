"""The pipes of one connection to a table: opened by both ends, each with a session of the two
people's own in it.
"""

import asyncio
from collections.abc import Callable
from random import Random

from player.client.connection import Connection, Listener
from player.lobby.pipe_transport import PipeTransport
from protocol.codes import Code, parse_code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity, fingerprint
from protocol.messages.lobby import Purpose, pipe_prologue, pipe_role
from protocol.session.session import Role, Session

Name = tuple[bytes, Purpose]  # who is at the other end, and what the pipe is for
Waiting = tuple[Listener, "asyncio.Future[Connection]"]


def _nowhere(name: str, *values: object) -> None:
    """Drop a message while no connection stands."""


class Pipes:
    """The requested pipes, the standing ones, and those that were closed here before the table
    knew.

    Every request ends with one `closed`, so that no data of an old pipe is taken for the next
    one's.
    """

    def __init__(self, identity: Identity, rng: Random) -> None:
        self._identity = identity
        self._rng = rng
        self._table_key = b""
        self._post: Callable[..., None] = _nowhere
        self._asked: dict[Name, Waiting] = {}
        self._standing: dict[Name, PipeTransport] = {}
        self._closing: dict[Name, asyncio.Future[None]] = {}

    def attach(self, post: Callable[..., None], table_key: bytes) -> None:
        """A connection stands with the table of this identity: messages go out through `post`."""
        self._post = post
        self._table_key = table_key

    def detached(self) -> None:
        """Note that the connection to the table has ended, or that the player has left the lobby.
        All pipes over it end.
        """
        self._post = _nowhere
        asked = self._asked
        self._asked = {}
        standing = self._standing
        self._standing = {}
        closing = self._closing
        self._closing = {}
        for _, opened in asked.values():
            _fail(opened, Code.CUT_OFF)
        for transport in standing.values():
            transport.ended(Code.CUT_OFF)
        for closed in closing.values():
            closed.cancel()

    async def open(self, peer: bytes, purpose: Purpose, listener: Listener) -> Connection:
        """Return a connection to a key, as soon as its owner opens the pipe too, or at once if the
        owner asked first.

        `listener` is told when both sides have proved their keys, and gets the messages;
        `connection.gone` says how it ends. Raises: RemoteError with the reason: TOO_SLOW (nobody
        answered), NOT_INVITED (the other side declined), TOO_MANY (a bound of the table's, or a
        pipe stands already), CUT_OFF (the connection to the table has ended).
        """
        name = (peer, purpose)
        while (closing := self._closing.get(name)) is not None:
            await asyncio.wait({closing})
        if name in self._asked or name in self._standing:
            raise RemoteError(Code.TOO_MANY)
        if self._post is _nowhere:
            raise RemoteError(Code.CUT_OFF)
        opened: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
        self._asked[name] = listener, opened
        self._post("open", *name)
        try:
            return await opened
        finally:
            if self._asked.get(name) == (listener, opened):  # nobody waits for it any more
                del self._asked[name]
                self._close(name)

    def decline(self, peer: bytes, purpose: Purpose) -> None:
        """Do not open what somebody asks for."""
        self._post("close", peer, purpose)

    def _close(self, name: Name) -> None:
        if self._post is not _nowhere:
            self._closing[name] = asyncio.get_running_loop().create_future()
            self._post("close", *name)

    # --- messages of the table ---

    def opened(self, peer: bytes, purpose: int) -> None:
        """Take up a standing pipe. Raises: RemoteError if it was not requested."""
        name = (peer, Purpose(purpose))
        if name in self._closing:  # it came about when we wanted it no more
            return
        if name not in self._asked:
            raise RemoteError(Code.BAD_MESSAGE)
        listener, waiting = self._asked.pop(name)
        role = pipe_role(self._identity.public, peer)
        prologue = pipe_prologue(self._table_key, name[1], self._identity.public, peer)
        session = Session(
            role, self._identity, self._rng.randbytes(32), self._rng, fingerprint(peer), prologue
        )
        connection = Connection(session, listener, calling=role is Role.PLAYER)

        def post(what: str, *values: object) -> None:
            if what != "close":
                self._post(what, *name, *values)
            elif self._standing.pop(name, None) is not None:
                self._close(name)

        self._standing[name] = PipeTransport(connection, post)
        self._standing[name].begin()
        if not waiting.done():
            waiting.set_result(connection)

    def sent(self, peer: bytes, purpose: int, data: bytes) -> None:
        """Take data from a pipe; data of a pipe that was just closed here is dropped. Raises:
        RemoteError.
        """
        transport = self._standing.get((peer, Purpose(purpose)))
        if transport is not None:
            transport.sent(data)

    def granted(self, peer: bytes, purpose: int, size: int) -> None:
        """We may send on. Raises: RemoteError."""
        transport = self._standing.get((peer, Purpose(purpose)))
        if transport is not None:
            transport.granted(size)

    def closed(self, peer: bytes, purpose: int, said: str | None) -> None:
        """A pipe is gone, or does not come about."""
        name = (peer, Purpose(purpose))
        code = None if said is None else parse_code(said)
        if name in self._closing:
            self._closing.pop(name).set_result(None)
        elif name in self._asked:
            _fail(self._asked.pop(name)[1], code or Code.NOT_INVITED)
        elif name in self._standing:
            self._standing.pop(name).ended(code)


def _fail(opened: "asyncio.Future[Connection]", code: Code) -> None:
    if not opened.done():
        opened.set_exception(RemoteError(code))
