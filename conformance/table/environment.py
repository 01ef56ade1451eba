"""The context of a case: new players at the table under test, with tables and matches of their own,
all closed after the case.
"""

import asyncio
import contextlib
import itertools
import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from conformance.case import CaseFailed, CaseSkipped
from conformance.owned_decks import OwnedPlan
from conformance.scope import WHOLE, Scope
from conformance.seat import NO_LOADOUT
from conformance.table.connection import TIMEOUT, PlayerConnection
from conformance.table.kit_match import KitMatch, SeatedPlayer
from conformance.table.started_table import TableProcess, TableStarter
from conformance.trace import OutputLines, Trace
from protocol.codes import Code
from protocol.dealing.registry import wire_name
from protocol.games.decks.deck_hand import Loadout
from protocol.games.registry import BUILT_IN
from protocol.identity.keys import Identity, JoinLink
from protocol.match.clock import Allowance
from protocol.session.ticket import Ticket

# letters that nobody confuses with each other, or with letters of another script
LETTERS = "bdfghjkmnpqrstvwz"
SHORT_OPTIONS: list[list[Any]] = [["hand", 1], ["target", 1]]
CLOCK: list[list[Any]] = [list(option) for option in Allowance().options()]
# connections from one address: half of the limit in chapter 12
BURST = 256
PER_SECOND = 16


def wire_terms(
    game: str = "block-dominoes",
    options: list[list[Any]] = SHORT_OPTIONS,
    dealing: str = "layered",
    deal_options: list[list[Any]] = [],  # noqa: B006 - never changed
    clock: list[list[Any]] = CLOCK,
    seats: int = 2,
) -> list[Any]:
    """Return terms as they travel, valid or not, with the editions of rules and dealing that are
    installed here.
    """
    row = BUILT_IN.specs.get(game)
    version = row.version if row else "1"
    return [[game, options], version, [wire_name(dealing), deal_options], clock, seats]


class ConnectionRate:
    """A limiter: it admits as many connections as a table must accept from one address."""

    def __init__(self) -> None:
        self._free = float(BURST)
        self._at = 0.0

    async def wait(self) -> None:
        """Wait until another connection is allowed."""
        now = asyncio.get_running_loop().time()
        self._free = min(BURST, self._free + (now - self._at) * PER_SECOND)
        self._at = now
        self._free -= 1
        if self._free < 0:
            await asyncio.sleep(-self._free / PER_SECOND)


class TableUnderTest:
    """The table under test, for the whole kit.

    On this machine every case has an address of its own in 127.0.0.0/8, so that no case uses up the
    limits of another. For a remote table the kit connects no faster than any table must allow.
    """

    def __init__(
        self,
        link: JoinLink,
        patience: float = TIMEOUT,
        hosts: TableStarter | None = None,
        output: Sequence[OutputLines] = (),
        *,
        scope: Scope = WHOLE,
    ) -> None:
        """`hosts` starts tables, for cases that need one of their own. `output` is that of the
        table at the link, if the kit has started it.
        """
        self.scope = scope
        self.output = output
        self.link = link
        self.patience = patience
        self.pace = ConnectionRate()
        self.hosts = hosts
        self.local = link.host.startswith("127.") and _can_be("127.77.0.1")
        self._addresses = itertools.count(secrets.randbelow(1_000_000))

    def address(self) -> str | None:
        """Return a new address of this machine; None for the usual one."""
        number = next(self._addresses)
        if self.local:
            return f"127.{77 + number // 62_500}.{number // 250 % 250}.{number % 250 + 1}"
        return None

    @contextlib.asynccontextmanager
    async def arena(self) -> AsyncIterator["TableEnvironment"]:
        """Return a context for one case."""
        arena = TableEnvironment(self)
        try:
            yield arena
        finally:
            await arena.close()


def _sockets(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if (Path(folder) / name).is_socket()]


class TableEnvironment:
    """The players of one case."""

    def __init__(self, site: TableUnderTest) -> None:
        self.site, self.address, self.link = site, site.address(), site.link
        self.trace = Trace()
        self.trace.shared = site.output
        self._host: TableProcess | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._killed = False  # its process has been killed, and not started since
        self._copy: Path | None = None  # of the folder
        self.peers: list[PlayerConnection] = []
        self.began = 0.0  # no match has begun before this time

    # --- a table of the case's own ---

    async def host(self) -> TableProcess:
        """Start a table that this case may kill; from now on this table is the one under test."""
        if self.site.hosts is None:
            raise CaseSkipped("the kit must start the table itself, to kill it: --table COMMAND")
        self._folder = tempfile.TemporaryDirectory(
            prefix="fairdeal-table-", ignore_cleanup_errors=True
        )
        self._host = self.site.hosts(Path(self._folder.name), self.trace)
        self.link = await self._host.start()
        return self._host

    def copy_data(self) -> Path:
        """Copy the folder of the case's table, whose process is killed; return the copy."""
        assert self._folder is not None
        copy = Path(self._folder.name).with_suffix(".copy")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self._folder.name, copy, ignore=_sockets)
        self._copy = copy
        return copy

    async def kill(self) -> None:
        """Kill the case's table."""
        assert self._host is not None
        self._killed = True
        await self._host.kill()

    async def restart(self, kept: Path | None = None) -> None:
        """Kill the case's table, and start it again with the same folder, or with a copy of it."""
        assert self._host is not None and self._folder is not None
        if not self._killed:
            await self._host.kill()
        self._killed = False
        if kept is not None:
            shutil.rmtree(self._folder.name)
            shutil.copytree(kept, self._folder.name)
        again = await self._host.start()
        if again.fingerprint != self.link.fingerprint:
            raise CaseFailed("a table has another key after a restart")
        self.link = again

    async def close(self) -> None:
        """Close all connections and tables of the case."""
        for peer in self.peers:
            await peer.close()
        if self._host is not None:
            await self._host.kill()
        if self._folder is not None:
            self._folder.cleanup()
        if self._copy is not None:
            shutil.rmtree(self._copy, ignore_errors=True)

    # --- people ---

    async def peer(
        self,
        name: str | None = None,
        identity: Identity | None = None,
        address: str | None = None,
        ticket: Ticket | None = None,
    ) -> PlayerConnection:
        """Return a connection before its handshake, in which it shows this ticket."""
        peer = PlayerConnection(
            self.link,
            secrets.randbits(64),
            name or fresh_name(),
            identity,
            self.site.patience,
            ticket,
            self.trace,
        )
        if not self.site.local:
            await self.site.pace.wait()
        try:
            await peer.connect(address or self.address)
        except OSError:
            raise CaseFailed("the table cannot be reached") from None
        self.peers.append(peer)
        return peer

    async def session(self, **values: Any) -> PlayerConnection:
        """Return a connection after its handshake, before `hello`."""
        return await (await self.peer(**values)).handshake()

    async def guest(self, **values: Any) -> PlayerConnection:
        """Return a connection in the lobby."""
        return await (await self.peer(**values)).greet()

    async def back(self, peer: PlayerConnection) -> PlayerConnection:
        """Return the same player on a new connection, in the lobby."""
        return await self.guest(name=peer.name, identity=peer.identity)

    def terms(self, **terms: Any) -> list[Any]:
        """Return terms as they travel, of a game and a dealing that the table under test has.
        Raises: CaseLeftOut.
        """
        return wire_terms(**self.site.scope.fill(terms))

    async def table(self, owner: PlayerConnection, **terms: Any) -> str:
        """Create a table for `owner`, and return its id."""
        await owner.send("create", self.terms(**terms))
        message = await owner.receive()
        if message is not None and message.values == [str(Code.NOT_OFFERED)]:
            raise CaseFailed(
                "the table takes no rules of players' own: start it with --allow-create any"
            )
        if message is None or message.name != "created":
            raise CaseFailed(f"{owner.described(message)} instead of created")
        return str(message.values[0])

    async def declined(self, owner: PlayerConnection, code: Code, **terms: Any) -> None:
        """Expect that the table under test refuses to create a table of these terms, with this
        code.
        """
        await owner.send("create", self.terms(**terms))
        await owner.expect_error(code)

    async def seated(self, seats: int = 2, **terms: Any) -> list[PlayerConnection]:
        """Return players in a match that has just begun at their own table; they have not asked for
        the log.
        """
        peers = [await self.guest() for _ in range(seats)]
        table = await self.table(peers[0], seats=seats, **terms)
        for peer in peers:
            self.began = time.monotonic()  # the time of the last player's seat
            await peer.join(table)
        for peer in peers:
            if not peer.match_id:
                await peer.expect("match")
        return peers

    async def play(self, seats: int = 2, brings: Loadout = NO_LOADOUT, **terms: Any) -> KitMatch:
        """Return a match that has just begun. All players, in the order of the seats, have read the
        first entry; all have the same loadout.
        """
        return await self._begin(await self.seated(seats, **terms), [brings] * seats)

    async def play_owned(
        self, mode: str, plan: OwnedPlan, accepts: Iterable[tuple[str, str]] = ()
    ) -> KitMatch:
        """Return a match by decks of owned cards that has just begun; `accepts` are conditions on
        the cards.
        """
        options = [["cards", "owned"], *map(list, accepts), ["mode", mode]]
        peers = await self.seated(2, game="element-duel", options=options, dealing="seeded")
        peers.sort(key=lambda peer: peer.seat or 0)
        rng = Random(secrets.token_bytes(32))
        return await self._begin(peers, plan.loadouts(rng, [peer.identity for peer in peers]))

    async def _begin(
        self, peers: Sequence[PlayerConnection], brings: Sequence[Loadout]
    ) -> KitMatch:
        """Return the match of these players, who have read its first entry; each seat has its
        loadout.
        """
        players = sorted(map(SeatedPlayer, peers, brings), key=lambda player: player.number)
        if [player.number for player in players] != list(range(len(peers))):
            raise CaseFailed("the seats given out are not all different")
        return await KitMatch(players, self.began).begin()


def _can_be(address: str) -> bool:
    """Check that this machine can connect from `address`."""
    with socket.socket() as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
        return True


def fresh_name() -> str:
    """Return a name that nobody else has."""
    return "K" + "".join(secrets.choice(LETTERS) for _ in range(12))
