"""An operator's view of a cluster, and commands to it. The operator sees and sends only messages
that every host may see and send.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_LOADING_LOST
from protocol.view.phrase import Phrase, phrase
from table.cluster.heartbeats import Heartbeat, decode_heartbeat, encode_drain, encode_release
from table.cluster.store_backends import backend_of
from table.config import Pace
from table.storage.interface import MatchOwnership
from table.storage.shared.backend import StoreBackend, opened
from table.storage.shared.match_subjects import MatchSubjects

SILENT = Pace().silent  # a host that is silent for this many seconds is gone
NAME = "operator"  # a store asks for a name; the operator sends no heartbeat that would show it
DRAIN_SECONDS = 120.0  # for a host to hand over its matches, on a slow machine
RELEASE_SECONDS = 30.0  # for a host to claim a match that an operator lets go on
MATCH_ID = 32  # bytes of a match's id
LETTERS = 8  # letters of a rules version that are shown: enough to distinguish two
_REPEAT_SECONDS = 1.0  # between two sendings of a request to a host

Tell = Callable[[Phrase], None]


class Hosts:
    """The hosts with their last heartbeats, by name."""

    def __init__(self) -> None:
        self.beats: dict[str, Heartbeat] = {}
        self._times: dict[str, float] = {}  # of these heartbeats, in seconds of the loop's clock
        self._loop = asyncio.get_running_loop()

    def record(self, data: bytes) -> None:
        """Record the heartbeat of a host. Any other message is ignored."""
        try:
            beat = decode_heartbeat(data)
        except RemoteError:
            return
        # Everybody with access to the store can write anything.
        if not (beat.host.name + beat.host.address).isprintable():
            return
        self.beats[beat.host.name] = beat
        self._times[beat.host.name] = self._loop.time()

    def recent(self, name: str) -> Heartbeat | None:
        """Return a host's last heartbeat; None if the host has been silent for too long."""
        silence = self._loop.time() - self._times.get(name, float("-inf"))
        return self.beats.get(name) if silence < SILENT else None


@asynccontextmanager
async def open_store(store: str) -> AsyncIterator[tuple[StoreBackend, Hosts]]:
    """Open a store, and record the heartbeats of its hosts. Raises: LocalError if the store is not
    safe; the error names the change to make.
    """
    engine = backend_of(store, NAME)
    hosts = Hosts()
    await opened(engine)
    try:
        await engine.hear(hosts.record)
        yield engine, hosts
    finally:
        await engine.close()


@dataclass(frozen=True)
class Status:
    """The state of a cluster."""

    beats: tuple[Heartbeat, ...]  # heartbeats of the running hosts, by name
    matches: Sequence[MatchOwnership]  # in the store

    @property
    def waiting(self) -> Counter[str]:
        """Count the matches of hosts that are not running, by host name."""
        running = {beat.host.name for beat in self.beats}
        return Counter(owned.owner for owned in self.matches if owned.owner not in running)

    @property
    def unclaimed(self) -> dict[bytes, tuple[str, ...]]:
        """Matches that no host claims, and the hosts that went silent while they loaded them."""
        alive = {beat.run for beat in self.beats}
        lost_hosts = {
            owned.match_id: tuple(each.name for each in owned.loading if each.run not in alive)
            for owned in self.matches
            if not owned.over
        }
        return {
            match_id: hosts
            for match_id, hosts in lost_hosts.items()
            if len(hosts) >= MAX_LOADING_LOST
        }

    @property
    def rules(self) -> set[str]:
        """The rules versions of the running hosts."""
        return {beat.host.rules for beat in self.beats}

    @property
    def orphaned(self) -> int:
        """The number of matches that no running host can continue."""
        return sum(owned.rules not in self.rules | {""} for owned in self.matches)


async def report_status(store: str, tell: Tell) -> bool:
    """Report the state; return True if the cluster is well. Raises: LocalError if the store is not
    safe.
    """
    async with open_store(store) as (engine, hosts):
        tell(phrase("cluster.safe"))
        await asyncio.sleep(SILENT)
        status = Status(
            tuple(beat for _, beat in sorted(hosts.beats.items())),
            await MatchSubjects(engine, NAME).open(),
        )
    for line in status_lines(status):
        tell(line)
    return bool(status.beats) and not status.waiting


def status_lines(status: Status) -> list[Phrase]:
    """Return the state as lines for a person."""
    if not status.beats:
        return [phrase("cluster.nobody"), *_problem_lines(status)]
    return [*map(_host_line, status.beats), *_problem_lines(status)]


def _host_line(beat: Heartbeat) -> Phrase:
    return phrase(
        "cluster.host" if beat.takes else "cluster.host.leaving",
        name=beat.host.name,
        address=beat.host.address or "-",
        count=_count_matches(beat),
        rules=beat.host.rules[:LETTERS],
    )


def _problem_lines(status: Status) -> list[Phrase]:
    """Return lines about matches that wait, and about hosts with different rules."""
    lines = [
        phrase("cluster.gone", name=name, count=count)
        for name, count in sorted(status.waiting.items())
    ]
    lines += [
        phrase("cluster.kept", match=match_id.hex(), names=", ".join(dict.fromkeys(hosts)))
        for match_id, hosts in sorted(status.unclaimed.items())
    ]
    if len(status.rules) > 1:
        lines.append(phrase("cluster.mixed", count=len(status.rules)))
    if status.orphaned:
        lines.append(phrase("cluster.orphans", count=status.orphaned))
    return lines


def _count_matches(beat: Heartbeat) -> int:
    return sum(bool(row.match_id) for row in beat.rows)


def drain_objection(beat: Heartbeat, beats: Sequence[Heartbeat]) -> LocalError | None:
    """Return the reason not to drain this host; None if other hosts can continue all its matches."""
    takers = [other for other in beats if other.takes and other.host.name != beat.host.name]
    if not takers:
        return LocalError("wrong.cluster.alone_there")
    matches = _count_matches(beat)
    if matches and not any(other.host.rules == beat.host.rules for other in takers):
        return LocalError("wrong.cluster.heirless", count=matches)
    return None


async def drain_host(store: str, name: str, tell: Tell, force: bool = False) -> None:
    """Ask a host to hand over its matches until it is gone; with `force`, also if no host can take
    them.

    Raises: LocalError if the host is not running, if it does not end in time, or if its matches
    would wait.
    """
    async with open_store(store) as (engine, hosts):
        await asyncio.sleep(SILENT)
        beat = hosts.recent(name)
        if beat is None:
            raise LocalError("wrong.cluster.no_host", names=", ".join(sorted(hosts.beats)) or "-")
        objection = drain_objection(beat, list(hosts.beats.values()))
        if objection is not None and not force:
            raise objection
        tell(phrase("cluster.draining", name=name, count=_count_matches(beat)))
        loop = asyncio.get_running_loop()
        deadline = loop.time() + DRAIN_SECONDS
        while (newest := hosts.recent(name)) is not None and newest.run == beat.run:
            if loop.time() > deadline:
                raise LocalError("wrong.cluster.stays")
            await engine.announce(encode_drain(name, beat.run))
            await asyncio.sleep(_REPEAT_SECONDS)
    tell(phrase("cluster.drained", name=name))


async def release_match(store: str, match_id: bytes, tell: Tell) -> None:
    """Have a host claim a match that no host claims by itself any more.

    Raises: LocalError if there is no such match, or if no host claims it.
    """
    async with open_store(store) as (engine, hosts):
        await asyncio.sleep(SILENT)
        matches = MatchSubjects(engine, NAME)
        loop = asyncio.get_running_loop()
        deadline = loop.time() + RELEASE_SECONDS
        while (owned := await matches.owned(match_id)) is not None:
            alive = {beat.run for beat in hosts.beats.values() if hosts.recent(beat.host.name)}
            if not owned.loading or owned.loading[-1].run in alive:
                tell(phrase("cluster.released", name=owned.owner))
                return
            if loop.time() > deadline:
                raise LocalError("wrong.cluster.not_claimed")
            await engine.announce(encode_release(match_id))
            await asyncio.sleep(_REPEAT_SECONDS)
    raise LocalError("wrong.cluster.no_match")


def parse_match_id(text: str) -> bytes:
    """Return the id that stands in hexadecimal in `text`. Raises: LocalError if it is none."""
    try:
        match_id = bytes.fromhex(text)
    except ValueError:
        match_id = b""
    if len(match_id) != MATCH_ID:
        raise LocalError("wrong.cluster.no_match")
    return match_id
