"""A table that falls silent, without its connections breaking: noticed if it had promised signs of
life.
"""

from itertools import pairwise
from random import Random

import pytest

from bots.dominoes import greedy_bot
from player.client import events
from player.client.endpoints import Endpoints
from player.client.environment import Environment
from player.client.reconnect import visit
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from protocol.audit.verdict import Verdict
from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.limits import LIFE_SECONDS, MAX_SILENCE_SECONDS, SILENCE_SECONDS
from protocol.messages.table import SIGN_OF_LIFE, ConnectionPhase
from tests.properties.simulate.hosts.host import HostProcess
from tests.properties.simulate.link import Listener, Network
from tests.properties.simulate.loop import Process, VirtualLoop
from tests.support.fake_table import FakeTable, Wire

FREEZES_AT = 9  # entries


class Frozen(FakeTable):
    """A table, or two hosts of one: the one that gets the ninth entry stops, as by SIGSTOP, for so
    many seconds.
    """

    def __init__(self, world, stops_for, lively):
        super().__init__()
        self.world, self.stops_for, self.lively = world, stops_for, lively
        self.signs = []  # of the player's life: when, and which
        self.asked = []  # the ports at which a place was asked for
        self.frozen, self.away = 0.0, None  # when it stopped

    def port(self, wire):
        return next(
            port
            for port, listener in self.world.network.listeners.items()
            if listener.process is wire.owner
        )

    def on_join(self, wire, table_id):
        self.asked.append(self.port(wire))
        super().on_join(wire, table_id)

    def on_resume(self, wire, match_id, holds, met):
        self.asked.append(self.port(wire))
        super().on_resume(wire, match_id, holds, met)

    def on_post(self, wire, match_id, raw):
        if not self.frozen and len(self.live.records) >= FREEZES_AT:
            # when it continues
            self.frozen = 3.5 * LIFE_SECONDS
            self.world.begins_to_freeze(self.frozen)
            self.world.loop.call_later(self.frozen, self.freeze, wire, match_id, raw)
        else:
            super().on_post(wire, match_id, raw)

    def on_pong(self, wire, match_id, token):
        self.signs.append((self.world.loop.time(), token))

    def freeze(self, wire, *post):
        self.away = self.world.loop.time()
        wire.owner.pause()
        # Connection over which the host sends signs of life.
        self.world.loop.call_soon(super().on_post, wire, *post)
        self.world.network.later(self.stops_for, wire.owner.go_on)


class Beating(Wire):
    """A connection over which the host says that it is there."""

    def __init__(self, table, owner):
        super().__init__(table)
        self.owner = owner

    def connection_made(self, transport):
        super().connection_made(transport)
        self.live()

    def live(self):
        if self.table.lively and self.phase is ConnectionPhase.SEATED:
            self.say("present", self.table.live.log.match_id, list(range(self.table.seats)))
        self.table.world.loop.call_later(LIFE_SECONDS, self.live)


class World:
    """Two ports of a table and a player, in virtual time."""

    def __init__(self, stops_for, ports=(1, 2), lively=True):
        self.loop = VirtualLoop()
        self.network = self.loop.network = Network(self.loop, Random(1))
        self.table = Frozen(self, stops_for, lively)
        # messages of the player, with the time since the host stopped
        self.told, self.remarks = [], []
        for port in ports:
            process = HostProcess(self.loop, f"host {port}", "10.0.0.1")
            made = lambda process=process: Beating(self.table, process)  # noqa: E731
            process.context.run(Listener, self.network, "h", port, lambda address: None, made)
        others = tuple(("h", port) for port in ports[1:])
        self.link = JoinLink(
            "h", ports[0], fingerprint(self.table.identity.public), other_hosts=others
        )

    def run(self, limit=300.0):
        """Return the player's outcome, and the time of its end."""
        self.loop.limit = limit
        process = Process(self.loop, "Zoe", "10.0.1.1")
        clocks = {"now": self.loop.time, "steady": self.loop.time}
        tell = self.told.append
        environment = Environment(Identity(b"m" * 32), Random(1), Seat, greedy_bot, tell, **clocks)
        self.client = TableClient(Plan("Zoe", keep_trying=60.0), environment)
        task = process.spawn(visit(self.client, self.link, self.link.fingerprint))
        try:
            return self.loop.run_until_complete(task), self.loop.time()
        finally:
            process.kill()
            self.loop.close()

    def begins_to_freeze(self, seconds):
        for after, remark in self.remarks:
            self.network.later(seconds + after, self.client.say, remark)

    @property
    def notices(self):
        return [event.phrase.key for event in self.told if isinstance(event, events.Notice)]


@pytest.mark.match
def test_stalled_host_is_left_within_seconds():
    world = World(stops_for=250.0)
    outcome, ended = world.run()
    assert outcome.verdict is Verdict.CLEAN
    first, second = world.table.asked
    assert first != second and ended - world.table.away < SILENCE_SECONDS + LIFE_SECONDS + 3
    assert world.notices == ["notice.table_lost", "notice.table_back"]


@pytest.mark.match
def test_stalled_table_of_one_address_is_called_anew():
    world = World(stops_for=60.0, ports=(1,))
    outcome, ended = world.run()
    assert outcome.verdict is Verdict.CLEAN and ended > world.table.away + 60.0
    assert world.table.asked == [1, 1]
    assert world.notices == ["notice.table_lost", "notice.table_back"]


@pytest.mark.match
@pytest.mark.parametrize(
    ("stops_for", "given"),
    [
        (SILENCE_SECONDS - 1.5 * LIFE_SECONDS, {}),  # a busy one
        (60.0, {"lively": False}),  # nobody has promised to say anything
    ],
)
def test_host_is_not_left_for_a_shorter_silence(stops_for, given):
    world = World(stops_for, **given)
    outcome, ended = world.run()
    assert outcome.verdict is Verdict.CLEAN and ended > world.table.away + stops_for
    assert len(world.table.asked) == 1 and world.notices == []


@pytest.mark.match
@pytest.mark.parametrize("lively", [True, False])
def test_player_gives_signs_of_life_where_the_table_does(lively):
    world = World(stops_for=0.5, lively=lively)
    world.run()
    moments = [moment for moment, _ in world.table.signs]
    assert {token for _, token in world.table.signs} == ({SIGN_OF_LIFE} if lively else set())
    assert all(after - before <= LIFE_SECONDS + 1 for before, after in pairwise(moments))
    assert (len(moments) >= world.loop.time() // LIFE_SECONDS - 1) is lively


def test_slow_host_gets_twice_as_long_until_a_line_lasts():
    where = Endpoints(JoinLink("a", 1, None, other_hosts=(("b", 2),)), Random(1))
    times = {"a:1": [], "b:2": []}
    for number in range(6):
        while not where.is_round_over:
            address = str(where.next())
            times[address].append(where.silence_limit)
            if address == "a:1":
                where.note_silence(again=number < 4)
        where.new_round()
    doubled = [min(SILENCE_SECONDS * 2**n, MAX_SILENCE_SECONDS) for n in range(5)]
    assert times["a:1"] == [*doubled, SILENCE_SECONDS * 2]
    assert times["b:2"] == [SILENCE_SECONDS] * 6


@pytest.mark.match
def test_talk_to_gone_host_is_reported_as_maybe_unheard():
    world = World(stops_for=250.0)
    world.remarks = [(-3.4, "heard"), (-0.4, "perhaps"), (2.0, "\x1b[31mnever heard")]
    world.run()
    unsaid = [
        event.phrase
        for event in world.told
        if isinstance(event, events.Notice) and event.phrase.args
    ]
    assert [(each.key, dict(each.args)) for each in unsaid] == [
        ("notice.unsaid", {"remark": "perhaps"}),
        ("notice.unsaid", {"remark": "[31mnever heard"}),
    ]
    assert world.notices[:2] == ["notice.table_lost", "notice.table_back"]


@pytest.mark.match
def test_talk_to_living_host_is_never_asked_again():
    world = World(stops_for=2.0)
    world.remarks = [(-3.4, "heard"), (0.5, "heard later")]
    world.run()
    assert world.notices == []
