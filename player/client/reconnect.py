"""Playing at a table over the network: connect, play, and connect again when the line breaks."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from player.client.client_base import ClientBase
from player.client.connection import CONNECT_SECONDS, Connection
from player.client.endpoints import Endpoints
from player.client.environment import Environment
from player.client.heartbeat import Heartbeat
from player.client.outcome import Outcome
from player.client.table_client import Plan, TableClient
from player.client.table_match import TableMatch
from player.storage.recovery_state import RecoveryState
from protocol.audit.verdict import Verdict
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.identity.keys import JoinLink, fingerprint

# for a lost table; twice the usual time for a step: after that it has gone on without us
KEEP_TRYING_SECONDS = 600.0
# of a connection after which the next loss is a new one; else a table could hold us for ever
USEFUL_SECONDS = 60.0
# seconds between rounds of tries; doubled each time
FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0
# since a table of several hosts was lost, and the longest pause until then
QUICK_SECONDS = 20.0
QUICK_PAUSE = 1.0
# that one of several hosts has to answer in the first round, and again to prove who it is
HOST_SECONDS = 1.0
SLOWER = 1.4  # times that, in each round after it
# of a pause, up or down by chance: the seats of a table that comes back do not all knock at once
JITTER = 0.5
FINAL = (Code.WRONG_TABLE_KEY, Code.BAD_IDENTITY)  # trying again would not help


# told the key of a table, and its encoded `KeyHistory`. Raises: RemoteError, LocalError
OnKeys = Callable[[bytes, bytes], None]


class _Line:
    """Between connections and the client: keeps the newest connection."""

    def __init__(
        self,
        client: ClientBase,
        where: Endpoints,
        on_table: Callable[[bytes], None] | None,
        on_keys: OnKeys | None,
    ) -> None:
        self.client = client
        self._where = where
        self._on_table = on_table
        self._on_keys = on_keys
        self._table_key = b""
        self.connection: Connection | None = None
        self._heartbeat: Heartbeat | None = None  # of the newest connection
        self.expected: str | None = None  # the fingerprint that the table must have

    def established(self, connection: Connection, table_key: bytes) -> None:
        self.connection, self.expected = connection, fingerprint(table_key)
        self._table_key = table_key
        self._heartbeat = None
        self.client.unasked = self._where.unasked
        if self._on_table is not None:
            self._on_table(table_key)
        self.client.attach(connection.send, table_key)

    def received(self, payload: bytes) -> None:
        self.client.received(payload)
        if self.client.shown_keys is not None:
            history, self.client.shown_keys = self.client.shown_keys, None
            if self._on_keys is not None:
                self._on_keys(self._table_key, history)
        if self.client.named is not None:
            self._named(self.client.named)
        if self.client.sign_of_life and self.connection is not None and self._heartbeat is None:
            self._heartbeat = Heartbeat(
                self.connection,
                self.client.sign_of_life,
                self._where.silence,
                rng=self.client.environment.rng,
                silent=self._fell_silent,
            )
        self.look()

    def _named(self, addresses: list[str]) -> None:
        self._where.name(addresses)
        self.client.named = None
        if self._where.several and self.connection is not None:
            self.connection.watch()

    def _fell_silent(self, worked: float) -> None:
        self._where.fell_silent(again=worked < USEFUL_SECONDS)

    def look(self) -> None:
        """Hang up once the client has finished, or is told to ask elsewhere."""
        if self.client.finished or self.client.sent_to is not None:
            self.hang_up()

    def hang_up(self) -> None:
        if self.connection is not None:
            self.connection.close(self.client.complaint)


async def visit(
    client: TableClient,
    link: JoinLink,
    expected: str | None,
    on_table: Callable[[bytes], None] | None = None,
    on_keys: OnKeys | None = None,
) -> Outcome:
    """Take the client to the table and see it through to the end of its plan. Arguments and errors:
    `see_through`.
    """
    try:
        await see_through(client, link, expected, on_table, client.plan.keep_trying, on_keys)
    finally:
        if client.environment.files is not None:
            with suppress(LocalError):  # the next visit has it
                client.environment.files.free_room()
    return outcome_of(client)


async def see_through(
    client: ClientBase,
    link: JoinLink,
    expected: str | None,
    on_table: Callable[[bytes], None] | None = None,
    keep_trying: float | None = None,
    on_keys: OnKeys | None = None,
) -> None:
    """Connect, and connect again when the line breaks, until the client has finished.

    `expected`: the fingerprint the table must have. `on_table` is told the key that it turned out to
    have, `on_keys` that key and the history of keys that the table shows. `keep_trying`: for how many
    seconds a lost table is tried again (`KEEP_TRYING_SECONDS`). Raises: LocalError if the table cannot
    be reached at all, RemoteError(WRONG_TABLE_KEY) if it is another.
    """
    where = Endpoints(link, client.environment.rng)
    line = _Line(client, where, on_table, on_keys)
    line.expected = expected
    if keep_trying is None:
        patience = KEEP_TRYING_SECONDS
    else:
        patience = keep_trying
    stay = asyncio.create_task(_stay(client, line, link, where, patience))

    def finished() -> None:
        line.look()
        # connecting, or waiting to: there is nothing that would end by itself
        if not client.attached:
            stay.cancel()

    client.on_finish = finished
    try:
        await asyncio.wait({stay})
    finally:
        stay.cancel()
        line.hang_up()
        if client.playing is not None:
            client.playing.close()
    if not stay.cancelled():
        stay.result()


async def _stay(
    client: ClientBase, line: _Line, link: JoinLink, where: Endpoints, keep_trying: float
) -> None:
    """Connect, and connect again, until the client has finished."""
    loop = asyncio.get_running_loop()
    quick_until = loop.time() + QUICK_SECONDS
    lost_at = loop.time()
    pause = FIRST_PAUSE
    reached = client.number
    while not client.finished:
        began = loop.time()
        code = await _connection(client, line, link.with_address(where.next()), where)
        if code is Code.WRONG_MATCH:
            where.without()
        # else nobody has answered yet, and somebody may
        if line.connection is not None or where.over:
            client.detached(code)
        if client.finished:
            return
        if client.sent_to is not None:
            client.sent_on(where.send_on(client.sent_to, loop.time()))
        lasted = loop.time() - began
        if lasted > QUICK_SECONDS + CONNECT_SECONDS:
            quick_until = loop.time() + QUICK_SECONDS
            pause = FIRST_PAUSE
        if client.number > reached or lasted > USEFUL_SECONDS:
            quick_until = loop.time() + QUICK_SECONDS
            lost_at = loop.time()
            pause = FIRST_PAUSE
            reached = client.number
            where.rounds = 0
            where.found()
        elif loop.time() >= lost_at + keep_trying:
            client.lost_for_good()
        if where.over:
            where.new_round()
            await asyncio.sleep(pause * client.environment.rng.uniform(1 - JITTER, 1 + JITTER))
            quick = where.several and loop.time() < quick_until
            pause = min(2 * pause, QUICK_PAUSE if quick else LONGEST_PAUSE)


def _patience(where: Endpoints) -> float:
    """Seconds that one of several hosts has: one that is dead must not hold us up, and a slow line
    is given time.
    """
    return min(HOST_SECONDS * SLOWER ** min(where.rounds, 20), CONNECT_SECONDS)


async def _called(client: ClientBase, line: _Line, link: JoinLink, where: Endpoints) -> Connection:
    """Raises: LocalError if nobody answers there."""
    environment = client.environment
    call = environment.connect(
        link, environment.identity, environment.rng, line.expected, line, ticket=client.ticket
    )
    if not where.several:
        return await call
    try:
        async with asyncio.timeout(_patience(where)):
            return await call
    except TimeoutError:
        raise LocalError("wrong.no_answer", where=link.address_text) from None


async def _connection(
    client: ClientBase, line: _Line, link: JoinLink, where: Endpoints
) -> Code | None:
    """Keep one connection from its beginning to its end, and return why it ended. A table that does
    not answer is an error only at the first call. A table with another key is an error only if
    there is no other address to ask.
    """
    first = line.connection is None
    new = client.playing is None and first
    try:
        connection = await _called(client, line, link, where)
    except LocalError:
        where.unanswered(asyncio.get_running_loop().time())
        if new and where.over:
            raise
        return Code.CUT_OFF
    if where.several:
        await asyncio.wait({connection.gone}, timeout=_patience(where))
        if line.connection is not connection:  # it stands still, with whoever was there
            where.unanswered(asyncio.get_running_loop().time())
            connection.close(Code.TOO_SLOW)
    code = await connection.gone
    if connection.foreign:
        where.unanswered(asyncio.get_running_loop().time())
        if new and where.over:
            raise LocalError("wrong.not_a_table", where=link.address_text)
        return Code.CUT_OFF
    # whoever goes on with a match must hear of another key, too: the table may have rotated its own
    new = new or (first and code is Code.WRONG_TABLE_KEY)
    if code in FINAL and (where.hopping or (where.several and not (new and where.over))):
        return Code.CUT_OFF
    if (
        code is not None
        and (new or client.playing is None)
        and (code in FINAL or (new and code is Code.BAD_HANDSHAKE))
    ):
        raise RemoteError(code)
    return code


def outcome_of(client: TableClient) -> Outcome:
    """Return the outcome of a finished client's visit, and forget what only a running match needs."""
    playing = client.playing
    if playing is None:
        return Outcome(
            Verdict.INCOMPLETE, None, reason=client.reason, declined=client.lobby.declined
        )
    if playing.settled:
        playing.forget()
    return playing.outcome(client.reason, playing.refusals)


def client_for(plan: Plan, environment: Environment, memory: RecoveryState | None) -> TableClient:
    """A client for this plan, or to go on with the match in `memory`.

    Raises: LocalError, also if the disk has no room for a match that is to begin.
    """
    if memory is None:
        if plan.takes_seat and environment.files is not None:
            environment.files.make_room()
        return TableClient(plan, environment)
    invite = plan.invite or JoinLink.parse(memory.link).invite
    again = Plan(memory.agreement.person.name, keep_trying=plan.keep_trying, invite=invite)
    return TableClient(again, environment, TableMatch.restore(memory, environment))
