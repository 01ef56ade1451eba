"""The simulation's own parts: virtual time, processes that die, faulty lines."""

import asyncio
from collections.abc import Iterator
from random import Random

import pytest

from tests.properties.simulate.link import Listener, Network
from tests.properties.simulate.loop import Process, Stuck, VirtualLoop, owner
from tests.properties.simulate.weather import CALM, Weather


@pytest.fixture
def loop() -> Iterator[VirtualLoop]:
    made = VirtualLoop()
    yield made
    made.close()


def test_time_jumps_to_the_next_timer(loop):
    async def wait() -> list[float]:
        began = loop.time()
        await asyncio.gather(asyncio.sleep(3600), asyncio.sleep(7200))
        return [began, loop.time()]

    assert loop.run_until_complete(wait()) == [0, 7200]
    assert loop.steps < 20


def test_loop_with_nothing_left_to_do_raises_stuck(loop):
    waits = loop.create_task(asyncio.Event().wait())
    with pytest.raises(Stuck):
        loop.run_until_complete(waits)
    waits.cancel()
    with pytest.raises(asyncio.CancelledError):
        loop.run_until_complete(waits)


def test_killed_process_runs_no_more_code(loop):
    done: list[str] = []

    async def work(name: str) -> None:
        asyncio.get_running_loop().call_later(5, done.append, f"{name}'s timer")
        asyncio.create_task(more(name))  # noqa: RUF006
        await asyncio.sleep(5)
        done.append(name)

    async def more(name: str) -> None:
        assert owner() in (first, second)
        await asyncio.sleep(2)
        done.append(f"{name}'s task")
        await asyncio.sleep(3)
        done.append(f"{name}'s task again")

    first, second = (Process(loop, name, "10.0.0.1") for name in ("first", "second"))
    first.spawn(work("first"))
    second.spawn(work("second"))
    loop.call_later(3, first.kill)
    loop.run_until_complete(asyncio.sleep(10))
    assert sorted(done) == [
        "first's task",
        "second",
        "second's task",
        "second's task again",
        "second's timer",
    ]
    assert not first.timers() and not first.open_tasks() and not loop.errors


class Ear(asyncio.Protocol):
    """Protocol that keeps all received data, and sends `say` at the start."""

    def __init__(self, say: bytes = b"") -> None:
        self.say, self.heard, self.lost = say, b"", None

    def connection_made(self, transport):
        self.transport = transport
        for byte in self.say:
            asyncio.get_running_loop().call_later(byte / 100, transport.write, bytes([byte]))

    def data_received(self, data):
        self.heard += data

    def connection_lost(self, error):
        self.lost = (error,)


SAID = bytes(range(1, 200))


def heard(loop: VirtualLoop, weather: Weather, seed: int = 1) -> tuple[Ear, Ear, Network]:
    """Return both ends of a line after a minute."""
    network = loop.network = Network(loop, Random(seed))
    network.weather = weather
    there, here = Process(loop, "there", "10.0.0.1"), Process(loop, "here", "10.0.0.2")
    listener, speaker = Ear(), Ear(SAID)

    async def listen() -> None:
        Listener(
            network,
            "there",
            7500,
            lambda peer: None if peer == ("10.0.0.2", 1) else b"",
            lambda: listener,
        )

    async def connect() -> None:
        await loop.create_connection(lambda: speaker, "there", 7500)

    async def both() -> None:
        there.spawn(listen())
        await asyncio.sleep(1)
        here.spawn(connect())
        await asyncio.sleep(60)
        there.kill()
        here.kill()

    loop.run_until_complete(both())
    return listener, speaker, network


def test_calm_line_delivers_everything_in_order(loop):
    assert heard(loop, CALM)[0].heard == SAID


@pytest.mark.parametrize("kind", ["split", "stall"])
def test_delays_on_a_line_lose_nothing(loop, kind):
    listener, _, network = heard(loop, Weather(**{kind: 0.2}))
    assert listener.heard == SAID
    assert kind == "split" or network.happened[kind]


@pytest.mark.parametrize("kind", ["drop", "duplicate", "reorder", "flip", "cut"])
def test_line_faults_change_bytes_as_configured(loop, kind):
    listener, speaker, network = heard(loop, Weather(**{kind: 0.02}), seed=4)
    assert network.happened[kind]
    assert listener.heard != SAID
    if kind == "duplicate":
        assert sorted(set(listener.heard)) == list(SAID) and len(listener.heard) > len(SAID)
    if kind == "reorder":
        assert sorted(listener.heard) == list(SAID)
    if kind in ("drop", "cut"):
        assert isinstance(listener.lost[0], ConnectionResetError) and isinstance(
            speaker.lost[0], ConnectionResetError
        )
