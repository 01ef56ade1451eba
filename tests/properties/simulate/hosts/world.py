"""A world of several hosts of one table, from one seed: parties that play concurrently, and faults
of hosts and store.
"""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from protocol.identity.keys import Identity, JoinLink, fingerprint
from protocol.match.log_file import MAGIC, encode_record, read_records
from protocol.match.terms import Terms
from table.cluster.heartbeats import encode_release
from table.lobby.loading import Loading
from table.lobby.matches import Matches
from table.manager.server import TableServer
from table.match.hosted_match import HostedMatch
from table.match.live_match import LiveMatch
from table.storage.shared.match_notes import EXPORTED
from tests.properties.simulate.checks import Violation, Witness, check_audit, check_ends, check_logs
from tests.properties.simulate.hosts.checks import Heads, watched
from tests.properties.simulate.hosts.host import PORT, Host, address_of, new_key, table_of
from tests.properties.simulate.hosts.people import Guest, Onlooker, PlayingClient
from tests.properties.simulate.hosts.store import SharedStore
from tests.properties.simulate.link import Network
from tests.properties.simulate.loop import VirtualLoop
from tests.properties.simulate.parties import Parts, Seated
from tests.properties.simulate.weather import CALM, Weather
from tests.properties.simulate.world import Ground, Tally, play_world

BAD = (8.0, 40.0)  # seconds of faults
BOUND = 300.0  # seconds without faults in which all matches must end
# more seconds where the store may have lost data that nobody received: a table waits five minutes
# for it
AWAITED = 1200.0
ONLOOKERS = 3
LOST = (
    "the store has lost what it had acknowledged",
    "the store has lost entries from",
    "what the store has of it is damaged",
)
KEPT = "went silent while they loaded it"

SETTLED = 30.0  # seconds after which nothing is in transit any more


@dataclass(frozen=True)
class HostsParts(Parts):
    """Components of the world: the real ones, unless a test replaces one by a faulty one."""

    table: type[TableServer] = TableServer
    room: type[HostedMatch] = HostedMatch
    match: type[LiveMatch] = LiveMatch
    client: Any = PlayingClient


@dataclass(frozen=True)
class HostsSpec:
    """Definition of a world; equal specs give equal worlds, byte for byte."""

    seed: int
    terms: Terms
    weather: Weather
    hosts: int = 3
    parties: int = 2  # parties that play concurrently
    rounds: int = 2  # matches of each party
    lying: bool = False
    # seconds after its end for which a match stays in the store; 0: for longer than this world
    kept: float = 0.0


@dataclass
class Together:
    """All hosts as the one table that people know."""

    link: JoinLink
    disk: SharedStore


class HostsWorld(Ground):
    """Several hosts over one store, and people who play there."""

    cheat = None

    def __init__(self, spec: HostsSpec, loop: VirtualLoop, parts: HostsParts) -> None:
        self.spec, self.loop, self.parts = spec, loop, parts
        self.tally, self.witness, self.heads = Tally(), Witness(), Heads(bool(spec.weather.forget))
        self.network = loop.network = Network(loop, self.random("network"))
        self.store = SharedStore(self.network, self.random("store"))
        self.store.keeps_numbers = bool(spec.weather.loading)
        self.trouble = self.random("trouble")

    def received(self, who: str, match_id: bytes, number: int, raw: bytes, head: bytes) -> None:
        """Note that a program received an entry. Raises: Violation."""
        self.heads.receive(who, match_id, number, raw, head)

    def lapsed(self, name: str, waited: float) -> None:
        """Report a lapse, which is never allowed here. Raises: Violation."""
        raise Violation(f"{name} lapsed, and has all the time in the world")

    def matches_type(self, host: Host) -> Any:
        """Return the class of a host's matches, which may take long to load them."""
        world = self

        class Here(Matches):
            room_type, match_type = self.parts.room, self.parts.match

            async def _load(self, loading: Loading) -> None:
                weather = world.network.weather
                if weather.loading_fault and host.rng.random() < weather.loading_fault:
                    world.network.later(host.rng.uniform(0, 1), host.fail_while_loading)
                if weather.loading:
                    await asyncio.sleep(host.rng.uniform(0, weather.loading))
                await super()._load(loading)

        return watched(Here, self.store, self.heads)

    async def run(self, folder: Path) -> None:
        """Play all matches, to their end after the faults. Raises: Violation, Stuck."""
        self.folder = folder
        key = new_key(self.random("key"))
        self.key = Identity(key)
        self.addresses = tuple(map(address_of, range(self.spec.hosts)))
        self.hosts = [Host(self, number, key) for number in range(self.spec.hosts)]
        places = [(host.address.partition(":")[0], PORT + host.number) for host in self.hosts]
        link = JoinLink(*places[0], fingerprint(self.key.public), other_hosts=tuple(places[1:]))
        self.table = Together(link, self.store)
        for host in self.hosts:
            host.start()
        await asyncio.sleep(4)
        await self._play()
        await asyncio.sleep(SETTLED)
        self._check()
        for host in self.hosts:
            await host.stop()
        self._check_errors()

    def links(self) -> list[JoinLink]:
        """Return one link for each host, with this host first."""
        link = self.table.link
        places = [(link.host, link.port), *link.other_hosts]
        return [
            replace(
                link,
                host=host,
                port=port,
                other_hosts=tuple(other for other in places if other != (host, port)),
            )
            for host, port in places
        ]

    async def _play(self) -> None:
        self.network.weather = self.spec.weather
        self._trouble()
        bad = self.trouble.uniform(*BAD)
        self.loop.limit = (
            self.loop.time() + bad + BOUND + (AWAITED if self.spec.weather.forget else 0.0)
        )
        seats = self.spec.terms.seats
        people = [Guest(self, n, table_of(n // seats)) for n in range(self.spec.parties * seats)]
        tables = [table_of(party) for party in range(self.spec.parties)]
        looking = [
            self.loop.create_task(Onlooker(self, number, tables).look())
            for number in range(ONLOOKERS)
        ]
        self.network.later(bad, self._clear_up)
        playing = {
            person: self.loop.create_task(person.play(self.spec.rounds)) for person in people
        }
        await self._look_after(playing)
        for task in looking:
            task.cancel()
        self._clear_up()
        self.places = [place for task in playing.values() for place in task.result()]

    async def _look_after(self, playing: dict[Guest, "asyncio.Task[list[Seated]]"]) -> None:
        """Wait until all have played; cancel those left over, who are too few for another match."""
        while not all(task.done() for task in playing.values()):
            await asyncio.wait({task for task in playing.values() if not task.done()}, timeout=1)
            self._operate()
            left = [person for person, task in playing.items() if not task.done()]
            if len(left) < self.spec.terms.seats and not self.store.running():
                for person in left:
                    person.go_home()
        for task in playing.values():
            task.result()

    def _operate(self) -> None:
        """Let matches go on that are left to the operator, as the operator would."""
        for host in self.hosts:
            if host.table is None or host.table.manager.cluster is None:
                continue
            for match_id in host.table.manager.cluster.claims.kept:
                self.network.happened["left to the operator"] += 1
                self.store.announce(encode_release(match_id))

    def _trouble(self) -> None:
        """Cause faults of hosts and store at random intervals."""
        if not self.network.weather.trouble:
            return
        self.network.later(
            self.trouble.expovariate(1 / self.network.weather.trouble), self._trouble
        )
        kind, forget = self.trouble.random(), self.network.weather.forget
        weather = self.network.weather
        if forget and kind < forget:
            self.store.lose()
        elif kind < weather.unheard:
            self.network.happened["unheard"] += 1
            self.trouble.choice(self.hosts).lose_the_players_for_long()
        elif forget and weather.loading:
            fall = self.trouble.choice(self.hosts).fall
            self.trouble.choice((self._two_at_once, self._two_at_once, fall))()
        elif forget:
            fall = self.trouble.choice(self.hosts).fall
            self.trouble.choice((self.store.lose_the_leader, fall))()
        elif kind < 0.7:
            self.trouble.choice(self.hosts).befall()
        elif kind < 0.85:
            self.store.lose_the_leader()
        else:
            self._two_at_once()

    def _two_at_once(self) -> None:
        """Tell two hosts to continue the same match."""
        there = [host for host in self.hosts if host.table is not None]
        for host in (
            self.trouble.sample(there, min(2, len(there)))
            if (running := self.store.running())
            else ()
        ):
            assert host.table is not None
            host.process.context.run(host.table.matches.take, self.trouble.choice(running))

    def _clear_up(self) -> None:
        """Stop new faults, and end the current ones."""
        self.network.weather = CALM

    # --- at the end ---

    def _check(self) -> None:
        """Check that every match has ended, with one log that has all that anybody received.
        Raises: Violation.
        """
        by_first: dict[bytes, list[Seated]] = {}
        names = {place.name for place in self.places}
        for place in [place for place in self.places if place.file]:
            by_first.setdefault(next(iter(read_records(place.file))).entry, []).append(place)
        for match_id, told in self.store.matches.items():
            self.heads.check(match_id, told.records)
            if not self.heads.heard.get(match_id, set()) & names:
                # the match began without its players: its host, or their line to it, was gone
                continue
            if told.state != EXPORTED or len(told.heads) != len(told.entries):
                raise Violation(
                    f"a match has not ended: state {told.state}, {len(told.entries)} entries"
                )
            log = MAGIC + b"".join(encode_record(*record) for record in told.records)
            self._check_match(match_id, log, by_first.pop(told.entries[0], []))
        if by_first:
            raise Violation("somebody has the log of a match that is not in the store")
        self._check_errors()

    def _check_match(self, match_id: bytes, log: bytes, places: list[Seated]) -> None:
        report = check_audit(log)
        check_logs(log, {place.name: place.file for place in places}, ())
        check_ends(report, {place.name: place.end for place in places})
        self.witness.check(match_id, log)
        self.tally.matches += 1
        self.tally.entries += report.entries

    def _check_errors(self) -> None:
        known = (KEPT, *(LOST if self.spec.weather.forget else ()))
        for error in self.loop.errors:
            if not any(each in error for each in known):
                raise Violation(error)

    def end(self) -> None:
        """Stop everything that still runs."""
        self.tally.happened += self.network.happened
        self.tally.seconds = self.loop.time()
        self.tally.trace = self.network.trace.digest()
        self.loop.let_go()


def run_hosts(spec: HostsSpec, parts: HostsParts = HostsParts()) -> Tally:
    """Play a world to its end. Raises: Failed."""
    loop = VirtualLoop()
    return play_world(loop, HostsWorld(spec, loop, parts))
