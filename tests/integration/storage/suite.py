"""What every store promises, one function each. They raise AssertionError if it does not hold.

Run over each store by `test_suite.py`, and over stores that break a promise by `test_mutations.py`.
"""

import asyncio

from protocol.limits import HOST_STALE_SECONDS
from table.storage.interface import MatchStopped, NewTable, TableRemoved
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
    """A part of the suite."""
    SUITE.append(case)
    return case


@promised
async def what_was_done_is_there_in_order_after_a_restart(world: World) -> None:
    """With each head in its place, as far as heads came."""
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
async def it_goes_on_after_a_claim(world: World) -> None:
    """More than once; claims count upwards, and each appends under its own."""
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
async def whoever_had_a_match_before_a_claim_is_fenced(world: World) -> None:
    """For good, and nothing of what it still tries is there."""
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
async def what_does_not_follow_the_end_is_lost_and_changes_nothing(world: World) -> None:
    """Another number, hash or claim; a match that is there begun again; one that is not, gone on
    with.
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
async def an_unknown_outcome_is_found_out(world: World) -> None:
    """The first entry's, a later one's, several in a row: done, there once, and the next ones
    follow.
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
async def an_unknown_claim_is_found_out(world: World) -> None:
    """Whatever came of the first attempt, the match is ours in the end, and goes on."""
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
async def who_is_overtaken_while_its_outcome_is_unknown_is_lost(world: World) -> None:
    """And what it tried stands either whole, before the claim, or not at all."""
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
async def of_two_that_claim_at_once_one_goes_on(world: World) -> None:
    """Round after round, as in a duel."""
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
async def of_two_that_append_different_things_one_is_done(world: World) -> None:
    """Both believe that the match is theirs."""
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
async def what_is_released_is_another_ones(world: World) -> None:
    """Its host's name stands there, and the match goes on under a claim of that host's."""
    old, new, match = await world.host("a"), await world.host("b"), game()
    assert await put(old, match.part(0, 2)) == "done"
    await heard(old.release, match.match_id, 0, "b")
    assert await put(old, other(match.part(2, 3))) == "lost"
    (row,) = await rows(new)
    assert row.owner == "b"
    kept = await claim(new, match.match_id)
    assert kept is not None and await put(new, match.part(2, 3, kept.claim, 0)) == "done"
    await heard(old.release, match.match_id, 0, "a")  # too late: it is not its own any more
    assert await put(new, match.part(3, 4, kept.claim, 2)) == "done"


@promised
async def a_match_that_has_stopped_is_nobodys(world: World) -> None:
    """Not after a restart either, at no host, and what is on its way is not taken; who has lost it
    stops nothing.
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
async def a_match_that_is_over_is_read_once_its_heads_are_there(world: World) -> None:
    """And its file is made by whoever claims it, if its own host did not come to it."""
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
async def a_seed_is_gone_with_its_match(world: World) -> None:
    """Wherever it lay."""
    there, match = await world.host("a"), game()
    assert await put(there, match.part(0, 2)) == "done"
    assert _has_seed(world)
    assert await put(there, match.part(2, len(match.records), heads=0)) == "done"
    there.export(match.match_id, [record.head for record in match.records[2:]], lambda: None)
    while await rows(there):
        await asyncio.sleep(0.01)
    await world.restart("b")
    loop = asyncio.get_running_loop()
    end = loop.time() + 60  # a server that follows the others may be behind
    while _has_seed(world) and loop.time() < end:
        await asyncio.sleep(0.1)
    assert not _has_seed(world)


def _has_seed(world: World) -> bool:
    return any(seed in world.contents() for seed in (SEALED, repr(SEALED).encode()))


@promised
async def tables_come_back_and_their_numbers_do_not(world: World) -> None:
    """A number that is taken is lost."""
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
async def it_is_silent_while_it_owes_an_answer(world: World) -> None:
    """And not before, nor after."""
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
        if longest:  # who looks away for too long sees nothing of it, and tries once more
            break
    assert longest > 0
    assert there.silent() < HOST_STALE_SECONDS
