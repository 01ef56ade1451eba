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

# seconds of tries for a lost table: twice the usual time for a step, after which the match has gone
# on without us
KEEP_TRYING_SECONDS = 600.0
# seconds of a connection after which the next loss has the full time for tries again: otherwise a
# table that takes us and drops us at once could hold us for ever
USEFUL_SECONDS = 60.0
# seconds between rounds of tries; doubled each time
FIRST_PAUSE = 0.2
LONGEST_PAUSE = 5.0
# seconds of short pauses after the loss of a table with several hosts, and the longest such pause
QUICK_SECONDS = 20.0
QUICK_PAUSE = 1.0
# seconds for one of several hosts to answer in the first round, and again to prove its identity
HOST_SECONDS = 1.0
SLOWER = 1.4  # factor of that time from round to round
# part of a pause that chance adds or takes away: the seats of a table that is back must not all call
# at the same moment
JITTER = 0.5
FINAL = (Code.WRONG_TABLE_KEY, Code.BAD_IDENTITY)  # another try cannot succeed


# called with the key of a table and its encoded `KeyHistory`. Raises: RemoteError, LocalError
OnKeys = Callable[[bytes, bytes], None]


class _Line:
    """The newest connection of a client. It passes messages on, and starts the heartbeat."""

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
        self.client.match_may_be_elsewhere = self._where.match_may_be_elsewhere
        if self._on_table is not None:
            self._on_table(table_key)
        self.client.attach(connection.send, table_key)

    def received(self, payload: bytes) -> None:
        self.client.received(payload)
        if self.client.key_history is not None:
            history, self.client.key_history = self.client.key_history, None
            if self._on_keys is not None:
                self._on_keys(self._table_key, history)
        if self.client.other_addresses is not None:
            self._named(self.client.other_addresses)
        if self.client.sign_of_life and self.connection is not None and self._heartbeat is None:
            self._heartbeat = Heartbeat(
                self.connection,
                self.client.sign_of_life,
                self._where.silence_limit,
                rng=self.client.environment.rng,
                silent=self._fell_silent,
            )
        self.look()

    def _named(self, addresses: list[str]) -> None:
        self._where.set_named(addresses)
        self.client.other_addresses = None
        if self._where.has_several and self.connection is not None:
            self.connection.watch()

    def _fell_silent(self, worked: float) -> None:
        self._where.note_silence(again=worked < USEFUL_SECONDS)

    def look(self) -> None:
        """Hang up if the client has finished, or if the table redirects it."""
        if self.client.finished or self.client.redirect_address is not None:
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
    """Connect the client to the table until its plan is done, and return the outcome. Arguments and
    errors: `see_through`.
    """
    try:
        await see_through(client, link, expected, on_table, client.plan.keep_trying, on_keys)
    finally:
        if client.environment.files is not None:
            with suppress(LocalError):  # the next visit has the same error
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

    `expected`: the fingerprint that the table must have. `on_table` is called with the table's key,
    `on_keys` with the key and the key history that the table shows. `keep_trying`: the seconds for
    which a lost table is tried again; None: `KEEP_TRYING_SECONDS`. Raises: LocalError if the table
    cannot be reached at all; RemoteError(WRONG_TABLE_KEY) if another table answers.
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
        # without a connection nothing ends the task: it connects, or waits between two tries
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
        code = await _keep_connection(client, line, link.with_address(where.next()), where)
        if code is Code.WRONG_MATCH:
            where.note_match_unknown()
        # before the first connection, other addresses of this round may still answer
        if line.connection is not None or where.is_round_over:
            client.detached(code)
        if client.finished:
            return
        if client.redirect_address is not None:
            client.report_redirect(where.redirect(client.redirect_address, loop.time()))
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
            where.note_match_found()
        elif loop.time() >= lost_at + keep_trying:
            client.lost_for_good()
        if where.is_round_over:
            where.new_round()
            await asyncio.sleep(pause * client.environment.rng.uniform(1 - JITTER, 1 + JITTER))
            quick = where.has_several and loop.time() < quick_until
            pause = min(2 * pause, QUICK_PAUSE if quick else LONGEST_PAUSE)


def _patience(where: Endpoints) -> float:
    """Return the seconds for one of several hosts to answer: a dead one must not hold us up, and a
    slow one gets more time in each round.
    """
    return min(HOST_SECONDS * SLOWER ** min(where.rounds, 20), CONNECT_SECONDS)


async def _call(client: ClientBase, line: _Line, link: JoinLink, where: Endpoints) -> Connection:
    """Connect to an address. Raises: LocalError if nobody answers there."""
    environment = client.environment
    call = environment.connect(
        link, environment.identity, environment.rng, line.expected, line, ticket=client.ticket
    )
    if not where.has_several:
        return await call
    try:
        async with asyncio.timeout(_patience(where)):
            return await call
    except TimeoutError:
        raise LocalError("wrong.no_answer", where=link.address_text) from None


async def _keep_connection(
    client: ClientBase, line: _Line, link: JoinLink, where: Endpoints
) -> Code | None:
    """Keep one connection from its beginning to its end, and return the reason of its end.

    Raises: LocalError if nobody answers the first call; RemoteError for a table with another key, if
    there is no other address to call.
    """
    first = line.connection is None
    new = client.playing is None and first
    try:
        connection = await _call(client, line, link, where)
    except LocalError:
        where.note_no_answer(asyncio.get_running_loop().time())
        if new and where.is_round_over:
            raise
        return Code.CUT_OFF
    if where.has_several:
        await asyncio.wait({connection.gone}, timeout=_patience(where))
        if line.connection is not connection:  # the handshake has not ended in time
            where.note_no_answer(asyncio.get_running_loop().time())
            connection.close(Code.TOO_SLOW)
    code = await connection.gone
    if connection.foreign:
        where.note_no_answer(asyncio.get_running_loop().time())
        if new and where.is_round_over:
            raise LocalError("wrong.not_a_table", where=link.address_text)
        return Code.CUT_OFF
    # another key matters to a player who continues a match, too: the table may have rotated its key
    new = new or (first and code is Code.WRONG_TABLE_KEY)
    if code in FINAL and (
        where.redirected or (where.has_several and not (new and where.is_round_over))
    ):
        return Code.CUT_OFF
    if (
        code is not None
        and (new or client.playing is None)
        and (code in FINAL or (new and code is Code.BAD_HANDSHAKE))
    ):
        raise RemoteError(code)
    return code


def outcome_of(client: TableClient) -> Outcome:
    """Return the outcome of a finished visit. Delete the stored state of a match that is settled."""
    playing = client.playing
    if playing is None:
        return Outcome(
            Verdict.INCOMPLETE, None, reason=client.reason, declined=client.lobby.declined
        )
    if playing.settled:
        playing.forget()
    return playing.outcome(client.reason, playing.refusals)


def client_for(plan: Plan, environment: Environment, memory: RecoveryState | None) -> TableClient:
    """Return a client for this plan, or one that continues the match in `memory`.

    Raises: LocalError, also if the disk has no room for a new match.
    """
    if memory is None:
        if plan.takes_seat and environment.files is not None:
            environment.files.make_room()
        return TableClient(plan, environment)
    invite = plan.invite or JoinLink.parse(memory.link).invite
    again = Plan(memory.agreement.person.name, keep_trying=plan.keep_trying, invite=invite)
    return TableClient(again, environment, TableMatch.restore(memory, environment))
