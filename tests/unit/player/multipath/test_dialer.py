"""Calls to addresses that the other side names: targets and frequency, in virtual time."""

from collections import Counter
from random import Random

import pytest

from player.multipath.dialer import Call, Dialer, Route, keep_lines
from player.multipath.line_set import LineCallbacks, LineKind, LineSet
from player.multipath.reliable_channel import ReliableChannel
from player.multipath.transports import LineTransports
from protocol.errors import LocalError
from protocol.limits import LINE_TRIES, MAX_WAYS, MAX_WAYS_CALLED
from protocol.messages.lines import Endpoint
from tests.properties.simulate.loop import VirtualLoop


class World:
    """Caller without a line in a world where nobody answers."""

    def __init__(self, loop: VirtualLoop, *routes: str) -> None:
        self.loop = loop
        self.called: Counter[str] = Counter()
        self.finished, self.number = False, 0
        user = ReliableChannel(lambda _: None)
        self.transports = LineTransports(
            LineSet(user, LineCallbacks(bytes(16), lambda: None, lambda: ()), loop.time)
        )
        own = [Route(where, LineKind.LAN, self.call(where)) for where in routes]
        self.calls = Dialer(self.transports, own, lambda way: self.call(way.address))

    def call(self, where: str) -> Call:
        async def call(_: object) -> None:
            self.called[where] += 1
            raise LocalError("wrong.no_answer", where=where)

        return call  # type: ignore[return-value]

    def lost_for_good(self) -> None:
        self.finished = True


@pytest.fixture
def loop():
    made = VirtualLoop()
    made.limit = 10_000.0
    yield made
    made.close()


def run(loop: VirtualLoop, made, seconds: float) -> World:
    async def play() -> World:
        world = made()
        await keep_lines(world, world.calls, world.transports, Random(1), seconds)
        return world

    return loop.run_until_complete(play())


def test_lost_peer_is_called_with_growing_pauses_until_given_up(loop):
    world = run(loop, lambda: World(loop, "there"), 600)
    assert 600 <= loop.time() < 620 and 80 < world.called["there"] < 260


def test_unanswered_address_is_called_a_few_times(loop):
    def named() -> World:
        world = World(loop, "there")
        world.calls.found((Endpoint("192.168.1.7", 7501),))
        return world

    world = run(loop, named, 600)
    assert world.called["192.168.1.7"] == LINE_TRIES < world.called["there"]


def test_peer_naming_many_addresses_has_limited_calls(loop):
    def flooded() -> World:
        world = World(loop)
        for round_ in range(100):
            world.calls.found(
                tuple(
                    Endpoint(f"10.0.{round_}.{number}", 7501) for number in range(1, 1 + MAX_WAYS)
                )
            )
            loop.call_later(round_ + 1.0, world.calls.found, (Endpoint(f"10.1.0.{round_}", 7501),))
            world.calls.begin(1.0)
        return world

    world = run(loop, flooded, 600)
    assert len(world.called) <= MAX_WAYS_CALLED
    assert sum(world.called.values()) <= MAX_WAYS_CALLED * LINE_TRIES


def test_route_is_not_called_twice_concurrently(loop):
    async def twice() -> World:
        world = World(loop, "there")
        for _ in range(10):
            world.calls.begin(1.0)
        return world

    world = loop.run_until_complete(twice())
    loop.run_until_complete(_nothing())
    assert world.called["there"] == 1


async def _nothing() -> None:
    """Run the callbacks that are due."""
