"""Connection of a process to the NATS server: one subject for each player, one for the coordinator,
one for all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg

from protocol.errors import LocalError
from protocol.limits import MACHINES_SERVER_SECONDS
from simulation.machines.messages import COORDINATOR

Heard = Callable[[bytes], Coroutine[Any, Any, None]]


class NatsConnection:
    """Bytes to and from numbers. All who can reach the server can send, so the receiver must check
    every message.
    """

    def __init__(self, client: Client, run: bytes, gone: asyncio.Future[str | Exception]) -> None:
        self.client = client
        self.gone = gone
        self._prefix = f"ligretto.{run.hex()}."

    @classmethod
    async def connect(cls, url: str, run: bytes) -> NatsConnection:
        """Connect. Raises: LocalError if there is no server, or it refuses the connection."""
        gone: asyncio.Future[str | Exception] = asyncio.get_running_loop().create_future()

        async def lost() -> None:
            if not gone.done():
                gone.set_result("server")

        # errors of our own handlers; errors of the server end in `lost`
        async def failed(error: Exception) -> None:
            if not gone.done() and not isinstance(error, nats.errors.Error | OSError):
                gone.set_result(error)

        try:
            async with asyncio.timeout(2 * MACHINES_SERVER_SECONDS):
                client = await nats.connect(
                    url,
                    allow_reconnect=False,
                    error_cb=failed,
                    disconnected_cb=lost,
                    closed_cb=lost,
                    max_reconnect_attempts=1,
                    reconnect_time_wait=0,
                    connect_timeout=MACHINES_SERVER_SECONDS,
                    skip_subject_validation=True,
                )
        except (nats.errors.Error, OSError, TimeoutError, ValueError):
            raise LocalError("wrong.machines.server") from None
        return cls(client, run, gone)

    async def listen(self, number: int | None, heard: Heard) -> None:
        """Receive messages for a number, or for all."""

        async def take(message: Msg) -> None:
            await heard(message.data)

        await self.client.subscribe(self._subject(number), cb=take)

    async def send(self, to: int | None, data: bytes, reply: int | None = None) -> None:
        """Send to a number, or to all. `reply` is the number that an answer must go to."""
        await self.client.publish(
            self._subject(to), data, "" if reply is None else self._subject(reply)
        )

    async def close(self, flush: bool) -> None:
        """Close the connection; with `flush`, after all messages are sent. Errors no longer matter
        here.
        """
        with suppress(nats.errors.Error, OSError, TimeoutError):
            if flush:
                await self.client.flush(MACHINES_SERVER_SECONDS)
            await self.client.close()

    def _subject(self, number: int | None) -> str:
        if number is None:
            return f"{self._prefix}all"
        return f"{self._prefix}{'coordinator' if number == COORDINATOR else number}"
