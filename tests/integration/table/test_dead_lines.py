"""Lines that die without a word, and programs that stand still: a real table and real players in
virtual time (docs/protocol, 4.9).
"""

from functools import partial
from random import Random

import pytest

from bots.dominoes import greedy_bot
from player.client import events
from player.client.environment import Environment
from player.client.reconnect import visit
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from protocol.audit.verdict import Verdict
from protocol.identity.keys import Identity
from protocol.limits import LIFE_SECONDS, MAX_SILENCE_SECONDS, SILENCE_SECONDS
from protocol.match.log import decode_entry
from table.manager.server import TableServer
from tests.properties.simulate.hosts.host import HostProcess
from tests.properties.simulate.link import Listener, Network
from tests.properties.simulate.loop import VirtualLoop
from tests.properties.simulate.store import SimulatedStorage, TableDisk
from tests.support.tables import config

pytestmark = pytest.mark.match

MOMENT = 12  # entries after which something happens
NAMES = ("Ann", "Bob", "Cleo")
NOTICED = SILENCE_SECONDS + 3 * LIFE_SECONDS  # seconds within which both sides know a dead line


class SilentClient(TableClient):
    """A client of a version that knows no signs of life: it sends none, and waits for none."""

    def received(self, payload):
        super().received(payload)
        self.sign_of_life = b""


class RecordingNetwork(Network):
    """A network that knows the newest line of each process."""

    def __init__(self, loop):
        super().__init__(loop, Random(1))
        self.newest, self.calls = {}, []

    async def connect(self, factory, port):
        near, protocol = await super().connect(factory, port)
        self.newest[near.process.name] = near
        self.calls.append((near.process.name, self.loop.time()))
        return near, protocol

    def kill_line(self, name):
        """Let nothing through any more, in either direction, without a word to anybody."""
        line = self.newest[name]
        line.broken = line.peer.broken = True


class Scene:
    """A table of one address and its players, who play with bots."""

    def __init__(self, folder, clients=(TableClient, TableClient)):
        self.loop = VirtualLoop()
        self.loop.limit = 900.0
        self.network = self.loop.network = RecordingNetwork(self.loop)
        self.folder, self.clients = folder, clients
        self.told = {name: [] for name in NAMES}
        self.processes, self.players, self.visits = [], [], []

    async def _open(self):
        self.disk = TableDisk()
        self.table_process = HostProcess(self.loop, "table", "10.0.0.1")
        storage = SimulatedStorage(self.disk, self.table_process, self.network, Random(2))
        usual = config(self.folder, now=self.loop.time)
        self.table = TableServer(usual, storage, partial(Listener, self.network))
        await self.table_process.spawn(self.table.__aenter__())

    def sit_down(self, kind, **plan):
        """Start one more player."""
        name = NAMES[len(self.players)]
        process = HostProcess(self.loop, name, f"10.0.1.{len(self.players)}")
        clocks = {"now": self.loop.time, "steady": self.loop.time}
        rng = Random(10 + len(self.players))
        key, tell = Identity(rng.randbytes(32)), self.told[name].append
        client = kind(Plan(name, **plan), Environment(key, rng, Seat, greedy_bot, tell, **clocks))
        link = self.table.link
        self.processes.append(process)
        self.players.append(client)
        self.visits.append(process.spawn(visit(client, link, link.fingerprint)))

    async def begin(self):
        """Return when so many entries are there that something may happen."""
        await self._open()
        for kind in self.clients:
            self.sit_down(kind)
        while min(player.number for player in self.players) < MOMENT:
            await self.sleep(0.01)

    async def sleep(self, seconds):
        done = self.loop.create_future()
        self.network.later(seconds, done.set_result, None)
        await done

    async def finish(self):
        """Check that every player has the whole match, and that nobody is named or left."""
        outcomes = [await each for each in self.visits]
        assert [each.verdict for each in outcomes] == [Verdict.CLEAN] * len(outcomes)
        logs = {tuple(each.reader.log.chain_hashes) for each in outcomes}
        assert len(logs) == 1
        (match,) = self.disk.matches.values()
        kinds = {decode_entry(raw).kind for raw in match.entries}
        assert not kinds & {"leave", "warning", "lapse"}

    def run(self, work):
        try:
            self.loop.run_until_complete(work())
        finally:
            for process in (*self.processes, self.table_process):
                process.kill()
            self.loop.let_go()
            self.loop.close()

    def notices(self, name):
        return [each.phrase.key for each in self.told[name] if isinstance(each, events.Notice)]


@pytest.fixture
def scene(tmp_path):
    return Scene(tmp_path)


def test_dead_line_is_replaced_and_nothing_lost(scene):
    async def work():
        await scene.begin()
        died = scene.loop.time()
        scene.network.kill_line("Ann")
        await scene.finish()
        again = [when for name, when in scene.network.calls if name == "Ann" and when > died]
        assert len(again) == 1 and SILENCE_SECONDS < again[0] - died < NOTICED
        assert scene.notices("Ann") == ["notice.table_lost", "notice.table_back"]
        assert scene.notices("Bob") == []

    scene.run(work)


def test_stopped_player_loses_connection_but_not_its_seat(scene):
    async def work():
        await scene.begin()
        stopped = scene.loop.time()
        scene.processes[0].pause()
        while len(scene.table.connections) > 1:
            await scene.sleep(0.1)
        assert SILENCE_SECONDS < scene.loop.time() - stopped < NOTICED
        await scene.sleep(20)
        gone = [each.gone for each in scene.told["Bob"] if isinstance(each, events.Presence)]
        assert gone == [(scene.players[0].playing.agreement.seat,)]
        assert scene.table.metrics.silent_lines == 1
        scene.processes[0].go_on()
        await scene.finish()

    scene.run(work)


def test_player_that_promised_no_signs_is_kept(tmp_path):
    scene = Scene(tmp_path, (SilentClient, TableClient))

    async def work():
        await scene.begin()
        scene.processes[0].pause()
        await scene.sleep(2 * MAX_SILENCE_SECONDS)
        assert len(scene.table.connections) == 2 and scene.table.metrics.silent_lines == 0
        scene.processes[0].go_on()
        await scene.finish()

    scene.run(work)


def test_machine_that_slept_blames_no_line(scene):
    """Table and players stand still for a minute, all at once, and nobody calls anew."""

    async def work():
        await scene.begin()
        everybody = (scene.table_process, *scene.processes)
        for process in everybody:
            process.pause()
        await scene.sleep(60)
        for process in everybody:
            process.go_on()
        await scene.finish()
        assert len(scene.network.calls) == 2 and scene.table.metrics.silent_lines == 0

    scene.run(work)


@pytest.mark.parametrize("who", ["table", "player"])
def test_short_standstill_costs_no_connection(scene, who):
    async def work():
        await scene.begin()
        process = scene.table_process if who == "table" else scene.processes[0]
        process.pause()
        await scene.sleep(SILENCE_SECONDS - LIFE_SECONDS - 0.5)
        process.go_on()
        await scene.finish()
        assert len(scene.network.calls) == 2

    scene.run(work)


def test_spectator_of_dead_line_watches_on(scene):
    async def work():
        await scene.begin()
        scene.processes[0].pause()  # so there is something left to watch
        scene.sit_down(TableClient, spectate=True)
        while scene.players[2].number < MOMENT:
            await scene.sleep(0.01)
        scene.network.kill_line("Cleo")
        await scene.sleep(NOTICED)
        assert scene.notices("Cleo") == ["notice.table_lost", "notice.table_back"]
        scene.processes[0].go_on()
        await scene.finish()

    scene.run(work)


def test_table_that_wakes_up_meets_players_one_by_one(scene):
    """A table that stood still for a minute has been left by all, at different moments."""

    async def work():
        await scene.begin()
        scene.table_process.pause()
        await scene.sleep(60)
        scene.table_process.go_on()
        await scene.finish()
        lost = [[e for e in scene.notices(name) if e == "notice.table_lost"] for name in NAMES[:2]]
        assert [len(each) for each in lost] == [1, 1]

    scene.run(work)
