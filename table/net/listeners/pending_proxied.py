"""Connections of named proxies whose clients are not known yet."""

import asyncio
from typing import Protocol

from table.net.admission import ArrivalDecision
from table.net.connection import ConnectionAcceptor
from table.net.timer import Timer


class ProxyAdmission(ConnectionAcceptor, Protocol):
    """Owner of connections that also judges clients behind a proxy."""

    def judge_arrival(self, address: str) -> ArrivalDecision:
        """Count an arrival from this address, and decide about it. Nothing is set up for it yet."""


class PendingProxied:
    """At most `most` of these connections, each for at most `seconds`; the oldest gives way."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._timers: dict[asyncio.Transport, Timer] = {}
        self._closed = False

    def __len__(self) -> int:
        return len(self._timers)

    def enter(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        """Add a connection, and start its time."""
        if self._closed:  # it was accepted just before
            transport.abort()
            return
        timer = Timer(loop, transport.abort)
        self._timers[transport] = timer
        timer.set(self._seconds)
        if len(self._timers) > self._most:
            oldest = next(iter(self._timers))
            self.leave(oldest)
            oldest.abort()

    def leave(self, transport: asyncio.Transport) -> None:
        """Forget a connection: its client is known, or it has gone."""
        if (timer := self._timers.pop(transport, None)) is not None:
            timer.stop()

    def close(self) -> None:
        """Drop all connections, and those that come later."""
        self._closed = True
        for transport in list(self._timers):
            self.leave(transport)
            transport.abort()
