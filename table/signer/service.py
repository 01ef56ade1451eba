"""The signer as a server: reads what hosts ask, has it judged and put on disk, and only then signs
and answers.

What comes while the disk is busy goes with the next transaction, so that many matches share the
wait. Sessions need no memory and are signed at once.
"""

import asyncio
import logging
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, Protocol

from protocol import wire
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.limits import (
    JOURNAL_RETRY_SECONDS,
    MAX_SIGNER_FRAME,
    MAX_SIGNER_HOSTS,
    MAX_SIGNER_WAITING,
    READ_CHUNK,
)
from table.signer.messages import (
    SignAnswer,
    SignQuestion,
    decode_question,
    encode_answer,
    encode_hello,
)
from table.signer.requests import SECRETS, SESSION, Request
from table.signer.signer import Denied, answer

log = logging.getLogger(__name__)
_REMEMBERS_NOTHING = (SESSION, *SECRETS)


class SigningJudge(Protocol):
    """What remembers: `table.signer.sign_state.SignState`."""

    def judge(self, requests: Sequence[Request]) -> list[Request | Denied]:
        """See `Book.judge`."""


class _Waiting(NamedTuple):
    host: asyncio.StreamWriter
    asked: SignQuestion


class SignerService:
    """A signer in this event loop. `serve` is called for each host that connects."""

    def __init__(
        self, identity: Identity, book: SigningJudge, retry_seconds: float = JOURNAL_RETRY_SECONDS
    ) -> None:
        self._identity, self._book, self._retry_seconds = identity, book, retry_seconds
        self._waiting: list[_Waiting] = []
        self._come, self._room = asyncio.Event(), asyncio.Event()
        self._room.set()
        self._hosts: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._writer = asyncio.create_task(self._write())
        self._closed = False
        self._refusing = False  # the disk refuses, and the log says so

    async def close(self) -> None:
        """Nobody is answered any more; what is on its way to the disk gets there."""
        self._closed, hosts = True, dict(self._hosts)
        self._writer.cancel()
        self._room.set()
        for writer in hosts.values():
            writer.close()
        await asyncio.gather(self._writer, *hosts, return_exceptions=True)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one host until it goes. What is wrong with it concerns nobody else."""
        task = asyncio.current_task()
        assert task is not None
        if len(self._hosts) >= MAX_SIGNER_HOSTS or self._closed:
            log.error("no more than %d connections: one is refused", MAX_SIGNER_HOSTS)
            writer.close()
            return
        self._hosts[task] = writer
        try:
            writer.write(encode_hello(self._identity.public))
            await self._listen(reader, writer)
        except RemoteError as error:
            log.error("a host says what no host says (%s): dropped", error.code)
        except OSError as error:
            log.info("a host is gone (%s)", type(error).__name__)
        finally:
            self._hosts.pop(task, None)
            writer.close()

    async def _listen(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        frames = wire.FrameDecoder(MAX_SIGNER_FRAME)
        while data := await reader.read(READ_CHUNK):
            for frame in frames.feed(data):
                self._take(writer, decode_question(frame))
            await writer.drain()  # whoever does not read its answers is not read from
            await self._room.wait()

    def _take(self, writer: asyncio.StreamWriter, asked: SignQuestion) -> None:
        if asked.request.purpose in _REMEMBERS_NOTHING:
            self._say(writer, asked.id, asked.request)
            return
        self._waiting.append(_Waiting(writer, asked))
        if len(self._waiting) >= MAX_SIGNER_WAITING:
            self._room.clear()
        self._come.set()

    async def _write(self) -> None:
        with ThreadPoolExecutor(1, "book") as thread:
            while True:
                await self._come.wait()
                waiting, self._waiting = self._waiting, []
                self._come.clear()
                self._room.set()
                try:
                    await self._settle(thread, waiting)
                except Exception as error:  # whatever it is, the others must not wait for ever
                    log.error(
                        "a request could not be judged (%s): its host is dropped",
                        type(error).__name__,
                    )
                    for one in waiting:
                        one.host.close()

    async def _settle(self, thread: ThreadPoolExecutor, waiting: Sequence[_Waiting]) -> None:
        """Have these judged, and answer them; while the disk refuses, nobody hears anything."""
        loop, requests = asyncio.get_running_loop(), [one.asked.request for one in waiting]
        while True:
            try:
                judged = await loop.run_in_executor(thread, self._book.judge, requests)
                break
            except sqlite3.Error as error:
                self._complain(error)
                await asyncio.sleep(self._retry_seconds)
        if self._refusing:
            self._refusing = False
            log.info("what is signed can be written again")
        for one, said in zip(waiting, judged, strict=True):
            self._say(one.host, one.asked.id, said)

    def _complain(self, error: sqlite3.Error) -> None:
        if not self._refusing:
            log.error("what is signed cannot be written (%s); trying again, the hosts wait", error)
        self._refusing = True

    def _say(self, writer: asyncio.StreamWriter, number: int, judged: Request | Denied) -> None:
        if isinstance(judged, Denied):
            log.error("refused to sign: %s", judged.value)
        if not writer.is_closing():
            said = judged if isinstance(judged, Denied) else answer(self._identity, judged)
            writer.write(encode_answer(SignAnswer(number, said)))
