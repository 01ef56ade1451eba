"""The matches of a table manager over a recording store: no socket, no disk."""

import asyncio
from types import SimpleNamespace

import pytest

from protocol.identity.keys import Identity
from protocol.limits import RETURNING_ALONE_SECONDS, RETURNING_SECONDS
from protocol.match.log import Record
from table.lobby.claim_backoff import ClaimBackoff
from table.lobby.matches import Matches
from table.lobby.tables import Lobby
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
