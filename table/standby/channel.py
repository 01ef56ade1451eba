"""A primary's line to its standby: questions and answers, in the journal's thread, which waits for
them.
"""

import contextlib
import secrets
import socket
from collections.abc import Iterable

from net.socket_options import keep_alive
from protocol.errors import RemoteError
from protocol.identity.keys import Identity, fingerprint
from protocol.limits import (
    READ_CHUNK,
    STANDBY_ANSWER_SECONDS,
    STANDBY_CONNECT_SECONDS,
    STANDBY_TWIN_SECONDS,
)
from protocol.session.session import PROLOGUE as TABLE
from protocol.session.session import (
    MessageReceived,
    PeerAuthenticated,
    Role,
    Session,
    SessionClosed,
)
from table.standby.messages import PROLOGUE

RNG = secrets.SystemRandom()


class ChannelBroken(Exception):
    """The line is of no use any more; the other side may have got what was sent, or not. The text
    is ours.
    """


class Channel:
    """An open line to whoever holds a key, of which both sides are sure."""

    def __init__(
        self,
        address: tuple[str, int],
        identity: Identity,
        expected: str,
        prologue: bytes = PROLOGUE,
        patience: float = STANDBY_CONNECT_SECONDS,
    ) -> None:
        """Raises: Broken if nobody answers there, within seconds of `patience`, who holds the
        expected key.
        """
        try:
            self._socket = socket.create_connection(address, patience)
        except (OSError, UnicodeError):
            raise ChannelBroken("cannot be reached") from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        keep_alive(self._socket)
        self._waiting: list[bytes] = []
        self._session = Session(Role.PLAYER, identity, RNG.randbytes(32), RNG, expected, prologue)
        try:
            self._send(self._session.start())
            while not self._session.writable:
                self._read()
            self._send(self._session.take_handshake_bytes())
        except BaseException:
            self.close()
            raise
        self._socket.settimeout(STANDBY_ANSWER_SECONDS)

    def ask(self, messages: Iterable[bytes]) -> bytes:
        """Send these and wait for the answer. Raises: Broken."""
        for message in messages:
            self._send(self._session.send(message))
        while not self._waiting:
            self._read()
        return self._waiting.pop(0)

    def close(self) -> None:
        """Let go of the line; who waits for an answer in another thread hears that there will be
        none.
        """
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _send(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError:
            raise ChannelBroken("takes nothing") from None

    def _read(self) -> None:
        try:
            data = self._socket.recv(READ_CHUNK)
        except OSError:
            raise ChannelBroken("does not answer") from None
        if not data:
            raise ChannelBroken("has closed the line")
        try:
            for event in self._session.receive(data):
                self._take(event)
        except RemoteError:
            raise ChannelBroken("is none of this table's key, or speaks otherwise") from None

    def _take(self, event: PeerAuthenticated | MessageReceived | SessionClosed) -> None:
        if isinstance(event, SessionClosed):
            raise ChannelBroken("has closed the line")
        if isinstance(event, MessageReceived):
            self._waiting.append(event.payload)


def table_answers(address: tuple[str, int], key: bytes) -> bool:
    """Whether a table with this public key can be talked to there, as a player would; it hears of
    no name.
    """
    try:
        Channel(
            address,
            Identity(secrets.token_bytes(32)),
            fingerprint(key),
            TABLE,
            STANDBY_TWIN_SECONDS,
        ).close()
    except ChannelBroken:
        return False
    return True
