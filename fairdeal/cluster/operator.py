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
NAME = "operator"  # never sent: the operator's view sends no heartbeat
DRAIN_SECONDS = 120.0  # for a host to hand over its matches, on a slow machine
RELEASE_SECONDS = 30.0  # for a host to claim a match that an operator lets go on
MATCH_ID = 32  # bytes of a match's id
LETTERS = 8  # letters of a rules version that are shown: enough to distinguish two
_AGAIN = 1.0  # seconds before a request to a host is repeated

Tell = Callable[[Phrase], None]


class Hosts:
    """The hosts with their last heartbeats, by name."""

    def __init__(self) -> None:
        self.beats: dict[str, Heartbeat] = {}
        self._when: dict[str, float] = {}
        self._loop = asyncio.get_running_loop()

    def heard(self, data: bytes) -> None:
        """Record a message of a host, or ignore a message of somebody else."""
        try:
            beat = decode_heartbeat(data)
        except RemoteError:
            return
        # Everybody with access to the store can write anything.
        if not (beat.host.name + beat.host.address).isprintable():
            return
        self.beats[beat.host.name], self._when[beat.host.name] = beat, self._loop.time()

    def there(self, name: str) -> Heartbeat | None:
        """Return a host's last heartbeat, if it is recent enough."""
        silent = self._loop.time() - self._when.get(name, float("-inf"))
        return self.beats.get(name) if silent < SILENT else None


@asynccontextmanager
async def listening(store: str) -> AsyncIterator[tuple[StoreBackend, Hosts]]:
    """Open a safe store, and listen to its hosts. Raises: LocalError if the store is not safe, with
    the change to make.
    """
    engine = backend_of(store, NAME)
    hosts = Hosts()
    await opened(engine)
    try:
        await engine.hear(hosts.heard)
        yield engine, hosts
    finally:
        await engine.close()


@dataclass(frozen=True)
class Status:
    """The state of a cluster."""

    beats: tuple[Heartbeat, ...]  # heartbeats of the running hosts, by name
    open: Sequence[MatchOwnership]  # matches in the store

    @property
    def waiting(self) -> Counter[str]:
        """Count the matches of hosts that are not running, by host name."""
        there = {beat.host.name for beat in self.beats}
        return Counter(owned.owner for owned in self.open if owned.owner not in there)

    @property
    def kept(self) -> dict[bytes, tuple[str, ...]]:
        """Matches that no host claims, and the hosts that went silent while they loaded them."""
        alive = {beat.run for beat in self.beats}
        found = {
            owned.match_id: tuple(each.name for each in owned.loading if each.run not in alive)
            for owned in self.open
            if not owned.over
        }
        return {each: lost for each, lost in found.items() if len(lost) >= MAX_LOADING_LOST}

    @property
    def rules(self) -> set[str]:
        """The rules versions of the running hosts."""
        return {beat.host.rules for beat in self.beats}

    @property
    def orphaned(self) -> int:
        """The number of matches that no running host can continue."""
        return sum(owned.rules not in self.rules | {""} for owned in self.open)


async def looked_at(store: str, tell: Tell) -> bool:
    """Report the state; return True if the cluster is well. Raises: LocalError if the store is not
    safe.
    """
    async with listening(store) as (engine, hosts):
        tell(phrase("cluster.safe"))
        await asyncio.sleep(SILENT)
        found = Status(
            tuple(beat for _, beat in sorted(hosts.beats.items())),
            await MatchSubjects(engine, NAME).open(),
        )
    for line in lines_of(found):
        tell(line)
    return bool(found.beats) and not found.waiting


def lines_of(found: Status) -> list[Phrase]:
    """Return the state as lines for a person."""
    if not found.beats:
        return [phrase("cluster.nobody"), *_waiting(found)]
    return [*map(_host, found.beats), *_waiting(found)]


def _host(beat: Heartbeat) -> Phrase:
    matches = sum(bool(row.match_id) for row in beat.rows)
    said = {
        "name": beat.host.name,
        "address": beat.host.address or "-",
        "rules": beat.host.rules[:LETTERS],
    }
    return phrase("cluster.host" if beat.takes else "cluster.host.leaving", count=matches, **said)


def _waiting(found: Status) -> list[Phrase]:
    lines = [
        phrase("cluster.gone", name=name, count=count)
        for name, count in sorted(found.waiting.items())
    ]
    lines += [
        phrase("cluster.kept", match=match_id.hex(), names=", ".join(dict.fromkeys(lost)))
        for match_id, lost in sorted(found.kept.items())
    ]
    if len(found.rules) > 1:
        lines.append(phrase("cluster.mixed", count=len(found.rules)))
    return [*lines, *([phrase("cluster.orphans", count=found.orphaned)] if found.orphaned else [])]


def strands(beat: Heartbeat, beats: Sequence[Heartbeat]) -> LocalError | None:
    """Return the reason why this host should stay; None if other hosts can continue all its
    matches.
    """
    takers = [other for other in beats if other.takes and other.host.name != beat.host.name]
    if not takers:
        return LocalError("wrong.cluster.alone_there")
    matches = sum(bool(row.match_id) for row in beat.rows)
    if matches and not any(other.host.rules == beat.host.rules for other in takers):
        return LocalError("wrong.cluster.heirless", count=matches)
    return None


async def drained(store: str, name: str, tell: Tell, force: bool = False) -> None:
    """Ask a host to hand over its matches until it is gone; with `force`, also if no host can take
    them.

    Raises: LocalError if the host is not running, does not go, or its matches would wait.
    """
    async with listening(store) as (engine, hosts):
        await asyncio.sleep(SILENT)
        beat = hosts.there(name)
        if beat is None:
            raise LocalError("wrong.cluster.no_host", names=", ".join(sorted(hosts.beats)) or "-")
        wrong = strands(beat, list(hosts.beats.values()))
        if wrong is not None and not force:
            raise wrong
        tell(
            phrase(
                "cluster.draining", name=name, count=sum(bool(row.match_id) for row in beat.rows)
            )
        )
        loop = asyncio.get_running_loop()
        ends = loop.time() + DRAIN_SECONDS
        while (there := hosts.there(name)) is not None and there.run == beat.run:
            if loop.time() > ends:
                raise LocalError("wrong.cluster.stays")
            await engine.announce(encode_drain(name, beat.run))
            await asyncio.sleep(_AGAIN)
    tell(phrase("cluster.drained", name=name))


async def released(store: str, match_id: bytes, tell: Tell) -> None:
    """Let a match go on that is left to the operator: a host claims it once more.

    Raises: LocalError if there is no such match, or no host claims it.
    """
    async with listening(store) as (engine, hosts):
        await asyncio.sleep(SILENT)
        matches = MatchSubjects(engine, NAME)
        loop = asyncio.get_running_loop()
        ends = loop.time() + RELEASE_SECONDS
        while (owned := await matches.owned(match_id)) is not None:
            alive = {beat.run for beat in hosts.beats.values() if hosts.there(beat.host.name)}
            if not owned.loading or owned.loading[-1].run in alive:
                tell(phrase("cluster.released", name=owned.owner))
                return
            if loop.time() > ends:
                raise LocalError("wrong.cluster.not_claimed")
            await engine.announce(encode_release(match_id))
            await asyncio.sleep(_AGAIN)
    raise LocalError("wrong.cluster.no_match")


def match_of(text: str) -> bytes:
    """Return the match that an operator names. Raises: LocalError."""
    try:
        match_id = bytes.fromhex(text)
    except ValueError:
        match_id = b""
    if len(match_id) != MATCH_ID:
        raise LocalError("wrong.cluster.no_match")
    return match_id
