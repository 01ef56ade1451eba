"""A connection to a store of NATS servers: questions to JetStream, and what their answers mean."""

import asyncio
import json
import logging
import ssl
from collections.abc import Callable
from typing import Any

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from protocol.errors import LocalError
from table.storage.shared.backend import Conflict, Unanswered
from table.storage.shared.nats.store_address import NatsAddress

ANSWER_SECONDS = 2.0  # for an answer; then nobody knows what has become of the question
CONNECT_SECONDS = 10.0  # for the first server that lets us in
NOT_FOUND = {10037, 10057, 10059}  # of JetStream's codes: no such message, or stream
# wrong last sequence; said, too, by a leader that does not know the newest
_CONFLICTS = {10071, 10164}

log = logging.getLogger(__name__)


class NotFound(Exception):
    """There is no such message or stream."""


class Refused(Unanswered):
    """An answer that nothing follows from, as while a cluster finds itself."""


class JetStream:
    """A connection that comes back by itself."""

    def __init__(self, address: NatsAddress, connect_seconds: float = CONNECT_SECONDS) -> None:
        self._address, self._client, self._patience = address, Client(), connect_seconds
        self._distrusted = False  # TLS with a server has failed
        self._said: set[str] = set()  # of what the servers refuse, that the log says so

    @property
    def most(self) -> int:
        """Bytes of a message that the servers take."""
        return self._client.max_payload

    async def connect(self) -> None:
        """Raises: LocalError if no server lets us in."""
        address = self._address
        user, password = address.credentials()
        try:
            # without a buffer for what is sent while there is no connection: it would go out late,
            # and unknown to us
            connecting = self._client.connect(
                address.urls,
                pending_size=-1,
                ping_interval=1,
                max_outstanding_pings=2,
                max_reconnect_attempts=-1,
                reconnect_time_wait=1,
                connect_timeout=2,
                user=user,
                password=password,
                name="fairdeal",
                error_cb=self._failed,
                tls=address.context(),
                # else it would ask without TLS whether to speak TLS, and whoever stands between
                # could say no
                tls_handshake_first=address.tls,
            )
            async with asyncio.timeout(self._patience):
                await connecting
        except (nats.errors.Error, OSError, TimeoutError, ValueError):
            await self.close()
            raise LocalError(
                "wrong.store.certificate" if self._distrusted else "wrong.store.connect"
            ) from None

    async def publish(self, subject: str, data: bytes) -> None:
        """Say something to whoever listens now; without a connection nobody does."""
        try:
            await self._client.publish(subject, data)
        except (nats.errors.Error, OSError, TimeoutError, ValueError):
            log.debug("something was said to nobody")

    async def subscribe(self, subject: str, heard: Callable[[bytes], None]) -> None:
        """Call this with what is said there, until this is closed."""

        async def came(message: Msg) -> None:
            heard(message.data)

        await self._client.subscribe(subject, cb=came)

    async def close(self) -> None:
        """Whatever goes wrong now does not matter any more."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await self._client.close()
        except (nats.errors.Error, OSError, TimeoutError):
            log.debug("the connection to the store could not be closed")

    async def api(self, question: str, **given: Any) -> dict[str, Any]:
        """The answer of JetStream's API. Raises: Unanswered, NotFound."""
        return await self.ask(f"$JS.API.{question}", json.dumps(given).encode())

    async def ask(
        self, subject: str, data: bytes, headers: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """Raises: Unanswered, Conflict, NotFound."""
        try:
            message = await self._client.request(
                subject, data, timeout=ANSWER_SECONDS, headers=headers
            )
            answer = json.loads(message.data)
        except (nats.errors.Error, OSError, TimeoutError, ValueError):
            raise Unanswered from None
        if not isinstance(answer, dict):
            raise Unanswered
        if "error" in answer:
            self._refused(answer["error"])
        return answer

    def _refused(self, error: object) -> None:
        code = error.get("err_code") if isinstance(error, dict) else None
        if code in NOT_FOUND:
            raise NotFound
        if code in _CONFLICTS:
            raise Conflict
        self._say(
            f"the store refuses with JetStream's code {code if isinstance(code, int) else 0}; "
            "trying again"
        )
        raise Refused

    async def _failed(self, error: Exception) -> None:
        if isinstance(error, ssl.SSLError):
            self._distrusted = True
        if "permissions violation" in str(error).lower():
            self._say(
                "the store's account may not do what a host has to; docs/cluster.md says what "
                "that is"
            )

    def _say(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            log.error("%s", text)
