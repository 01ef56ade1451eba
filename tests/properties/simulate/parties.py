"""Parties of a simulated world: a host that keeps a table running, and people who play matches."""

import asyncio
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from bots.registry import BOTS, best_bot
from player.client import events
from player.client.connection import Connect, connect
from player.client.environment import Environment
from player.client.outcome import Outcome
from player.client.reconnect import visit
from player.client.requirements import Requirements
from player.client.seat import Seat
from player.client.table_client import Plan, TableClient
from player.client.table_match import TableMatch
from player.storage.recovery_state import MatchFiles, RecoveryState
from protocol.crypto.hashing import digest
from protocol.errors import FairdealError
from protocol.games.decks.deck_hand import Loadout
from protocol.i18n import english_text
from protocol.identity.keys import KEY_SIZE, Identity, JoinLink, fingerprint
from protocol.match.clock import LAPSE, WARNING
from protocol.match.log import NO_HASH
from protocol.match.log_file import MAGIC, encode_record
from protocol.match.refusal import Refusal
from protocol.messages import table as messages
from protocol.messages.table import Sender
from table.config import Config
from table.lobby.matches import Matches
from table.manager.server import TableServer
from table.storage.disk.keys import KEY_FILE
from table.workers.pool import FoldPool
from tests.adversary.cheats.base import Cheat
from tests.properties.simulate.cheats import LyingMatches
from tests.properties.simulate.checks import End, Violation
from tests.properties.simulate.disk import PlayerDisk, SimulatedFiles, SimulatedMemory, power_cut
from tests.properties.simulate.link import Listener
from tests.properties.simulate.loop import Process
from tests.properties.simulate.store import SimulatedStorage, TableDisk
from tests.properties.simulate.workers import simulated_pool
from tests.support.guest_games.offline_match import GUESTS

if TYPE_CHECKING:
    from tests.properties.simulate.world import World

PORT = 7500
DOWN = (0.1, 8.0)  # seconds until a crashed program is started again
# seconds for which a program stands still
STILL = {"table_still": (0.2, 90.0), "player_still": (0.2, 12.0)}
HALF = "protocol.games.scripted.private_half:ScriptPrivateHalf"  # secrets of games by rule files
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ivy", "Jo")
TRIES = 300  # restarts of the program by a person for one match


class TableHost:
    """Runs the table, and restarts it when it dies."""

    def __init__(self, world: "World", folder: Path) -> None:
        self.world, self.folder = world, folder
        self.disk = TableDisk()
        self.rng = world.random("table host")
        key = folder / KEY_FILE
        key.write_bytes(self.rng.randbytes(KEY_SIZE))
        key.chmod(0o600)
        self.link = JoinLink("table", PORT, fingerprint(Identity(key.read_bytes()).public))
        self.starts = 0
        self.table: TableServer
        self._up = asyncio.Event()
        self._stopping = False

    def start(self) -> None:
        """Start the program."""
        world = self.world
        self.starts += 1
        self.process = process_of(world, "table", "10.0.0.1", "table_still")
        self.process.on_death[self._died] = None
        self._close = asyncio.Event()
        self.process.spawn(self._program(world.random("table", self.starts)))
        mortal(world, self.process, "table_life")

    async def _program(self, rng: Random) -> None:
        world = self.world
        config = Config(
            self.folder,
            port=PORT,
            terms=world.spec.terms,
            games=GUESTS,
            rng=rng,
            now=world.now,
            workers=world.spec.workers,
        )
        storage = world.parts.storage(
            self.disk, self.process, world.network, world.random("disk", self.starts)
        )
        matches = LyingMatches if world.spec.lying else world.parts.matches
        kind = type("SimulatedTable", (TableServer,), {})
        workers = world.random("workers", self.starts)
        kind.pool_type = simulated_pool(world, workers, GUESTS, world.parts.pool)
        table = kind(config, storage, partial(Listener, world.network), watched(matches, self.disk))
        await table.__aenter__()  # no `async with`: no code may run when the process is killed
        self.table = table
        self._up.set()
        await self._close.wait()
        await table.stop()

    def _died(self) -> None:
        self._up.clear()
        if not self._stopping:
            self.world.network.happened["table died"] += 1
            self.world.note("table", "died")
            self.world.network.troubles["table"] = self.world.loop.time()
            self.world.network.later(self.rng.uniform(*DOWN), self.start)

    async def running(self) -> None:
        """Wait until it runs."""
        await self._up.wait()

    async def stop(self) -> None:
        """End the program as a person does."""
        await self.running()
        self._stopping = True
        self._close.set()
        await asyncio.sleep(10)
        if left := self.process.open_tasks() + self.process.timers():
            raise Violation(f"the table has stopped, and this is left of it: {left}")
        self.process.kill()

    def file(self, match_id: bytes) -> bytes:
        """Return the log file of a match. Raises: Violation."""
        kept = self.disk.matches.get(match_id)
        if kept is None or kept.file is None:
            raise Violation("the table wrote no log file")
        return kept.file

    def found(self) -> dict[str, Sized]:
        """Return the sizes of the table's collections."""
        table = self.table
        pool = table.matches.pool
        # a worker for the matches that one has died of is started then, and stays
        spare = pool._workers[self.world.spec.workers + 1 :] if pool is not None else []
        tasks = [task for task in self.process.open_tasks() if "FoldPool._read" not in task]
        return {
            "workers": spare,
            "connections": list(table.connections),
            "addresses": list(table.admission._origins),
            "matches": list(table.matches.feeds.values()),
            "reserved seats": list(table.lobby.reserved),
            "tables": list(table.lobby.tables),
            "tasks": tasks,
            "timers": self.process.timers(),
            "unfinished": [
                match_id for match_id, kept in self.disk.matches.items() if kept.seed is not None
            ],
        }


class Seated(NamedTuple):
    """Result of a match for a person."""

    name: str
    file: bytes
    end: End | None  # None: it did not see the end, or the program died before it could report


class Person:
    """One player: an identity, a disk, and a person who restarts the program until a match has been
    played.
    """

    def __init__(self, world: "World", number: int) -> None:
        self.world, self.number = world, number
        self.name = NAMES[number]
        self.rng = world.random("person", number)
        self.identity = Identity(self.rng.randbytes(KEY_SIZE))
        self.disk = PlayerDisk()
        self.starts = 0
        self.table_id: str | None = None  # the table at which it plays; None for the default table

    async def sit(self) -> Seated:
        """Play one match until it is finished, across all restarts of the program."""
        self.disk.finished = self.missed_it = False
        end = None
        for _ in range(TRIES):
            outcome = await self._run()
            if outcome is not None and outcome.reader is not None and outcome.reader.over:
                match = outcome.reader.match
                end = End(match.scores, outcome.faults, match.late_counts)
            if self.disk.finished:
                return Seated(
                    self.name,
                    MAGIC + b"".join(encode_record(*record) for record in self.disk.log),
                    end,
                )
            if self.missed_it:
                return Seated(self.name, b"", None)
            await asyncio.sleep(self.rng.uniform(*DOWN))
        raise Violation(f"{self.name} tried {TRIES} times to play a match")

    def go_home(self) -> None:
        """Stop trying: the match took place without this person."""
        self.missed_it = True
        self.process.kill()

    async def _run(self) -> Outcome | None:
        """Run the program once; return None if it died or achieved nothing."""
        world = self.world
        self.starts += 1
        self.process = process = process_of(
            world, self.name, f"10.0.1.{self.number}", "player_still"
        )
        ended: asyncio.Future[Outcome | None] = world.loop.create_future()
        process.on_death[lambda: ended.done() or ended.set_result(None)] = None
        process.spawn(self._program(process, ended))
        mortal(world, process, "player_life")
        outcome = await ended
        if process.alive:
            process.kill()
        else:
            world.network.happened["player died"] += 1
            world.note(self.name, "died")
            world.network.troubles[self.name] = world.loop.time()
            if self.rng.random() < 0.5:
                power_cut(self.disk, self.rng)
        return outcome

    async def _program(self, process: Process, ended: "asyncio.Future[Outcome | None]") -> None:
        try:
            link = self.world.table.link
            client = self._client(process, self.world.random("player", self.number, self.starts))
            outcome = await visit(client, link, link.fingerprint)
            reason = english_text(outcome.reason) if outcome.reason else None
            self.world.note(self.name, f"ended: {outcome.verdict}, {reason}")
            if outcome.reader is not None and not self.disk.finished and not self.missed_it:
                self.gave_up(reason)
            ended.set_result(outcome)
        except FairdealError as error:
            self.world.note(self.name, f"ended: {error}")
            ended.set_result(None)
        except Exception as error:
            ended.set_exception(error)

    def gave_up(self, reason: str | None) -> None:
        """Report that the program has abandoned an unfinished match. Raises: Violation."""
        raise Violation(f"{self.name}'s program gave its match up: {reason}")

    def _seat(self, identity: Identity, number: int, rng: Random, brings: Loadout) -> Seat:
        """Make the seat; it is the cheat's class at the cheat's place."""
        cheat = self.world.cheat
        return (cheat if cheat and number == cheat.place else self.world.parts.seat)(
            identity, number, rng, brings
        )

    @property
    def _bot(self) -> str:
        """Return the bot: one that looks ahead for rule files, because random matches are long."""
        row = GUESTS.specs[self.world.spec.terms.game.name]
        return best_bot(row) if row.private_half == HALF else ("greedy", "random")[self.number % 2]

    def _client(self, process: Process, rng: Random) -> "WatchedClient":
        """Make the client of `fairdeal join`, which continues the match on its disk, if there is
        one.
        """
        world, network, disk = self.world, self.world.network, self.disk
        parts = world.parts

        files = cast(MatchFiles, SimulatedFiles(disk, process, network, parts.memory))
        bot = BOTS[self._bot]
        seat = cast(type[Seat], self._seat)
        given = {"games": GUESTS, "now": world.now, "steady": world.loop.time}
        environment = Environment(
            self.identity, rng, seat, bot, self._hear, files, connect=parts.connect, **given
        )
        playing = None
        if disk.agreement is not None:
            playing = TableMatch.restore(
                cast(RecoveryState, parts.memory(disk, process, network)), environment
            )
        plan = Plan(
            self.name,
            self.table_id,
            keep_trying=parts.keep_trying,
            requires=Requirements(breakable_keys=True),
        )
        return parts.client(plan, environment, playing, self.world)

    def _hear(self, event: events.Event) -> None:
        match event:
            case events.Notice(told):
                self.world.note(self.name, english_text(told))
            case events.Happened(before, entry, match):
                world = self.world
                on_disk = world.table.disk.holds(match.match_id, before.next_number, entry.raw)
                world.witness.told(match.match_id, before.next_number, entry.raw, on_disk)
                # a short clock warns seats of which nobody knows a fault, a long one does not
                if entry.kind == LAPSE or (entry.kind == WARNING and not world.spec.impatient):
                    seat, waited = entry.body
                    world.said_of(match.setup.people[seat].name, entry.kind, waited / 1000)


class WatchedClient(TableClient):
    """Client that notes every post on its way out."""

    def __init__(
        self, plan: Plan, environment: Environment, playing: TableMatch | None, world: "World"
    ) -> None:
        super().__init__(plan, environment, playing)
        self._world = world

    def attach(self, send: Callable[[bytes], None], table_key: bytes) -> None:
        def watched(payload: bytes) -> None:
            message = messages.decode(payload, Sender.PLAYER, self.phase)
            if message.name == "post" and not self._cheats():
                self._world.witness.said(*message.values)
            send(payload)

        super().attach(watched, table_key)

    def _cheats(self) -> bool:
        return self.playing is not None and isinstance(self.playing.seat, Cheat)

    def received(self, payload: bytes) -> None:
        if not self.finished:
            message = messages.decode(payload, Sender.TABLE, self.phase)
            if message.name == "refused":
                match_id, code = message.values[0], message.values[4]
                self._world.note(self.plan.name, f"refused: {code}")
                self._world.witness.refused(match_id, Refusal(*message.values[1:]))
        super().received(payload)


@dataclass(frozen=True)
class Parts:
    """Components of a world: the real ones, unless a test replaces one by a faulty one."""

    storage: type[SimulatedStorage] = SimulatedStorage
    matches: type[Matches] = Matches
    pool: type[FoldPool] = FoldPool
    memory: type[SimulatedMemory] = SimulatedMemory
    seat: type[Seat] = Seat
    client: type[WatchedClient] = WatchedClient
    connect: Connect = connect
    # seconds for which a player looks for a lost table; None: the default
    keep_trying: float | None = None
    random: Callable[[str], Random] = Random


class WatchedIdentity(Identity):
    """The table's key, which signs for a match only data that is durable in the store (R1)."""

    def __init__(self, identity: Identity, disk: TableDisk) -> None:
        self._key, self.public, self._disk = identity._key, identity.public, disk
        # of the match that was asked for last: entries in the store, and the hash after each
        self._match_id, self._entries, self._hashes = b"", list[bytes](), list[bytes]()

    def sign(self, label: str, *fields: Any) -> bytes:
        """Override `Identity.sign`. Raises: Violation."""
        if label == "head":
            self._check(*fields)
        elif label == "refused":
            self._check(fields[0], *fields[2:4])
        return super().sign(label, *fields)

    def _check(self, match_id: bytes, number: int, hashed: bytes) -> None:
        kept = self._disk.durable.get(match_id)
        stored = kept.entries[: number + 1] if kept else ()
        if len(stored) != number + 1 or self._hash_after(match_id, stored) != hashed:
            raise Violation(f"the table signed for entry {number}, which is not stored")

    def _hash_after(self, match_id: bytes, stored: Sequence[bytes]) -> bytes:
        """Return the hash of the chain after these entries; those before it were mostly known."""
        known = len(self._entries)
        if match_id != self._match_id or self._entries != list(stored[:known]):
            known = 0
            self._match_id, self._entries, self._hashes = match_id, [], []
        for number in range(known, len(stored)):
            before = self._hashes[-1] if number else NO_HASH
            self._entries.append(stored[number])
            self._hashes.append(digest("chain", before, number, stored[number]))
        return self._hashes[len(stored) - 1]


def watched(matches: type[Matches], disk: TableDisk) -> Callable[..., Matches]:
    """Return the same matches under a key that checks each statement that it signs."""
    return lambda identity, *values: matches(WatchedIdentity(identity, disk), *values)


class PausableProcess(Process):
    """Process that may stand still."""

    pausable = True


def process_of(world: "World", name: str, address: str, which: str) -> Process:
    """Make a process, which stands still now and then if the weather of the world says so.

    While a player's program stands still its connection takes nothing. That is short of the time of
    a seat, but any standstill of the table is excused.
    """
    if not getattr(world.spec.weather, which):
        return Process(world.loop, name, address)
    process, rng = PausableProcess(world.loop, name, address), world.random(name, "stands still")
    network = world.network

    def wait() -> None:
        mean = getattr(world.spec.weather, which)
        network.later(rng.expovariate(1 / mean), stop)

    def stop() -> None:
        if not process.alive:
            return
        if getattr(network.weather, which):
            network.happened[f"{which.removesuffix('_still')} stood still"] += 1
            world.note(name, "stands still")
            process.pause()
            network.later(rng.uniform(*STILL[which]), go_on)
        else:
            wait()

    def go_on() -> None:
        process.go_on()
        wait()

    wait()
    return process


def mortal(world: "World", process: Process, which: str) -> None:
    """Let a process die at a random moment, if the weather says so."""
    mean = getattr(world.network.weather, which)
    if mean:

        def die() -> None:
            if getattr(world.network.weather, which) and process.alive:
                world.network.happened["died at any moment"] += 1
                process.kill()

        world.network.later(world.network.rng.expovariate(1 / mean), die)
