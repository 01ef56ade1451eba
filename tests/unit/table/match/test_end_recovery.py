"""A finished match that lacks its last heads when it is read again: the time at which the table
signs them.
"""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace

from protocol.codes import Code
from protocol.errors import LocalError
from protocol.limits import (
    LOST_TAIL_SECONDS,
    MAX_CLOCK_SECONDS,
    RETURNING_ALONE_SECONDS,
    SIGNER_RETRY_SECONDS,
)
from protocol.match.log import Record
from protocol.messages.table import ConnectionPhase
from protocol.messages.tail import HeldHead
from table.lobby.matches import Matches
from table.lobby.tables import Declined, Lobby
from table.metrics import Metrics
from table.signer.signer import Denied, OwnKey, SignerGone, SignerRefuses
from table.storage.interface import Change, MatchStopped, OpenMatch
from tests.support.tables import config
from tests.unit.table.lobby.test_matches import Store
from tests.unit.table.match.test_tail_recovery import (
    ENTRIES,
    STEP,
    STORED,
    headless,
    in_no_time,
    leave_at,
    played,
)

SOON = RETURNING_ALONE_SECONDS + 1


class Asked(Store):
    """Service for readers of a finished match that only stores its heads when told to."""

    def __init__(self, *matches: OpenMatch) -> None:
        super().__init__(*matches)
        self.fetched: list[bytes] = []
        self.found: list[Record] | None = []
        self.changes: list[Change] = []
        self.kept: list[Callable[[], None]] = []

    def submit(self, change, done, lost) -> None:
        self.changes.append(change)

    def fetch(self, match_id, done) -> None:
        self.fetched.append(match_id)
        done(self.found)

    def export(self, match_id, heads, done) -> None:
        super().export(match_id, heads, done)
        self.kept.append(done)


class Peer:
    """A client that asks."""

    open, phase = True, ConnectionPhase.LOBBY

    def __init__(self, identity: bytes, told: list[Code], declined: list[Code]) -> None:
        self.identity, self.stopped = identity, told.append
        self.connection = SimpleNamespace(send_error=declined.append, address="192.0.2.1")


class World:
    """A table that was killed when the store had the end of a match but not its last head."""

    def __init__(
        self, folder, records: list[Record] | None = None, step: int = STEP, **settings
    ) -> None:
        self.live = played(2, step).live
        records = records or [*self.live.records[:STORED], Record(leave_at(STORED, step), b"")]
        self.match_id = self.live.log.match_id
        self.store = Asked(OpenMatch(self.match_id, 1, b"", records))
        own = config(folder, **settings)
        lobby = Lobby(own.terms, own.name, own.bounds)
        self.matches = Matches(self.live._identity, own, lobby, self.store, Metrics(), lambda: None)
        self.told: list[Code] = []
        self.declined: list[Code] = []  # after a read of the store

    def holds(self, number: int) -> HeldHead:
        return HeldHead(number, self.live.log.chain_hashes[number], self.live.records[number].head)

    def resume(self, seat: int, holds: HeldHead | None) -> Code | None:
        """Ask for the match; return the refusal, or None."""
        identity = self.live.match.setup.people[seat].identity if seat < 2 else bytes(32)
        try:
            self.matches.resume(Peer(identity, self.told, self.declined), self.match_id, holds)
        except Declined as declined:
            return declined.code
        return None

    @property
    def signed(self) -> int:
        return len(self.store.exported)


def ended(work):
    """Run a test of such a table in virtual time."""

    def run(tmp_path) -> None:
        async def begin() -> None:
            world = World(tmp_path)
            await world.matches.restore()
            await work(world)
            world.matches.close()

        in_no_time(begin)

    run.__name__, run.__doc__ = work.__name__, work.__doc__
    return run


@ended
async def test_end_is_unsigned_while_players_may_have_another(world):
    assert world.resume(0, world.holds(STORED - 1)) is Code.TOO_MANY  # the client asks again
    await asyncio.sleep(SOON - 2)
    assert not world.signed
    assert world.resume(1, world.holds(STORED)) is None and world.told == [Code.TABLE_FORKED]
    await asyncio.sleep(2 * STEP)
    assert not world.signed and world.matches.metrics.forks == 1
    # so the next start signs nothing either
    assert world.store.changes == [MatchStopped(world.match_id, 1)]
    assert (
        world.resume(0, world.holds(STORED - 1)) is None and world.told == [Code.TABLE_FORKED] * 2
    )
    assert world.matches.metrics.forks == 1


@ended
async def test_longer_log_than_ended_match_is_another_one(world):
    assert world.resume(1, world.holds(ENTRIES - 1)) is None and world.told == [Code.TABLE_FORKED]
    await asyncio.sleep(2 * STEP)
    assert not world.signed


@ended
async def test_end_is_signed_once_all_players_reported(world):
    assert world.resume(0, world.holds(STORED - 1)) is Code.TOO_MANY
    assert world.resume(0, None) is Code.TOO_MANY
    assert world.resume(2, None) is Code.WRONG_MATCH and not world.store.fetched
    assert world.resume(1, world.holds(STORED - 2)) is None
    assert world.signed == 1 and world.store.fetched == [world.match_id]


@ended
async def test_end_is_signed_after_waiting_for_others(world):
    assert world.resume(0, None) is Code.TOO_MANY
    await asyncio.sleep(SOON)
    assert world.signed == 1
    assert world.resume(0, None) is None and world.store.fetched


@ended
async def test_client_asking_before_heads_are_stored_retries(world):
    """Otherwise its program would take the match for lost, and tell the person to forget it."""
    for seat in range(2):
        world.resume(seat, world.holds(STORED - 1))
    assert world.signed and world.declined == [Code.TOO_MANY]
    (kept,) = world.store.kept
    kept()
    assert world.resume(0, None) is None and world.declined == [Code.TOO_MANY, Code.WRONG_MATCH]


@ended
async def test_unreadable_match_is_not_reported_as_forgotten(world):
    world.store.found = None
    for seat in range(2):
        world.resume(seat, world.holds(STORED - 1))
    assert world.signed and world.told == [Code.MATCH_STOPPED] and not world.declined


@ended
async def test_end_is_signed_after_a_step_without_players(world):
    await asyncio.sleep(STEP - 1)
    assert not world.signed
    await asyncio.sleep(2)
    ((match_id, heads),) = world.store.exported
    assert match_id == world.match_id and len(heads) == 1


def test_letter_game_file_is_made_without_a_months_wait(tmp_path):
    async def work() -> None:
        world = World(tmp_path, step=MAX_CLOCK_SECONDS)
        await world.matches.restore()
        await asyncio.sleep(LOST_TAIL_SECONDS - 1)
        assert not world.signed
        await asyncio.sleep(2)
        assert world.signed
        world.matches.close()

    in_no_time(work)


def test_ended_match_is_signed_when_somebody_shows_it_whole(tmp_path):
    async def work() -> None:
        world = World(tmp_path, headless(played(2).live.records, ENTRIES - 2))
        await world.matches.restore()
        assert world.resume(0, world.holds(ENTRIES - 3)) is Code.TOO_MANY and not world.signed
        # the other player may have another end
        assert world.resume(0, world.holds(ENTRIES - 2)) is Code.TOO_MANY
        assert not world.signed
        assert world.resume(1, world.holds(ENTRIES - 1)) is None
        assert world.store.exported == [
            (world.match_id, [each.head for each in world.live.records[-2:]])
        ]
        world.matches.close()

    in_no_time(work)


class Fickle(OwnKey):
    """Signer that is away, or refuses, as long as `wrong` says so."""

    wrong: LocalError | None = SignerGone("wrong.signer.gone", path="x")

    def ask(self, request) -> bytes:
        if self.wrong is not None:
            raise self.wrong
        return super().ask(request)


def test_ended_match_with_absent_signer_is_signed_later(tmp_path):
    async def work() -> None:
        world = World(tmp_path)
        signer = world.matches.identity = Fickle(world.live._identity)
        await world.matches.restore()
        await asyncio.sleep(STEP + 1)
        assert not world.signed and world.resume(0, world.holds(STORED - 1)) is Code.TOO_MANY
        # all are here, and the signer is still away
        assert world.resume(1, world.holds(STORED - 1)) is Code.TOO_MANY
        signer.wrong = None
        await asyncio.sleep(SIGNER_RETRY_SECONDS + 1)
        assert world.signed == 1
        world.matches.close()

    in_no_time(work)


def test_ended_match_refused_by_signer_stays_available(tmp_path):
    """A player told that there is no such match would also be told to forget it."""

    async def work() -> None:
        world = World(tmp_path)
        signer = world.matches.identity = Fickle(world.live._identity)
        signer.wrong = SignerRefuses(Denied.FORK)
        await world.matches.restore()
        await asyncio.sleep(STEP + 1)
        assert world.resume(0, world.holds(STORED - 1)) is None and world.told == [
            Code.MATCH_STOPPED
        ]
        assert not world.signed and not world.store.fetched
        world.matches.close()

    in_no_time(work)


def test_one_of_several_hosts_does_not_wait(tmp_path):
    """People may be at any of the hosts."""

    async def work() -> None:
        world = World(tmp_path, addresses=("b.example.org:7500",))
        await world.matches.restore()
        assert world.signed
        world.matches.close()

    in_no_time(work)
