"""The matches of a store: each has one order, whatever the store answers and whichever host owns
it.
"""

import asyncio

import pytest

from protocol import wire
from table.storage.interface import (
    MatchBeginning,
    MatchOwnership,
    NewRecords,
    OpenMatch,
    hash_after,
)
from table.storage.shared.backend import Conflict, Item, Unanswered
from table.storage.shared.match_notes import OVER, BadNote, Note, encode_note, fold_notes
from table.storage.shared.match_subjects import MatchSubjects, subject_of
from table.storage.shared.subject_append import AppendOutcome, SubjectAppend
from tests.support.table_stores.memory import MemoryEngine, Shared, in_no_time
from tests.support.table_stores.worlds import Forked, World

MATCH, SEED = b"\1" * 32, b"sealed"


def host(shared, name="a"):
    return MatchSubjects(MemoryEngine(shared), name)


def begun(*entries, over=False):
    return NewRecords(
        MATCH,
        0,
        bytes(32),
        0,
        entries or (b"zero",),
        begin=MatchBeginning(SEED, "rules"),
        over=over,
    )


def behind(new, *entries, claim=0, heads=(), over=False):
    return NewRecords(
        MATCH, new.first + len(new.entries), hash_after(new), claim, entries, heads, over=over
    )


@pytest.mark.slow
def test_store_has_one_entry_per_number():
    for seed in range(150):
        World(seed).run()


class Trusting(SubjectAppend):
    """Store client that trusts a read after an unknown outcome."""

    async def _decide(self, data):
        found = await self._logs.next(self.subject, self.number)
        if found is None:
            return await self._again(data)
        self.number = self.placed = found.number
        return AppendOutcome.DONE if found.data == data else AppendOutcome.LOST


class Hasty(SubjectAppend):
    """Store client that treats a time-out as an answer: `outcome`."""

    outcome = AppendOutcome.DONE

    async def append(self, data):
        try:
            self.placed = self.number = await self._logs.append(self.subject, self.number, data)
        except (Conflict, Unanswered):
            return self.outcome
        return AppendOutcome.DONE


class Forgetful(SubjectAppend):
    """Store client that appends again after any item."""

    async def _decide(self, data):
        last = await self._logs.last(self.subject)
        self.placed = self.number = await self._logs.append(
            self.subject, 0 if last is None else last.number, data
        )
        return AppendOutcome.DONE


@pytest.mark.slow
@pytest.mark.parametrize("kind", (Trusting, Hasty, Forgetful))
def test_host_breaking_store_rules_forks(kind):
    def changed(matches):
        matches.tail_type = kind

    with pytest.raises((Forked, ExceptionGroup)):
        for seed in range(150):
            World(seed, changed).run()


@pytest.mark.slow
def test_host_continuing_without_claim_forks():
    def changed(matches):
        async def claim(match_id, new=None):
            found = await matches._told(match_id)
            if not found.number:
                return None
            matches._own(match_id, found)
            return OpenMatch(match_id, found.claim, b"", found.records)

        matches.claim = claim

    with pytest.raises((Forked, ExceptionGroup)):
        for seed in range(150):
            World(seed, changed).run()


def test_match_runs_from_beginning_to_file():
    async def work():
        shared = Shared()
        one, two = host(shared), host(shared, "b")
        first = begun(b"zero", b"one")
        assert await one.append(first)
        assert await two.open() == [MatchOwnership(MATCH, 0, "a", "rules")]
        second = behind(first, b"two", heads=(b"h" * 64, b"i" * 64))
        assert await one.append(second)
        claimed = await two.claim(MATCH)
        assert (claimed.seed, [tuple(record) for record in claimed.records]) == (
            SEED,
            [(b"zero", b"h" * 64), (b"one", b"i" * 64), (b"two", b"")],
        )
        assert not await one.append(behind(second, b"three"))
        last = behind(second, b"three", claim=claimed.claim, heads=(b"j" * 64,), over=True)
        assert await two.append(last)
        assert not await two.append(behind(last, b"four", claim=claimed.claim))
        assert await two.open() == [MatchOwnership(MATCH, claimed.claim, "b", "rules", over=True)]
        assert await two.finished(MATCH) == []
        records = await two.finish(MATCH, [b"k" * 64])
        assert [record.head[:1] for record in records] == [b"h", b"i", b"j", b"k"]
        await two.exported(MATCH)
        assert await one.open() == [] and await one.claim(MATCH) is None
        assert await one.finished(MATCH) == records

    in_no_time(work())


def test_match_claim_survives_a_late_append_answer():
    class Late(SubjectAppend):
        async def append(self, data):
            outcome = await super().append(data)
            await asyncio.sleep(0 if outcome is AppendOutcome.DONE else 1)
            return outcome

    async def work():
        shared = Shared()
        one, two = host(shared), host(shared, "b")
        one.tail_type = Late
        assert await one.append(begun())
        await two.claim(MATCH)
        late = asyncio.create_task(one.append(behind(begun(), b"late")))
        await asyncio.sleep(0.1)
        claimed = await one.claim(MATCH)
        assert not late.done() and not await late
        assert await one.append(behind(begun(), b"one", claim=claimed.claim, over=True))

    in_no_time(work())


def test_late_written_file_is_no_error():
    async def work():
        shared = Shared()
        one = host(shared)
        last = begun(over=True)
        assert await one.append(last) and await one.finish(MATCH, [b"h" * 64])
        one._mine.pop(MATCH)  # another host owns it now
        await one.exported(MATCH)
        assert await host(shared, "b").open() == [MatchOwnership(MATCH, 0, "a", "rules", over=True)]

    in_no_time(work())


def test_seed_is_deleted_at_match_end():
    async def work():
        shared = Shared()
        one = host(shared)
        assert await one.append(begun())
        assert len(shared.of(f"s.{MATCH.hex()}")) == 1
        assert await one.append(behind(begun(), b"one", over=True))
        assert shared.of(f"s.{MATCH.hex()}") == []
        assert (await host(shared, "b").claim(MATCH)).seed == b""

    in_no_time(work())


def test_append_after_unexpected_item_is_lost():
    async def work():
        one = host(Shared())
        first = begun()
        assert not await one.append(behind(first, b"one"))
        assert await one.append(first)
        assert await one.append(first)  # repeated: it stands
        after = behind(first, b"one")
        for wrong in (
            after._replace(first=2),
            after._replace(follows=bytes(32)),
            after._replace(claim=7),
        ):
            assert not await one.append(wrong)
        assert await one.append(after)

    in_no_time(work())


def test_only_one_host_begins_a_match():
    async def work():
        shared = Shared()
        one, two = host(shared), host(shared, "b")
        assert await one.append(begun())
        assert not await two.append(begun())

    in_no_time(work())


def test_match_released_to_a_host_fences_previous_owner():
    async def work():
        shared = Shared()
        one, two = host(shared), host(shared, "b")
        assert await one.append(begun())
        await one.release(MATCH, 0, "b")
        assert [(owned.owner, owned.claim) for owned in await two.open()] == [("b", 3)]
        assert not await one.append(behind(begun(), b"one"))
        claimed = await two.claim(MATCH)
        assert claimed.claim > 3
        await one.release(MATCH, 0, "c")
        assert (await two.open())[0].owner == "b"

    in_no_time(work())


@pytest.mark.parametrize("first", ["finish", "release"])
def test_match_ending_while_host_leaves_is_readable_next(first):
    """Both notes follow the same item: one of them comes too late, and does no harm."""

    async def work():
        shared = Shared()
        one, two = host(shared), host(shared, "b")
        assert await one.append(begun(b"zero", b"one"))
        assert await one.append(
            behind(begun(b"zero", b"one"), b"two", heads=(b"h" * 64, b"i" * 64), over=True)
        )
        tasks = {
            "finish": lambda: one.finish(MATCH, [b"j" * 64]),
            "release": lambda: one.release(MATCH, 0, "b"),
        }
        await asyncio.gather(tasks.pop(first)(), *(each() for each in tasks.values()))
        claimed = await two.claim(MATCH)
        assert claimed is not None and claimed.seed == b"" and len(claimed.records) == 3
        lacking = [b"j" * 64][: sum(not record.head for record in claimed.records)]
        assert len(await two.finish(MATCH, lacking)) == 3

    in_no_time(work())


def test_records_above_item_size_are_all_or_nothing():
    async def work():
        shared = Shared()
        one = host(shared)
        large = begun(*[bytes([place]) * 1500 for place in range(5)])
        assert await one.append(large)
        assert len(shared.of(subject_of(MATCH))) == 3
        claimed = await host(shared, "b").claim(MATCH)
        assert tuple(record.entry for record in claimed.records) == large.entries
        for kept in (1, 2):  # the host died between two items
            cut = Shared(items=shared.items[: 1 + kept], settled=1 + kept)
            assert (await host(cut, "b").claim(MATCH)).records == []

    in_no_time(work())


def test_match_item_size_limit_is_queried_once_at_opening():
    async def work():
        engine = MemoryEngine(Shared())
        one = MatchSubjects(engine, "a")
        engine.most = 2200
        assert await one.append(begun(*[bytes([place]) * 1500 for place in range(5)]))
        assert len(engine.shared.of(subject_of(MATCH))) == 5

    in_no_time(work())


def test_match_loss_in_store_is_noticed_by_acknowledged_host(caplog):
    async def work():
        shared = Shared()
        one = host(shared)
        first, second = begun(), behind(begun(), b"one")
        assert await one.append(first) and await one.append(second)
        shared.lose(1)
        assert not await one.append(behind(second, b"two"))
        # it would begin a second line of heads
        assert not await one.append(behind(first, b"another one"))
        kept = await one.claim(MATCH)
        assert (len(kept.records), kept.counted) == (1, 2)
        # entries that players have given back
        assert await one.append(second._replace(claim=kept.claim))
        assert await one.append(behind(second, b"two", claim=kept.claim))

    in_no_time(work())
    assert "lost what it had acknowledged" in caplog.text


def test_match_acknowledged_here_is_not_replaced_by_longer_chain(caplog):
    async def work():
        shared = Shared()
        one, two = host(shared), host(shared, "b")
        first = begun()
        assert await one.append(first) and await one.append(behind(first, b"one"))
        shared.lose(1)
        claimed = await two.claim(MATCH)
        assert await two.append(behind(first, b"another", b"more", claim=claimed.claim))
        assert await one.claim(MATCH) is None  # it would sign a second head for number 1
        assert (await host(shared, "c").claim(MATCH)).records[2].entry == b"more"

    in_no_time(work())
    assert "damaged" in caplog.text


def test_match_with_nothing_left_keeps_no_request_pending(caplog):
    async def work():
        shared = Shared()
        one, other = host(shared), b"\2" * 32
        assert await one.append(begun()) and await one.append(begun()._replace(match_id=other))
        shared.erased |= {item.number for item in shared.of(subject_of(MATCH))}
        assert not await one.append(behind(begun(), b"one"))
        async with asyncio.timeout(60):
            assert [owned.match_id for owned in await one.open()] == [other]
            shared.items.append(
                (subject_of(MATCH), encode_note(Note("proof", 0, bytes(16), "a", 0, 0, [])))
            )
            assert [owned.match_id for owned in await one.open()] == [other]
            shared.items.append(
                (subject_of(MATCH), encode_note(Note("proof", 2, bytes(16), "a", 0, 0, [])))
            )
            assert [owned.match_id for owned in await one.open()] == [other]
            assert await one.claim(MATCH) is None

    in_no_time(work())
    assert "lost what it had acknowledged" in caplog.text


class Dreaming(MemoryEngine):
    """The leader changes once, during a read of items that are not durable."""

    async def next(self, subject, after):
        found = await super().next(subject, after)
        if found is not None and found.number > self.shared.settled:
            self.shared.lead_anew()
            await self.meanwhile()
        return found


def test_match_removed_during_read_is_no_damage(caplog):
    async def work():
        shared = Shared()
        owner, reader = host(shared), Dreaming(shared)
        assert await owner.append(begun())
        shared.items.append(
            (subject_of(MATCH), encode_note(Note("claim", 2, bytes(16), "b", 0, 0, [])))
        )

        async def ended():
            # so that the next item does not get the number that was read
            shared.items.append(("another", b""))
            assert await owner.append(behind(begun(), b"one", heads=(b"h" * 64,), over=True))
            assert await owner.finish(MATCH, [b"i" * 64])

        reader.meanwhile = ended
        records = await MatchSubjects(reader, "c").finished(MATCH)
        assert [record.entry for record in records] == [b"zero", b"one"]

    in_no_time(work())
    assert "damaged" not in caplog.text


class Losing(MemoryEngine):
    """Store that loses each acknowledged item at once."""

    async def append(self, subject, after, data):
        number = await super().append(subject, after, data)
        self.shared.lose(1)
        return number


def test_match_claim_lost_after_acknowledgement_is_given_up(caplog):
    async def work():
        shared = Shared()
        assert await host(shared).append(begun())
        async with asyncio.timeout(60):
            assert await MatchSubjects(Losing(shared), "b").claim(MATCH) is None
        assert (await host(shared, "c").claim(MATCH)).records

    in_no_time(work())
    assert "damaged" in caplog.text


def test_missing_middle_item_is_noticed(caplog):
    async def work():
        shared = Shared()
        one = host(shared)
        first, second = begun(), behind(begun(), b"one")
        assert (
            await one.append(first)
            and await one.append(second)
            and await one.append(behind(second, b"two"))
        )
        shared.erased.add(3)
        assert await host(shared, "b").claim(MATCH) is None
        # an unknown match
        assert await host(shared, "b").finished(MATCH) is None

    in_no_time(work())
    assert "damaged" in caplog.text


@pytest.mark.parametrize(
    "changed",
    (
        {"after": 7},
        {"kind": "claim", "body": []},
        {"claim": 5},
        {"body": [1, bytes(32), [], [b"x"], "", False]},
        {"body": [0, b"\1" * 32, [], [b"x"], "", False]},
        {"body": [0, bytes(32), [b"h" * 64], [b"x"], "", False]},
    ),
    ids=str,
)
def test_malformed_match_notes_are_damage(changed):
    note = Note("records", 0, bytes(16), "a", 0, 0, [0, bytes(32), [], [b"x"], "", False])
    assert fold_notes([Item(1, encode_note(note))]).entries == [b"x"]
    with pytest.raises(BadNote):
        fold_notes([Item(1, encode_note(note._replace(**changed)))])


class Vanishing(MemoryEngine):
    """Store that shows the newest item of a match, then loses it and reuses its number."""

    instead = b""

    async def last(self, subject):
        found = await super().last(subject)
        if self.instead and subject.startswith("m."):
            self.shared.items[found.number - 1], self.instead = (subject, self.instead), b""
        return found


def test_claim_after_vanished_end_keeps_match_running():
    """The read item said that the match is over; a claim has its number now, and the match
    continues with its seed.
    """

    async def work():
        shared = Shared()
        first = begun()
        assert await host(shared).append(first)
        owner = host(shared)
        kept = await owner.claim(MATCH)
        assert await owner.append(behind(first, b"last", claim=kept.claim, over=False))
        standing = shared.items[-1][1]
        last = encode_note(Note(*wire.decode(standing))._replace(state=OVER))
        shared.items[-1] = (subject_of(MATCH), last)
        taker = MatchSubjects(Vanishing(shared), "b")
        taker._logs.instead = standing
        found = await taker.claim(MATCH)
        assert found.seed == SEED and [record.entry for record in found.records] == [
            b"zero",
            b"last",
        ]
        assert await taker.append(behind(behind(first, b"last"), b"more", claim=found.claim))

    in_no_time(work())


class Overtaken(MemoryEngine):
    """Store in which another host acts before the first read of the seed."""

    before = None

    async def last(self, subject):
        if self.before is not None and subject.startswith("s."):
            before, self.before = self.before, None
            await before()
        return await super().last(subject)


def test_match_claim_behind_foreign_end_is_lost_without_damage(caplog):
    """The seed is deleted with the end, as it must be."""

    async def work():
        shared = Shared()
        one, slow = host(shared), MatchSubjects(Overtaken(shared), "b")
        assert await one.append(begun())

        async def end():
            claimed = await one.claim(MATCH)
            assert await one.append(behind(begun(), b"one", claim=claimed.claim, over=True))

        slow._logs.before = end
        assert await slow.claim(MATCH) is None and not caplog.records
        assert await one.finish(MATCH, [bytes(64)] * 2)

    in_no_time(work())


def test_own_match_without_seed_is_damaged(caplog):
    async def work():
        shared = Shared()
        assert await host(shared).append(begun())
        await MemoryEngine(shared).erase(f"s.{MATCH.hex()}")
        assert await host(shared, "b").claim(MATCH) is None
        assert "damaged" in caplog.text

    in_no_time(work())


@pytest.mark.parametrize("fault", ("answer", "request", "late"))
def test_match_end_with_lost_answer_is_read_normally(fault):
    """The proof of the append also has the end of the match: without it the whole match seems
    damaged.
    """

    async def work():
        shared = Shared()
        owner, first = host(shared), begun()
        assert await owner.append(first)
        shared.befalls.append(fault)
        assert await owner.append(behind(first, b"last", over=True))
        assert [record.entry for record in await owner.finish(MATCH, [bytes(64)] * 2)] == [
            b"zero",
            b"last",
        ]

    in_no_time(work())


def test_last_heads_are_requested_until_read():
    """The asked server may lack the newest items: the host that finishes a match reads its own
    appended items.
    """

    class Behind(MemoryEngine):
        misses = 0

        def _read(self, subject):
            items = super()._read(subject)
            self.misses -= 1
            return items[:-1] if self.misses >= 0 else items

    async def work():
        engine, first = Behind(Shared()), begun(over=True)
        owner = MatchSubjects(engine, "a")
        assert await owner.append(first)
        engine.misses = 2
        assert await owner.finish(MATCH, [bytes(64)])

    in_no_time(work())
