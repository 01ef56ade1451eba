"""The context of a case: the program under test, as guest or inviter, and the kit's own player
(chapters 17 and 19).
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
from conformance.direct.kit_player import GUEST, INVITER, KitPlayer, usual_terms
from conformance.program import TestProgram
from conformance.scope import WHOLE, Scope, check_kind
from conformance.trace import Trace
from protocol.codes import Code
from protocol.identity.keys import DIRECT_SCHEME, Identity, JoinLink, fingerprint
from protocol.match.log import Record, decode_entry
from protocol.match.terms import Terms
from protocol.messages.parcel import EntriesParcel, Invitation, Parcel
from protocol.session.session import LINE_PROLOGUE, Role, Session

SECONDS = 20.0  # limit for each required step of the program
QUIET_SECONDS = 1.0  # after this silence a program counts as stopped


class DirectEnvironment:
    """The program and the kit's side of the match, for one case."""

    def __init__(
        self,
        program: TestProgram,
        folder: Path,
        trace: Trace,
        seconds: float = SECONDS,
        *,
        scope: Scope = WHOLE,
    ) -> None:
        """The program is a guest if its command has `{link}`, and an inviter if its command has
        `{port}`.
        """
        self.program = program
        self.scope = scope
        self.trace = trace
        self.folder = folder
        self.seconds = seconds
        self.rng = Random(secrets.token_bytes(32))
        self.guest = self.program.wants("link")  # whether the program is the guest
        self.side = KitPlayer(self.rng, INVITER if self.guest else GUEST)
        self.named: str | None = None  # another fingerprint for the link that a guest gets
        self.link: JoinLink | None = None  # the link of an inviting program
        self._arrived: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
            asyncio.Queue()
        )
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._port = self._socket.getsockname()[1]
        self._server: asyncio.Server | None = None
        self._closed = False
        self.lines: list[DirectConnection] = []
        self._sent = 0  # number of entries that the kit has sent on this connection

    # --- the program ---

    async def start(self) -> None:
        """Start the program, or start the program again."""
        if self.guest:
            if self._server is None:
                self._server = await asyncio.start_server(self._accept, sock=self._socket)
            named = self.named or fingerprint(self.side.identity.public)
            link = JoinLink("127.0.0.1", self._port, named, direct=True)
            await self.program.start(link=link, data=self.folder)
            return
        self._socket.close()  # The program needs the port.
        await self.program.start(port=self._port, data=self.folder)
        line = await self.program.line_with(DIRECT_SCHEME, self.seconds)
        self.link = JoinLink.parse(DIRECT_SCHEME + line.split(DIRECT_SCHEME)[1].split()[0])

    async def restart(self) -> DirectConnection:
        """Kill the program, start it again, and connect."""
        await self.program.kill()
        self._drop_calls()
        await self.start()
        return await self.line()

    def _drop_calls(self) -> None:
        """Hang up on calls of the killed program, which may have called again before it was
        killed.
        """
        if self._server is not None:
            self._server.close()  # the system ends those that nobody has accepted yet
            self._server = None
            self._socket = socket.create_server(("127.0.0.1", self._port))
        while not self._arrived.empty():
            _, writer = self._arrived.get_nowait()
            writer.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._closed:
            writer.transport.abort()
        else:
            await self._arrived.put((reader, writer))

    async def close(self) -> None:
        """Close all connections, and end the program."""
        self._closed = True
        for line in self.lines:
            line.cut()
        try:
            await self.program.kill()
        finally:
            if self._server is not None:
                self._server.close()
            while not self._arrived.empty():  # calls that no case has answered
                _, writer = self._arrived.get_nowait()
                writer.transport.abort()
            self._socket.close()

    # --- connections ---

    async def line(self, identity: Identity | None = None) -> DirectConnection:
        """Return the next connection after its handshake: a guest's to the kit, or the kit's to an
        inviter.
        """
        role = Role.TABLE if self.guest else Role.PLAYER
        who = identity or self.side.identity
        async with self.patience("connect"):
            reader, writer = await (self._arrived.get() if self.guest else self._call())
            expected = self.link.fingerprint if self.link else None
            line = DirectConnection(
                reader,
                writer,
                Session(role, who, self.rng.randbytes(32), self.rng, expected, LINE_PROLOGUE),
                self.trace.line(f"line {len(self.lines)}"),
            )
            self.lines.append(line)
            self._sent = 0
            return await line.open(role)

    async def _call(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self._port)

    @contextlib.asynccontextmanager
    async def patience(self, what: str) -> AsyncIterator[None]:
        """Limit the time for a step that the program must take. Raises: CaseFailed with `what`."""
        try:
            async with asyncio.timeout(self.seconds):
                yield
        except (TimeoutError, OSError):
            raise CaseFailed(f"the program did not {what}") from None

    async def receive(self, line: DirectConnection, what: str = "go on") -> Parcel | None:
        """Return the next parcel within the time limit."""
        async with self.patience(what):
            return await line.receive()

    # --- a match ---

    async def invited(self, line: DirectConnection) -> Invitation:
        """Return the program's invitation."""
        parcel = await self.receive(line, "send an invitation")
        if not isinstance(parcel, Invitation):
            raise CaseFailed("the program sends something else than its invitation")
        self.side.invitation = parcel
        return parcel

    async def begin(self, terms: Terms | None = None) -> DirectConnection:
        """Start the program, connect, and agree on a match. The log then has entry 0, and no other
        entry of the kit.

        `terms` are the terms in the kit's invitation to a guest (None: usual ones); an inviter
        chooses its own terms. Raises: CaseLeftOut for terms that the program does not have.
        """
        invited = usual_terms(self.scope) if terms is None else self.scope.check_terms(terms)
        await self.start()
        line = await self.line()
        if self.guest:
            await line.send(self.side.invite(invited))
            await self.take(line)
        else:
            await self.invited(line)
            self.side.add(self.side.accept())
        return line

    async def take(self, line: DirectConnection) -> None:
        """Receive the next entries of the program."""
        parcel = await self.receive(line)
        if not isinstance(parcel, EntriesParcel):
            raise CaseFailed(
                "the program ended the connection"
                if parcel is None
                else "the program invites again"
            )
        self.side.take(parcel)

    async def give(self, line: DirectConnection, *more: Record) -> None:
        """Send the new entries of the kit's log, followed by `more`."""
        if len(self.side.records) > self._sent or more:
            await line.send(self.side.since(self._sent, *more))
            self._sent = len(self.side.records)

    async def reach(self, line: DirectConnection, kind: str) -> None:
        """Play until the kit has an entry of this kind to post. Everything before this entry is
        sent.
        """
        check_kind(kind, self.side.log_terms.dealing.name)
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
        """Expect that the program posts nothing more, and closes with one of these codes."""
        while (parcel := await self.receive(line, "close")) is not None:
            self._no_news(parcel)
        if not line.closed or line.code not in codes:
            raise CaseFailed(f"the program closed with {line.code or 'no code'}")

    async def expect_stopped(self, line: DirectConnection) -> None:
        """Expect that the program posts nothing more: it hangs up, or is silent for a while."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(QUIET_SECONDS):
                while (parcel := await line.receive()) is not None:
                    self._no_news(parcel)

    def _no_news(self, parcel: Parcel) -> None:
        """Check that a parcel has only entries that both sides already have."""
        side = self.side
        for number, (raw, _) in (
            enumerate(parcel.records, parcel.first) if isinstance(parcel, EntriesParcel) else ()
        ):
            if number >= len(side.records) and decode_entry(raw).author != side.own:
                raise CaseFailed("the program went on playing")


def refusal_case(
    code: Code, send: Callable[[DirectEnvironment, DirectConnection], Awaitable[None]]
) -> CaseBody:
    """Make a case: the program ignores the whole parcel, and ends the connection with the code.
    After a restart the program goes on.
    """

    async def run(arena: DirectEnvironment) -> None:
        line = await arena.begin()
        await arena.reach(line, "commit")
        await send(arena, line)
        await arena.expect_closed(line, [code])
        await arena.finish(await arena.restart())

    return run
