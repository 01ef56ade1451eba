"""Promises of every store, a function for each. A function raises AssertionError if its promise is
broken.

`test_storage_suite.py` runs them over each store, and `test_storage_mutations.py` over stores that
break a promise.
"""

import asyncio

from protocol.limits import HOST_STALE_SECONDS
from table.storage.interface import NO_STAMPS, MatchStopped, NewTable, Stamps, TableRemoved
from tests.integration.storage.calls import (
    RULES,
    SEALED,
    Told,
    claim,
    game,
    heard,
    other,
    put,
    rows,
)
from tests.integration.storage.worlds import Case, World
from tests.unit.table.storage.disk.test_journal import TERMS

SUITE: list[Case] = []


def promised(case: Case) -> Case:
    """Add a function to the suite."""
    SUITE.append(case)
    return case


@promised
async def restart_keeps_stored_entries_in_order(world: World) -> None:
    """Each head that was stored is in its place."""
    there, match = await world.host("a"), game()
    for first, end, heads in ((0, 1, 0), (1, 4, 0), (4, 5, 1), (5, 6, 4)):
        assert await put(there, match.part(first, end, heads=heads)) == "done"
    there = await world.restart("b")
    (row,) = await rows(there)
    assert (row.match_id, row.claim, row.rules, row.over) == (match.match_id, 0, RULES, False)
    kept = await claim(there, match.match_id)
    assert kept is not None and (kept.match_id, kept.seed) == (match.match_id, SEALED)
    assert kept.records == match.stored(6, 5)


@promised
async def stored_outcomes_come_back_by_number(world: World) -> None:
    """The later one counts of two stamps of an entry."""
    there, match = await world.host("a"), game()
    for first, end, heads, stamps in (
        (0, 1, 0, NO_STAMPS),
        (1, 4, 0, Stamps(0, (b"s" * 32,))),
        (4, 5, 1, Stamps(1, (b"t", b"u"))),
        (5, 6, 4, Stamps(2, (b"v" * 96, b"w" * 41))),
    ):
        part = match.part(first, end, heads=heads, stamps=stamps)
        assert await put(there, part) == "done"
    there = await world.restart("b")
    kept = await claim(there, match.match_id)
    assert kept is not None
    assert kept.stamps == (b"s" * 32, b"t", b"v" * 96, b"w" * 41)


@promised
async def claimed_match_goes_on(world: World) -> None:
    """Claims are numbered upwards, and each owner appends under its own."""
    there, match, claims = await world.host("a"), game(), [0]
    assert await put(there, match.part(0, 1)) == "done"
    for number in range(1, 4):
        kept = await claim(there, match.match_id)
        assert (
            kept is not None
            and kept.claim > claims[-1]
            and kept.records == match.stored(number, number - 1)
        )
        assert await put(there, match.part(number, number + 1, kept.claim, number - 1)) == "done"
        assert await put(there, other(match.part(number + 1, number + 2, claims[-1]))) == "lost"
        claims.append(kept.claim)


@promised
async def claim_fences_earlier_owner(world: World) -> None:
    """The fence is permanent, and nothing of later attempts is stored."""
    old, new, match = await world.host("a"), await world.host("b"), game()
    assert await put(old, match.part(0, 2)) == "done"
    kept = await claim(new, match.match_id)
    assert kept is not None
    for _ in range(2):
        assert await put(old, other(match.part(2, 4))) == "lost"
    assert await put(new, match.part(2, 4, kept.claim, 0)) == "done"
    assert await put(old, match.part(4, 5, heads=2)) == "lost"
    kept = await claim(await world.restart("c"), match.match_id)
    assert kept is not None and kept.records == match.stored(4, 2)


@promised
async def append_not_at_end_is_lost(world: World) -> None:
    """Another number, hash or claim; a second beginning of a match; a continuation of a missing
    one.
    """
    there, match = await world.host("a"), game()
    assert await put(there, match.part(0, 3)) == "done"
    right = match.part(3, 4, heads=0)
    for wrong in (
        right._replace(first=2),
        right._replace(first=4),
        right._replace(follows=bytes(32)),
        right._replace(claim=right.claim + 1000),
        other(match.part(0, 1)),
        game(2).part(1, 2),
    ):
        assert await put(there, wrong) == "lost", wrong
    assert await put(there, right) == "done"
    kept = await claim(await world.restart("b"), match.match_id)
    assert kept is not None and kept.records == match.stored(4, 3)


@promised
async def unknown_outcome_of_append_is_settled(world: World) -> None:
    """For the first entry, a later one, and several in a row: the entry is done, stored once, and
    the next ones follow.
    """
    for fault in world.faults:
        match = game(2 + world.faults.index(fault))
        there = await world.host("a")
        for first, befalls in ((0, 1), (1, 1), (3, 0), (5, 3)):
            for _ in range(befalls):
                world.befall(fault)
            end = first + (1 if first == 0 else 2)
            assert await put(there, match.part(first, end, heads=max(0, first - 2))) == "done", (
                fault,
                first,
            )
    there = await world.restart("b")
    for number in range(2, 2 + len(world.faults)):
        kept = await claim(there, game(number).match_id)
        assert kept is not None and kept.records == game(number).stored(7, 5)


@promised
async def unknown_outcome_of_claim_is_settled(world: World) -> None:
    """Whatever happened to the first attempt, the match is ours in the end, and goes on."""
    for fault in world.faults:
        there, match = await world.host("a"), game(2 + world.faults.index(fault))
        assert await put(there, match.part(0, 2)) == "done"
        taker = await world.host("b")
        world.befall(fault)
        kept = await claim(taker, match.match_id)
        assert kept is not None and kept.records == match.stored(2, 0)
        assert await put(taker, match.part(2, 3, kept.claim, 0)) == "done"
        assert await put(there, other(match.part(2, 3, heads=0))) == "lost"


@promised
async def owner_overtaken_during_unknown_outcome_is_lost(world: World) -> None:
    """The attempted entries are stored either completely, before the claim, or not at all."""
    for fault in world.faults:
        old, new, match = (
            await world.host("a"),
            await world.host("b"),
            game(2 + world.faults.index(fault)),
        )
        assert await put(old, match.part(0, 1)) == "done"
        world.befall(fault)
        tried = Told(old, match.part(1, 4, heads=0))
        kept = await claim(new, match.match_id)
        assert kept is not None
        number = len(kept.records)
        assert kept.records in (match.stored(1, 0), match.stored(4, 1))
        assert (
            await put(new, match.part(number, number + 1, kept.claim, max(0, number - 3))) == "done"
        )
        assert await tried() == "lost" or number == 4
        assert await put(old, other(match.part(4, 5))) == "lost"


@promised
async def one_of_two_simultaneous_claims_wins(world: World) -> None:
    """Several rounds of two competing hosts."""
    hosts, match = [await world.host("a"), await world.host("b")], game()
    assert await put(hosts[0], match.part(0, 1)) == "done"
    for number in range(1, 7):
        claims = await asyncio.gather(*(claim(host, match.match_id) for host in hosts))
        ours = [
            (host, kept.claim) for host, kept in zip(hosts, claims, strict=True) if kept is not None
        ]
        tries = [
            put(host, match.part(number, number + 1, number_of, number - 1))
            for host, number_of in ours
        ]
        said = await asyncio.gather(*tries)
        assert said.count("done") == 1, said


@promised
async def one_of_two_different_appends_is_done(world: World) -> None:
    """Both hosts believe that the match is theirs."""
    old, new, match = await world.host("a"), await world.host("b"), game()
    assert await put(old, match.part(0, 1)) == "done"
    claims, late = await asyncio.gather(
        claim(new, match.match_id), put(old, match.part(1, 2, heads=0))
    )
    assert claims is not None
    number = len(claims.records)
    assert late == ("done" if number == 2 else "lost")
    said = await asyncio.gather(
        put(old, other(match.part(number, number + 1))),
        put(new, match.part(number, number + 1, claims.claim, number - 1)),
    )
    assert said == ["lost", "done"]


@promised
async def released_match_belongs_to_another_host(world: World) -> None:
    """The other host's name is stored, and the match goes on under its claim."""
    old, new, match = await world.host("a"), await world.host("b"), game()
    assert await put(old, match.part(0, 2)) == "done"
    await heard(old.release, match.match_id, 0, "b")
    assert await put(old, other(match.part(2, 3))) == "lost"
    (row,) = await rows(new)
    assert row.owner == "b"
    kept = await claim(new, match.match_id)
    assert kept is not None and await put(new, match.part(2, 3, kept.claim, 0)) == "done"
    await heard(old.release, match.match_id, 0, "a")  # too late: the match is not its own any more
    assert await put(new, match.part(3, 4, kept.claim, 2)) == "done"


@promised
async def stopped_match_belongs_to_no_host(world: World) -> None:
    """No host gets the match, even after a restart, and entries in transit are not stored. A host
    that has lost the match cannot stop it.
    """
    there, match = await world.host("a"), game()
    assert await put(there, match.part(0, 2)) == "done"
    kept = await claim(there, match.match_id)
    assert kept is not None and await put(there, MatchStopped(match.match_id, 0)) == "lost"
    assert [row.match_id for row in await rows(there)] == [match.match_id]
    assert await put(there, MatchStopped(match.match_id, kept.claim)) == "done"
    assert await put(there, match.part(2, 3, kept.claim, 0)) == "lost"
    there = await world.restart("b")
    assert await rows(there) == [] and await claim(there, match.match_id) is None
    assert await heard(there.fetch, match.match_id) == []


@promised
async def finished_match_is_readable_with_all_heads(world: World) -> None:
    """A host that claims the match writes its file, if the match's own host did not."""
    there, match = await world.host("a"), game()
    end = len(match.records)
    assert await put(there, match.part(0, 1)) == "done"
    assert await heard(there.fetch, match.match_id) == []
    assert await put(there, match.part(1, end, heads=0)) == "done"
    assert await heard(there.fetch, match.match_id) == []
    there = await world.restart("b")
    assert [(row.match_id, row.over) for row in await rows(there)] == [(match.match_id, True)]
    kept = await claim(there, match.match_id)
    assert kept is not None and (kept.seed, kept.records) == (b"", match.stored(end, 1))
    heads_kept = asyncio.Event()
    there.export(match.match_id, [record.head for record in match.records[1:]], heads_kept.set)
    await heads_kept.wait()
    while await rows(there):
        await asyncio.sleep(0.01)
    assert await heard(there.fetch, match.match_id) == match.records
    assert await claim(there, match.match_id) is None
    assert await heard(there.fetch, bytes(32)) == []


@promised
async def seed_is_deleted_with_its_match(world: World) -> None:
    """The seed disappears from everywhere."""
    there, match = await world.host("a"), game()
    assert await put(there, match.part(0, 2)) == "done"
    assert _has_seed(world)
    assert await put(there, match.part(2, len(match.records), heads=0)) == "done"
    there.export(match.match_id, [record.head for record in match.records[2:]], lambda: None)
    while await rows(there):
        await asyncio.sleep(0.01)
    await world.restart("b")
    loop = asyncio.get_running_loop()
    end = loop.time() + 60  # a server that follows the leader may be behind
    while _has_seed(world) and loop.time() < end:
        await asyncio.sleep(0.1)
    assert not _has_seed(world)


def _has_seed(world: World) -> bool:
    return any(seed in world.contents() for seed in (SEALED, repr(SEALED).encode()))


@promised
async def tables_survive_and_numbers_are_not_reused(world: World) -> None:
    """A number is never given twice."""
    there = await world.host("a")
    for change in (
        NewTable(1, TERMS, b"a" * 32),
        NewTable(2, TERMS, b"b" * 32),
        TableRemoved(2),
        TableRemoved(7),
    ):
        assert await put(there, change) == "done"
    assert await put(there, NewTable(1, TERMS, b"c" * 32)) == "lost"
    await world.restart("b")
    assert (world.kept.tables, world.kept.last_number) == ([NewTable(1, TERMS, b"a" * 32)], 2)


@promised
async def store_reports_silence_while_answer_is_due(world: World) -> None:
    """Not before, and not afterwards."""
    there, match = await world.host("a"), game()
    assert there.silent() < HOST_STALE_SECONDS
    longest = 0.0
    for number in range(len(match.records) - 1):
        for _ in range(20):
            world.befall("request")
        tried = Told(there, match.part(number, number + 1))
        while not tried.said:
            await asyncio.sleep(0.01)
            longest = max(longest, there.silent())
        assert await tried() == "done"
        if longest:  # a busy event loop may miss it, so the test is repeated
            break
    assert longest > 0
    assert there.silent() < HOST_STALE_SECONDS
