"""Two people without a table over real sockets: through a gate that can be closed, and through a
table's pipe.
"""

import asyncio
import time
from pathlib import Path

from player.client.environment import Environment
from player.client.seat import Seat
from player.direct.direct_client import DirectClient
from player.direct.direct_match import INVITER
from player.direct.direct_paths import DirectPaths
from player.multipath.line_set import LineKind
from protocol.identity.keys import JoinLink, fingerprint
from protocol.match.terms import make_terms
from protocol.options import Selection
from tests.support.without_table import Side

HERE = "127.0.0.1"
THINK = 0.1  # seconds for a move


class Gate:
    """Proxy to a person's port. It is open, shut (all lines through it break), or deaf (lines stay,
    but no data passes).

    `left` is the number of bytes until the lines break by themselves, once; None: never.
    """

    def __init__(self) -> None:
        self.deaf = False
        self.left: int | None = None
        self.breaks = 0  # number of breaks after `left` bytes
        self.shut = False
        self.to = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def stand(self) -> int:
        """Open the proxy's own port, and return it."""
        self._server = await asyncio.start_server(self._pass, HERE, 0)
        return int(self._server.sockets[0].getsockname()[1])

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.shut:
            writer.transport.abort()
            return
        there, back = await asyncio.open_connection(HERE, self.to)
        self._open |= {writer, back}
        ways = [asyncio.create_task(self._carry(*way)) for way in ((reader, back), (there, writer))]
        self._tasks |= set(ways)
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for end in (writer, back):
            end.transport.abort()
        await asyncio.wait(ways)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(1 << 16):
                if self.left is not None:
                    data, self.left = data[: self.left], self.left - len(data)
                if not self.deaf:
                    writer.write(data)
                if self.left is not None and self.left <= 0:
                    self.left, self.breaks = None, self.breaks + 1
                    return
        except ConnectionError:
            return

    def cut(self) -> None:
        """Shut the proxy, which breaks its lines."""
        self.shut = True
        for writer in self._open:
            writer.transport.abort()
        self._open.clear()

    async def close(self) -> None:
        self.cut()
        assert self._server is not None
        self._server.close()
        if self._tasks:
            await asyncio.wait(self._tasks)


class Person:
    """One side of a match. It thinks briefly before each move. Its clock may be fast."""

    def __init__(
        self,
        side: Side,
        *,
        share: bool,
        link: JoinLink | None = None,
        table: JoinLink | None = None,
        haste: float = 1,
    ) -> None:
        environment = Environment(
            side.identity,
            side.rng,
            Seat,
            None,
            side.told.append,
            games=side.games,
            steady=lambda: haste * time.monotonic(),
        )
        self.side, self.match = side, side.open()
        self.client = DirectClient(
            environment, None if self.match.own == INVITER else self._accept, self.match
        )
        self.reach = DirectPaths(self.client, share=share, link=link, table=table)
        self.work: list[asyncio.Task[None]] = []
        self.think = THINK

    def _accept(self, _: object) -> None:
        raise AssertionError("the match has begun")

    @property
    def kind(self) -> LineKind | None:
        return self.reach.transports.lines.kind

    def begin(self) -> None:
        self.work = [asyncio.create_task(self._see_through()), asyncio.create_task(self._play())]

    async def _see_through(self) -> None:
        try:
            await self.reach.see_through(600.0)
        finally:
            await self.reach.close()

    async def _play(self) -> None:
        while not self.client.finished:
            await asyncio.sleep(self.think)
            if choices := self.match.choices:
                self.client.choose(choices[0])

    async def end(self) -> None:
        for work in self.work:
            work.cancel()
        await asyncio.wait(self.work)


class Played:
    """A match between Ann, who invites, and Bob, who has accepted and calls her through the
    gate.
    """

    def __init__(
        self, folder: Path, *, share: bool = False, table: JoinLink | None = None, haste: float = 1
    ) -> None:
        self._folder, self._share, self._table, self._haste = folder, share, table, haste
        self.gate = Gate()

    async def __aenter__(self) -> "Played":
        ann, bob = Side(self._folder / "ann", "Ann", 2), Side(self._folder / "bob", "Bob", 3)
        terms = make_terms(
            Selection("draw-dominoes", (("target", 150),)), Selection("commutative"), (), 2
        )
        bob.accept(ann.invite(terms))
        first = bob.turn()
        assert first is not None
        ann.turn(first)
        port = await self.gate.stand()
        self.ann = Person(ann, share=self._share, table=self._table, haste=self._haste)
        self.gate.to = await self.ann.reach.listen(HERE, 0)
        link = JoinLink(HERE, port, fingerprint(ann.identity.public), direct=True)
        self.bob = Person(bob, share=self._share, link=link, table=self._table, haste=self._haste)
        if self._share:
            await self.bob.reach.listen(HERE, 0)
        for person in self.people:
            person.begin()
        return self

    @property
    def people(self) -> tuple[Person, Person]:
        return self.ann, self.bob

    @property
    def number(self) -> int:
        return min(person.match.number for person in self.people)

    async def until(self, kind: LineKind | None = None, number: int = 0) -> None:
        """Wait until both sides use a line of this kind, and have `number` entries."""
        async with asyncio.timeout(240):
            while self.number < number or not all(
                kind in (None, person.kind) for person in self.people
            ):
                await asyncio.sleep(0.002)

    async def beside(self, kind: LineKind) -> None:
        """Wait until both sides have a line of this kind in addition to the one in use."""
        async with asyncio.timeout(240):
            while not all(kind in person.reach.transports.lines.standing for person in self.people):
                await asyncio.sleep(0.01)

    async def over(self) -> None:
        """Play to the end without thinking."""
        for person in self.people:
            person.think = 0
        async with asyncio.timeout(240):
            while not all(person.client.finished for person in self.people):
                await asyncio.sleep(0.01)

    async def __aexit__(self, *_: object) -> None:
        for person in self.people:
            await person.end()
        await self.gate.close()
