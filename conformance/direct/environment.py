"""What a case gets: the program under test, as a guest or as the one who invites, and the other
player (17, 19).
"""

import asyncio
import contextlib
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from random import Random

from conformance.case import CaseBody, CaseFailed
from conformance.direct.connection import DirectConnection
from conformance.direct.kit_player import GUEST, INVITER, TERMS, KitPlayer
from conformance.program import TestProgram
from protocol.codes import Code
from protocol.identity.keys import DIRECT_SCHEME, Identity, JoinLink, fingerprint
from protocol.match.log import Record, decode_entry
from protocol.match.terms import Terms
from protocol.messages.parcel import EntriesParcel, Invitation, Parcel
from protocol.session.session import Role, Session

SECONDS = 20.0  # for the program to do what it must
QUIET_SECONDS = 1.0  # in which a program that has stopped says nothing more


class DirectEnvironment:
    """One case: the program, and our side of the match."""

    def __init__(self, program: TestProgram, folder: Path, seconds: float = SECONDS) -> None:
        """The program is a guest if its command has {link} in it, and invites if it has {port}."""
        self.program, self.folder, self.seconds = program, folder, seconds
        self.rng = Random(secrets.token_bytes(32))
        self.guest = self.program.wants("link")  # whether the program is the guest
        self.side = KitPlayer(self.rng, INVITER if self.guest else GUEST)
        self.named: str | None = None  # another fingerprint in the link that a guest is given
        self.link: JoinLink | None = None  # of a program that invites
        self._arrived: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
            asyncio.Queue()
        )
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._port = self._socket.getsockname()[1]
        self._server: asyncio.Server | None = None
        self.lines: list[DirectConnection] = []
        self._sent = 0  # entries that the program has been sent on this line

    # --- the program ---

    async def start(self) -> None:
        """Start it, or start it again."""
        if self.guest:
            if self._server is None:
                self._server = await asyncio.start_server(self._accept, sock=self._socket)
            named = self.named or fingerprint(self.side.identity.public)
            link = JoinLink("127.0.0.1", self._port, named, direct=True)
            await self.program.start(link=link, data=self.folder)
            return
        self._socket.close()  # the port is the program's
        await self.program.start(listen=True, port=self._port, data=self.folder)
        line = await self.program.line_with(DIRECT_SCHEME, self.seconds)
        self.link = JoinLink.parse(DIRECT_SCHEME + line.split(DIRECT_SCHEME)[1].split()[0])

    async def restart(self) -> DirectConnection:
        """Kill it, start it again, and connect."""
        await self.program.kill()
        await self.start()
        return await self.line()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._arrived.put((reader, writer))

    async def close(self) -> None:
        """Clear everything away."""
        for line in self.lines:
            line.cut()
        await self.program.kill()
        if self._server is not None:
            self._server.close()
        self._socket.close()

    # --- connections ---

    async def line(self, identity: Identity | None = None) -> DirectConnection:
        """The program's next connection to us, or ours to it; the session stands."""
        role, who = (Role.TABLE if self.guest else Role.PLAYER), identity or self.side.identity
        async with self.patience("connect"):
            reader, writer = await (self._arrived.get() if self.guest else self._call())
            expected = self.link.fingerprint if self.link else None
            line = DirectConnection(
                reader, writer, Session(role, who, self.rng.randbytes(32), self.rng, expected)
            )
            self.lines.append(line)
            self._sent = 0
            return await line.open(role)

    async def _call(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self._port)

    @contextlib.asynccontextmanager
    async def patience(self, what: str) -> AsyncIterator[None]:
        """Wait so long for something that the program must do. Raises: Failed."""
        try:
            async with asyncio.timeout(self.seconds):
                yield
        except (TimeoutError, OSError):
            raise CaseFailed(f"the program did not {what}") from None

    async def receive(self, line: DirectConnection, what: str = "go on") -> Parcel | None:
        """The next parcel, in time."""
        async with self.patience(what):
            return await line.receive()

    # --- a match ---

    async def invited(self, line: DirectConnection) -> Invitation:
        """The program's invitation."""
        parcel = await self.receive(line, "send an invitation")
        if not isinstance(parcel, Invitation):
            raise CaseFailed("the program sends something else than its invitation")
        self.side.invitation = parcel
        return parcel

    async def begin(self, terms: Terms = TERMS) -> DirectConnection:
        """Start the program, connect, and agree on a match: entry 0 is there, and nothing else of
        ours.

        `terms`: what a guest is invited to; who invites says that itself.
        """
        await self.start()
        line = await self.line()
        if self.guest:
            await line.send(self.side.invite(terms))
            await self.take(line)
        else:
            await self.invited(line)
            self.side.add(self.side.accept())
        return line

    async def take(self, line: DirectConnection) -> None:
        """The next entries of the program."""
        parcel = await self.receive(line)
        if not isinstance(parcel, EntriesParcel):
            raise CaseFailed(
                "the program ended the connection"
                if parcel is None
                else "the program invites again"
            )
        self.side.take(parcel)

    async def give(self, line: DirectConnection, *more: Record) -> None:
        """Send what is new of our log, and what comes behind it."""
        if len(self.side.records) > self._sent or more:
            await line.send(self.side.since(self._sent, *more))
            self._sent = len(self.side.records)

    async def reach(self, line: DirectConnection, kind: str) -> None:
        """Play until this is what we have to post; it is not posted, and all else is sent."""
        self.side.hold = kind
        while self.side.post():
            if self.side.over:
                raise CaseFailed(f"the match ended before we had to post {kind}")
            await self.give(line)
            await self.take(line)
        self.side.hold = None
        await self.give(line)

    async def finish(self, line: DirectConnection) -> None:
        """Play to the end, which must be clean, and part as 19.5.4 says."""
        side = self.side
        while side.post() and not side.over:
            await self.give(line)
            await self.take(line)
        await self.give(line)
        assert side.reader is not None
        if side.reader.faults:
            raise CaseFailed("somebody is named although all were honest")
        if side.log.last_author != side.own:
            await line.close()
            return
        while await self.receive(line, "say that it has the end of the match") is not None:
            """It may send again what we have."""
        if not line.closed or line.code is not None:
            raise CaseFailed("the program does not say that it has the end of the match")

    # --- what is expected ---

    async def expect_closed(self, line: DirectConnection, codes: Sequence[Code | None]) -> None:
        """The program posts nothing more, and closes with one of these codes."""
        while (parcel := await self.receive(line, "close")) is not None:
            self._no_news(parcel)
        if not line.closed or line.code not in codes:
            raise CaseFailed(f"the program closed with {line.code or 'no code'}")

    async def expect_stopped(self, line: DirectConnection) -> None:
        """The program posts nothing more: it hangs up, or is silent for a while."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(QUIET_SECONDS):
                while (parcel := await line.receive()) is not None:
                    self._no_news(parcel)

    def _no_news(self, parcel: Parcel) -> None:
        """It may send again what stands, and what we have posted."""
        side = self.side
        for number, (raw, _) in (
            enumerate(parcel.records, parcel.first) if isinstance(parcel, EntriesParcel) else ()
        ):
            if number >= len(side.records) and decode_entry(raw).author != side.own:
                raise CaseFailed("the program went on playing")


def refusal_case(
    code: Code, send: Callable[[DirectEnvironment, DirectConnection], Awaitable[None]]
) -> CaseBody:
    """A parcel of which nothing is kept: the connection ends with the code; started again, the
    program goes on.
    """

    async def run(arena: DirectEnvironment) -> None:
        line = await arena.begin()
        await arena.reach(line, "commit")
        await send(arena, line)
        await arena.expect_closed(line, [code])
        await arena.finish(await arena.restart())

    return run
