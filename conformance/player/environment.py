"""The context of a case: a listening table, and the player under test as a process of its own."""

import asyncio
import contextlib
import secrets
import socket
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from conformance.case import CaseFailed, CaseSkipped
from conformance.player.connection import ConnectionEnded, TableConnection
from conformance.player.fake_table import FakeTable, usual_terms
from conformance.player.lines import Line, TcpLine
from conformance.program import TestProgram
from conformance.scope import WHOLE, Scope
from conformance.trace import Trace
from protocol.codes import Code
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.match.terms import Terms

# limit for each required step of a player: a slow machine starts a program in two seconds
SECONDS = 20.0
LOOKING = frozenset({"hello", "list", "find"})  # messages of a player that looks at the tables
QUIET_SECONDS = 1.0  # after this silence a player counts as stopped
ServeWeb = Callable[[socket.socket, Callable[[Line], Awaitable[None]]], Awaitable[None]]


def _door() -> socket.socket:
    door = socket.create_server(("127.0.0.1", 0))
    door.setblocking(False)
    return door


class PlayerEnvironment:
    """The table and the player of one case."""

    def __init__(
        self,
        program: TestProgram,
        folder: Path,
        trace: Trace,
        seconds: float = SECONDS,
        *,
        scope: Scope = WHOLE,
        looks_first: bool = False,
        serve_web: ServeWeb | None = None,
    ) -> None:
        """`folder` is the player's data folder; `seconds` limits each required step.

        `looks_first`: the player asks for the tables on a connection of its own, before the one on
        which it sits down. No case counts that connection, unless something is wrong with it.

        `serve_web`: answers players by WebSocket; None: the table answers by TCP.
        """
        self.scope = scope
        self._looks_first = looks_first
        self._serve_web = serve_web
        self._program = program
        self.trace = trace
        self.folder = folder
        self._seconds = seconds
        self.table = FakeTable(Random(secrets.token_bytes(32)), usual_terms(scope))
        self.connections: list[TableConnection] = []  # all connections of the player
        self.fingerprint: str | None = None  # fingerprint in the link; None: the table's
        self._doors = [_door()]
        self.port = self._doors[0].getsockname()[1]
        # sockets of other hosts, with the identity that answers at each
        self._others: list[tuple[socket.socket, Identity | None]] = []
        self.first: int | None = None  # a port that the link names before this table's
        self._tasks: list[asyncio.Task[None]] = []
        self._changed = asyncio.Condition()

    def play(self, terms: Terms) -> FakeTable:
        """Set the terms. Without this call, the match is short, and dealt with `layered`, if the
        player has that. Raises: CaseLeftOut.
        """
        self.table.terms = self.scope.check_terms(terms)
        return self.table

    # --- the player's process ---

    async def start(self) -> None:
        """Start the table, and then the player."""
        if not self._tasks:
            doors = [(self._doors[0], None), *self._others]
            self._tasks += [asyncio.create_task(self._listen(door, who)) for door, who in doors]
        link = JoinLink(
            "127.0.0.1",
            self.port,
            self.fingerprint or fingerprint(self.table.identity.public),
            web_scheme="" if self._serve_web is None else "ws",
        )
        if self.first is not None:
            link = replace(link, port=self.first, other_hosts=(("127.0.0.1", self.port),))
        await self._program.start(link=link, data=self.folder)

    async def kill(self) -> None:
        """Kill the player's process at once, as a crash does."""
        await self._program.kill()

    async def restart(self) -> None:
        """Start the player again, with the same data folder."""
        if not self._program.wants("data"):
            raise CaseSkipped("the player's command has no {data}: what it keeps is not known")
        await self.kill()
        await self.start()

    async def close(self) -> None:
        """Close all connections, and end the player."""
        await self.kill()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for door in self._doors:
            door.close()

    # --- other hosts of the table ---

    def open_door(self, identity: Identity | None = None) -> int:
        """Return the port of another host, at which this table answers, or a host with another
        identity. The call must come before the start.
        """
        door = _door()
        self._doors.append(door)
        self._others.append((door, identity))
        return int(door.getsockname()[1])

    def address(self, port: int, host: str = "127.0.0.1") -> str:
        """Return the address of a host of the table (5.5)."""
        return f"{'ws://' * (self._serve_web is not None)}{host}:{port}"

    def shut_door(self) -> None:
        """Stop listening at the link's address."""
        self._tasks[0].cancel()
        self._doors[0].close()

    def ports(self) -> list[int]:
        """The ports that the player has connected to, in order."""
        return [connection.port for connection in self.connections]

    # --- connections ---

    async def _listen(self, door: socket.socket, identity: Identity | None) -> None:
        if self._serve_web is not None:
            await self._serve_web(door, lambda line: self._arrived(line, identity))
            return
        loop = asyncio.get_running_loop()
        while True:
            accepted, _ = await loop.sock_accept(door)
            accepted.setblocking(False)
            self._tasks.append(asyncio.create_task(self._arrived(TcpLine(accepted), identity)))

    async def _arrived(self, line: Line, identity: Identity | None) -> None:
        name = f"connection {len(self.connections)}"
        connection = TableConnection(
            identity or self.table.identity, self.table.rng, line, self.trace.line(name)
        )
        connection.is_first = not self.connections
        connection.split = self.table.split
        connection.tickets = self.table.tickets
        self.connections.append(connection)
        try:
            await self._serve(connection)
        except CaseFailed as failed:
            self.table.noticed.append(str(failed))
        finally:
            if self._looks_first and self._has_looked(connection):
                self.connections.remove(connection)
            connection.ended.set()
            connection.close()
            await self._tell()

    async def _serve(self, connection: TableConnection) -> None:
        try:
            await connection.handshake(self.table.second)
            await self._tell()
            while True:
                name, values = await connection.receive()
                await self.table.handle(connection, name, values)
                await self._tell()
        except ConnectionEnded:
            return

    def _has_looked(self, connection: TableConnection) -> bool:
        """Check that the player has left the lobby as it should, for the connection on which it sits
        down.
        """
        well = connection.closed and connection.code is None
        return well and LOOKING.issuperset(message.name for message in connection.heard)

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    # --- what is expected ---

    def heard(self, name: str) -> bool:
        """Check whether the player has sent a message of this name."""
        return any(
            message.name == name for connection in self.connections for message in connection.heard
        )

    def silent(self, connection: TableConnection, after: str) -> None:
        """Fail if the player has sent anything after the message of this name."""
        names = [message.name for message in connection.heard]
        if names[-1:] != [after]:
            raise CaseFailed(f"the player said more after {after}")
        self.look()

    async def wait(self, true: Callable[[], bool], otherwise: str) -> None:
        """Wait until `true` returns True; fail with `otherwise` after the time limit."""
        try:
            async with asyncio.timeout(self._seconds), self._changed:
                await self._changed.wait_for(true)
        except TimeoutError:
            self.look()
            raise CaseFailed(otherwise) from None

    def look(self) -> None:
        """Fail if the player has broken the specification."""
        if self.table.noticed:
            raise CaseFailed(self.table.noticed[0])

    async def connection(self, number: int = 0) -> TableConnection:
        """The player's connection of this number."""
        await self.wait(
            lambda: len(self.connections) > number, f"the player did not connect ({number + 1})"
        )
        return self.connections[number]

    async def end(self, number: int = 0) -> TableConnection:
        """Wait until the player has ended its connection of this number."""
        while True:
            connection = await self.connection(number)
            await self.wait(connection.ended.is_set, "the player did not end the connection")
            if connection in self.connections:
                return connection

    async def expect_closed(self, *codes: Code | None, number: int = 0) -> None:
        """Expect a close record from the player, with one of these codes. A WebSocket is closed
        without one after a message that is no frame.
        """
        connection = await self.end(number)
        self.look()
        if connection.refused and Code.FRAME_SIZE in codes:
            return
        if not connection.closed:
            raise CaseFailed("the player hung up without a close record")
        if connection.code not in codes:
            raise CaseFailed(f"the player closed with {connection.code or 'no code'}")

    async def expect_dropped(self, number: int = 0) -> None:
        """Expect that the player drops the connection in the handshake, without another byte."""
        connection = await self.end(number)
        if connection.answered:
            raise CaseFailed("the player answered")
        self.look()

    async def expect_clean(self) -> None:
        """Expect that the match ends, and that the player sends a close record."""
        await self.wait(lambda: self.table.over, "the match did not end")
        for fault in self.table.room.match.faults:
            raise CaseFailed(f"the match ended with {fault.code}")
        await self.expect_closed(None, number=len(self.connections) - 1)

    async def expect_post(self, kind: str) -> list[Any]:
        """Return the body of the player's first entry of a kind."""
        await self.wait(lambda: bool(self.table.posts(kind)), f"the player did not post {kind}")
        self.look()
        body: list[Any] = self.table.posts(kind)[0].body
        return body

    async def expect_stopped(self, number: int) -> None:
        """Expect that the player posts nothing after it has seen entry `number`: it hangs up, or is
        silent for a while.
        """
        connection = await self.connection(len(self.connections) - 1)
        await self.wait(
            lambda: connection.fed > number or connection.ended.is_set(),
            f"the player has not come to entry {number}",
        )
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(QUIET_SECONDS):
                await connection.ended.wait()
        posts = self.table.posts()
        # The table refused the entry: the match is over.
        again = len({entry.raw for entry in posts}) < len(posts)
        if again or any(entry.seen_number >= number for entry in posts):
            raise CaseFailed("the player went on playing")
        self.look()
