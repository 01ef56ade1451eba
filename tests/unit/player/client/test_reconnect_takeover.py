"""Time that a player whose host has died needs to find its successor, in virtual time."""

import asyncio
from random import Random
from statistics import median

import pytest

from bots.dominoes import greedy_bot
from player.client.client_base import MENDABLE, ClientBase
from player.client.environment import Environment
from player.client.reconnect import see_through
from player.client.seat import Seat
from protocol.codes import Code
from protocol.errors import LocalError
from protocol.identity.keys import Identity, JoinLink
from tests.properties.simulate.loop import VirtualLoop

LINK = JoinLink.parse(f"fairdeal://a.example.org:1,b.example.org:1,c.example.org:1/{'a' * 40}")
DIES_AT = 100.0  # seconds


class Player(ClientBase):
    """Player who only wants to be admitted."""

    playing = None
    complaint = None

    def attach(self, send, peer):
        self._send = send

    def detached(self, code):
        self._send = None
        assert code in MENDABLE

    def received(self, payload): ...
    def go_on(self): ...
    def say(self, remark): ...
    def leave(self): ...
    def stop(self): ...


class Line:
    """Connection; a visit sees only `gone` and `foreign`."""

    foreign = False

    def __init__(self):
        self.gone = asyncio.get_running_loop().create_future()

    def send(self, payload): ...

    def close(self, code=None):
        if not self.gone.done():
            self.gone.set_result(code)


class Hosts:
    """Three hosts: `a` has the match and dies, `b` takes it over; a host without the match
    redirects to `a`.
    """

    def __init__(self, takes_over_at, dead):
        self.takes_over_at, self.dead = takes_over_at, dead
        self.called = []
        self.found = None

    async def connect(self, link, identity, rng, expected, listener, ticket=None):
        now = asyncio.get_running_loop().time
        self.called.append((now(), link.host))
        if link.host[0] == "a" and now() >= DIES_AT and self.dead != "stopped":
            await asyncio.sleep(0 if self.dead == "reset" else 10)
            raise LocalError("wrong.no_answer", where=link.address_text)
        await asyncio.sleep(0.05)
        line = Line()
        if link.host[0] == "a" and now() >= DIES_AT:
            return line  # the system has accepted the connection, and nobody answers
        listener.established(line, bytes(32))
        if link.host[0] == "a":
            asyncio.get_running_loop().call_at(DIES_AT, line.close, Code.CUT_OFF)
        elif link.host[0] == "b" and now() >= self.takes_over_at:
            self.found = now()
            listener.client.give_up(None)
            line.close()
        else:
            listener.client.redirect_address = "a.example.org:1"
            asyncio.get_running_loop().call_later(0.05, line.close)
        return line


def found_after(seed, dead):
    rng = Random(seed)
    takes_over_at = DIES_AT + rng.uniform(3, 4.5)
    hosts = Hosts(takes_over_at, dead)
    environment = Environment(
        Identity(bytes(32)), rng, Seat, greedy_bot, lambda event: None, connect=hosts.connect
    )

    async def visit():
        await see_through(Player(environment), LINK, LINK.fingerprint)

    loop = VirtualLoop()
    try:
        loop.run_until_complete(visit())
    finally:
        loop.close()
    return hosts.found - DIES_AT


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dead", "middle", "longest"), [("reset", 5, 7), ("silent", 6, 10), ("stopped", 6, 10)]
)
def test_successor_host_is_found_within_seconds(dead, middle, longest):
    times = [found_after(seed, dead) for seed in range(50)]
    assert median(times) <= middle and max(times) <= longest, (median(times), max(times))
