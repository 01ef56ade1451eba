"""Listening socket: accepts a few connections at a time, and refuses peers before anything is
allocated for them.

asyncio's own server accepts up to its whole backlog in one turn, with a task and a transport for
each, before a refusal is possible. 10,000 attempts from one address would delay everybody who
plays. In the turn in which it is closed, it neither serves nor closes connections that it has
accepted (Python 3.11).
"""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable
from typing import Protocol

from protocol.limits import (
    ACCEPT_RETRY_SECONDS,
    ACCEPTS_PER_TURN,
    LISTEN_BACKLOG,
    TURNED_AWAY_READ,
)

log = logging.getLogger(__name__)

ProtocolFactory = Callable[[], asyncio.BaseProtocol]
# checks the address of a peer, as the socket reports it: None if it is admitted, or what makes its
# protocol if that is another one; else the bytes to send before the connection is closed
AdmissionCheck = Callable[[object], bytes | ProtocolFactory | None]


class OpenListener(Protocol):
    """A listener in use: `Listener`, or what a test puts in its place."""

    host: str
    port: int
    open: bool

    def close(self) -> None:
        """Accept no more connections."""


# opens a listener at a host and a port. Raises: OSError
ListenerFactory = Callable[[str, int, AdmissionCheck, ProtocolFactory], OpenListener]


class Listener:
    """Accepts connections at an address until closed.

    `factory` is called a turn after the accept, possibly even after `close`: it may refuse.
    """

    def __init__(
        self, host: str, port: int, admits: AdmissionCheck, factory: ProtocolFactory
    ) -> None:
        """Start to listen; requires a running loop. Raises: OSError if the address cannot be
        used.
        """
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=LISTEN_BACKLOG)
        self._socket.setblocking(False)
        self.host, self.port = self._socket.getsockname()[:2]
        self.open = True
        self._admits = admits
        self._factory = factory
        self._loop = asyncio.get_running_loop()
        self._arriving: set[asyncio.Task[object]] = set()
        self._retry: asyncio.TimerHandle | None = None
        self._listen()

    def close(self) -> None:
        """Accept no more connections."""
        self.open = False
        if self._retry is not None:
            self._retry.cancel()
        self._loop.remove_reader(self._socket)
        self._socket.close()

    def _listen(self) -> None:
        self._retry = None
        self._loop.add_reader(self._socket, self._accept)

    def _accept(self) -> None:
        for _ in range(ACCEPTS_PER_TURN):
            try:
                peer, address = self._socket.accept()
            except (BlockingIOError, InterruptedError, ConnectionError):
                # no peer is waiting, or the peer has gone
                return
            except OSError as error:
                # descriptors or memory are used up, so an immediate retry would only waste time
                log.error("cannot accept connections for a moment (%s)", error.strerror)
                self._loop.remove_reader(self._socket)
                self._retry = self._loop.call_later(ACCEPT_RETRY_SECONDS, self._listen)
                return
            answer = self._admits(address)
            if isinstance(answer, bytes):
                _turn_away(peer, answer)
            else:
                self._set_up(peer, answer or self._factory)

    def _set_up(self, peer: socket.socket, factory: ProtocolFactory) -> None:
        peer.setblocking(False)
        # the event loop sets this option only on its own sockets
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        task: asyncio.Task[object] = self._loop.create_task(
            self._loop.connect_accepted_socket(factory, peer)
        )
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)


def _turn_away(peer: socket.socket, last_word: bytes) -> None:
    """Close a connection. What the peer has sent is read first: unread bytes would make the system
    reset the connection, and the last word might be lost.
    """
    with contextlib.suppress(OSError):
        peer.setblocking(False)
        if last_word:
            peer.send(last_word)
            peer.shutdown(socket.SHUT_WR)
            peer.recv(TURNED_AWAY_READ)
    peer.close()
