"""Connections that a named proxy has made, and of whom it is not known yet whom they are for."""

import asyncio
from typing import Protocol

from table.net.admission import Knock
from table.net.connection import ConnectionAcceptor
from table.net.timer import Timer


class ProxyAdmission(ConnectionAcceptor, Protocol):
    """A gate that is asked with the address that a proxy says."""

    def knock(self, address: str) -> Knock:
        """Whether somebody from this address may connect; nothing is set up for it yet."""


class PendingProxied:
    """All of them: no more than `most`, and none longer than `seconds`; the oldest gives way."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most, self._seconds = most, seconds
        self._timers: dict[asyncio.Transport, Timer] = {}
        self._closed = False

    def __len__(self) -> int:
        return len(self._timers)

    def enter(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        """One more waits."""
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
        """It is known, or has gone."""
        if (timer := self._timers.pop(transport, None)) is not None:
            timer.stop()

    def close(self) -> None:
        """Nobody is waited for any more."""
        self._closed = True
        for transport in list(self._timers):
            self.leave(transport)
            transport.abort()
