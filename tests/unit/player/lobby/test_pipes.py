"""A player's end of a pipe: a lying table gets no session, and neither side is ever flooded."""

import asyncio
from random import Random

import pytest

from player.client.environment import Environment
from player.client.seat import Seat
from player.lobby.pipe_connection import PipeCarrier
from player.lobby.pipe_transport import PipeTransport
from player.lobby.pipes import Pipes
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.keys import Identity
from protocol.limits import MAX_PIPE_DATA, MAX_PIPE_QUEUED, PIPE_OVERHEAD, PIPE_WINDOW
from protocol.messages.lobby import MATCH, TRADE, pipe_role
from protocol.messages.table import VERSION, encode
from protocol.session.session import Role
from tests.support.meeting import Heard

TABLE_KEY = Identity(bytes(32)).public


class Middle:
    """Table between two people that may misreport each `send` through `lie`."""

    def __init__(
        self,
        lie=lambda data: data,
        keys=None,
        purposes=(TRADE, TRADE),
        tables=(TABLE_KEY, TABLE_KEY),
    ):
        self.identities = [Identity(bytes([number]) * 32) for number in (1, 2)]
        self.keys = keys or [identity.public for identity in reversed(self.identities)]
        self.lie, self.purposes = lie, purposes
        self.ends = [
            Pipes(identity, Random(number)) for number, identity in enumerate(self.identities)
        ]
        for number, end in enumerate(self.ends):
            end.attach(
                lambda name, *values, number=number: self.post(number, name, *values),
                tables[number],
            )
        self.asked: set[int] = set()
        self.heard = [Heard(), Heard()]

    def post(self, number, name, *values):
        asyncio.get_running_loop().call_soon(self.pass_on, number, name, values)

    def pass_on(self, number, name, values):
        other = 1 - number
        about = self.keys[other], self.purposes[other]
        if name == "open":
            self.asked.add(number)
            if len(self.asked) == 2:
                for each in (0, 1):
                    self.ends[each].opened(self.keys[each], self.purposes[each])
        elif name == "send":
            self.ends[other].sent(*about, self.lie(values[-1]))
        elif name == "grant":
            self.ends[other].granted(*about, values[-1])
        elif name == "close":
            for each in (0, 1):
                self.ends[each].closed(self.keys[each], self.purposes[each], None)

    async def run(self):
        """Return the two connections, once each has ended or is established."""
        async with asyncio.timeout(120):
            return await asyncio.gather(
                *(
                    self.ends[each].open(self.keys[each], self.purposes[each], self.heard[each])
                    for each in (0, 1)
                )
            )


async def reasons(middle):
    async with asyncio.timeout(120):
        return {
            connection.gone.result()
            for connection in await middle.run()
            if await asyncio.wait([connection.gone])
        }


async def test_honest_table_carries_the_pipe():
    middle = Middle()
    one, other = await middle.run()
    async with asyncio.timeout(120):
        for heard in middle.heard:
            await heard.established_now.wait()
    assert [heard.peer for heard in middle.heard] == middle.keys
    one.send(b"hello")
    assert await middle.heard[1].until(1) == [b"hello"]
    one.close()
    assert await other.gone is None


@pytest.mark.parametrize(
    "middle",
    [
        lambda: Middle(lie=lambda data: data[:-1] + bytes([data[-1] ^ 1])),
        lambda: Middle(purposes=(TRADE, MATCH)),
        lambda: Middle(tables=(TABLE_KEY, Identity(bytes([9]) * 32).public)),
        lambda: Middle(keys=[Identity(bytes([2]) * 32).public, Identity(bytes([3]) * 32).public]),
    ],
    ids=["a bit is changed", "another purpose", "another table", "another person"],
)
async def test_lying_table_gets_no_session_between_two_people(middle):
    made = middle()
    assert await reasons(made) & {
        Code.BAD_HANDSHAKE,
        Code.BAD_IDENTITY,
        Code.WRONG_TABLE_KEY,
        Code.BAD_RECORD,
    }
    assert not any(heard.messages for heard in made.heard)


async def test_unrequested_pipe_is_ignored():
    middle = Middle()
    with pytest.raises(RemoteError) as refused:
        middle.ends[0].opened(middle.keys[0], TRADE)
    assert refused.value.code is Code.BAD_MESSAGE


async def test_failed_pipe_request_is_explained_and_repeatable():
    pipes, posts, key = (
        Pipes(Identity(bytes([1]) * 32), Random(1)),
        [],
        Identity(bytes([2]) * 32).public,
    )
    pipes.attach(lambda *post: posts.append(post), TABLE_KEY)

    async def ask():
        before = len(posts)
        asking = asyncio.ensure_future(pipes.open(key, TRADE, Heard()))
        async with asyncio.timeout(120):
            while len(posts) == before:
                await asyncio.sleep(0)
        return asking

    asking = await ask()
    pipes.closed(key, TRADE, "not_here")
    with pytest.raises(RemoteError) as refused:
        await asking
    assert refused.value.code is Code.NOT_HERE
    asking = await ask()
    # nobody waits any more: the pipe is closed, and the one that the table opened meanwhile is not
    # ours
    asking.cancel()
    await asyncio.wait([asking])
    assert posts == [("open", key, TRADE)] * 2 + [("close", key, TRADE)]
    pipes.opened(key, TRADE)
    pipes.sent(key, TRADE, b"late")
    again = asyncio.ensure_future(pipes.open(key, TRADE, Heard()))
    await asyncio.sleep(0)
    assert len(posts) == 3  # not before the table has reported the end of the last one
    pipes.closed(key, TRADE, None)
    async with asyncio.timeout(120):
        while len(posts) == 3:
            await asyncio.sleep(0)
    pipes.detached()
    with pytest.raises(RemoteError) as refused:
        await again
    assert refused.value.code is Code.CUT_OFF


class Reader(asyncio.Protocol):
    """Protocol that records its events."""

    def __init__(self):
        self.data, self.told = b"", []

    def data_received(self, data):
        self.data += data

    def pause_writing(self):
        self.told.append("pause")

    def resume_writing(self):
        self.told.append("resume")

    def connection_lost(self, error):
        self.told.append("lost")


def made():
    posts, reader = [], Reader()
    transport = PipeTransport(reader, lambda *post: posts.append(post))
    transport.begin()
    return transport, reader, posts


async def test_pipe_data_beyond_window_waits_and_writer_is_cut_off():
    transport, reader, posts = made()
    transport.write(bytes(PIPE_WINDOW * 8))
    assert sum(len(data) + PIPE_OVERHEAD for _, data in posts) <= PIPE_WINDOW
    assert reader.told == ["pause"]
    for _ in range(8):
        sent = sum(len(data) + PIPE_OVERHEAD for _, data in posts)
        posts.clear()
        transport.granted(sent)
    assert reader.told == ["pause", "resume"]
    transport.write(bytes(MAX_PIPE_QUEUED + PIPE_WINDOW))
    assert transport.is_closing()
    assert posts[-1] == ("close",)
    assert transport.get_write_buffer_size() == 0


async def test_pipe_reader_grants_window_only_after_reading():
    transport, reader, posts = made()
    transport.pause_reading()
    piece = bytes(MAX_PIPE_DATA)
    for _ in range(3):
        transport.sent(piece)
    assert not reader.data
    assert not posts
    with pytest.raises(RemoteError):
        transport.sent(piece)
    transport, reader, posts = made()
    transport.pause_reading()
    for _ in range(3):
        transport.sent(piece)
    transport.resume_reading()
    assert reader.data == piece * 3
    assert sum(size for _, size in posts) >= PIPE_WINDOW // 2
    with pytest.raises(RemoteError):
        transport.granted(1)


async def test_pipe_sends_written_data_before_closing():
    transport, reader, posts = made()
    transport.write(bytes(PIPE_WINDOW))
    transport.close()
    assert transport.is_closing()
    assert posts[-1] != ("close",)
    transport.granted(sum(len(data) + PIPE_OVERHEAD for _, data in posts))
    assert posts[-1] == ("close",)
    assert sum(len(post[1]) for post in posts[:-1]) == PIPE_WINDOW
    await asyncio.sleep(0)
    assert reader.told[-1] == "lost"


def test_pipe_has_one_caller_and_one_called_end():
    low, high = sorted(Identity(bytes([number]) * 32).public for number in (1, 2))
    assert (pipe_role(low, high), pipe_role(high, low)) == (Role.PLAYER, Role.TABLE)


async def test_welcome_is_taken_after_the_person_has_given_up():
    environment = Environment(Identity(bytes(32)), Random(1), Seat, None, lambda event: None)
    carrier = PipeCarrier(environment, "Ann")
    carrier.greeted.cancel()
    carrier.received(encode("welcome", VERSION, "Corner", []))
    assert carrier.greeted.cancelled()
