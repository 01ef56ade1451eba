"""A room with people at different distances, in virtual time: measured, reported and levelled round
trips.
"""

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace

import pytest

from protocol.identity.keys import Identity
from protocol.limits import MAX_HELD, MAX_LEVEL, PING_SECONDS
from protocol.match.clock import Allowance
from protocol.match.log import decode_entry
from protocol.match.state import MatchStage
from protocol.messages import table as messages
from protocol.messages.table import Sender
from table.config import Bounds
from table.match.clock import LoopWatch
from table.match.hosted_match import HostedMatch
from table.match.read_schedule import ReadSchedule
from table.metrics import Metrics
from table.storage.interface import Done, NewRecords
from tests.properties.simulate.loop import VirtualLoop
from tests.support.at_once import restored
from tests.support.guest_games.offline_match import GUESTS, until_playing, written
from tests.support.offline import Offline, make_offline
from tests.unit.table.match.test_hosted_match import IDENTITY
from tests.unit.table.match.test_hosted_match import Party as Reader

DISTANCES = (0.01, 0.1, 0.04)  # seconds one way
LEVEL = 300  # milliseconds
TURN = 10  # seconds


class Quick:
    """Disk that stores everything at once."""

    def __init__(self) -> None:
        self.written: list[tuple[float, int]] = []  # time and author

    def submit(self, change: NewRecords, done: Done, lost: Done) -> None:
        loop = asyncio.get_running_loop()
        self.written += [(loop.time(), decode_entry(raw).author) for raw in change.entries]
        loop.call_soon(done)

    def silent(self) -> float:
        return 0.0

    def taken(self, count: int) -> dict[int, float]:
        """Return the time of the last `count` entries, by author."""
        return {author: when for when, author in self.written[-count:]}


class Party(Reader):
    """A party at a distance that answers questions at once, after a delay, or never (None)."""

    def __init__(self, identity: bytes, distance: float, answers: float | None = 0.0) -> None:
        super().__init__(identity)
        self.distance, self.answers = distance, answers
        self.heard: list[tuple[float, messages.Message]] = []
        self.loop = asyncio.get_running_loop()

    def send(self, message: bytes) -> None:
        told = messages.decode(message, Sender.TABLE, self.phase)
        if self.open and not self.is_sign_of_life(told):
            self.loop.call_later(self.distance, self.hear, told)

    def hear(self, told: messages.Message) -> None:
        self.heard.append((self.loop.time(), told))
        if told.name == "ping" and self.answers is not None and self.feed is not None:
            self.loop.call_later(
                self.distance + self.answers, self.feed.answered, self, told.values[1]
            )

    def post(self, raw: bytes) -> None:
        self.loop.call_later(self.distance, self.feed.post, self, raw)

    def last(self, name: str) -> tuple[float, list]:
        return next((when, told.values) for when, told in reversed(self.heard) if told.name == name)

    def names_heard(self) -> list[str]:
        return [told.name for _, told in self.heard]

    def entries(self) -> list[int]:
        return [told.values[1] for _, told in self.heard if told.name == "entry"]


def in_virtual_time(work: Callable[[], Awaitable[None]]) -> None:
    loop = VirtualLoop()
    try:
        loop.run_until_complete(work())
    finally:
        loop.close()


def match_of(level: int, allowance: Allowance | None = None) -> Offline:
    allowance = (allowance or Allowance())._replace(level=level)
    match = make_offline(3, 1, "grab", {}, dealing="none", allowance=allowance, games=GUESTS)
    match.bots = ("random",)
    until_playing(match)
    return match


async def playing(
    level: int = 0, allowance: Allowance | None = None, **first: float | None
) -> SimpleNamespace:
    """Return three seats, and a spectator next to the table, after their round trips were
    measured.
    """
    match = match_of(level, allowance)
    settled = {"match_over": lambda feed: None, "match_settled": lambda feed: None}
    keeper = SimpleNamespace(
        identity=IDENTITY,
        metrics=Metrics(),
        reading=ReadSchedule(Bounds()),
        loop_watch=LoopWatch(),
        **settled,
    )
    match.live = restored(match.live)
    room = HostedMatch(match.live, disk := Quick(), Bounds(), keeper)
    people = [person.identity for person in match.live.match.setup.people]
    seats = [Party(who, far) for who, far in zip(people, DISTANCES, strict=True)]
    vars(seats[0]).update(first)
    watcher = Party(Identity(bytes([9]) * 32).public, 0.0)
    for party in (*seats, watcher):
        room.enter(party)
        room.replay(party, room.stored)
    await asyncio.sleep(2.2 * PING_SECONDS)
    now = asyncio.get_running_loop().time
    return SimpleNamespace(match=match, room=room, disk=disk, seats=seats, watcher=watcher, now=now)


def test_round_trips_are_sent_to_seats_and_spectators():
    async def work() -> None:
        there = await playing()
        for party in (*there.seats, there.watcher):
            assert party.last("trips")[1][1] == [20, 200, 80]
        assert not any(told.name == "ping" for _, told in there.watcher.heard)
        there.room.leave(there.seats[1])
        await asyncio.sleep(2 * PING_SECONDS)
        assert there.watcher.last("trips")[1][1] == [20, None, 80]
        there.room.close()

    in_virtual_time(work)


def test_seat_feigning_distance_is_contradicted_by_own_entries():
    async def work() -> None:
        there = await playing(answers=0.4)
        assert there.watcher.last("trips")[1][1] == [420, 200, 80]
        there.seats[1].post(written(there.match, 1, ("take", 0)))
        while there.seats[0].heard[-1][1].name != "entry":
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.01)  # time to read and to sign
        there.seats[0].post(written(there.match, 0, ("take", 1)))
        await asyncio.sleep(PING_SECONDS)
        assert there.watcher.last("trips")[1][1][0] in range(30, 33)
        there.room.close()

    in_virtual_time(work)


def test_level_news_reaches_all_seats_at_once():
    async def work() -> None:
        there = await playing(LEVEL)
        there.seats[2].post(written(there.match, 2, ("take", 0)))
        posted = there.now()
        await asyncio.sleep(1)
        heard = [party.last("entry")[0] - posted for party in (*there.seats, there.watcher)]
        # half of it inwards, half outwards
        assert heard == pytest.approx([LEVEL / 1000] * 4, abs=0.001)
        there.room.close()

    in_virtual_time(work)


@pytest.mark.parametrize(("level", "nearer", "farther"), [(0, 0.01, 0.1), (LEVEL, 0.15, 0.15)])
def test_entries_sent_at_same_moment_are_logged_together(level, nearer, farther):
    """Without levelling, the nearer seat is earlier by the difference."""

    async def work() -> None:
        there = await playing(level)
        for seat in (0, 1):
            there.seats[seat].post(written(there.match, seat, ("take", seat)))
        posted = there.now()
        await asyncio.sleep(1)
        assert there.disk.taken(2) == pytest.approx(
            {0: posted + nearer, 1: posted + farther}, abs=0.001
        )
        there.room.close()

    in_virtual_time(work)


def test_seat_answering_no_probe_is_held_as_nearest():
    async def work() -> None:
        there = await playing(LEVEL, distance=0.1, answers=None)
        assert there.watcher.last("trips")[1][1] == [None, 200, 80]
        there.seats[0].post(written(there.match, 0, ("take", 0)))
        posted = there.now()
        await asyncio.sleep(1)
        assert there.disk.taken(1) == pytest.approx({0: posted + 0.1 + LEVEL / 2000}, abs=0.001)
        there.room.close()

    in_virtual_time(work)


def test_nothing_is_held_after_simultaneous_play_ends():
    """The end of it and all delayed messages go out at once; receipts take no longer than
    elsewhere.
    """

    async def work() -> None:
        there = await playing(LEVEL)
        live = there.room.live
        while live.match.stage is MatchStage.PLAYING:
            seat = min(
                (duty.author for duty in live.match.duties()), key=live.match.scores.__getitem__
            )
            there.seats[seat].post(
                written(there.match, seat, ("take", live.match.game.taken.index(None)))
            )
            await asyncio.sleep(0.1 if live.match.next_number % 2 else 0.3)
        ended, when = len(live.records), there.disk.written[-1][0]
        await asyncio.sleep(1)
        for party, distance in zip(there.seats, DISTANCES, strict=True):
            assert party.last("entry")[0] == pytest.approx(when + distance, abs=0.001)
            assert party.entries() == list(range(ended - len(party.entries()), ended))
        there.match.catch_up(there.match.readers[0])
        player = there.match.seats[0]
        there.seats[0].post(player.entry(live.log, player.respond(there.match.readers[0].match)))
        await asyncio.sleep(0.05)
        assert live.match.receipts == {0}
        there.room.close()

    in_virtual_time(work)


def test_held_time_counts_for_nobody_and_causes_no_lapse():
    """An answer that the seat sends just within its own time stands."""

    async def work() -> None:
        there = await playing(MAX_LEVEL, Allowance(extensions=0, step=60, turn=TURN))
        seat = there.seats[0]
        seat.post(written(there.match, 0, ("take", 0)))
        await asyncio.sleep(1)
        heard, _ = seat.last("entry")
        await asyncio.sleep(heard + TURN - 0.1 - there.now())
        seat.post(written(there.match, 0, ("take", 1)))
        await asyncio.sleep(1)
        said = [decode_entry(record.entry) for record in there.room.records]
        assert "lapse" in [entry.kind for entry in said]  # the others do nothing
        assert not [entry for entry in said if entry.kind == "lapse" and entry.body[0] == 0]
        assert there.room.live.match.scores == (2, 0, 0)
        there.room.close()

    in_virtual_time(work)


def test_repeated_entry_after_lost_connection_is_one_entry():
    async def work() -> None:
        there = await playing(LEVEL)
        raw = written(there.match, 0, ("take", 0))
        there.seats[0].post(raw)
        await asyncio.sleep(0.02)
        there.room.leave(there.seats[0])
        again = Party(there.seats[0].identity, 0.01)
        there.room.enter(again)
        there.room.replay(again, there.room.stored)
        again.post(raw)
        await asyncio.sleep(1)
        assert there.room.live.match.scores == (1, 0, 0)
        assert "refused" not in again.names_heard() and again.entries() == [there.room.stored - 1]
        there.room.close()

    in_virtual_time(work)


def test_nonreader_gets_due_messages_when_reading_and_none_earlier():
    async def work() -> None:
        there = await playing(LEVEL)
        there.seats[2].busy = True
        there.seats[1].post(written(there.match, 1, ("take", 0)))
        await asyncio.sleep(1)
        assert not there.seats[2].entries() and len(there.seats[0].entries()) == 1
        there.seats[1].post(written(there.match, 1, ("take", 1)))
        await asyncio.sleep(0.16)  # accepted, and delayed for the near seat
        there.seats[2].busy = False
        there.room.drained(there.seats[2])
        await asyncio.sleep(0.05)
        assert len(there.seats[2].entries()) == 1
        await asyncio.sleep(1)
        assert len(there.seats[2].entries()) == 2
        there.room.close()

    in_virtual_time(work)


def test_delayed_entry_of_departed_seat_counts():
    async def work() -> None:
        there = await playing(LEVEL)
        there.seats[0].post(written(there.match, 0, ("take", 0)))
        await asyncio.sleep(0.02)
        there.room.leave(there.seats[0])
        await asyncio.sleep(1)
        assert there.room.live.match.scores == (1, 0, 0)
        there.room.close()

    in_virtual_time(work)


@pytest.mark.parametrize("more", [0, 1])
def test_delayed_messages_are_bounded(more):
    async def work() -> None:
        there = await playing(LEVEL)
        for number in range(MAX_HELD + more):
            there.room.post(there.seats[0], bytes([number]))
        assert there.seats[0].open is not bool(more)
        await asyncio.sleep(1)
        assert there.seats[0].names_heard().count("refused") == (0 if more else MAX_HELD)
        there.room.close()

    in_virtual_time(work)


def test_closed_room_accepts_no_delayed_entry():
    async def work() -> None:
        there = await playing(LEVEL)
        there.seats[0].post(written(there.match, 0, ("take", 0)))
        await asyncio.sleep(0.02)
        there.room.close()
        await asyncio.sleep(1)
        assert there.room.live.match.scores == (0, 0, 0)

    in_virtual_time(work)


def test_game_in_turns_measures_no_round_trips():
    async def work() -> None:
        match = make_offline(2, 1)
        keeper = SimpleNamespace(
            identity=IDENTITY,
            metrics=Metrics(),
            reading=ReadSchedule(Bounds()),
            loop_watch=LoopWatch(),
            match_over=None,
            match_settled=None,
        )
        room = HostedMatch(restored(match.live), Quick(), Bounds(), keeper)
        party = Party(match.live.match.setup.people[0].identity, 0.01)
        room.enter(party)
        await asyncio.sleep(3 * PING_SECONDS)
        assert party.names_heard() == ["match", "present"]
        room.close()

    in_virtual_time(work)


def test_latecomers_are_told_how_long_seats_are_waited_for():
    async def work() -> None:
        there = await playing()
        match = there.match.live.match
        before = there.now()
        late = Party(Identity(bytes([8]) * 32).public, 0.0)
        there.room.enter(late)
        there.room.leave(there.seats[1])
        back = Party(there.seats[1].identity, 0.0)
        there.room.enter(back)
        await asyncio.sleep(1)
        for party in (late, back):
            (told,) = (told.values[1] for _, told in party.heard if told.name == "waited")
            assert [since for since, _ in told] == [match.duty_since(seat) for seat in range(3)]
            # the entry had been sent for `2.2 * PING_SECONDS` when they came
            assert all(abs(waited - 1000 * before) < 1000 for _, waited in told)
        assert [told.name for _, told in late.heard[:2]] == ["match", "waited"]
        there.room.close()

    in_virtual_time(work)
