"""Matches over real sockets: start, reconnection, takeover, spectators, clock, journal and exported
file.
"""

import asyncio
import sqlite3

import pytest

from conformance.table.environment import wire_terms
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import Fault
from protocol.messages.table import ConnectionPhase
from table.manager.server import TableServer
from tests.support.tables import (
    CLOCK,
    close_all,
    config,
    exported,
    finish,
    guest,
    hurried,
    sanity,
    seated,
    surviving,
    until,
)
from tests.support.wire_client import Player, WireClient, play_match

pytestmark = pytest.mark.match


@pytest.mark.parametrize("seats", [2, 3, 4])
async def test_match_over_sockets_is_clean(tmp_path, seats):
    async with TableServer(config(tmp_path, seats)) as table:
        players = await play_match(table.link, seats)
        assert audit(players[0].file).verdict is Verdict.CLEAN
        assert [player.client.seat for player in players] == list(range(seats))
        match_id = players[0].client.match_id
        assert await exported(table, match_id) == players[0].file
        stored = [(record.entry, record.head) for record in table.storage.journal.records(match_id)]
        assert stored == players[0].records


async def test_journal_has_every_sent_entry_at_any_time(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        ann, bob = await seated(table, 1, 2)
        others = asyncio.create_task(Player(bob).run())
        player = await Player(ann).run(until=20)
        stored = table.storage.journal.records(ann.match_id)
        assert [record.entry for record in stored[:20]] == [entry for entry, _ in player.records]
        heads = [record.head for record in stored if record.head][:20]
        assert heads == [head for _, head in player.records][: len(heads)] and len(heads) > 15
        await player.run()
        await others
        await close_all(ann, bob)


async def test_refusing_disk_delays_sending_and_match_continues_later(tmp_path):
    async with surviving(tmp_path, bounds={"retry_seconds": 0.001}) as table:
        journal = table.storage.journal
        write, failures, refusing = journal.write, 0, True

        def fail_often(changes):
            nonlocal failures, refusing
            refusing = not refusing
            if refusing:
                failures += 1
                raise sqlite3.OperationalError("disk full")
            return write(changes)

        clients = await seated(table, 1, 2)
        journal.write = fail_often
        ann, bob = await finish(clients)
        assert failures > 20
        journal.write = write
        assert ann.file == bob.file == await exported(table, clients[0].match_id)
        assert audit(ann.file).verdict is Verdict.CLEAN
        await close_all(*clients)


async def test_unstored_entry_is_unacknowledged_and_logged_once(tmp_path, caplog):
    async with surviving(tmp_path, bounds={"retry_seconds": 0.001}) as table:
        ann, bob = await seated(table, 1, 2)
        player = await Player(ann).run(until=1)
        journal = table.storage.journal
        write, tries = journal.write, 0

        def fail(changes):
            nonlocal tries
            tries += 1
            raise sqlite3.OperationalError("disk full")

        journal.write = fail
        await until(lambda: tries > 5)  # the table retries to store the entry that `run` posted
        await ann.send("list")
        assert await ann.expect("tables")  # no `entry` comes before it
        assert len(journal.records(ann.match_id)) == 1
        journal.write = write
        others = asyncio.create_task(Player(bob).run())
        await player.run()
        await others
        assert player.file == await exported(table, ann.match_id)
        assert [text for text in caplog.messages if "cannot be written" in text] == [
            "the journal cannot be written (disk full); trying again, the matches wait"
        ]
        await close_all(ann, bob)


async def test_unstorable_match_begins_once_disk_has_room(tmp_path):
    async with surviving(tmp_path, bounds={"retry_seconds": 0.001}) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        journal = table.storage.journal
        write, tries = journal.write, 0

        def fail(changes):
            nonlocal tries
            tries += 1
            raise sqlite3.OperationalError("disk full")

        journal.write = fail
        await ann.join()
        await bob.join()
        await until(lambda: tries > 5)
        for client in (ann, bob):
            # the match has begun, but the disk is full, so no player is informed
            await client.send("leave")
            await client.expect_error(Code.NOT_NOW)
        journal.write = write
        await finish([ann, bob])
        await close_all(ann, bob)


async def test_player_comes_back_on_a_new_connection_and_goes_on(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await seated(table, 1, 2)
        others = asyncio.create_task(Player(bob).run())
        player = await Player(ann).run(until=15)
        await ann.close(polite=False)
        again = await guest(table, 11, "Ann", identity=ann.identity)
        await again.send("join", None)
        table_id, match_id, seat, number, _ = await again.expect("match")
        assert (table_id, match_id, seat) == ("main", ann.match_id, ann.seat)
        assert number >= 15
        player.client = again
        await player.run()
        assert (await others).file == player.file
        assert audit(player.file).verdict is Verdict.CLEAN
        await close_all(again, bob)


async def test_newest_connection_takes_over_in_a_match(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await seated(table, 1, 2)
        others = asyncio.create_task(Player(bob).run())
        player = await Player(ann).run(until=10)
        again = await guest(table, 11, "Ann", identity=ann.identity)
        while await ann.receive() is not None:
            pass
        assert ann.closed.code is Code.TAKEN_OVER
        await again.send("join", "main")
        await again.expect("match")
        player.client = again
        await player.run()
        assert (await others).file == player.file
        await close_all(ann, again, bob)


async def test_newest_connection_counts_by_arrival_not_handshake(tmp_path):
    async with surviving(tmp_path) as table:
        held_up = await WireClient(table.link, 1, "Ann").connect()
        await held_up.write(held_up.session.start())
        held_up._take(await held_up.read())  # without sending the handshake bytes that answer it
        ann = await guest(table, 11, "Ann", identity=held_up.identity)
        await held_up.write(held_up.session.take_handshake_bytes())
        await held_up.expect_closed(Code.TAKEN_OVER)
        await ann.send("list")
        await ann.expect("tables")
        await close_all(held_up, ann)


async def test_takeover_while_waiting_drops_the_reservation(tmp_path):
    async with surviving(tmp_path, seats=3) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        await ann.join()
        await bob.join()
        await ann.receive()
        again = await guest(table, 11, "Ann", identity=ann.identity)
        await ann.expect_closed(Code.TAKEN_OVER)
        assert (await bob.receive()).values[2] == [["Bob", bob.identity.public]]
        assert len(table.connections) <= 3
        await again.join()
        await close_all(ann, bob, again)


async def test_seated_player_cannot_join_another_table(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await seated(table, 1, 2)
        await ann.close(polite=False)
        ann = await guest(table, 11, "Ann", identity=ann.identity)
        await ann.send("create", wire_terms("block-dominoes", [], "layered", [], CLOCK, 2))
        (other,) = await ann.expect("created")
        await ann.send("join", other)
        await ann.expect_error(Code.ALREADY_SEATED)
        await ann.send("spectate", None)
        await ann.expect_error(Code.ALREADY_SEATED)
        await ann.send("join", None)
        await ann.expect("match")
        await finish([ann, bob])
        await close_all(ann, bob)


async def test_spectator_reads_everything_and_goes_back_to_the_lobby(tmp_path):
    async with surviving(tmp_path) as table:
        clients = await seated(table, 1, 2)
        watcher = await guest(table, 3, "Watcher")
        await watcher.send("spectate", None)
        assert (await watcher.expect("match"))[2] is None
        view = asyncio.create_task(Player(watcher).run())
        ann, _ = await finish(clients)
        assert (await view).file == ann.file
        assert watcher.phase is ConnectionPhase.LOBBY
        await watcher.join()
        await close_all(watcher, *clients)


async def test_spectator_may_leave_and_number_is_limited(tmp_path):
    async with surviving(tmp_path, bounds={"spectators": 1}) as table:
        clients = await seated(table, 1, 2)
        first, second = await guest(table, 3, "First"), await guest(table, 4, "Second")
        await first.send("spectate", None)
        await first.expect("match")
        await second.send("spectate", None)
        await second.expect_error(Code.TOO_MANY)
        await first.send("leave")
        await first.expect("left")
        await second.send("spectate", None)
        await second.expect("match")
        await second.close(polite=False)
        await finish(clients)
        await close_all(first, *clients)


async def test_seat_that_does_not_answer_lapses(tmp_path):
    async with surviving(tmp_path) as table, hurried(table):
        ann, bob = await seated(table, 1, 2)
        await bob.close(polite=False)
        player = await Player(ann).run()
        # entry 3: Ann's key and a warning come before the lapse
        assert player.reader.faults == (Fault(1, 3, Code.LAPSED),)
        assert audit(await exported(table, ann.match_id)).verdict is Verdict.FAULT
        await ann.close()


async def test_match_without_seats_ends(tmp_path):
    async with surviving(tmp_path) as table, hurried(table):
        clients = await seated(table, 1, 2)
        await close_all(*clients)
        await until(lambda: table.lobby.tables["main"].room is None)
        assert (
            audit(await exported(table, clients[0].match_id)).reader.faults[0].code is Code.LAPSED
        )


async def test_peer_without_log_request_returns_to_lobby_at_end(tmp_path):
    async with surviving(tmp_path, bounds={"goodbye_seconds": 0.1}) as table, hurried(table):
        ann, bob = await seated(table, 1, 2)
        player = await Player(ann).run()
        await bob.expect("left")
        assert player.reader.faults[0].seat == 1
        await close_all(ann, bob)


async def test_messages_crossing_phase_change_are_forgiven_once(tmp_path):
    async with surviving(tmp_path, bounds={"goodbye_seconds": 0.1}) as table, hurried(table):
        ann, bob = await seated(table, 1, 2)
        await ann.send("leave")  # as a player does that has not received `match` yet
        await ann.expect_error(Code.NOT_NOW)
        await bob.expect("left")
        # as a player does that has not received `left` yet
        await bob.send("replay", bob.match_id, 0)
        await bob.expect_error(Code.MATCH_OVER)
        await bob.join()
        await bob.send("post", bob.match_id, b"late")
        await bob.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        await close_all(ann, bob)


async def test_relay_reaches_its_seat_only_and_is_not_logged(tmp_path):
    async with surviving(tmp_path, seats=3) as table:
        clients = await seated(table, 1, 2, 3)
        sealed = b"sealed" * 179 + b".."
        await clients[0].send("relay", clients[0].match_id, 2, sealed)
        assert await clients[2].expect("relayed") == [clients[0].match_id, 0, sealed]
        await clients[0].send("relay", clients[0].match_id, 3, sealed)
        await clients[0].expect_error(Code.BAD_MESSAGE)
        await clients[0].send("relay", bytes(32), 2, sealed)
        await clients[0].expect_error(Code.WRONG_MATCH)
        await clients[1].close(polite=False)
        await until(lambda: table.lobby.tables["main"].room.seated == {0, 2})
        await clients[0].send("relay", clients[0].match_id, 1, sealed)
        clients[1] = await guest(table, 22, "Seat B", identity=clients[1].identity)
        await clients[1].send("join", None)
        await clients[1].expect("match")
        players = await finish(clients)
        assert b"sealed" not in players[0].file
        await close_all(*clients)


async def test_two_matches_at_two_tables_at_once(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        async with await guest(table, 9, "Host") as host:
            await host.send(
                "create", wire_terms("block-dominoes", [["target", 1]], "layered", [], CLOCK, 2)
            )
            (other,) = await host.expect("created")
            await asyncio.gather(
                play_match(table.link, seed=20), play_match(table.link, seed=30, table=other)
            )
        await sanity(table)
