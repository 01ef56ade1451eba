"""Limits of a host's reads for spectators: matches, bytes, requests to the store, and time."""

import asyncio
from types import SimpleNamespace

import pytest

from protocol.games.registry import BUILT_IN, Games
from protocol.limits import FOLLOW_IDLE_SECONDS, FOLLOW_PAUSE_SECONDS
from protocol.match.log import decode_entry
from protocol.match.setup import parse_setup
from table.cluster.spectating.spectating import Spectating
from table.config import Bounds, Config, Membership, Pace
from table.match.read_schedule import ReadSchedule
from table.metrics import Metrics
from table.storage.shared.match_subjects import MatchSubjects
from table.storage.shared.store import SharedStore
from tests.integration.storage.calls import game
from tests.support.table_stores.memory import MemoryEngine, Shared, in_no_time

GAME = game()
PACE = Pace()
SETUP = parse_setup(decode_entry(GAME.records[0].entry).body)


class Counting(MemoryEngine):
    """Engine that counts requests."""

    asked = 0

    async def next(self, subject, after):
        self.asked += 1
        return await super().next(subject, after)


class Slow(Counting):
    """Engine with slow answers. It counts parallel requests."""

    at_once = most_at_once = 0
    seconds = FOLLOW_IDLE_SECONDS / 8

    async def next(self, subject, after):
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(self.seconds)
            return await super().next(subject, after)
        finally:
            self.at_once -= 1


class World:
    """Host for spectators over a store with the beginning of a match."""

    def __init__(self, folder, games=BUILT_IN, engine=Counting, **bounds):
        self.shared = Shared()
        self.engine = engine(self.shared)
        config = Config(
            folder, games=games, bounds=Bounds(**bounds), cluster=Membership("memory", "here")
        )
        store, key = (
            SharedStore(self.engine, "here", SETUP.table.key, folder),
            SimpleNamespace(public=SETUP.table.key),
        )
        self.watching = Spectating(
            store,
            key,
            config,
            Metrics(),
            elsewhere=lambda match_id: "elsewhere:1",
            reading=ReadSchedule(config.bounds),
        )

    async def stored(self, end):
        owner = MatchSubjects(MemoryEngine(self.shared), "owner")
        assert await owner.append(GAME.part(0, 1)) and await owner.append(
            GAME.part(1, end, heads=0)
        )

    async def found(self, match_id=GAME.match_id):
        answer = asyncio.get_running_loop().create_future()
        self.watching.find(match_id, answer.set_result)
        return await answer


def run(folder, work, **values):
    async def whole():
        world = World(folder, **values)
        try:
            await work(world)
        finally:
            world.watching.close()

    in_no_time(whole())


def test_watching_above_the_limit_is_redirected_to_owner(tmp_path):
    async def work(world):
        await world.stored(3)
        for number in range(3):
            world.watching.find(number.to_bytes(32), lambda feed: None)
        assert await world.found() is None
        assert len(world.watching.matches) == 3
        await asyncio.sleep(2 * FOLLOW_IDLE_SECONDS)
        world.watching.look()  # each timer starts with the last request
        assert not world.watching.matches
        assert (await world.found()).stored == 1

    run(tmp_path, work, followed=3)


def test_match_grown_too_large_is_left_to_owner(tmp_path):
    async def work(world):
        await world.stored(3)
        assert (await world.found()).stored == 1
        owner = MatchSubjects(MemoryEngine(world.shared), "heir")
        claimed = await owner.claim(GAME.match_id)
        assert await owner.append(GAME.part(3, 5, claimed.claim, heads=1))
        await asyncio.sleep(5)
        assert await world.found() is None

    size = sum(len(record.entry) + 350 for record in GAME.records[:4])
    run(tmp_path, work, followed_bytes=size)


def test_match_is_read_once_for_any_number_of_spectators(tmp_path):
    async def work(world):
        await world.stored(3)
        feeds = {await world.found() for _ in range(50)}
        assert len(feeds) == 1
        assert world.engine.asked <= 2 + 3 * 50
        asked = world.engine.asked
        await asyncio.sleep(10)
        assert world.engine.asked - asked <= 10 / world.watching._poll + 1
        world.watching.look()
        assert world.watching.matches

    run(tmp_path, work)


def test_simultaneous_requests_share_an_answer(tmp_path):
    async def work(world):
        await world.stored(3)
        await world.found()
        asked, answers = world.engine.asked, []
        for _ in range(100):
            world.watching.find(GAME.match_id, lambda feed: answers.append(feed))
        while len(answers) < 100:
            await asyncio.sleep(FOLLOW_PAUSE_SECONDS)
        assert world.engine.asked - asked <= 4

    run(tmp_path, work)


def test_watching_match_of_unknown_rules_is_redirected_to_owner(tmp_path):
    async def work(world):
        await world.stored(3)
        assert await world.found() is None
        asked = world.engine.asked
        # the match is not read again at once
        assert await world.found() is None and world.engine.asked == asked

    run(
        tmp_path,
        work,
        games=Games(
            {name: row for name, row in BUILT_IN.specs.items() if name != SETUP.terms.game.name}
        ),
    )


def test_watching_match_missing_in_store_is_redirected_to_owner(tmp_path):
    async def work(world):
        assert await world.found() is None

    run(tmp_path, work)


class Reader:
    """Spectator that does not read. It leaves when it is sent to another host, as `table.lobby.peer.Peer`
    does.
    """

    open = busy = takes_talk = True
    address = "192.0.2.1"

    def __init__(self, seed):
        self.identity, self.feed, self.moves = bytes([seed]) * 32, None, []

    def send(self, message):
        pass

    def entered(self, feed, seat):
        self.feed = feed

    def dismissed(self):
        self.feed = None

    def moved(self, address, match_id):
        self.moves.append(address)
        self.feed.leave(self)


def test_watching_reader_behind_at_match_end_is_cut_off(tmp_path):
    async def work(world):
        owner = MatchSubjects(MemoryEngine(world.shared), "owner")
        assert await owner.append(GAME.part(0, 1)) and await owner.append(GAME.part(1, 3, heads=0))
        feed, reader = await world.found(), Reader(9)
        feed.enter(reader)
        feed.replay(reader, 0)
        assert await owner.append(GAME.part(3, len(GAME.records), heads=1))
        await owner.finish(GAME.match_id, [record.head for record in GAME.records[3:]])
        while not feed.over:
            await asyncio.sleep(FOLLOW_PAUSE_SECONDS)
        world.watching.find(bytes(32), lambda feed: None)  # another request behind the first one
        assert len(world.watching.matches) == 2
        world.watching.send_away(lambda match_id: "there:1")
        assert reader.moves == ["there:1"] and world.watching.matches == (bytes(32),)

    run(tmp_path, work)


def test_watching_slow_read_happens_once_with_one_query(tmp_path):
    """Nobody waits that long. A spectator that comes back after the read can watch."""

    async def work(world):
        owner = MatchSubjects(MemoryEngine(world.shared), "owner")
        assert await owner.append(GAME.part(0, 1))
        for number in range(1, 11):
            assert await owner.append(GAME.part(number, number + 1, heads=number - 1))
        for number in range(3):
            world.watching.find(number.to_bytes(32), lambda feed: None)
        assert await world.found() is None
        for _ in range(8):
            await asyncio.sleep(FOLLOW_IDLE_SECONDS / 3)
            world.watching.look()
        world.engine.seconds = 0
        await asyncio.sleep(Slow.seconds)
        asked = world.engine.asked
        assert (await world.found()).stored == 10 and world.engine.asked <= asked + 2
        assert world.engine.most_at_once == 1

    run(tmp_path, work, engine=Slow)


@pytest.mark.parametrize("steps", range(4))
def test_feed_closed_during_arrival_is_read_no_more(tmp_path, steps):
    async def work(world):
        await world.stored(3)
        assert await world.found() is not None
        (followed,) = world.watching._followed.values()
        await asyncio.sleep(FOLLOW_PAUSE_SECONDS + PACE.poll / 2)  # the host waits for news
        followed.hint(1, [bytes(64)])
        for _ in range(steps):
            await asyncio.sleep(0)
        followed.close()
        await asyncio.wait({followed._task}, timeout=FOLLOW_IDLE_SECONDS)
        assert followed._task.cancelled()

    run(tmp_path, work)
