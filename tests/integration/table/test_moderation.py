"""The host's power over the own table, over real sockets: kick, ban, end a match, say, look."""

import asyncio
from dataclasses import replace

import pytest

from conformance.table.environment import wire_terms
from protocol.audit.verdict import Verdict, audit, report_data
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.identity.keys import fingerprint, short_fingerprint
from protocol.limits import MAX_SAY, TALK_ENVELOPE
from table.config import Watching
from table.control.messages import ConnectionRow, MatchRow, TableRow
from table.control.status import status_rows
from table.lobby.bans import FOR_GOOD, Target, parse_target
from table.manager.server import TableServer
from table.storage.disk.mute_list import MUTED_FILE
from table.workers.pool import FoldPool
from tests.support.errors import raises_text
from tests.support.tables import (
    CLOCK,
    close_all,
    config,
    exported,
    finish,
    guest,
    sanity,
    seated,
    surviving,
    until,
)
from tests.support.wire_client import WireClient

pytestmark = pytest.mark.match
TERMS = wire_terms("block-dominoes", [["target", 1]], "layered", [], CLOCK, 2)
HERE = "127.0.0.1"


def key_of(client: WireClient) -> Target:
    return parse_target(fingerprint(client.identity.public))


async def closed(client: WireClient) -> str | None:
    """Return the code with which the table closes, whatever comes before it."""
    while await client.receive() is not None:
        """Not the end yet."""
    await client.close()
    assert client.closed is not None
    return client.closed.code


def main_room(table: TableServer):
    return table.lobby.tables["main"].room


async def test_ended_match_is_clean_without_winner_and_lobby_goes_on(tmp_path):
    async with surviving(tmp_path) as table:
        clients = await seated(table, 1, 2)
        match_id = clients[0].match_id
        removal = table.manager.moderation.remove("main", end=True)
        await removal.over.wait()
        report = audit(await exported(table, match_id))
        assert report.verdict is Verdict.CLEAN and not report.faults
        assert report_data(report)["ended"] == report.entries - 1
        assert report.reader.match.winner is None
        await close_all(*clients)


async def test_running_match_is_not_removed_without_the_word(tmp_path):
    async with surviving(tmp_path) as table:
        clients = await seated(table, 1, 2)
        with raises_text(LocalError, match="end-match"):
            table.manager.moderation.remove("main", end=False)
        with pytest.raises(LocalError):
            table.manager.moderation.remove("table-9", end=True)
        await finish(clients)
        await close_all(*clients)


async def test_match_is_named_by_its_first_digits(tmp_path):
    async with surviving(tmp_path) as table:
        clients = await seated(table, 1, 2)
        digits = clients[0].match_id.hex()[:8]
        await table.manager.moderation.remove(digits, end=True).over.wait()
        await close_all(*clients)


async def test_removed_table_sends_who_waits_back_to_lobby(tmp_path):
    async with surviving(tmp_path) as table:
        maker = await guest(table, 1, "Ann")
        await maker.send("create", TERMS)
        (name,) = await maker.expect("created")
        await maker.join(name)
        table.manager.moderation.remove(name, end=False)
        assert await maker.expect("error") == [str(Code.NO_SUCH_TABLE)]
        await maker.expect("left")
        assert list(table.lobby.tables) == ["main"]
        await maker.close()


async def test_removed_table_stays_removed_after_restart(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        maker = await guest(table, 1, "Ann")
        await maker.send("create", TERMS)
        (name,) = await maker.expect("created")
        table.manager.moderation.remove(name, end=False)
        await maker.close()
    async with TableServer(config(tmp_path)) as table:
        assert list(table.lobby.tables) == ["main"]


async def test_kicked_seat_comes_back_and_match_is_played(tmp_path):
    async with surviving(tmp_path) as table:
        clients = await seated(table, 1, 2)
        assert table.manager.moderation.kick(key_of(clients[0])) == 1
        assert await closed(clients[0]) is Code.KICKED
        again = await guest(table, 1, "Seat A")
        await again.send("resume", clients[0].match_id, None, None)
        await again.expect("match")
        again.match_id = clients[0].match_id
        await finish([again, clients[1]])
        await close_all(again, *clients)


async def test_banned_key_resumes_its_match_and_nothing_else(tmp_path):
    async with surviving(tmp_path) as table:
        clients = await seated(table, 1, 2)
        moderation, target = table.manager.moderation, key_of(clients[0])
        assert moderation.ban(target, FOR_GOOD) == 0, "a seat keeps its connection"
        looks = await guest(table, 1, "Seat A")
        await looks.send("list")
        assert await closed(looks) is Code.BANNED
        other = await guest(table, 1, "Seat A")
        await other.send("resume", clients[0].match_id, None, None)
        await other.expect("match")
        other.match_id = clients[0].match_id
        await finish([other, clients[1]])
        assert audit(await exported(table, other.match_id)).verdict is Verdict.CLEAN
        await other.send("list")
        assert await closed(other) is Code.BANNED
        assert moderation.unban(target) and not moderation.unban(target)
        await close_all(await guest(table, 1, "Seat A"), *clients)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("list", ()),
        ("create", (TERMS,)),
        ("join", ("main",)),
        ("join", (None,)),
        ("spectate", (None,)),
        ("appear", (0,)),
    ],
)
async def test_banned_address_is_let_in_nowhere(tmp_path, name, values):
    async with TableServer(config(tmp_path)) as table:
        table.manager.moderation.ban(Target(HERE), FOR_GOOD)
        client = await guest(table, 3, "Cleo")
        await client.send(name, *values)
        assert await client.expect("error") == [str(Code.BANNED)], "and no answer before it"
        assert await closed(client) is Code.BANNED
        table.manager.moderation.unban(Target(HERE))
        await sanity(table)


async def test_ban_closes_lobby_at_once_and_lasts_over_a_restart(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        client = await guest(table, 3, "Cleo")
        assert table.manager.moderation.ban(key_of(client), FOR_GOOD) == 1
        assert await closed(client) is Code.BANNED
    async with TableServer(config(tmp_path)) as table:
        again = await guest(table, 3, "Cleo")
        await again.send("list")
        assert await closed(again) is Code.BANNED


async def test_banned_person_who_says_nothing_is_sent_away(tmp_path, monkeypatch):
    monkeypatch.setattr("table.manager.moderation.BANNED_SECONDS", 0.05)
    async with TableServer(config(tmp_path)) as table:
        table.manager.moderation.ban(Target(HERE), FOR_GOOD)
        client = await guest(table, 3, "Cleo")
        assert await closed(client) is Code.BANNED


@pytest.mark.process
async def test_banned_seat_waits_until_its_match_is_folded(tmp_path, monkeypatch):
    monkeypatch.setattr("table.manager.moderation.BANNED_SECONDS", 0.05)
    monkeypatch.setattr("table.workers.pool.WORKER_RETRY_SECONDS", 0.05)
    ready = tmp_path / "ready"

    class LatePool(FoldPool):
        module = "tests.support.late_worker"

        def __init__(self, count, arguments):
            super().__init__(count, [*arguments, str(ready)])

    class LateTable(TableServer):
        pool_type = LatePool

    async with TableServer(config(tmp_path)) as table:
        clients = await seated(table, 1, 2)
        match_id, target = clients[0].match_id, key_of(clients[0])
        await until(lambda: main_room(table).stored > 0)
        table.manager.moderation.ban(target, FOR_GOOD)
    async with LateTable(replace(config(tmp_path), workers=1)) as table:
        again = await guest(table, 1, "Seat A")
        await again.send("resume", match_id, None, None)
        await asyncio.sleep(0.5)  # it is looked for who is banned and in no match
        ready.touch()
        await again.expect("match")
        await close_all(again, *clients)


async def test_ban_for_a_time_ends_by_itself(tmp_path):
    now = [1_800_000_000.0]
    async with TableServer(config(tmp_path, now=lambda: now[0])) as table:
        moderation = table.manager.moderation
        moderation.ban(Target(HERE), moderation.now + 60_000)
        client = await guest(table, 3, "Cleo")
        await client.send("list")
        assert await closed(client) is Code.BANNED
        now[0] += 61
        await sanity(table)


async def test_line_of_host_reaches_lobby_and_match(tmp_path):
    async with surviving(tmp_path) as table:
        clients = await seated(table, 1, 2)
        cleo = await guest(table, 3, "Cleo")
        assert table.manager.moderation.say("  Back in\x1b five   minutes. ") == 3
        for client in (*clients, cleo):
            assert await client.expect("announced") == ["Back in five minutes."]
        with pytest.raises(LocalError):
            table.manager.moderation.say("x" * (MAX_SAY + 1))
        await finish(clients)
        await close_all(*clients, cleo)


async def test_table_where_nobody_may_watch_declines(tmp_path):
    async with surviving(tmp_path, watching=Watching.NOBODY) as table:
        clients = await seated(table, 1, 2)
        cleo = await guest(table, 3, "Cleo")
        await cleo.send("spectate", None)
        assert await cleo.expect("error") == [str(Code.NO_SPECTATORS)]
        await finish(clients)
        await close_all(*clients, cleo)


async def test_status_shows_who_is_there_and_what_they_cost(tmp_path):
    async with surviving(tmp_path) as table:
        clients = await seated(table, 1, 2)
        await until(lambda: main_room(table).stored)
        rows = list(status_rows(table.manager))
        (match,) = [row for row in rows if isinstance(row, MatchRow)]
        assert [seat[0] for seat in match.seats] == ["Seat A", "Seat B"]
        assert all(here and not left for _, _, here, left in match.seats)
        (main,) = [row for row in rows if isinstance(row, TableRow)]
        assert (main.table, main.match) == ("main", match.match)
        people = [row for row in rows if isinstance(row, ConnectionRow)]
        assert {(row.address, row.phase) for row in people} == {(HERE, "seated")}
        assert all(row.processor > 0 for row in people) and match.processor >= 0
        assert all(row.frames >= 2 and row.bytes > 100 for row in people)
        await finish(clients)
        await close_all(*clients)


@pytest.mark.parametrize("how", ["banned", "muted"])
async def test_nobody_hears_talk_of_who_is_banned_or_muted(tmp_path, how):
    async with surviving(tmp_path) as table:
        ann, bob = await seated(table, 1, 2)
        for client in (ann, bob):
            if not client.match_id:
                await client.expect("match")
        sealed = bytes(TALK_ENVELOPE)
        if how == "banned":
            table.manager.moderation.ban(key_of(ann), FOR_GOOD)
        else:
            (tmp_path / MUTED_FILE).write_text(fingerprint(ann.identity.public) + "\n")
        await ann.send("relay", ann.match_id, bob.seat, sealed)
        await ann.expect_error(Code.MUTED)
        for _ in range(2):
            await ann.send("relay", ann.match_id, bob.seat, sealed)
        # Bob's own talk comes back to Ann, and nothing of hers is before him
        await bob.send("relay", bob.match_id, ann.seat, sealed)
        assert (await ann.expect("relayed"))[1] == bob.seat
        await finish([ann, bob])
        await close_all(ann, bob)


async def test_ban_is_lifted_by_any_part_of_its_fingerprint(tmp_path):
    async with TableServer(config(tmp_path)) as table:
        moderation = table.manager.moderation
        client = await guest(table, 3, "Cleo")
        whole = fingerprint(client.identity.public)
        short = parse_target(short_fingerprint(client.identity.public))
        for banned, lifted in ((Target(whole), short), (short, Target(whole))):
            moderation.ban(banned, FOR_GOOD)
            assert moderation.unban(lifted) and not moderation.bans.holding(moderation.now)
        await client.close()
