"""A host's side of a signer process: `RemoteSigner` is a `table.signer.signer.Signer`.

Two connections. What matches have signed goes through one, many at a time, and the loop goes on
meanwhile. Sessions and first entries wait for their answer on the other, some tenths of a
millisecond; if it does not come in time the signer counts as away, and nobody waits for it again
before it has answered on the first.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from protocol import wire
from protocol.crypto.hashing import Field
from protocol.errors import LocalError, RemoteError
from protocol.i18n import english_text
from protocol.limits import (
    MAX_SIGNER_ASKED,
    MAX_SIGNER_FRAME,
    READ_CHUNK,
    SIGNER_AWAY_SECONDS,
    SIGNER_RETRY_SECONDS,
)
from table.signer.blocking_client import BlockingClient
from table.signer.messages import SignQuestion, decode_answer, decode_hello, encode_question
from table.signer.requests import SEALING, SECRETS, Request
from table.signer.signer import Answers, Denied, SignerGone, SignerRefuses
from table.signer.unix_socket import check

log = logging.getLogger(__name__)


class _Batch(NamedTuple):
    """Requests that are answered together."""

    answers: list[bytes | None]
    done: Answers
    denied: Callable[[Denied], None]


class _Pending(NamedTuple):
    frame: bytes
    batch: _Batch
    place: int
    since: float


class RemoteSigner:
    """A signer that listens at a path. `async with RemoteSigner(path)` waits until it is there.

    Raises on entry: LocalError, if others could be behind the socket.
    """

    at_once = False

    def __init__(self, path: Path) -> None:
        self.public = b""
        self._path, self._loop = path, asyncio.get_running_loop()
        self._line = BlockingClient(path)
        self._secrets: dict[str, bytes] = {}
        self._pending: dict[int, _Pending] = {}  # by id, in the order they were asked
        self._last = 0
        self._writer: asyncio.StreamWriter | None = None  # while it is connected
        # it has not answered somebody who waited, and has not answered anything since
        self._mute = False
        self._there = asyncio.Event()
        self._task = asyncio.create_task(self._keep_connected())

    async def __aenter__(self) -> "RemoteSigner":
        waits = asyncio.create_task(self._there.wait())
        try:
            await asyncio.wait({waits, self._task}, return_when=asyncio.FIRST_COMPLETED)
            if self._task.done():
                self._task.result()
            return self
        except BaseException:
            self.close()
            raise
        finally:
            waits.cancel()

    async def __aexit__(self, *error: object) -> None:
        self.close()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    # --- Signer ---

    @property
    def away(self) -> bool:
        """See `Signer`."""
        oldest = next(iter(self._pending.values()), None)
        late = oldest is not None and self._loop.time() - oldest.since >= SIGNER_AWAY_SECONDS
        return self._writer is None or self._mute or late or len(self._pending) >= MAX_SIGNER_ASKED

    def sign(self, label: str, *fields: Field) -> bytes:
        """See `Signer`."""
        return self.ask(Request(label, fields))

    def ask(self, request: Request) -> bytes:
        """See `Signer`."""
        if self.away:
            raise SignerGone("wrong.signer.gone", path=str(self._path))
        try:
            said = self._line.ask(request, self.public)
        except (OSError, RemoteError):
            self._line.close()
            self._mute = True
            self.submit([Request(SEALING, ())], lambda answers: None, lambda why: None)
            raise SignerGone("wrong.signer.gone", path=str(self._path)) from None
        if isinstance(said, Denied):
            raise SignerRefuses(said)
        return said

    def submit(
        self, requests: Sequence[Request], done: Answers, denied: Callable[[Denied], None]
    ) -> None:
        """See `Signer`."""
        if not requests:
            done([])
            return
        batch = _Batch([None] * len(requests), done, denied)
        for place, request in enumerate(requests):
            self._last += 1
            frame = encode_question(SignQuestion(self._last, request))
            self._pending[self._last] = _Pending(frame, batch, place, self._loop.time())
            if self._writer is not None:
                self._writer.write(frame)

    def secret(self, label: str) -> bytes:
        """See `Signer`."""
        return self._secrets[label]

    def close(self) -> None:
        """See `Signer`."""
        self._task.cancel()
        self._line.close()
        self._pending.clear()

    # --- inside ---

    async def _keep_connected(self) -> None:
        said = ""
        while True:
            try:
                check(self._path)
                reader, self._writer = await self._connected()
                log.info("the signer is there")
                said = ""
                await self._read(reader)
                why = "it has hung up"
            except (OSError, RemoteError) as error:
                why = type(error).__name__
            except LocalError as error:
                if not self._there.is_set():
                    raise
                why = english_text(error.phrase)
            finally:
                self._let_go()
            if why != said:
                log.error("the signer is away (%s); the matches wait, and nobody's time runs", why)
            said = why
            await asyncio.sleep(SIGNER_RETRY_SECONDS)

    def _let_go(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Greeted, and asked once more for all that it owes.

        Raises: OSError, RemoteError; LocalError for another key.
        """
        async with asyncio.timeout(SIGNER_AWAY_SECONDS):
            reader, writer = await asyncio.open_unix_connection(self._path)
            try:
                frames = wire.FrameDecoder(MAX_SIGNER_FRAME)
                public = decode_hello(await _frame(reader, frames))
                if self.public not in (b"", public):
                    raise LocalError("wrong.signer.key", path=str(self._path))
                secrets = {label: await _secret(label, reader, writer, frames) for label in SECRETS}
            except BaseException:
                writer.close()
                raise
        self.public, self._secrets = public, secrets
        now = self._loop.time()
        for number, pending in self._pending.items():
            self._pending[number] = pending._replace(since=now)
            writer.write(pending.frame)
        self._line.close()  # it led to whoever was there before
        self._mute = False
        self._there.set()
        return reader, writer

    async def _read(self, reader: asyncio.StreamReader) -> None:
        frames = wire.FrameDecoder(MAX_SIGNER_FRAME)
        while data := await reader.read(READ_CHUNK):
            for frame in frames.feed(data):
                self._hear(frame)

    def _hear(self, frame: bytes) -> None:
        number, said = decode_answer(frame)
        self._mute = False
        pending = self._pending.pop(number, None)
        if pending is None:  # one of its batch was refused
            return
        batch = pending.batch
        if isinstance(said, Denied):
            self._pending = {
                key: one for key, one in self._pending.items() if one.batch is not batch
            }
            self._loop.call_soon(batch.denied, said)
            return
        batch.answers[pending.place] = said
        found = [one for one in batch.answers if one is not None]
        if len(found) == len(batch.answers):
            self._loop.call_soon(batch.done, found)


async def _secret(
    label: str,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    frames: wire.FrameDecoder,
) -> bytes:
    """Ask for a secret that follows from the key. Raises: OSError, RemoteError."""
    writer.write(encode_question(SignQuestion(0, Request(label, ()))))
    secret = decode_answer(await _frame(reader, frames)).answer
    assert isinstance(secret, bytes)
    return secret


async def _frame(reader: asyncio.StreamReader, frames: wire.FrameDecoder) -> bytes:
    """The next frame. Raises: OSError, RemoteError."""
    while (frame := frames.next_payload()) is None:
        data = await reader.read(READ_CHUNK)
        if not data:
            raise ConnectionResetError
        frames.feed(data)
    return frame
