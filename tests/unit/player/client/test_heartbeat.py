"""Signs of life on one connection: sent in time, and missed in time, though never by all players in
the same moment.
"""

from random import Random

import pytest

from player.client.heartbeat import LOOK_SECONDS, Heartbeat
from protocol.limits import LIFE_SECONDS, SILENCE_SECONDS
from tests.properties.simulate.loop import VirtualLoop

SIGN = b"here"


class Line:
    """A connection that notes what is sent over it, and when it is cut."""

    def __init__(self, loop):
        self.loop, self.gone = loop, loop.create_future()
        self.heard = 0.0
        self.sent, self.was_cut, self.worked = [], None, None

    def send(self, payload):
        self.sent.append((self.loop.time(), payload))

    def cut(self):
        self.was_cut = self.loop.time()
        self.gone.set_result(None)

    def silent(self, worked):
        self.worked = worked


@pytest.fixture
def loop():
    loop = VirtualLoop()
    yield loop
    loop.close()


def lines(loop, count):
    """So many connections to one table, whose signs of life begin now."""
    made = [Line(loop) for _ in range(count)]

    async def begin():
        for number, line in enumerate(made):
            Heartbeat(line, SIGN, SILENCE_SECONDS, rng=Random(number), silent=line.silent)

    loop.run_until_complete(begin())
    return made


def wait(loop, seconds):
    loop.call_later(seconds, loop.stop)
    loop.run_forever()


def test_heartbeat_sends_a_sign_every_few_seconds(loop):
    (line,) = lines(loop, 1)
    for _ in range(10):
        wait(loop, LIFE_SECONDS)
        line.heard = loop.time()
    assert [payload for _, payload in line.sent] == [SIGN] * len(line.sent)
    assert [when for when, _ in line.sent] == [LIFE_SECONDS * n for n in range(len(line.sent))]
    assert len(line.sent) >= 10 and line.was_cut is None


def test_players_of_a_silent_table_leave_one_by_one(loop):
    made = lines(loop, 20)
    wait(loop, 60)
    moments = [line.was_cut for line in made]
    assert min(moments) >= SILENCE_SECONDS
    assert max(moments) <= SILENCE_SECONDS + LIFE_SECONDS + 2 * LOOK_SECONDS
    assert len(set(moments)) == len(made)
    assert loop._scheduled == []


def test_heartbeat_says_how_long_the_line_worked(loop):
    (line,) = lines(loop, 1)
    wait(loop, 30)
    line.heard = 0.0 if line.was_cut else loop.time()
    assert line.worked == 0.0
    (other,) = lines(loop, 1)
    began = loop.time()
    for _ in range(20):
        wait(loop, LIFE_SECONDS)
        other.heard = loop.time()
    wait(loop, 30)
    assert other.worked == other.heard - began == 20 * LIFE_SECONDS


def test_heartbeat_ends_with_its_connection(loop):
    (line,) = lines(loop, 1)
    wait(loop, 1)
    line.gone.set_result(None)
    wait(loop, 60)
    assert line.was_cut is None and len(line.sent) == 1
