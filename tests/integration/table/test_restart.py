"""Table that is stopped or killed, and resumes matches, created tables and exported files."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from conformance.table.environment import wire_terms
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.games.registry import BUILT_IN, Games
from protocol.limits import MAX_FETCHES
from protocol.match.clock import Allowance
from protocol.match.log import chain_position
from protocol.match.log_file import read_records
from protocol.match.terms import make_terms
from protocol.messages.table import ConnectionPhase
from protocol.options import Selection
from table.config import Bounds, default_terms
from table.lobby.matches import Matches
from table.lobby.tables import Lobby
from table.manager.server import TableServer
from table.match.live_match import LiveMatch
from table.storage.disk.journal import JOURNAL_FILE
from tests.support.offline import make_offline
from tests.support.outcomes import counted_checks
from tests.support.tables import (
    CLOCK,
    close_all,
    config,
    exported,
    guest,
    sanity,
    seated,
    surviving,
    until,
)
from tests.support.wire_client import Player, WireClient, play_match

pytestmark = pytest.mark.match

WITHOUT = Games(
    {name: row for name, row in BUILT_IN.specs.items() if name != default_terms().game.name}
)


async def back(table: TableServer, player: Player, name: str) -> WireClient:
    """Connect the same identity again, in its seat."""
    client = await guest(table, 50, name, identity=player.client.identity)
    await client.send("resume", player.client.match_id, player.holds, None)
    await client.expect("match")
    client.rng = player.client.rng
    player.client = client
    return client


@pytest.mark.parametrize("entries", [1, 2, 5, 9, 14, 20])
async def test_match_goes_on_after_a_restart(tmp_path, entries):
    async with TableServer(config(tmp_path)) as table:
        players = [Player(client) for client in await seated(table, 1, 2)]
        await asyncio.gather(*(player.run(until=entries) for player in players))
        match_id = players[0].client.match_id
    for player in players:
        await player.client.close()
    async with TableServer(config(tmp_path)) as table:
        assert table.lobby.tables["main"].room.match_id == match_id
        clients = [
            await back(table, player, name)
            for player, name in zip(players, ("Seat A", "Seat B"), strict=True)
        ]
        async with asyncio.timeout(60):
            await asyncio.gather(*(player.run() for player in players))
        assert players[0].file == players[1].file == await exported(table, match_id)
        assert audit(players[0].file).verdict is Verdict.CLEAN
        await close_all(*clients)
        await sanity(table)


@pytest.mark.parametrize("change", ["", "lost", "forged"])
async def test_restart_proves_only_entries_without_stored_outcomes(tmp_path, change):
    """The second restart repeats what the first one had to prove, once the match has gone on."""
    async with TableServer(config(tmp_path)) as table:
        players = [Player(client) for client in await seated(table, 1, 2)]
        await asyncio.gather(*(player.run(until=14) for player in players))
        entries = len(table.lobby.tables["main"].room.live.entries)
    for player in players:
        await player.client.close()
    if change:
        with closing(sqlite3.connect(tmp_path / JOURNAL_FILE)) as journal, journal:
            found = journal.execute("SELECT number, stamps FROM records WHERE stamps NOT NULL")
            for number, data in found.fetchall():
                forged = data[:-1] + bytes([data[-1] ^ 1]) if change == "forged" else None
                row = forged, number
                journal.execute("UPDATE records SET stamps = ? WHERE number = ?", row)
    with counted_checks() as checks:
        async with TableServer(config(tmp_path)) as table:
            live = table.lobby.tables["main"].room.live
            assert len(live.entries) == entries
            stored = live._stamps_stored
            proven = checks.signatures
            clients = [
                await back(table, player, name)
                for player, name in zip(players, ("Seat A", "Seat B"), strict=True)
            ]
            async with asyncio.timeout(60):
                await asyncio.gather(*(player.run() for player in players))
            await close_all(*clients)
    # the last changes may lack their heads and stamps
    assert (stored >= entries - 3) is not bool(change)
    assert (proven < 12) is not bool(change)


async def test_journal_of_version_1_opens_and_is_proven_once(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        players = [Player(client) for client in await seated(table, 1, 2)]
        await asyncio.gather(*(player.run(until=14) for player in players))
        match_id = players[0].client.match_id
    for player in players:
        await player.client.close()
    with closing(sqlite3.connect(tmp_path / JOURNAL_FILE)) as journal, journal:
        journal.execute("ALTER TABLE records DROP COLUMN stamps")
        journal.execute("PRAGMA user_version = 1")
    async with TableServer(config(tmp_path)) as table:
        assert table.lobby.tables["main"].room.live._stamps_stored == 1
        clients = [
            await back(table, player, name)
            for player, name in zip(players, ("Seat A", "Seat B"), strict=True)
        ]
        await asyncio.gather(*(player.run(until=18) for player in players))
        entries = len(table.lobby.tables["main"].room.live.entries)
        await close_all(*clients)
    async with TableServer(config(tmp_path)) as table:
        live = table.lobby.tables["main"].room.live
        assert live.log.match_id == match_id and live._stamps_stored >= entries - 3


async def test_ended_match_of_missing_rules_stays_readable(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        player, _ = await play_match(table.link, 2)
        await exported(table, player.client.match_id)
    async with TableServer(config(tmp_path, games=WITHOUT)) as table, asyncio.timeout(60):
        client = await back(table, player, "Seat A")
        assert table.matches.feeds
        await client.close()


async def test_match_stopped_by_missing_rules_is_not_reported_gone(tmp_path):
    """Otherwise the players' programs would delete their match, and could not go on elsewhere."""
    async with TableServer(config(tmp_path)) as table:
        players = [Player(client) for client in await seated(table, 1, 2)]
        await asyncio.gather(*(player.run(until=5) for player in players))
        await close_all(*(player.client for player in players))
    async with TableServer(config(tmp_path, games=WITHOUT)) as table, asyncio.timeout(60):
        client = await guest(table, 50, "Seat A", identity=players[0].client.identity)
        await client.send("resume", players[0].client.match_id, players[0].holds, None)
        await client.expect_closed(Code.MATCH_STOPPED)
        await client.close()
    async with TableServer(config(tmp_path)) as table:
        await close_all(await back(table, players[0], "Seat A"))


async def test_created_tables_survive_restart_until_creator_stays_away(
    tmp_path,
):
    async with TableServer(config(tmp_path)) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        for client in (ann, bob):
            await client.send(
                "create", wire_terms("block-dominoes", [["target", 1]], "layered", [], CLOCK, 2)
            )
            await client.expect("created")
    async with TableServer(config(tmp_path, bounds={"return_seconds": 2})) as table:
        assert list(table.lobby.tables) == ["main", "table-1", "table-2"]
        again = await guest(table, 11, "Ann", identity=ann.identity)
        await until(lambda: list(table.lobby.tables) == ["main", "table-1"])
        await again.send(
            "create", wire_terms("block-dominoes", [["target", 1]], "layered", [], CLOCK, 2)
        )
        assert await again.expect("created") == ["table-3"]  # numbers are not used again
        await close_all(ann, bob, again)
        await until(lambda: list(table.lobby.tables) == ["main"])
    async with TableServer(config(tmp_path)) as table:
        assert list(table.lobby.tables) == ["main"]


def test_table_number_known_only_by_match_is_not_reused():
    lobby = Lobby(default_terms(), "Table", Bounds())
    setup = make_offline(2, 1).live.match.setup
    assert (
        lobby.restored(replace(setup, table=setup.table._replace(id="table-7"))).table_id
        == "table-7"
    )
    assert lobby.create(default_terms(), b"somebody", "127.0.0.1").table_id == "table-8"


async def test_created_is_sent_once_table_is_on_disk(tmp_path):
    async with TableServer(config(tmp_path, bounds={"retry_seconds": 0.001})) as table:
        ann = await guest(table, 1, "Ann")
        journal, tries = table.storage.journal, 0
        write = journal.write

        def fail(changes):
            nonlocal tries
            tries += 1
            raise sqlite3.OperationalError("disk full")

        journal.write = fail
        await ann.send(
            "create", wire_terms("block-dominoes", [["target", 1]], "layered", [], CLOCK, 2)
        )
        await until(lambda: tries > 2)
        await ann.send("list")
        assert len((await ann.expect("tables"))[0]) == 2
        journal.write = write
        assert await ann.expect("created") == ["table-1"]
        await ann.close()


async def test_match_at_created_table_continues_and_default_keeps_terms(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        await ann.send(
            "create", wire_terms("draw-dominoes", [["target", 1]], "layered", [], CLOCK, 2)
        )
        (created,) = await ann.expect("created")
        for client in (ann, bob):
            await client.join(created)
        await ann.expect("match") if not ann.match_id else None
        players = [Player(ann), Player(bob)]
        await asyncio.gather(*(player.run(until=12) for player in players))
        await close_all(ann, bob)
    async with TableServer(config(tmp_path)) as table:
        clients = [
            await back(table, player, name)
            for player, name in zip(players, ("Ann", "Bob"), strict=True)
        ]
        await clients[0].send("list")
        (rows,) = await clients[0].expect("tables")
        assert [(row[0], row[1][0][0], row[-1]) for row in rows] == [
            ("main", "block-dominoes", 0),
            (created, "draw-dominoes", 1),
        ]
        await asyncio.gather(*(player.run() for player in players))
        await close_all(*clients)
        await sanity(table)


async def test_restarted_table_with_new_terms_lists_match_as_played(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        players = [Player(client) for client in await seated(table, 1, 2)]
        await asyncio.gather(*(player.run(until=5) for player in players))
        await close_all(*(player.client for player in players))
    terms = make_terms(
        Selection("draw-dominoes", (("target", 50),)),
        Selection("layered"),
        Allowance().options(),
        3,
    )
    async with (
        TableServer(replace(config(tmp_path), terms=terms)) as table,
        await guest(table, 9, "Eve") as eve,
    ):
        await eve.send("list")
        ((row,),) = await eve.expect("tables")
        assert (row[0], row[1][0][0], row[1][4], row[3]) == ("main", "block-dominoes", 2, 1)


async def test_export_prevented_by_crash_is_made_later(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        table.storage.export = lambda match_id, heads, done: None
        players = await play_match(table.link)
    assert not list((tmp_path / "logs").iterdir())
    (tmp_path / "logs" / "2026-01-01-00000000.part").write_bytes(b"half")
    async with TableServer(config(tmp_path)) as table:
        # a player whose copy proves the signed entry; without one the table waits
        player = players[0]
        again = await guest(table, 11, "Ann", identity=player.client.identity)
        records = list(read_records(player.file))
        number, hashed = chain_position(entry for entry, _ in records)
        await again.send("resume", player.client.match_id, [number, hashed, records[-1][1]], None)
        assert await exported(table, player.client.match_id) == player.file
        await again.close(polite=False)
    assert len(list((tmp_path / "logs").iterdir())) == 1


async def test_match_that_cannot_continue_is_left_and_table_lives(tmp_path, caplog):
    async with TableServer(config(tmp_path)) as table:
        players = [Player(client) for client in await seated(table, 1, 2)]
        await asyncio.gather(*(player.run(until=9) for player in players))
        await close_all(*(player.client for player in players))
    with closing(sqlite3.connect(tmp_path / JOURNAL_FILE)) as database:
        database.execute("UPDATE matches SET seed = zeroblob(32)")
        database.commit()
    async with TableServer(config(tmp_path)) as table:
        assert "cannot go on, and stays in the store: Its seed" in caplog.text
        assert "Traceback" not in caplog.text
        await sanity(table)


async def test_resume_leads_to_running_or_ended_match(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await seated(table, 1, 2)
        others = asyncio.create_task(Player(bob).run())
        player = await Player(ann).run(until=9)
        await ann.close(polite=False)
        again = await guest(table, 11, "Ann", identity=ann.identity)
        await again.send("resume", ann.match_id, None, None)
        assert (await again.expect("match"))[:3] == ["main", ann.match_id, ann.seat]
        again.rng, player.client = ann.rng, again
        await player.run()
        assert (await others).file == player.file
        assert again.phase is ConnectionPhase.LOBBY
        await again.send("resume", ann.match_id, None, None)
        told = await again.expect("match")
        assert told == ["main", ann.match_id, ann.seat, len(player.records), None]
        await again.send("replay", ann.match_id, 0)
        for number, record in enumerate(player.records):
            assert await again.expect("entry") == [ann.match_id, number, *record]
        await again.expect("left")
        await until(lambda: not table.matches.feeds)
        await close_all(again, bob)


async def test_resume_of_ended_match_works_after_restart(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        players = await play_match(table.link)
    client = players[1].client
    async with TableServer(config(tmp_path)) as table:
        again = await guest(table, 11, "Bob", identity=client.identity)
        await again.send("resume", client.match_id, None, None)
        told = await again.expect("match")
        assert told == ["main", client.match_id, 1, len(players[1].records), None]
        await again.send("post", client.match_id, b"late")
        assert (await again.expect("refused"))[4] == Code.MATCH_OVER
        await again.send("replay", client.match_id, len(players[1].records) - 1)
        assert (await again.expect("entry"))[1] == len(players[1].records) - 1
        await again.expect("left")
        await again.close()


async def test_resume_requires_seat_in_an_existing_match(tmp_path):
    async with surviving(tmp_path) as table:
        players = await play_match(table.link)
        clients = await seated(table, 21, 22)
        eve = await guest(table, 9, "Eve")
        for match_id in (bytes(32), players[0].client.match_id, clients[0].match_id):
            await eve.send("resume", match_id, None, None)
            await eve.expect_error(Code.WRONG_MATCH)
        await asyncio.gather(*(Player(client).run() for client in clients))
        await close_all(eve, *clients)


async def test_readers_of_ended_matches_are_bounded_and_may_return(tmp_path):
    async with surviving(tmp_path, bounds={"past_matches": 2}) as table:
        matches = [await play_match(table.link, seed=seed) for seed in (100, 200, 300)]
        ids = [players[0].client.match_id for players in matches]
        people = [
            await guest(table, 9, "Ann", identity=players[0].client.identity) for players in matches
        ]
        for client, match_id in zip(people, ids, strict=True):
            await client.send("resume", match_id, None, None)
            await client.expect("match")
        assert await people[0].receive() is None
        # a player's program reconnects after this code
        assert people[0].closed.code is Code.TOO_SLOW
        again = await guest(table, 10, "Ann", identity=people[0].identity)
        await again.send("resume", ids[0], None, None)
        await again.expect("match")
        await close_all(*people, again)


async def test_ended_matches_in_memory_are_bounded_by_bytes(tmp_path):
    async with surviving(tmp_path, bounds={"past_bytes": 1}) as table:
        matches = [await play_match(table.link, seed=seed) for seed in (100, 200)]
        ids = [players[0].client.match_id for players in matches]
        people = [
            await guest(table, 9, "Ann", identity=players[0].client.identity) for players in matches
        ]
        for client, match_id in zip(people, ids, strict=True):
            await client.send("resume", match_id, None, None)
            await client.expect("match")
        assert await people[0].receive() is None and people[0].closed.code is Code.TOO_SLOW
        assert [feed.match_id for feed in table.matches.feeds.values()] == [ids[1]]
        await close_all(*people)


class CountedStorage:
    """A storage that counts the matches that are fetched at once."""

    def __init__(self, storage):
        self._storage, self.now, self.most = storage, 0, 0

    def __getattr__(self, name):
        return getattr(self._storage, name)

    def fetch(self, match_id, done):
        self.now += 1
        self.most = max(self.most, self.now)

        def fetched(records):
            self.now -= 1
            done(records)

        self._storage.fetch(match_id, fetched)


async def test_many_who_fetch_ended_matches_are_served_in_turn(tmp_path):
    async with surviving(tmp_path, parts={"observe": CountedStorage}) as table:
        matches = [await play_match(table.link, seed=seed) for seed in (100, 200, 300)]
        people = [
            (await guest(table, 9, "Ann", identity=player.client.identity), player.client.match_id)
            for players in matches
            for player in players
        ]
        await asyncio.gather(*(client.send("resume", its, None, None) for client, its in people))
        await asyncio.gather(*(client.expect("match") for client, _ in people))
        assert 0 < table.storage.most <= MAX_FETCHES and not table.matches._fetching
        await close_all(*(client for client, _ in people))


async def test_reading_ended_match_is_limited_in_time(tmp_path):
    async with surviving(tmp_path, bounds={"goodbye_seconds": 0.2}) as table:
        players = await play_match(table.link)
        ann = await guest(table, 9, "Ann", identity=players[0].client.identity)
        await ann.send("resume", players[0].client.match_id, None, None)
        await ann.expect("match")
        await ann.expect("left")  # she requested nothing
        await ann.close()


async def test_stranger_takes_no_place_for_ended_matches(tmp_path):
    async with surviving(tmp_path, bounds={"past_matches": 1}) as table:
        matches = [await play_match(table.link, seed=seed) for seed in (100, 200)]
        ids = [players[0].client.match_id for players in matches]
        eve = await guest(table, 9, "Eve")
        await eve.send("resume", ids[0], None, None)
        await eve.expect_error(Code.WRONG_MATCH)
        assert not table.matches.feeds
        ann = await guest(table, 10, "Ann", identity=matches[1][0].client.identity)
        await ann.send("resume", ids[1], None, None)
        await ann.expect("match")
        await close_all(eve, ann)


class FailsOnce(LiveMatch):
    """Match with a bug that occurs once."""

    failing: int | None = None  # seat whose next entry causes the bug

    def offer(self, raw, seat):
        if seat == FailsOnce.failing:
            FailsOnce.failing = None
            raise RuntimeError("a bug")
        return super().offer(raw, seat)


class MatchesThatFail(Matches):
    match_type = FailsOnce


async def test_room_error_ends_neither_table_writer_nor_match(tmp_path):
    async with surviving(tmp_path, parts={"matches": MatchesThatFail}) as table:
        ann, bob = await seated(table, 1, 2)
        others = asyncio.create_task(Player(bob).run())
        player = await Player(ann).run(until=9)
        FailsOnce.failing = ann.seat
        with pytest.raises(AssertionError, match="closed"):
            await player.run()
        again = await guest(table, 11, "Ann", identity=ann.identity)
        await again.send("resume", ann.match_id, None, None)
        await again.expect("match")
        again.rng, player.client = ann.rng, again
        await player.run()
        assert (await others).file == player.file
        assert audit(player.file).verdict is Verdict.CLEAN
        await close_all(ann, again, bob)
