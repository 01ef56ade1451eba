"""Simultaneous play at a room: a late entry costs its author one message, and the order of sending
is fair.
"""

from collections import Counter
from itertools import permutations
from types import SimpleNamespace

import pytest

from protocol.codes import Code
from protocol.dealing import TABLE
from protocol.identity.keys import Identity
from protocol.match.log import decode_entry
from table.config import Bounds
from table.match.clock import LoopWatch
from table.match.hosted_match import HostedMatch
from table.match.read_schedule import ReadSchedule
from table.metrics import Metrics
from tests.support.at_once import restored
from tests.support.guest_games.offline_match import guest_match, until_playing, written
from tests.support.offline import make_offline
from tests.unit.table.match.test_hosted_match import IDENTITY, Disk, begun
from tests.unit.table.match.test_hosted_match import Party as Reader


class Party(Reader):
    """Party that records its message costs."""

    def __init__(self, identity: bytes) -> None:
        super().__init__(identity)
        self.charged: list[Code] = []

    def refused(self, code: Code) -> None:
        self.charged.append(code)


def playing(seats: int) -> SimpleNamespace:
    """Return a match of `grab` at the first action, with everybody at its room."""
    match = guest_match("grab", seats)
    until_playing(match)
    settled = {"match_over": lambda feed: None, "match_settled": lambda feed: None}
    keeper = SimpleNamespace(
        identity=IDENTITY,
        metrics=Metrics(),
        reading=ReadSchedule(Bounds()),
        loop_watch=LoopWatch(),
        **settled,
    )
    match.live = restored(match.live)
    room = HostedMatch(match.live, Disk(), Bounds(), keeper)
    parties = [Party(person.identity) for person in match.live.match.setup.people]
    for party in parties:
        room.enter(party)
        room.replay(party, room.stored)
    return SimpleNamespace(match=match, room=room, parties=parties, metrics=keeper.metrics)


def take(there: SimpleNamespace, seat: int, raw: bytes) -> None:
    there.room.post(there.parties[seat], raw)
    there.room._storage.work()


async def test_late_entry_costs_author_one_message_only():
    """A refusal counts 25 messages: a distant seat would be read more slowly."""
    there = playing(2)
    first, second = (written(there.match, seat, ("take", 0)) for seat in (0, 1))
    take(there, 0, first)
    take(there, 1, second)
    assert there.room.live.match.late_counts == (0, 1)
    assert [party.charged for party in there.parties] == [[], []]
    assert all(
        party.names() == ["match", "waited", "ping", "entry", "entry"] for party in there.parties
    )
    assert there.metrics.late == 1 and not there.metrics.refused_posts
    assert (there.metrics.late_by.counts[0], there.metrics.late_by.total) == (1, 1)
    take(there, 1, second)  # the same entry again is not charged
    assert there.parties[1].charged == [Code.WRONG_SEQUENCE] and there.metrics.late == 1
    there.room.close()


def posted(seats: int) -> list[tuple[bytes, int]]:
    """Return the posts of the seats in `begun`'s match, in order."""
    offline = make_offline(seats, 1)
    offline.play()
    posts = [(raw, decode_entry(raw).author) for raw in offline.live.entries]
    return [(raw, author) for raw, author in posts if author != TABLE]


@pytest.mark.parametrize("watching", [0, 2])
@pytest.mark.slow
async def test_seats_receive_news_in_balanced_order(watching):
    room, disk, parties, _ = begun(3)
    parties += [Party(Identity(bytes([9 + number]) * 32).public) for number in range(watching)]
    for party in parties[3:]:
        room.enter(party)
    disk.work()
    order: list[int] = []
    for number, party in enumerate(parties):
        room.replay(party, 1)
        party.send = lambda _, number=number: order.append(number)
    for raw, author in posted(3):
        room.live.offer(raw, author)
    room._run()
    disk.work()
    each = len(parties)
    laps = (len(room.records) - 1) // 6  # each lap has all six orders
    told = [order[at : at + each] for at in range(0, 6 * laps * each, each)]
    assert laps > 3 and all(sorted(once) == list(range(each)) for once in told)
    assert all(set(once[:3]) == {0, 1, 2} for once in told)  # spectators come after players
    before = Counter(
        pair for once in told for pair in permutations(range(3), 2) if precedes(once, *pair)
    )
    assert set(before.values()) == {3 * laps}
    room.close()


def precedes(told: list[int], one: int, other: int) -> bool:
    return told.index(one) < told.index(other)


async def test_returning_peer_cut_off_at_announcement_leaves_room_intact():
    there = playing(2)
    room, party = there.room, there.parties[1]
    room.leave(party)
    again = Party(party.identity)
    again.leaves_at = "match"  # its queue is full already
    room.enter(again)
    assert again.got == [] and room.parties == [there.parties[0]]
    take(there, 0, written(there.match, 0, ("take", 0)))
    assert there.parties[0].names()[-1] == "entry"
    room.close()
