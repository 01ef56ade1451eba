"""Invalid entries: each is refused to its author alone, and the match ends normally."""

import asyncio
from hashlib import sha256

import pytest

from conformance.table.environment import wire_terms
from protocol.audit.verdict import Verdict, audit
from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.limits import TALK_ENVELOPE
from protocol.match.log import EntryContent, make_entry
from tests.support.tables import CLOCK, close_all, exported, finish, guest, seated, surviving
from tests.support.wire_client import Player

pytestmark = pytest.mark.slow


async def refused(client, match_id, raw, code):
    """Check that the table refuses these bytes to this client with this code."""
    await client.send("post", match_id, raw)
    while (message := await client.receive()).name != "refused":
        assert message.name in ("entry", "waiting"), message
    assert message.values[:2] == [match_id, sha256(raw).digest()]
    assert message.values[4] == str(code)


async def two_seats(table):
    """Return two seats that have read the first entry and posted nothing."""
    ann, bob = await seated(table, 1, 2)
    players = Player(ann), Player(bob)
    for player in players:
        player.post = lambda: None
        await player.run(until=1)
        del player.post
    return players


def entry_of(player, **changes):
    """Return this seat's next entry (its `sit`), changed."""
    log, seat = player.reader.log, player.seat
    fields = {
        "author": seat.number,
        "sequence": 0,
        "seen": log.newest_head,
        "kind": "sit",
        "body": seat.respond(player.reader.match).body,
    } | changes
    identity, match_id = (
        fields.pop("identity", player.client.identity),
        fields.pop("match_id", log.match_id),
    )
    return make_entry(identity, match_id, EntryContent(**fields))


async def go_on(table, *players):
    """Play on to a clean end, and check that no log has a refused entry."""
    for player in players:
        if player.reader.log.sequence(player.seat.number) == 0 and player.posted_at < 0:
            await player.client.send("post", player.client.match_id, player.post())
    async with asyncio.timeout(60):
        await asyncio.gather(*(player.run() for player in players))
    assert players[0].file == players[1].file == await exported(table, players[0].client.match_id)
    assert audit(players[0].file).verdict is Verdict.CLEAN
    await close_all(*(player.client for player in players))


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"kind": "move", "body": [[], []]}, Code.NOT_NOW),
        ({"kind": "receipt", "body": [[0, 0]]}, Code.NOT_NOW),
        ({"kind": "protest", "body": [0]}, Code.NOT_NOW),
        ({"kind": "lapse", "body": [1, 10**9]}, Code.WRONG_AUTHOR),
        ({"kind": "unknown", "body": []}, Code.BAD_ENTRY),
        ({"body": []}, Code.BAD_ENTRY),
        ({"body": [b"short"]}, Code.BAD_ENTRY),
        ({"sequence": 1}, Code.WRONG_SEQUENCE),
        ({"author": 1}, Code.BAD_ENTRY_SIGNATURE),
        ({"author": 2}, Code.WRONG_AUTHOR),
        ({"author": TABLE}, Code.BAD_ENTRY_SIGNATURE),
        ({"match_id": bytes(32)}, Code.BAD_ENTRY_SIGNATURE),
        ({"seen": (5, bytes(32))}, Code.WRONG_HEAD),
        ({"seen": (0, bytes(32))}, Code.WRONG_HEAD),
    ],
)
async def test_invalid_entry_is_refused_to_its_author_alone(tmp_path, changes, code):
    async with surviving(tmp_path) as table:
        ann, bob = await two_seats(table)
        await refused(ann.client, ann.client.match_id, entry_of(ann, **changes), code)
        await go_on(table, ann, bob)


@pytest.mark.parametrize("raw", [b"\xc0", b"\x00" * 49_152, b"\x92\xc4\x00\xc4\x00"])
async def test_bytes_of_no_entry_are_refused(tmp_path, raw):
    async with surviving(tmp_path) as table:
        ann, bob = await two_seats(table)
        await refused(ann.client, ann.client.match_id, raw, Code.BAD_ENTRY)
        await go_on(table, ann, bob)


async def test_entry_with_another_match_id_is_refused(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await two_seats(table)
        await ann.client.send("post", bytes(32), entry_of(ann))
        await ann.client.expect_error(Code.WRONG_MATCH)
        await ann.client.send("replay", bytes(32), 0)
        await ann.client.expect_error(Code.WRONG_MATCH)
        await ann.client.send("replay", ann.client.match_id, 50)
        await ann.client.expect_error(Code.WRONG_HEAD)
        await go_on(table, ann, bob)


async def test_entry_of_another_seat_is_refused_from_us(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await two_seats(table)
        await refused(ann.client, ann.client.match_id, entry_of(bob), Code.WRONG_AUTHOR)
        await go_on(table, ann, bob)


async def test_entry_sent_twice_is_logged_once(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await two_seats(table)
        raw = entry_of(ann)
        await ann.client.send("post", ann.client.match_id, raw)
        ann.posted_at = 0
        await ann.client.send("post", ann.client.match_id, raw)
        await go_on(table, ann, bob)
        assert ann.refused == [str(Code.WRONG_SEQUENCE)]
        assert [entry for entry, _ in ann.records].count(raw) == 1


async def test_entry_with_too_old_head_is_refused(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await two_seats(table)
        start = ann.reader.log.newest_head
        honest = Player.post

        def stale(player=ann):
            """Once the match is past its start, answer with a view of the first entry alone."""
            before = player.posted_at
            raw = honest(player)
            if raw is None or player.reader.match.deal is None or player.refused:
                return raw
            post: Post = player.seat.respond(player.reader.match)
            player.posted_at = before
            number = player.seat.number
            sequence = player.reader.log.sequence(number)
            content = EntryContent(number, sequence, start, *post)
            return make_entry(player.client.identity, player.client.match_id, content)

        ann.post = stale
        await ann.client.send("post", ann.client.match_id, ann.post())
        run = asyncio.create_task(Player.run(bob))
        await bob.client.send("post", bob.client.match_id, bob.post())
        while not ann.refused:
            message = await ann.client.receive()
            await ann.take(message)
        assert set(ann.refused) == {str(Code.STALE)}
        del ann.post
        while (raw := ann.post()) is None:
            await ann.take(await ann.client.receive())
        await ann.client.send("post", ann.client.match_id, raw)
        await ann.run()
        assert (await run).file == ann.file
        await close_all(ann.client, bob.client)


async def test_spectator_cannot_post(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await two_seats(table)
        watcher = await guest(table, 3, "Watcher")
        await watcher.send("spectate", None)
        await watcher.expect("match")
        await watcher.send("post", ann.client.match_id, entry_of(ann))
        await watcher.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        again = await guest(table, 4, "Watcher")
        await again.send("spectate", None)
        await again.expect("match")
        await again.send("relay", ann.client.match_id, 0, bytes(TALK_ENVELOPE))
        await again.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        await go_on(table, ann, bob)
        await close_all(watcher, again)


async def test_post_after_the_end_is_refused(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await finish(await seated(table, 1, 2))
        late = ann.seat.entry(ann.reader.log, Post("leave", []))
        await ann.client.send("post", ann.client.match_id, late)
        await ann.client.expect_error(Code.MATCH_OVER)  # the message may have crossed our `left`
        await ann.client.send("list")
        await ann.client.expect("tables")
        await ann.client.join()
        await ann.client.send("post", ann.client.match_id, late)
        await ann.client.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        await close_all(ann.client, bob.client)


async def test_join_and_leave_repeated_are_refused(tmp_path):
    async with surviving(tmp_path, seats=3) as table:
        ann = await guest(table, 1, "Ann")
        await ann.join()
        await ann.send("join", None)
        await ann.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        assert not table.lobby.tables["main"].waiting
        bob = await guest(table, 2, "Bob")
        await bob.join()
        await bob.send("leave")
        await bob.send("leave")
        await bob.expect("left")
        await bob.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        clients = await seated(table, 3, 4, 5)
        await clients[0].send("list")
        await clients[0].expect("tables")
        await clients[0].send("create", wire_terms("block-dominoes", [], "layered", [], CLOCK, 2))
        await clients[0].expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        back = await guest(table, 33, "Seat A", identity=clients[0].identity)
        await back.send("join", None)
        await back.expect("match")
        await finish([back, *clients[1:]])
        await close_all(ann, bob, back, *clients)


async def test_seat_leaving_by_entry_is_named(tmp_path):
    async with surviving(tmp_path) as table:
        ann, bob = await two_seats(table)
        await ann.client.send(
            "post", ann.client.match_id, ann.seat.entry(ann.reader.log, Post("leave", []))
        )
        for player in (ann, bob):
            await player.run()
            assert [(fault.seat, fault.code) for fault in player.reader.faults] == [(0, Code.LEFT)]
        assert audit(ann.file).verdict is Verdict.FAULT
        await close_all(ann.client, bob.client)
