"""The matches of a table manager over a recording store: no socket, no disk."""

import asyncio
from collections.abc import Callable, Generator
from functools import partial
from types import SimpleNamespace

import pytest

from protocol.codes import Code
from protocol.identity.keys import Identity
from protocol.limits import (
    LOAD_TURN_SECONDS,
    MAX_SEATS,
    RESTORE_SECONDS,
    RESTORED_AT_ONCE,
    RETURNING_ALONE_SECONDS,
    RETURNING_SECONDS,
)
from protocol.match.log import Record
from protocol.messages.table import ConnectionPhase
from table.lobby.claim_backoff import ClaimBackoff
from table.lobby.loading import Loading, Returning, WaitingSeats, carry_nothing
from table.lobby.matches import Matches, _in_turns
from table.lobby.tables import Declined, Lobby
from table.metrics import Metrics
from table.storage.interface import MatchOwnership, OpenMatch
from tests.support.offline import make_offline
from tests.support.tables import config
from tests.unit.table.match.test_tail_recovery import in_no_time


class Store:
    """Store that has these matches, and records exports."""

    def __init__(self, *matches: OpenMatch) -> None:
        self.matches = {each.match_id: each for each in matches}
        self.exported: list[tuple[bytes, list[bytes]]] = []

    def open_matches(self, done) -> None:
        done([MatchOwnership(match_id, 0, "", "", over=True) for match_id in self.matches])

    def claim(self, match_id, done, new) -> None:
        done(self.matches[match_id])

    def export(self, match_id, heads, done) -> None:
        self.exported.append((match_id, heads))


def matches_over(tmp_path, store: Store, **settings) -> Matches:
    settings = config(tmp_path, **settings)
    lobby = Lobby(settings.terms, settings.name, settings.bounds)
    identity = Identity(bytes(32))
    return Matches(identity, settings, lobby, store, Metrics(), lambda: None)


async def test_match_of_missing_rules_with_all_heads_becomes_file(tmp_path):
    whole, lacking = ([Record(b"of rules that nobody has", head)] for head in (bytes(64), b""))
    store = Store(OpenMatch(b"w" * 32, 1, b"", whole), OpenMatch(b"l" * 32, 1, b"", lacking))
    await matches_over(tmp_path, store).restore()
    assert store.exported == [(b"w" * 32, [])]


class SlowStore(Store):
    """Store whose claims are answered when the test says so."""

    def __init__(self, count: int) -> None:
        super().__init__(*(OpenMatch(bytes([n]) * 32, 1, b"", []) for n in range(count)))
        self.claimed: dict[bytes, Callable[[OpenMatch | None], None]] = {}

    def claim(self, match_id, done, new) -> None:
        self.claimed[match_id] = done


async def test_start_does_not_wait_for_what_takes_long(tmp_path):
    store = SlowStore(3 * RESTORED_AT_ONCE)
    matches = matches_over(tmp_path, store)
    began = asyncio.get_running_loop().time()
    await matches.restore()
    assert RESTORE_SECONDS <= asyncio.get_running_loop().time() - began < RESTORE_SECONDS + 1
    assert len(store.claimed) == RESTORED_AT_ONCE and len(matches.claiming) == len(store.matches)
    matches.close()


class Asking:
    """Somebody in the lobby, who asks for a match."""

    open, phase = True, ConnectionPhase.LOBBY

    def __init__(self, hear: Callable[[Code], None], name: bytes = b"", address: str = "") -> None:
        self.identity, self.stopped = name, hear
        self.connection = SimpleNamespace(send_error=hear, address=address)


async def test_match_that_is_asked_for_is_claimed_at_once(tmp_path):
    store = SlowStore(3 * RESTORED_AT_ONCE)
    matches = matches_over(tmp_path, store)
    restoring = asyncio.create_task(matches.restore())
    while len(store.claimed) < RESTORED_AT_ONCE:
        await asyncio.sleep(0)
    asked = list(store.matches)[-1]
    sent: list[Code] = []
    matches.resume(Asking(sent.append), asked)
    await asyncio.sleep(0)
    assert asked in store.claimed and not sent
    store.claimed[asked](None)
    while not sent:
        await asyncio.sleep(0)
    assert sent == [Code.MATCH_STOPPED] and asked not in matches.claiming
    del store.claimed[asked]
    while matches.claiming:
        while store.claimed:
            store.claimed.popitem()[1](None)
        await asyncio.sleep(0)
    await restoring
    matches.close()


async def test_long_match_is_loaded_in_turns_of_the_loop():
    """Others have a turn after at most `LOAD_TURN_SECONDS` and one part."""
    loop, turns = asyncio.get_running_loop(), 0

    def parts() -> Generator[None, None, str]:
        for _ in range(40):
            until = loop.time() + LOAD_TURN_SECONDS / 4
            while loop.time() < until:
                pass
            yield
        return "loaded"

    loading = asyncio.create_task(_in_turns(parts()))
    while not loading.done():
        turns += 1
        await asyncio.sleep(0)
    assert loading.result() == "loaded" and turns >= 8


@pytest.mark.parametrize("end", ["match_over", "match_lost"])
async def test_match_end_frees_only_its_own_table(tmp_path, end):
    """The match may continue at a table where another has begun, or its table may be gone."""
    matches = matches_over(tmp_path, Store())
    main = matches._lobby.tables["main"]
    ended, other, homeless = (
        SimpleNamespace(table_id=name, match_id=b"m" * 32) for name in ("main", "main", "none")
    )
    main.room = ended
    for feed, room in ((homeless, ended), (other, ended), (ended, None)):
        getattr(matches, end)(feed)
        assert main.room is room


async def test_match_refused_by_signer_ends_once_at_table(tmp_path):
    matches = matches_over(tmp_path, Store())
    matches.match_lost(SimpleNamespace(table_id="none", match_id=b"m" * 32))
    assert matches.first_settled.is_set()


def test_claim_pauses_are_forgotten_after_a_long_time():
    async def work() -> None:
        left = ClaimBackoff()
        for number in range(100):
            left.for_long(number.to_bytes(32, "big"))
            await asyncio.sleep(left.pace.again)
        assert len(left._pauses) < 20
        left.to_others(bytes(32))
        before = left.until(bytes(32))
        left.to_others(bytes(32))
        assert left.until(bytes(32)) > before

    in_no_time(work)


@pytest.mark.parametrize(
    ("addresses", "seconds"),
    [((), RETURNING_ALONE_SECONDS), (("b.example.org:7500",), RETURNING_SECONDS)],
)
async def test_claimed_match_awaits_seats_longer_with_several_hosts(tmp_path, addresses, seconds):
    store = SimpleNamespace(submit=lambda change, done, lost: None, silent=lambda: 0.0)
    matches = matches_over(tmp_path, store, addresses=addresses)
    room = matches._open(matches._lobby.tables["main"], make_offline(2, 1).live)
    assert room.machine.recovery._returning_seconds == seconds
    room.close()


async def test_strangers_take_no_place_of_a_seat_that_waits():
    """Neither before the people of a match are known, nor afterwards."""
    waiting, heard = WaitingSeats(), []
    strangers = [Asking(heard.append, b"s", "10.0.0.1") for _ in range(MAX_SEATS)]
    seat = Asking(heard.append, b"a", "10.0.0.2")
    for peer in (*strangers, seat, strangers[-1]):
        waiting.add(Returning(peer, None, None))
    assert heard == [Code.TOO_MANY]
    waiting.admit([b"a", b"b"])
    assert [each.peer for each in waiting.still_there()] == [seat]
    assert heard[1:] == [Code.WRONG_MATCH] * (MAX_SEATS - 1)
    with pytest.raises(Declined) as declined:
        waiting.add(Returning(strangers[0], None, None))
    assert declined.value.code is Code.WRONG_MATCH


async def test_closed_table_opens_no_match(tmp_path):
    """Neither one that it has loaded meanwhile, nor one that its store gives it then."""
    live = make_offline(2, 1).live
    kept = OpenMatch(live.log.match_id, 1, b"sealed", [Record(live.entries[0], b"")])
    matches, closed = matches_over(tmp_path, SlowStore(0)), []
    live.close = partial(closed.append, live)
    loading = matches._loading[kept.match_id] = Loading(kept, carry_nothing)
    matches.close()
    matches._loaded(loading, live)
    matches._claimed(kept.match_id, kept)
    await asyncio.sleep(0)
    assert closed == [live] and not matches.feeds and not matches.claiming
