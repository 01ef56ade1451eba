"""The table's side of the host's socket: each connection has one request and its answer.

A process that may open the socket may act as the host, so only the owner of the folder may open it. A
command that sends wrong bytes, or reads slowly, disturbs nobody at the table.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

from protocol import wire
from protocol.errors import LocalError, RemoteError
from protocol.limits import (
    CONTROL_END_SECONDS,
    CONTROL_SECONDS,
    MAX_CONTROL_FRAME,
    MAX_CONTROLS,
    READ_CHUNK,
)
from table.control.housekeeping import back_up, order_of, prune
from table.control.messages import (
    ChangedRow,
    Done,
    Failed,
    Request,
    Row,
    decode_request,
    encode_answer,
)
from table.control.socket_file import SOCKET_FILE
from table.control.status import status_rows
from table.lobby.bans import FOR_GOOD, parse_target
from table.manager.manager import TableManager
from table.signer.unix_socket import bound

log = logging.getLogger(__name__)


class ControlService:
    """Service for the commands of one table manager's host."""

    def __init__(
        self,
        manager: TableManager,
        seconds: float = CONTROL_SECONDS,
        ends: float = CONTROL_END_SECONDS,
        reload: Callable[[], list[str]] | None = None,
    ) -> None:
        """`seconds`: for a request, and for each answer to be read; `ends`: for a match to end.
        `reload` reads the configuration again, and returns the changed keys.
        """
        self._manager, self._seconds, self._ends = manager, seconds, ends
        self._reload = reload
        self._served: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one command."""
        task = asyncio.current_task()
        assert task is not None
        if len(self._served) >= MAX_CONTROLS:
            log.warning("no more than %d commands at once: one is refused", MAX_CONTROLS)
            writer.close()
            return
        self._served[task] = writer
        try:
            await self._answer(reader, writer)
        except RemoteError as error:
            log.warning("a command sent an invalid request (%s): dropped", error.code)
        except (OSError, TimeoutError) as error:
            log.info("a command broke off (%s)", type(error).__name__)
        finally:
            self._served.pop(task, None)
            writer.close()

    async def close(self) -> None:
        """Drop all commands."""
        served = dict(self._served)
        for task, writer in served.items():
            writer.transport.abort()
            task.cancel()
        await asyncio.gather(*served, return_exceptions=True)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(self._seconds):
            request = await _read(reader)
        if request is None:
            return
        answers: list[Row | Done | Failed]
        try:
            answers = list(await self.do(request))
        except LocalError as error:
            answers = [Failed(error.phrase)]
        for answer in answers:
            writer.write(encode_answer(answer))
            async with asyncio.timeout(self._seconds):
                await writer.drain()

    async def do(self, request: Request) -> Iterator[Row | Done]:
        """Do what a command asks for. Raises: LocalError."""
        match request:
            case Request("status"):
                rows = list(status_rows(self._manager))
                return iter([*rows, Done(len(rows))])
            case Request("reload"):
                return self._reload_config()
            case Request("remove", [str(named), bool(end)]):
                await self._remove(named, end)
                return iter([Done(1)])
            case Request("prune"):
                return iter(await prune(self._manager, order_of(request)))
            case Request("backup", [str(path)]):
                return iter([Done(await back_up(self._manager, Path(path)))])
        return iter([Done(self._moderate(request))])

    def _reload_config(self) -> Iterator[Row | Done]:
        """Read the configuration again. Raises: LocalError."""
        if self._reload is None:
            raise LocalError("wrong.config.none")
        changed = self._reload()
        return iter([*map(ChangedRow, changed), Done(len(changed))])

    def _moderate(self, request: Request) -> int:
        """Do a command of moderation. Return the number of people or connections that it concerns.
        Raises: LocalError.
        """
        moderation = self._manager.moderation
        match request:
            case Request("kick", [str(said)]):
                return moderation.kick(parse_target(said))
            case Request("ban", [str(said), int(seconds)]):
                until = min(moderation.now + seconds * 1000, FOR_GOOD) if seconds else FOR_GOOD
                return moderation.ban(parse_target(said), until)
            case Request("unban", [str(said)]):
                target = parse_target(said)
                if not moderation.unban(target):
                    raise LocalError("wrong.control.not_banned", target=target.text)
                return 1
            case Request("say", [str(said)]):
                return moderation.say(said)
            case Request("drain", [bool(begins)]):
                return self._drain(begins)
        raise AssertionError(request.name)

    def _drain(self, begins: bool) -> int:
        """Begin or cancel the drain. Return the number of running matches. Raises: LocalError."""
        manager = self._manager
        # others would begin matches
        if begins and manager.cluster is not None and manager.cluster.view.others:
            raise LocalError("wrong.control.several")
        if begins:
            return manager.drain.begin()
        if not manager.drain.cancel():
            raise LocalError("wrong.control.not_drained")
        return manager.drain.running

    async def _remove(self, named: str, end: bool) -> None:
        """Remove a table, after the end of its match if there is one. Raises: LocalError."""
        removal = self._manager.moderation.remove(named, end)
        if removal.over is None:
            return
        try:
            async with asyncio.timeout(self._ends):
                await removal.over.wait()
        except TimeoutError:
            raise LocalError("wrong.control.later", table=removal.table_id) from None


async def _read(reader: asyncio.StreamReader) -> Request | None:
    """Read one request; None if the other side sends none. Raises: RemoteError."""
    frames = wire.FrameDecoder(MAX_CONTROL_FRAME)
    while data := await reader.read(READ_CHUNK):
        for frame in frames.feed(data):
            return decode_request(frame)
    return None


@contextlib.asynccontextmanager
async def command_socket(
    manager: TableManager,
    data: Path,
    service: Callable[[TableManager], ControlService] | None = None,
    reload: Callable[[], list[str]] | None = None,
) -> AsyncIterator[None]:
    """Serve commands at the socket in the data folder. If there can be no socket, the table runs
    without, and the log says so. `reload`: see `ControlService`.
    """
    path = data / SOCKET_FILE
    try:
        listening = bound(path)
    except LocalError as error:
        log.warning("`fairdeal table` cannot reach this table: %s", error)
        yield
        return
    serving = ControlService(manager, reload=reload) if service is None else service(manager)
    server = await asyncio.start_unix_server(serving.serve, sock=listening)
    try:
        yield
    finally:
        server.close()
        await serving.close()
        path.unlink(missing_ok=True)
