"""Data in transit in a pipe is bounded: a sender that exceeds it is disconnected, and a reader that
stops loses the pipe.
"""

import asyncio
from contextlib import asynccontextmanager

from protocol.codes import Code
from protocol.limits import MAX_PIPE_DATA, PIPE_OVERHEAD, PIPE_WINDOW
from protocol.messages.lobby import TRADE
from table.manager.server import TableServer
from tests.support.tables import close_all, config, guest

EVER = {"pipe_bytes": (1e9, 1e9), "pipe_bytes_in_all": (1e9, 1e9)}
WHOLE = PIPE_WINDOW // (MAX_PIPE_DATA + PIPE_OVERHEAD)  # messages of the largest size in a window
# bytes that fit as one more message
LEFT = PIPE_WINDOW - WHOLE * (MAX_PIPE_DATA + PIPE_OVERHEAD) - PIPE_OVERHEAD


@asynccontextmanager
async def piped(tmp_path, **bounds):
    """Return a table, two bare clients with a pipe, and their keys."""
    async with TableServer(config(tmp_path, bounds=EVER | bounds)) as table:
        ann, bob = await guest(table, 1, "Ann"), await guest(table, 2, "Bob")
        keys = ann.identity.public, bob.identity.public
        await ann.send("open", keys[1], TRADE)
        await bob.send("open", keys[0], TRADE)
        assert await ann.expect("opened") == [keys[1], TRADE]
        assert await bob.expect("opened") == [keys[0], TRADE]
        yield table, ann, bob, keys
        await close_all(ann, bob)


async def fill(client, key):
    for _ in range(WHOLE):
        await client.send("send", key, TRADE, bytes(MAX_PIPE_DATA))
    await client.send("send", key, TRADE, bytes(LEFT))


async def test_window_filled_and_granted_back_may_not_be_exceeded(tmp_path):
    async with piped(tmp_path) as (_, ann, bob, (ann_key, bob_key)):
        await fill(ann, bob_key)
        sizes = [len((await bob.expect("sent"))[2]) for _ in range(WHOLE + 1)]
        assert sizes == [MAX_PIPE_DATA] * WHOLE + [LEFT]
        await bob.send("grant", ann_key, TRADE, PIPE_WINDOW)
        assert await ann.expect("granted") == [bob_key, TRADE, PIPE_WINDOW]
        await fill(ann, bob_key)
        await ann.send("send", bob_key, TRADE, b"!")
        await ann.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        for _ in range(WHOLE + 1):
            await bob.expect("sent")
        assert await bob.expect("closed") == [ann_key, TRADE, "not_here"]


async def test_window_counts_small_messages_like_few_large_ones(tmp_path):
    async with piped(tmp_path) as (_, ann, bob, (_ann_key, bob_key)):
        most = PIPE_WINDOW // (1 + PIPE_OVERHEAD)
        for _ in range(most):
            await ann.send("send", bob_key, TRADE, b".")
        for _ in range(most):
            await bob.expect("sent")
        await ann.send("send", bob_key, TRADE, b".")
        await ann.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)


async def test_granting_unreceived_bytes_is_refused(tmp_path):
    async with piped(tmp_path) as (_, ann, bob, (ann_key, bob_key)):
        await ann.send("send", bob_key, TRADE, b"four")
        await bob.expect("sent")
        await bob.send("grant", ann_key, TRADE, 5 + PIPE_OVERHEAD)
        await bob.expect_closed(Code.BAD_MESSAGE, error=Code.BAD_MESSAGE)
        assert await ann.expect("closed") == [bob_key, TRADE, "not_here"]


async def test_pipe_with_stalled_reader_is_closed(tmp_path):
    async with piped(tmp_path, pipe_stall_seconds=0.05) as (table, ann, bob, (ann_key, bob_key)):
        await fill(ann, bob_key)
        assert await ann.expect("closed") == [bob_key, TRADE, "too_slow"]
        while (message := await bob.receive()).name == "sent":
            """As much as was on its way in time."""
        assert (message.name, message.values) == ("closed", [ann_key, TRADE, "too_slow"])
        await ann.send("send", bob_key, TRADE, b"crossed")  # the message is dropped
        await bob.send("grant", ann_key, TRADE, 1)
        await ann.send("open", bob_key, TRADE)
        await bob.send("open", ann_key, TRADE)
        await ann.expect("opened")
        await bob.expect("opened")
        assert len(table.manager.chat.pipes) == 1


async def test_idle_pipe_is_not_closed(tmp_path):
    async with piped(tmp_path) as (table, ann, bob, (ann_key, bob_key)):
        await ann.send("send", bob_key, TRADE, bytes(100))
        await bob.expect("sent")
        (pipe,) = {
            pipe for own in table.manager.chat.pipes._pipes.values() for pipe in own.values()
        }
        assert sum(way._stall.running for way in pipe.ways.values()) == 1
        await bob.send("grant", ann_key, TRADE, 100 + PIPE_OVERHEAD)
        assert (await ann.expect("granted"))[2] == 100 + PIPE_OVERHEAD
        assert not any(way._stall.running for way in pipe.ways.values())
        await ann.send("close", bob_key, TRADE)
        assert await ann.expect("closed") == [bob_key, TRADE, None]
        assert await bob.expect("closed") == [ann_key, TRADE, None]


async def test_empty_grant_does_not_count_as_reading(tmp_path):
    async with asyncio.timeout(120), piped(tmp_path) as (table, ann, bob, (ann_key, bob_key)):
        await ann.send("send", bob_key, TRADE, bytes(100))
        await bob.expect("sent")
        (pipe,) = {
            pipe for own in table.manager.chat.pipes._pipes.values() for pipe in own.values()
        }
        pipe.ways[pipe.ends[0]]._stall.stop()  # either of the two directions
        pipe.ways[pipe.ends[1]]._stall.stop()
        await bob.send("grant", ann_key, TRADE, 0)
        for client in (bob, ann):  # the table has read it, and Ann hears nothing of it
            await client.send("list")
            await client.expect("tables")
        assert not any(way._stall.running for way in pipe.ways.values())
        await ann.send("close", bob_key, TRADE)
        await ann.expect("closed")
        await bob.expect("closed")


async def test_pipe_rate_delays_only_pipe_data(tmp_path):
    for bound in ("pipe_bytes", "pipe_bytes_in_all"):
        async with piped(tmp_path / bound, **{bound: (PIPE_WINDOW // 2, 0.001)}) as (
            _,
            ann,
            bob,
            (ann_key, bob_key),
        ):
            await fill(ann, bob_key)
            for _ in range(WHOLE + 1):
                await bob.expect("sent")
            await bob.send("grant", ann_key, TRADE, PIPE_WINDOW)
            for client in (bob, ann):
                await client.send("list")  # the table has read it
                await client.expect("tables")


async def test_oldest_pipe_of_largest_address_is_closed(tmp_path):
    async with piped(tmp_path, pipes=1) as (table, ann, bob, (ann_key, bob_key)):
        await ann.send("open", bob_key, 0)
        await bob.send("open", ann_key, 0)
        assert await ann.expect("opened") == [bob_key, 0]
        assert await ann.expect("closed") == [bob_key, TRADE, "too_many"]
        await bob.expect("opened")
        assert await bob.expect("closed") == [ann_key, TRADE, "too_many"]
        assert len(table.manager.chat.pipes) == 1
