"""Store in memory with faults: answers are lost, leaders change, and reads may show items that will
disappear.

An item is permanent once its own append, or a later one, is acknowledged. Other items may be read,
and disappear at the next change of leader; their numbers are then used again. A replicated log may
behave in this way towards a client, but not worse: acknowledged items stay, unless a test removes
them.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import closing, suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from table.storage.shared.backend import (
    AgedItem,
    AgedSubject,
    Conflict,
    Held,
    Item,
    Unanswered,
    Walk,
)
from tests.properties.simulate.loop import VirtualLoop


@dataclass
class Shared:
    """Contents of the store, shared by all hosts."""

    rng: Random = field(default_factory=lambda: Random(0))
    trouble: float = 0.0  # probability of a fault
    items: list[tuple[str, bytes]] = field(default_factory=list)
    settled: int = 0  # number of permanent items
    erased: set[int] = field(default_factory=set)
    times: dict[int, float] = field(default_factory=dict)  # when items were appended, by number
    later: float = 0.0  # seconds by which all items are older than that
    # callbacks of hosts that listen to announcements of others
    ears: list[Callable[[bytes], None]] = field(default_factory=list)
    # faults of the next appends; see `tests.integration.storage.worlds.World.befall`
    befalls: deque[str] = field(default_factory=deque)

    def of(self, subject: str) -> list[Item]:
        """Return the items of a subject that can be read."""
        return [
            Item(number, data)
            for number, (where, data) in enumerate(self.items, 1)
            if where == subject and number not in self.erased
        ]

    def lead_anew(self) -> None:
        """Change the leader. Items that are not permanent disappear."""
        del self.items[self.settled :]

    def lose(self, count: int) -> None:
        """Remove the last `count` items although they were acknowledged, which a real store must
        not do.
        """
        del self.items[len(self.items) - count :]
        self.settled = len(self.items)

    def goes_wrong(self) -> bool:
        return self.rng.random() < self.trouble


class MemoryEngine:
    """Connection of one host. Needs an event loop with virtual time."""

    most = 4000
    parts = 8
    safe = True

    def __init__(self, shared: Shared) -> None:
        self.shared = shared

    async def open(self) -> None:
        """Do nothing: the store is always available."""

    heard: Callable[[bytes], None] | None = None

    async def close(self) -> None:
        """Stop listening to announcements."""
        if self.heard in self.shared.ears:
            self.shared.ears.remove(self.heard)

    async def announce(self, data: bytes) -> None:
        await self.takes_time()
        for heard in list(self.shared.ears):
            heard(data)

    async def hear(self, heard: Callable[[bytes], None]) -> None:
        self.heard = heard
        self.shared.ears.append(heard)

    async def beat(self) -> None:
        await self.takes_time()

    async def append(self, subject: str, after: int, data: bytes) -> int:
        assert len(data) <= self.most, "no store takes an item like this"
        await self.takes_time()
        return await befallen(self.shared.befalls, lambda: self._append(subject, after, data))

    async def _append(self, subject: str, after: int, data: bytes) -> int:
        shared = self.shared
        if shared.goes_wrong():
            self._fail()
        stands = shared.of(subject)
        if (stands[-1].number if stands else 0) != after:
            raise Conflict
        shared.items.append((subject, data))
        shared.times[len(shared.items)] = asyncio.get_running_loop().time()
        if shared.goes_wrong():
            raise Unanswered  # the item may or may not be stored
        shared.settled = len(shared.items)
        return shared.settled

    async def next(self, subject: str, after: int) -> Item | None:
        await self.takes_time()
        return next((item for item in self._read(subject) if item.number > after), None)

    async def last(self, subject: str) -> Item | None:
        await self.takes_time()
        return next(reversed(self._read(subject)), None)

    async def names(self, prefix: str) -> list[str]:
        await self.takes_time()
        found = [
            where
            for number, (where, _) in enumerate(self.shared.items, 1)
            if number not in self.shared.erased
        ]
        return list(dict.fromkeys(where for where in found if where.startswith(prefix)))

    async def last_aged(self, subject: str) -> AgedItem | None:
        item = await self.last(subject)
        return None if item is None else AgedItem(item, self._age(item.number))

    def oldest(self, prefix: str) -> Walk:
        return MemoryWalk(self, prefix)

    def walk(self, prefix: str, after: int) -> tuple[int, AgedSubject] | None:
        """Return the first item behind this number in a subject that begins with the prefix."""
        for number, (subject, _) in enumerate(self.shared.items[after:], after + 1):
            if subject.startswith(prefix) and number not in self.shared.erased:
                return number, AgedSubject(subject, self._age(number))
        return None

    async def held(self, prefix: str) -> Held:
        names = await self.names(prefix)
        items = (item for name in names for item in self.shared.of(name))
        return Held(len(names), sum(len(item.data) for item in items))

    async def purge(self, subject: str, last: int) -> int:
        await self.takes_time()
        items = self.shared.of(subject)
        if not items or items[-1].number != last:
            return 0
        self.shared.erased |= {item.number for item in items}
        return sum(len(item.data) for item in items)

    async def trim(self, subject: str, first: int) -> None:
        await self.takes_time()
        if self.shared.goes_wrong():
            raise Unanswered
        self.shared.erased |= {
            item.number for item in self.shared.of(subject) if item.number < first
        }
        if self.shared.goes_wrong():
            raise Unanswered  # it is done

    def _age(self, number: int) -> float:
        shared = self.shared
        return asyncio.get_running_loop().time() - shared.times[number] + shared.later

    async def erase(self, subject: str) -> None:
        await self.takes_time()
        self.shared.erased |= {item.number for item in self.shared.of(subject)}

    def _read(self, subject: str) -> list[Item]:
        """Read a subject, sometimes without the newest items, as from a server that lags behind."""
        if self.shared.goes_wrong():
            raise Unanswered
        items = self.shared.of(subject)
        return items[:-1] if self.shared.goes_wrong() and items else items

    def _fail(self) -> None:
        self.shared.rng.choice((self.shared.lead_anew, lambda: None))()
        raise self.shared.rng.choice((Conflict, Unanswered))

    async def takes_time(self) -> None:
        await asyncio.sleep(self.shared.rng.uniform(0.001, 0.01))


class MemoryWalk:
    """All items in order."""

    def __init__(self, engine: MemoryEngine, prefix: str) -> None:
        self._engine, self._prefix, self._number = engine, prefix, 0

    async def next(self) -> AgedSubject | None:
        await self._engine.takes_time()
        found = self._engine.walk(self._prefix, self._number)
        if found is None:
            return None
        self._number, aged = found
        return aged


async def befallen(befalls: deque[str], append: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """Append with the next fault of `befalls`, if any. Raises: as an append does."""
    match befalls.popleft() if befalls else "":
        case "request":
            raise Unanswered
        case "answer":
            await append()
            raise Unanswered
        case "late":
            late = asyncio.get_running_loop().create_task(_late(append))
            _LATE.add(late)
            late.add_done_callback(_LATE.discard)
            raise Unanswered
    return await append()


_LATE: set[asyncio.Task[None]] = set()  # appends that nobody awaits


async def _late(append: Callable[[], Coroutine[Any, Any, int]]) -> None:
    await asyncio.sleep(0.03)
    with suppress(Conflict, Unanswered):
        await append()


async def all_late() -> None:
    """Wait for late appends of this event loop."""
    loop = asyncio.get_running_loop()
    await asyncio.gather(*(task for task in _LATE if task.get_loop() is loop))


def in_no_time(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine in a new event loop with virtual time."""
    with closing(VirtualLoop()) as loop:
        return loop.run_until_complete(work)
