"""What an operator sees of a cluster and says to it: nothing but what every host hears and may
say.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from protocol.errors import LocalError, RemoteError
from protocol.view.phrase import Phrase, phrase
from table.cluster.beats import Beat, decode_beat, encode_drain
from table.cluster.engines import engine_of
from table.config import Pace
from table.room.storage import Owned
from table.stores.log import Engine, opened
from table.stores.matches import Matches

SILENT = Pace().silent  # seconds without a word, then a host is gone
NAME = "operator"  # nobody hears it: whoever only looks says nothing
DRAIN_SECONDS = 120.0  # for a host to hand over what it has, on a slow machine
LETTERS = 8  # of a rules version, which is enough to tell two apart
_AGAIN = 1.0  # seconds between two words to a host that does not seem to have heard

Tell = Callable[[Phrase], None]


class Hosts:
    """Those that are heard, by name, as they were heard last."""

    def __init__(self) -> None:
        self.beats: dict[str, Beat] = {}
        self._when: dict[str, float] = {}
        self._loop = asyncio.get_running_loop()

    def heard(self, data: bytes) -> None:
        """A host has said something, or somebody else."""
        try:
            beat = decode_beat(data)
        except RemoteError:
            return
        # whoever can write to the store may say anything
        if not (beat.host.name + beat.host.address).isprintable():
            return
        self.beats[beat.host.name], self._when[beat.host.name] = beat, self._loop.time()

    def there(self, name: str) -> Beat | None:
        """What a host said last, if that was not too long ago."""
        silent = self._loop.time() - self._when.get(name, float("-inf"))
        return self.beats.get(name) if silent < SILENT else None


@asynccontextmanager
async def listening(store: str) -> AsyncIterator[tuple[Engine, Hosts]]:
    """A safe store, and what its hosts say. Raises: LocalError if it is not safe: it says what to
    change.
    """
    engine, hosts = engine_of(store, NAME), Hosts()
    await opened(engine)
    try:
        await engine.hear(hosts.heard)
        yield engine, hosts
    finally:
        await engine.close()


@dataclass(frozen=True)
class Status:
    """What there is."""

    beats: tuple[Beat, ...]  # of the hosts that are there, by name
    open: Sequence[Owned]  # matches in the store

    @property
    def waiting(self) -> Counter[str]:
        """How many matches belong to hosts that are not there, by their names."""
        there = {beat.host.name for beat in self.beats}
        return Counter(owned.owner for owned in self.open if owned.owner not in there)

    @property
    def rules(self) -> set[str]:
        """The rules versions of the hosts that are there."""
        return {beat.host.rules for beat in self.beats}

    @property
    def orphaned(self) -> int:
        """How many matches nobody who is there can go on with."""
        return sum(owned.rules not in self.rules | {""} for owned in self.open)


async def looked_at(store: str, tell: Tell) -> bool:
    """Say what there is; whether it is well. Raises: LocalError if the store is not safe."""
    async with listening(store) as (engine, hosts):
        tell(phrase("cluster.safe"))
        await asyncio.sleep(SILENT)
        found = Status(
            tuple(beat for _, beat in sorted(hosts.beats.items())),
            await Matches(engine, NAME).open(),
        )
    for line in lines_of(found):
        tell(line)
    return bool(found.beats) and not found.waiting


def lines_of(found: Status) -> list[Phrase]:
    """The same for a person."""
    if not found.beats:
        return [phrase("cluster.nobody"), *_waiting(found)]
    return [*map(_host, found.beats), *_waiting(found)]


def _host(beat: Beat) -> Phrase:
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
    if len(found.rules) > 1:
        lines.append(phrase("cluster.mixed", count=len(found.rules)))
    return [*lines, *([phrase("cluster.orphans", count=found.orphaned)] if found.orphaned else [])]


def strands(beat: Beat, beats: Sequence[Beat]) -> LocalError | None:
    """Why a host that says this had better stay; None: others can go on with all that it has."""
    takers = [other for other in beats if other.takes and other.host.name != beat.host.name]
    if not takers:
        return LocalError("wrong.cluster.alone_there")
    matches = sum(bool(row.match_id) for row in beat.rows)
    if matches and not any(other.host.rules == beat.host.rules for other in takers):
        return LocalError("wrong.cluster.heirless", count=matches)
    return None


async def drained(store: str, name: str, tell: Tell, force: bool = False) -> None:
    """Tell a host to hand its matches over, until it is gone; with `force` also if nobody is there
    to take them.

    Raises: LocalError if it is not there, or stays, or its matches would wait.
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
