"""Signers for tests: in a thread of this process, or as a separate program."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from protocol.identity.keys import Identity
from table.signer.requests import Request
from table.signer.service import SignerService, SigningJudge
from table.signer.sign_state import SignState
from table.signer.signer import Denied, OwnKey
from table.signer.unix_socket import bound

KEY = Identity(bytes(range(32)))


class Patient(OwnKey):
    """Signer in this process without sockets and threads. It answers when `work` is called, as its
    book permits.
    """

    at_once = False

    def __init__(self, identity: Identity, book: SigningJudge) -> None:
        super().__init__(identity)
        self.book, self.waiting, self.away = book, list[Any](), False

    def submit(self, requests: Sequence[Request], done: Any, denied: Any) -> None:
        """Store a request, as in `Signer`."""
        if requests:
            self.waiting.append((requests, done, denied))
        else:
            done([])

    def work(self) -> None:
        """Answer all requests, including those made meanwhile."""
        while self.waiting:
            requests, done, denied = self.waiting.pop(0)
            judged = self.book.judge(requests)
            wrong = [one for one in judged if isinstance(one, Denied)]
            if wrong:
                denied(wrong[0])
            else:
                super().submit(judged, done, denied)  # type: ignore[arg-type]


class Threaded:
    """Signer in a thread with its own event loop. It listens at `folder`/signer.sock from `start`
    to `stop`.
    """

    def __init__(
        self,
        folder: Path,
        kind: type[SignerService] = SignerService,
        judge: Callable[[Path], SigningJudge] = SignState,
        key: Identity = KEY,
    ) -> None:
        self.path, self._kind, self._judge, self._folder = (
            folder / "signer.sock",
            kind,
            judge,
            folder,
        )
        self._key = key

    def start(self) -> "Threaded":
        """Start, and return when the signer listens."""
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def stop(self) -> None:
        """Disconnect, and release the book."""
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        judge = self._judge(self._folder)
        service = self._kind(self._key, judge, 0.01)
        server = await asyncio.start_unix_server(service.serve, sock=bound(self.path))
        self._ready.set()
        await self._stop.wait()
        server.close()
        await service.close()
        while just_accepted := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.gather(*just_accepted, return_exceptions=True)
        if isinstance(judge, SignState):
            judge.close()


@contextmanager
def threaded(folder: Path, **parts: Any) -> Iterator[Threaded]:
    """Run a signer during the block, unless the block stops it."""
    signer = Threaded(folder, **parts).start()
    try:
        yield signer
    finally:
        if signer._thread.is_alive():
            signer.stop()


@contextmanager
def program(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run `fairdeal signer` on this folder, where it listens. Kill it at the end."""
    command = [sys.executable, "-m", "fairdeal", "signer", "--data", str(folder)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            said = process.stderr.readline()
            assert "signing for the table" in said, said
            yield process
        finally:
            process.kill()
