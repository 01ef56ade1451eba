"""Playing at a table over the network: connect, play, and connect again when the line breaks. The API for programs."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from player import events
from player.bots import Bot
from player.client import Client, Plan, explain
from player.connection import Connection, connect
from player.playing import Means, Playing
from player.seat import Seat
from player.store import Store
from protocol.audit import Verdict, verdict_of
from protocol.codes import Code
from protocol.dealing import Fault
from protocol.errors import LocalError, RemoteError
from protocol.identity import Identity, JoinLink
from protocol.reader import Reader

RECONNECT_SECONDS = 60.0  # how long a lost table is tried again
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5.0  # seconds between tries; doubled each time
FINAL = (Code.WRONG_TABLE_KEY, Code.BAD_IDENTITY, Code.BAD_HANDSHAKE)  # trying again would not help


@dataclass(frozen=True)
class Outcome:
    """What a visit came to. `reader` is None if no match began; `reason` says why it ended early, for people."""

    verdict: Verdict
    reader: Reader | None
    faults: tuple[Fault, ...] = ()
    log_path: Path | None = None
    reason: str | None = None
    refusals: tuple[Code, ...] = ()


class _Line:
    """Between connections and the client: keeps the newest connection."""

    def __init__(self, client: Client, on_table: Callable[[bytes], None] | None) -> None:
        self.client, self._on_table = client, on_table
        self.connection: Connection | None = None

    def established(self, connection: Connection, table_key: bytes) -> None:
        self.connection = connection
        if self._on_table is not None:
            self._on_table(table_key)
        self.client.attach(connection.send, table_key)

    def received(self, payload: bytes) -> None:
        self.client.received(payload)
        self.look()

    def look(self) -> None:
        """Hang up once the client has finished."""
        if self.client.finished:
            self.hang_up()

    def hang_up(self) -> None:
        if self.connection is not None:
            self.connection.close()


async def visit(
    client: Client, link: JoinLink, expected: str | None, on_table: Callable[[bytes], None] | None = None
) -> Outcome:
    """Take the client to the table and see it through to the end of its plan.

    `expected`: the fingerprint the table must have; `on_table` is told the key that it turned out to have.
    Raises: LocalError if the table cannot be reached at all, RemoteError(WRONG_TABLE_KEY) if it is another.
    """
    line = _Line(client, on_table)
    stay = asyncio.create_task(_stay(client, line, link, expected))

    def finished() -> None:
        line.look()
        if not client.attached:  # connecting, or waiting to: there is nothing that would end by itself
            stay.cancel()

    client.on_finish = finished
    try:
        await asyncio.wait({stay})
    finally:
        stay.cancel()
        line.hang_up()
    if not stay.cancelled():
        stay.result()
    return outcome_of(client)


async def _stay(client: Client, line: _Line, link: JoinLink, expected: str | None) -> None:
    """Connect, and connect again, until the client has finished."""
    loop = asyncio.get_running_loop()
    give_up_at, pause, reached = 0.0, FIRST_PAUSE, -1
    while not client.finished:
        code = await _connection(client, line, link, expected)
        client.detached(code)
        if client.finished:
            return
        if code is not None and code in FINAL:
            client.give_up(explain(code))
        elif client.number > reached:  # it was of use; a table that only greets us must not hold us for ever
            client.means.tell(events.Notice("The connection to the table is lost; trying to get it back."))
            give_up_at, pause, reached = loop.time() + RECONNECT_SECONDS, FIRST_PAUSE, client.number
        elif loop.time() >= give_up_at:
            client.give_up("The connection to the table was lost and did not come back.")
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)


async def _connection(client: Client, line: _Line, link: JoinLink, expected: str | None) -> Code | None:
    """One connection from beginning to end, and why it ended. A table that is not there is an error only at first."""
    try:
        connection = await connect(link, client.means.identity, client.means.rng, expected, line)
    except LocalError:
        if client.playing is None:
            raise
        return Code.CUT_OFF
    code = await connection.gone
    if code is not None and code in FINAL and client.playing is None:
        raise RemoteError(code)
    return code


def outcome_of(client: Client) -> Outcome:
    """What a finished client's visit came to; closes its log."""
    playing = client.playing
    if playing is None:
        return Outcome(Verdict.INCOMPLETE, None, reason=client.reason)
    path = playing.store.path if playing.store else None
    if playing.store is not None:
        playing.store.close()
    refusals = tuple(playing.refusals)
    return Outcome(_verdict(playing), playing.reader, playing.faults, path, client.reason, refusals)


def _verdict(playing: Playing) -> Verdict:
    return Verdict.FAULT if playing.faults else verdict_of(playing.reader)


async def play(
    link: JoinLink,
    identity: Identity,
    name: str,
    chooser: Bot | None,
    *,
    rng: Random,
    log_path: Path | None = None,
    seat_type: type[Seat] = Seat,
    on_event: Callable[[events.Event], None] | None = None,
    plan: Plan | None = None,
) -> Outcome:
    """Play one match (or what `plan` says) with a bot; the link's fingerprint, if any, is insisted on.

    For tests, measurements and programs; `player.cli` adds keys, contacts and known tables.
    Raises: LocalError, RemoteError as `visit`.
    """
    store = None if log_path is None else lambda match_id: Store(log_path)
    means = Means(identity, rng, seat_type, chooser, store, on_event or (lambda event: None))
    return await visit(Client(name, plan or Plan(), means), link, link.fingerprint)
