"""A host that only reads a match: entries count only when the table has signed them, whatever the
store shows.
"""

import tracemalloc

import pytest

from protocol.errors import RemoteError
from protocol.match.log import chain_position, decode_entry
from protocol.match.setup import parse_setup
from table.storage.interface import NewRecords
from table.storage.shared.backend import Unanswered
from table.storage.shared.match_notes import BadNote
from table.storage.shared.match_subjects import MatchSubjects
from table.storage.shared.verified_log_reader import VerifiedLogReader
from tests.integration.storage.calls import game
from tests.support.table_stores.memory import MemoryEngine, Shared, in_no_time

GAME = game()
KEY = parse_setup(decode_entry(GAME.records[0].entry).body).table.key


class World:
    """A store, the match's owner, and a host that reads it."""

    def __init__(self):
        self.shared = Shared()
        self.owner = MatchSubjects(MemoryEngine(self.shared), "owner")
        self.reader = VerifiedLogReader(MemoryEngine(self.shared), GAME.match_id, KEY)

    async def read(self):
        """Read everything."""
        while await self.reader.more():
            pass
        self.reader.check()
        return len(self.reader.records)

    def right(self):
        """Check that the read records are a prefix of the log."""
        return self.reader.records == GAME.records[: len(self.reader.records)]


def played(work):
    world = World()
    in_no_time(work(world))
    assert world.right()


def test_following_log_grows_with_stored_and_announced_heads():
    async def work(world):
        for first, end, read in ((0, 1, 0), (1, 4, 1), (4, 5, 4)):
            assert await world.owner.append(GAME.part(first, end, heads=max(0, first - 3)))
            assert await world.read() == read
        world.reader.hint(4, [GAME.records[4].head])
        assert await world.read() == 5

    played(work)


def test_following_notes_takeover_and_match_end():
    async def work(world):
        last = len(GAME.records)
        assert await world.owner.append(GAME.part(0, 3))
        await world.read()
        heir = MatchSubjects(MemoryEngine(world.shared), "heir")
        claimed = await heir.claim(GAME.match_id)
        assert await heir.append(GAME.part(3, last, claimed.claim, 0))
        assert await world.read() == 3 and not world.reader.over
        assert await heir.finish(GAME.match_id, [record.head for record in GAME.records[3:]])
        assert await world.read() == last and world.reader.over

    played(work)


def test_following_never_shows_uncommitted_entries():
    async def work(world):
        assert await world.owner.append(GAME.part(0, 3))
        settled = world.shared.settled
        other = NewRecords(
            GAME.match_id,
            3,
            chain_position(r.entry for r in GAME.records[:3])[1],
            0,
            (b"never stood",),
        )
        heads = tuple(record.head for record in GAME.records[:3])
        assert await world.owner.append(other._replace(heads=heads))
        world.shared.settled = settled  # nobody was told
        assert await world.read() == 3
        world.shared.lead_anew()
        heir = MatchSubjects(MemoryEngine(world.shared), "heir")
        claimed = await heir.claim(GAME.match_id)
        assert await heir.append(GAME.part(3, 5, claimed.claim, 0))
        assert await heir.append(GAME.part(5, 6, claimed.claim, 3))
        with pytest.raises((BadNote, RemoteError)):
            await world.read()
        world.reader.anew()
        assert await world.read() == 5

    played(work)


def test_invalid_head_is_not_passed_on():
    async def work(world):
        wrong = GAME.part(1, 3, heads=0)._replace(heads=(bytes(64),))
        assert await world.owner.append(GAME.part(0, 1)) and await world.owner.append(wrong)
        with pytest.raises(RemoteError):
            await world.read()
        assert not world.reader.records

    played(work)


def test_wrong_announcement_of_a_host_is_dropped():
    async def work(world):
        assert await world.owner.append(GAME.part(0, 3))
        world.reader.hint(0, [GAME.records[1].head])
        with pytest.raises(RemoteError):
            await world.read()
        world.reader.anew()
        assert await world.read() == 0
        world.reader.hint(0, [record.head for record in GAME.records[:3]])
        assert await world.read() == 3

    played(work)


def test_another_match_under_this_subject_is_ignored():
    async def work(world):
        other = game(2)._replace(match_id=GAME.match_id)
        assert await world.owner.append(other.part(0, 1)) and await world.owner.append(
            other.part(1, 2, heads=0)
        )
        with pytest.raises(BadNote):
            await world.read()

    played(work)


def test_following_missing_signed_entry_is_read_anew():
    async def work(world):
        assert await world.owner.append(GAME.part(0, 3))
        world.reader.hint(3, [GAME.records[3].head])
        with pytest.raises(BadNote):
            for _ in range(9):
                await world.read()

    played(work)


@pytest.mark.parametrize("seed", range(5))
def test_lagging_or_silent_store_only_delays(seed):
    async def work(world):
        world.shared.rng.seed(seed)
        world.shared.trouble = 0.2
        last = len(GAME.records)
        for number in range(last):
            assert await world.owner.append(GAME.part(number, number + 1, heads=max(0, number - 1)))
            try:
                await world.read()
            except Unanswered:
                pass
            except (BadNote, RemoteError):
                world.reader.anew()
            assert world.right()
        world.shared.trouble = 0
        try:
            await world.read()
        except (BadNote, RemoteError):
            world.reader.anew()
        assert await world.read() == last - 1

    played(work)


def test_following_memory_is_counted_also_while_rereading():
    async def work(world):
        assert await world.owner.append(GAME.part(0, 1))
        for number in range(1, len(GAME.records)):
            assert await world.owner.append(GAME.part(number, number + 1, heads=number - 1))
        readers = [
            VerifiedLogReader(MemoryEngine(world.shared), GAME.match_id, KEY) for _ in range(4)
        ]
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            for again in range(3):
                for reader in readers:
                    while await reader.more():
                        pass
                for anew in (False, True):
                    for reader in readers if anew else ():
                        reader.anew()
                    held = tracemalloc.get_traced_memory()[0] - before
                    assert 0.8 * held < sum(reader.size for reader in readers) < 2.5 * held, (
                        again,
                        anew,
                    )
        finally:
            tracemalloc.stop()

    played(work)
