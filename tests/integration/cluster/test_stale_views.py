"""Requests between hosts with different knowledge: nobody is sent back and forth, or left without a
place.
"""

import asyncio
from itertools import product

import pytest

from conformance.table.environment import wire_terms
from protocol.codes import Code
from protocol.games.registry import BUILT_IN, Games
from protocol.match.clock import Allowance
from protocol.match.terms import decode_terms, encode_terms, make_terms
from protocol.options import Selection
from table.cluster.membership import chosen
from table.config import Pace
from tests.integration.cluster.hosts import Engine, hear_each_other, hosts
from tests.support.tables import CLOCK, close_all, guest, seated, until
from tests.support.wire_client import Player

pytestmark = pytest.mark.match
TERMS = wire_terms("block-dominoes", [["target", 1]], "layered", [], CLOCK, 2)
OLD = Games({name: row for name, row in BUILT_IN.specs.items() if name != "connect-four"})
FOUR = encode_terms(
    make_terms(
        Selection("connect-four"), BUILT_IN.specs["connect-four"].dealing, Allowance().options(), 2
    )
)


def two(table, home):
    """Choose names of two hosts such that the first, or the second, is the home of this table."""
    pairs = product("abcdef", "ghijkl")
    return next(pair for pair in pairs if chosen(table.encode(), pair) == pair[home])


def there_are_two(*tables):
    return until(lambda: all(len(table.manager.cluster.view.taking()) == 2 for table in tables))


def address(table):
    return f"127.0.0.1:{table.link.port}"


async def begun(table):
    players = [Player(client) for client in await seated(table, 1, 2)]
    await asyncio.gather(*(player.run(until=4) for player in players))
    return players


async def over(players):
    async with asyncio.timeout(60):
        await asyncio.gather(*(player.run() for player in players))
    await close_all(*(player.client for player in players))


async def test_match_moved_from_home_host_redirects_once(tmp_path):
    first, second = two("main", home=1)
    pace = Pace(look=0.02, hear=0.1)  # as few heartbeats as real hosts send
    async with hosts(tmp_path, first, pace=pace) as there:
        (away,) = there.tables.values()
        players = await begun(away)
        (home,) = await there.begin(second, pace=pace)
        await until(
            lambda: (
                home.manager.cluster.view.of_table("main")
                and len(away.manager.cluster.view.taking()) == 2
            )
        )
        await over(players)
        client = await guest(away, 9, "Cleo")
        await client.send("join", "main")
        assert await client.expect("moved") == [address(home), "main"]
        again = await guest(home, 9, "Cleo", identity=client.identity)
        await again.send("join", "main")
        assert (await again.expect("waiting"))[0] == "main"
        await close_all(client, again)


class Slow(Engine):
    """Store whose stream of tables is slow."""

    gate: asyncio.Event

    async def append(self, subject, after, data):
        if subject == "l.tables":
            await self.gate.wait()
        return await super().append(subject, after, data)

    async def next(self, subject, after):
        if subject == "l.tables":
            await self.gate.wait()
        return await super().next(subject, after)


async def test_match_with_reused_table_number_continues_and_is_found(tmp_path):
    gate = asyncio.Event()
    gate.set()
    first, second = two("table-1", home=0)
    async with hosts(tmp_path) as there:
        (loser,) = await there.begin(first, engine=type("Gated", (Slow,), {"gate": gate}))
        (winner,) = await there.begin(second)
        await there_are_two(loser, winner)
        gate.clear()
        makers = [await guest(loser, 1, "Ann"), await guest(winner, 2, "Bob")]
        for maker in makers:
            await maker.send("create", TERMS)
        assert await makers[1].expect("created") == ["table-1"]
        guests = [await guest(loser, 3, "Cleo"), await guest(loser, 4, "Dan")]
        for each in guests:
            await each.send("join", "table-1")
        await until(lambda: loser.matches.feeds)
        (match_id,) = loser.matches.feeds
        gate.set()
        await until(lambda: loser.lobby.tables["table-1"].creator == makers[1].identity.public)
        assert loser.lobby.seat_of(guests[0].identity.public) is not None
        await until(lambda: winner.manager.cluster.view.of_match(match_id) is not None)
        lost = await guest(winner, 5, "Cleo", identity=guests[0].identity)
        await lost.send("join", None)
        assert await lost.expect("moved") == [address(loser), match_id]
        named = await guest(winner, 5, "Cleo", identity=guests[0].identity)
        await named.send("join", "table-1")
        assert (await named.expect("moved"))[0] == address(loser)
        again = await guest(loser, 8, "Cleo", identity=guests[0].identity)
        await again.send("join", "table-1")
        assert (await again.expect("match"))[1] == match_id
        others = [await guest(winner, 6, "Eve"), await guest(loser, 7, "Fay")]
        # a free table that only one host has under this number
        await others[0].send("join", "table-1")
        assert await others[0].expect("moved") == [address(loser), "table-1"]
        await others[1].send("join", "table-1")
        assert await others[1].expect("waiting")
        await close_all(*makers, *guests, *others, lost, named, again)


@pytest.mark.parametrize("first_asks", [0, 1])
async def test_creator_of_two_tables_at_two_hosts_has_both(tmp_path, first_asks):
    async with hosts(tmp_path, "a", "b") as there:
        tables = list(there.tables.values())
        await there_are_two(*tables)
        ann = await guest(tables[first_asks], 1, "Ann")
        twin = await guest(tables[1 - first_asks], 1, "Ann", identity=ann.identity)
        await asyncio.gather(ann.send("create", TERMS), twin.send("create", TERMS))
        assert {(await each.expect("created"))[0] for each in (ann, twin)} == {"table-1", "table-2"}
        await until(lambda: all(len(table.lobby.tables) == 3 for table in tables))
        await hear_each_other(*tables)
        assert all({"main", "table-1", "table-2"} == set(table.lobby.tables) for table in tables)
        await close_all(ann, twin)


async def test_table_home_is_a_host_that_knows_its_game(tmp_path):
    first, second = two("table-1", home=0)
    async with hosts(tmp_path) as there:
        (old,), (new,) = await there.begin(first, games=OLD), await there.begin(second)
        await there_are_two(old, new)
        ann = await guest(new, 1, "Ann")
        await ann.send("create", FOUR)
        await ann.expect("created")
        bob = await guest(old, 2, "Bob")
        await bob.send("join", "table-1")
        assert await bob.expect("moved") == [address(new), "table-1"]
        await ann.send("join", "table-1")
        await ann.expect("waiting")
        await close_all(ann, bob)


async def test_waiting_player_learns_why_no_match_can_begin(tmp_path):
    async with hosts(tmp_path, "a", games=OLD) as there:
        (old,) = there.tables.values()
        old.lobby.tables["main"].terms = decode_terms(FOUR)
        clients = [await guest(old, 1, "Ann"), await guest(old, 2, "Bob")]
        for client in clients:
            await client.send("join", None)
        for client in clients:
            assert await client.expect("error") == [Code.UNKNOWN_RULES]
            await client.expect("left")
        await clients[0].send("join", None)
        await clients[0].expect("waiting")
        await close_all(*clients)


async def test_finished_match_is_read_back_before_log_file_is_made(tmp_path):
    first, second = two("main", home=0)
    async with hosts(tmp_path, first, second) as there:
        home, other = there.tables.values()
        await there_are_two(home, other)
        players = await begun(home)
        match_id = players[0].client.match_id
        (home.config.data / "logs").rmdir()
        # a file in place of the folder, so that no log can be written
        (home.config.data / "logs").touch()
        await over(players)
        await until(lambda: match_id not in home.matches.feeds)
        for table in (home, other):
            client = await guest(table, 9, "Seat A", identity=players[0].client.identity)
            await client.send("resume", match_id, None, None)
            async with asyncio.timeout(60):
                assert (await client.expect("match"))[1] == match_id
            await client.close()


async def test_seated_player_gets_no_second_seat_at_another_host(tmp_path):
    first, second = two("main", home=0)
    async with hosts(tmp_path, first, second) as there:
        home, other = there.tables.values()
        await there_are_two(home, other)
        players = await begun(home)
        ann = players[0].client
        maker = await guest(other, 5, "Eve")
        view = other.manager.cluster.view
        name = ""
        while not name or view.home(name) != view.me:
            await maker.send("create", TERMS)
            (name,) = await maker.expect("created")
        await until(lambda: view.of_seat(ann.identity.public) is not None)
        again = await guest(other, 9, "Seat A", identity=ann.identity)
        await again.send("join", name)
        assert await again.expect("error") == ["already_seated"]
        await over(players)
        await again.send("join", name)  # whatever the other host answered before
        assert await again.expect("waiting")
        await close_all(maker, again)


async def test_seated_player_is_sent_to_the_match_running_at_table(tmp_path):
    first, second = two("main", home=1)
    async with hosts(tmp_path, first, second) as there:
        other, home = there.tables.values()
        await there_are_two(other, home)
        players = await begun(home)
        match_id = players[0].client.match_id
        main = home.lobby.tables["main"]
        home.lobby.crowd(main).room, main.room = main.room, None
        view = other.manager.cluster.view
        await until(lambda: (found := view.of_match(match_id)) is not None and not found.table_id)
        client = await guest(other, 9, "Ann", identity=players[0].client.identity)
        await client.send("join", "main")
        assert await client.expect("moved") == [address(home), match_id]
        await over(players)
        await client.close()


async def test_table_refused_by_store_is_not_retried_again_and_again(tmp_path):
    async with hosts(tmp_path, "a") as there:
        (table,) = there.tables.values()
        maker = await guest(table, 5, "Max")
        await maker.send("create", TERMS)
        await maker.expect("created")
        there.shared.items[:] = [item for item in there.shared.items if item[0] != "l.tables"]
        await maker.send("create", TERMS)
        assert await maker.expect("error") == ["too_many"]
        await maker.close()
