"""What a case gets: a table that listens, and the player under test as a process of its own,
started by its command.
"""

import asyncio
import contextlib
import secrets
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from conformance.case import CaseFailed, CaseSkipped
from conformance.player.connection import ConnectionEnded, TableConnection
from conformance.player.fake_table import FakeTable, short_terms
from conformance.program import TestProgram
from protocol.codes import Code
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.match.terms import Terms

SECONDS = 20.0  # for a player to do what it must: a slow machine starts a program in two
QUIET_SECONDS = 1.0  # in which a player that has stopped says nothing more


def _door() -> socket.socket:
    door = socket.create_server(("127.0.0.1", 0))
    door.setblocking(False)
    return door


class PlayerEnvironment:
    """One case's table and player."""

    def __init__(self, program: TestProgram, folder: Path, seconds: float = SECONDS) -> None:
        """`folder`: for the player to keep things in; `seconds`: how long it may take for what it
        must do.
        """
        self._program, self.folder, self._seconds = program, folder, seconds
        self.table = FakeTable(Random(secrets.token_bytes(32)), short_terms())
        self.connections: list[TableConnection] = []  # that the player has made
        self.fingerprint: str | None = None  # in the link; None: the table's
        self._doors = [_door()]
        self.port = self._doors[0].getsockname()[1]
        # of other hosts, and who answers there
        self._others: list[tuple[socket.socket, Identity | None]] = []
        self.first: int | None = None  # a port that stands in the link before this one
        self._tasks: list[asyncio.Task[None]] = []
        self._changed = asyncio.Condition()

    def play(self, terms: Terms) -> FakeTable:
        """What is played, if not a short match dealt layered."""
        self.table.terms = terms
        return self.table

    # --- the player's process ---

    async def start(self) -> None:
        """Open the table, and start the player."""
        if not self._tasks:
            doors = [(self._doors[0], None), *self._others]
            self._tasks += [asyncio.create_task(self._listen(door, who)) for door, who in doors]
        link = JoinLink(
            "127.0.0.1", self.port, self.fingerprint or fingerprint(self.table.identity.public)
        )
        if self.first is not None:
            link = replace(link, port=self.first, other_hosts=(("127.0.0.1", self.port),))
        await self._program.start(link=link, data=self.folder)

    async def kill(self) -> None:
        """End the player's process at once, as a crash would."""
        await self._program.kill()

    async def restart(self) -> None:
        """Start the player again, with the data folder that it had."""
        if not self._program.wants("data"):
            raise CaseSkipped("the player's command has no {data}: what it keeps is not known")
        await self.kill()
        await self.start()

    async def close(self) -> None:
        """Clear everything away."""
        await self.kill()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for door in self._doors:
            door.close()

    # --- other hosts of the table ---

    def open_door(self, identity: Identity | None = None) -> int:
        """The port of another host, where this table answers, or somebody else; to be asked for
        before the start.
        """
        door = _door()
        self._doors.append(door)
        self._others.append((door, identity))
        return int(door.getsockname()[1])

    def shut_door(self) -> None:
        """Nobody answers any more where the link leads."""
        self._tasks[0].cancel()
        self._doors[0].close()

    def ports(self) -> list[int]:
        """Where the player has called, in order."""
        return [connection.port for connection in self.connections]

    # --- connections ---

    async def _listen(self, door: socket.socket, identity: Identity | None = None) -> None:
        loop = asyncio.get_running_loop()
        while True:
            accepted, _ = await loop.sock_accept(door)
            self._tasks.append(asyncio.create_task(self._arrived(accepted, identity)))

    async def _arrived(self, accepted: socket.socket, identity: Identity | None) -> None:
        accepted.setblocking(False)
        connection = TableConnection(identity or self.table.identity, self.table.rng, accepted)
        connection.is_first = not self.connections
        connection.bytewise = self.table.bytewise
        self.connections.append(connection)
        try:
            await self._serve(connection)
        except CaseFailed as failed:
            self.table.noticed.append(str(failed))
        finally:
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

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    # --- what is expected ---

    def heard(self, name: str) -> bool:
        """Whether the player has said a message of this name."""
        return any(
            message.name == name for connection in self.connections for message in connection.heard
        )

    def silent(self, connection: TableConnection, after: str) -> None:
        """Fail if the player has said anything after the message of this name."""
        names = [message.name for message in connection.heard]
        if names[-1:] != [after]:
            raise CaseFailed(f"the player said more after {after}")
        self.look()

    async def wait(self, true: Callable[[], bool], otherwise: str) -> None:
        """Wait until something is true, or fail with these words."""
        try:
            async with asyncio.timeout(self._seconds), self._changed:
                await self._changed.wait_for(true)
        except TimeoutError:
            self.look()
            raise CaseFailed(otherwise) from None

    def look(self) -> None:
        """Fail if the player has done what no player may."""
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
        connection = await self.connection(number)
        await self.wait(connection.ended.is_set, "the player did not end the connection")
        return connection

    async def expect_closed(self, *codes: Code | None, number: int = 0) -> None:
        """The player says goodbye with a close record, for one of these reasons."""
        connection = await self.end(number)
        self.look()
        if not connection.closed:
            raise CaseFailed("the player hung up without a close record")
        if connection.code not in codes:
            raise CaseFailed(f"the player closed with {connection.code or 'no code'}")

    async def expect_dropped(self, number: int = 0) -> None:
        """The player drops the connection in the handshake, without another word."""
        connection = await self.end(number)
        if connection.answered:
            raise CaseFailed("the player answered")
        self.look()

    async def expect_clean(self) -> None:
        """The match is played to its end, and the player says goodbye."""
        await self.wait(lambda: self.table.over, "the match did not end")
        for fault in self.table.room.match.faults:
            raise CaseFailed(f"the match ended with {fault.code}")
        await self.expect_closed(None, number=len(self.connections) - 1)

    async def expect_post(self, kind: str) -> list[Any]:
        """The body of the first entry of a kind that the player posts."""
        await self.wait(lambda: bool(self.table.posts(kind)), f"the player did not post {kind}")
        self.look()
        body: list[Any] = self.table.posts(kind)[0].body
        return body

    async def expect_stopped(self, number: int) -> None:
        """Once it has seen entry `number`, the player posts nothing more: it hangs up, or is silent
        for a while.
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
        # it was refused: the match is over
        again = len({entry.raw for entry in posts}) < len(posts)
        if again or any(entry.seen_number >= number for entry in posts):
            raise CaseFailed("the player went on playing")
        self.look()
