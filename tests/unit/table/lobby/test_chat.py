"""The lobby of a table over real sockets, within bounds: presence, talk and calls."""

import asyncio
import logging

import pytest

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import fingerprint
from protocol.limits import MAX_PIPE_DATA, MAX_SAY, PIPE_WINDOW
from protocol.messages.lobby import (
    MATCH,
    TRADE,
    check_remark,
    decode_wants,
    encode_wants,
    make_remark,
)
from table.manager.server import TableServer
from tests.support.meeting import seen
from tests.support.tables import close_all, config, guest, until

QUICK = {"people_seconds": 0.01}
BOTH = encode_wants(MATCH, TRADE)


def key(client):
    return client.identity.public


def row(client, wants=0):
    return [client.name, key(client), wants]


async def quiet(*clients):
    """Check that these clients received nothing else: the answer to a question comes next."""
    for client in clients:
        await client.send("list")
        await client.expect("tables")


async def test_lobby_shows_only_people_who_asked(tmp_path):
    async with TableServer(config(tmp_path, bounds=QUICK)) as table:
        ann, bob, cleo = [
            await guest(table, seed, name) for seed, name in enumerate(("Ann", "Bob", "Cleo"), 1)
        ]
        await seen(ann, bob)
        await quiet(ann, bob, cleo)
        await cleo.send("talk", "hello")
        await cleo.expect_error(Code.NOT_HERE)
        await bob.send("call", key(cleo), "main")
        await bob.expect_error(Code.NOT_HERE)
        await ann.send("vanish")
        assert await bob.expect("people") == [[], [key(ann)]]
        await quiet(ann)
        await close_all(ann, bob, cleo)


async def test_newcomer_sees_all_people_and_changed_wants(tmp_path):
    async with TableServer(config(tmp_path, bounds=QUICK)) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        await seen(ann, wants=encode_wants(TRADE))
        await bob.send("appear", BOTH)
        assert await bob.expect("people") == [[row(ann, 2)], []]
        assert await bob.expect("people") == [[row(bob, 3)], []] == await ann.expect("people")
        await bob.send("appear", 0)
        assert await ann.expect("people") == [[row(bob)], []]
        await close_all(ann, bob)


@pytest.mark.match
async def test_lobby_reports_arrivals_and_departures(tmp_path):
    async with TableServer(config(tmp_path, bounds=QUICK)) as table:
        ann, bob, cleo = [
            await guest(table, seed, name) for seed, name in enumerate(("Ann", "Bob", "Cleo"), 1)
        ]
        await seen(ann, bob, cleo)
        await ann.join()
        await cleo.send("talk", "still waiting?")  # a waiting player is in the lobby
        assert await ann.expect("said") == [key(cleo), "still waiting?"]
        await bob.expect("said")
        await bob.send("join", None)
        went = set()
        while len(went) < 2:
            went |= set((await cleo.expect("people"))[1])
        assert went == {key(ann), key(bob)}
        await ann.expect("match")
        # talk that crosses the begin of the match is dropped silently
        await ann.send("talk", "crossed")
        await ann.send("list")
        await ann.expect("tables")
        again = await guest(table, 3, "Cleo", identity=cleo.identity)
        await seen(again)
        assert len(table.manager.chat.present) == 1
        await close_all(ann, bob, cleo, again)
        await until(lambda: not len(table.manager.chat.present))


async def test_lobby_talk_reaches_all_shown_and_no_log(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    async with TableServer(config(tmp_path, bounds=QUICK)) as table:
        ann, bob, cleo = [
            await guest(table, seed, name) for seed, name in enumerate(("Ann", "Bob", "Cleo"), 1)
        ]
        await seen(ann, bob, cleo)
        await ann.send("talk", "a word of mine")
        for other in (bob, cleo):
            assert await other.expect("said") == [key(ann), "a word of mine"]
        await quiet(ann)
        for bad in (
            "\x1b[2J",
            "two  spaces",
            " pushed",
            "line\nend",
            "\u202eover",
            "a\u200bb",
            "\u3000",
        ):
            await bob.send("talk", bad)
            await bob.expect_error(Code.BAD_MESSAGE)
        await quiet(ann, cleo)
        await bob.send_payload(wire.encode(["talk", "x" * (MAX_SAY + 1)]))
        await bob.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        await bob.close()
        assert await ann.expect("people") == [[], [key(bob)]]
        await close_all(ann, cleo)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"a word of mine" not in kept
    assert "a word of mine" not in caplog.text


@pytest.mark.slow
async def test_talk_flood_is_refused_by_identity_address_and_total(tmp_path):
    for bound, most in (("lobby_talk", 3), ("lobby_talk_per_address", 5), ("lobby_talk_in_all", 6)):
        few = QUICK | {
            "lobby_talk": (100, 100),
            "lobby_talk_per_address": (100, 100),
            bound: (most, 0.001),
        }
        async with TableServer(config(tmp_path / bound, bounds=few)) as table:
            ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
            await seen(ann, bob)
            for _ in range(50):
                await ann.send("talk", "again")
            for _ in range(most):
                await bob.expect("said")
            for _ in range(50 - most):
                await ann.expect_error(Code.TOO_MANY)
            await quiet(ann, bob)
            await close_all(ann, bob)


async def test_host_mutes_by_key_while_running(tmp_path):
    async with TableServer(config(tmp_path, bounds=QUICK)) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        await seen(ann, bob)
        (tmp_path / "muted.txt").write_text(fingerprint(key(bob)))
        await bob.send("talk", "hey")
        await bob.expect_error(Code.MUTED)
        await bob.send("call", key(ann), "main")
        await bob.expect_error(Code.MUTED)
        await bob.send("open", key(ann), TRADE)
        await quiet(ann, bob)  # no knock
        await ann.send("talk", "you hear")
        assert await bob.expect("said") == [key(ann), "you hear"]
        await ann.send("open", key(bob), TRADE)  # she may still ask others herself
        assert await ann.expect("opened") == [key(bob), TRADE]
        assert await bob.expect("opened") == [key(ann), TRADE]
        (tmp_path / "muted.txt").unlink()
        await bob.send("talk", "thanks")
        assert await ann.expect("said") == [key(bob), "thanks"]
        await close_all(ann, bob)


@pytest.mark.slow
async def test_invitation_flood_reaches_only_a_few(tmp_path):
    often = dict.fromkeys(
        ("requests", "requests_per_address", "frames", "frames_per_address"), (5000, 5000)
    )
    few = QUICK | often | {"calls": (2000, 0.001), "called": (4, 0.001)}
    async with TableServer(config(tmp_path, bounds=few)) as table:
        ann, bob, cleo = [
            await guest(table, seed, name) for seed, name in enumerate(("Ann", "Bob", "Cleo"), 1)
        ]
        await seen(ann, bob, cleo)
        for _ in range(1000):
            await ann.send("call", key(bob), "main")
        for _ in range(4):
            assert await bob.expect("called") == [key(ann), "main"]
        for _ in range(996):
            await ann.expect_error(Code.TOO_MANY)
        await quiet(ann, bob)
        # he is not told, but the pipe opens if he asks by himself
        await cleo.send("open", key(bob), TRADE)
        await quiet(bob)
        await bob.send("open", key(cleo), TRADE)
        assert await bob.expect("opened") == [key(cleo), TRADE]
        assert await cleo.expect("opened") == [key(bob), TRADE]
        await ann.send("call", key(cleo), "nowhere")
        await ann.expect_error(Code.NO_SUCH_TABLE)
        await close_all(ann, bob, cleo)


async def test_full_lobby_evicts_from_largest_address(tmp_path):
    async with TableServer(config(tmp_path, bounds=QUICK | {"present": 2})) as table:
        ann, bob, cleo = [
            await guest(table, seed, name) for seed, name in enumerate(("Ann", "Bob", "Cleo"), 1)
        ]
        await seen(ann, bob)
        await cleo.send("appear", 0)
        assert await ann.expect("hidden") == ["too_many"]
        assert await bob.expect("people") == [[row(cleo)], [key(ann)]]
        await quiet(ann)
        await close_all(ann, bob, cleo)


async def test_pipe_requests_are_declined_withdrawn_and_bounded(tmp_path):
    async with TableServer(config(tmp_path, bounds=QUICK | {"pipes_of_one": 2})) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        await seen(ann, bob)
        await ann.send("open", key(bob), MATCH)
        assert await bob.expect("knock") == [key(ann), MATCH]
        await bob.send("close", key(ann), MATCH)
        assert await ann.expect("closed") == [key(bob), MATCH, None]
        for number in (7, 8, 9):
            await ann.send("open", bytes([number]) * 32, TRADE)
        assert await ann.expect("closed") == [bytes([9]) * 32, TRADE, "too_many"]
        await ann.send("close", bytes([7]) * 32, TRADE)
        assert await ann.expect("closed") == [bytes([7]) * 32, TRADE, None]
        await ann.send("open", key(ann), TRADE)
        assert await ann.expect("closed") == [key(ann), TRADE, "too_many"]
        await ann.send("open", bytes([8]) * 32, TRADE)
        await ann.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        assert not table.manager.chat.pipes._asked
        await close_all(ann, bob)


@pytest.mark.parametrize(
    "message",
    [
        ["appear", 4],
        ["appear"],
        ["talk", ""],
        ["call", bytes(31), "main"],
        ["open", bytes(32), 2],
        ["send", bytes(32), 0, b""],
        ["send", bytes(32), 0, bytes(MAX_PIPE_DATA + 1)],
        ["grant", bytes(32), 0, PIPE_WINDOW + 1],
        ["close", bytes(32)],
        ["said", bytes(32), "from a table"],
    ],
)
async def test_lobby_rule_breaker_is_disconnected(tmp_path, message):
    async with TableServer(config(tmp_path)) as table, await guest(table, 1, "Ann") as ann:
        await ann.send_payload(wire.encode(message))
        await ann.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)


def test_wants_and_remarks_are_checked():
    assert [decode_wants(wants) for wants in range(4)] == [(), (MATCH,), (TRADE,), (MATCH, TRADE)]
    assert make_remark("  a\x1b  b ") == "a b"
    check_remark("a b")
    with pytest.raises(RemoteError):
        check_remark("a\tb")


async def test_name_changes_shown_in_lobby_are_limited(tmp_path):
    """A muted person who flashes a telling name is seen no more often than an honest person
    needs.
    """
    async with (
        asyncio.timeout(120),
        TableServer(config(tmp_path, bounds=QUICK | {"appears": (3, 0.001)})) as table,
    ):
        spammer, bob = await guest(table, 1, "Buy my cards"), await guest(table, 2, "Bob")
        for wants in (0, 1, 0):
            await spammer.send("appear", wants)
        await spammer.send("vanish")
        await spammer.send("appear", 2)
        while (answer := await spammer.receive()).name == "people":
            """It hears of itself."""
        assert answer.values == [Code.TOO_MANY]
        await bob.send("appear", 0)
        assert await bob.expect("people") == [[], []]
        await close_all(spammer, bob)
