"""A store in memory whose answers are lost, whose leaders change, and whose reads show what will
not stand.

What is appended stands for good when an append behind it, or its own, has been acknowledged. What
has not been may be read, and be gone after the next change of leader; its numbers are then given
again. That is what a replicated log may do to who asks it, and nothing more: acknowledged items
stay, unless a test takes them away itself.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import closing, suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

from table.storage.shared.backend import Conflict, Item, Unanswered
from tests.properties.simulate.loop import VirtualLoop


@dataclass
class Shared:
    """What stands in the store, whoever asks."""

    rng: Random = field(default_factory=lambda: Random(0))
    trouble: float = 0.0  # how often something goes wrong
    items: list[tuple[str, bytes]] = field(default_factory=list)
    settled: int = 0  # so many of them stand for good
    erased: set[int] = field(default_factory=set)
    # of hosts that hear what others announce
    ears: list[Callable[[bytes], None]] = field(default_factory=list)
    # see `tests.integration.storage.worlds.World.befall`: of the next appends
    befalls: deque[str] = field(default_factory=deque)

    def of(self, subject: str) -> list[Item]:
        """What can be read of a subject."""
        return [
            Item(number, data)
            for number, (where, data) in enumerate(self.items, 1)
            if where == subject and number not in self.erased
        ]

    def lead_anew(self) -> None:
        """Another machine leads: what nobody has been told of is gone."""
        del self.items[self.settled :]

    def lose(self, count: int) -> None:
        """What must not happen: acknowledged items are gone."""
        del self.items[len(self.items) - count :]
        self.settled = len(self.items)

    def goes_wrong(self) -> bool:
        return self.rng.random() < self.trouble


class MemoryEngine:
    """One host's connection. Needs a loop in which time costs nothing."""

    most = 4000
    safe = True

    def __init__(self, shared: Shared) -> None:
        self.shared = shared

    async def open(self) -> None:
        """Always there."""

    heard: Callable[[bytes], None] | None = None

    async def close(self) -> None:
        """Nothing is heard any more."""
        if self.heard in self.shared.ears:
            self.shared.ears.remove(self.heard)

    async def announce(self, data: bytes) -> None:
        await self._takes_time()
        for heard in list(self.shared.ears):
            heard(data)

    async def hear(self, heard: Callable[[bytes], None]) -> None:
        self.heard = heard
        self.shared.ears.append(heard)

    async def beat(self) -> None:
        await self._takes_time()

    async def append(self, subject: str, after: int, data: bytes) -> int:
        assert len(data) <= self.most, "no store takes an item like this"
        await self._takes_time()
        return await befallen(self.shared.befalls, lambda: self._append(subject, after, data))

    async def _append(self, subject: str, after: int, data: bytes) -> int:
        shared = self.shared
        if shared.goes_wrong():
            self._fail()
        stands = shared.of(subject)
        if (stands[-1].number if stands else 0) != after:
            raise Conflict
        shared.items.append((subject, data))
        if shared.goes_wrong():
            raise Unanswered  # it may stand, or not
        shared.settled = len(shared.items)
        return shared.settled

    async def next(self, subject: str, after: int) -> Item | None:
        await self._takes_time()
        return next((item for item in self._read(subject) if item.number > after), None)

    async def last(self, subject: str) -> Item | None:
        await self._takes_time()
        return next(reversed(self._read(subject)), None)

    async def names(self, prefix: str) -> list[str]:
        await self._takes_time()
        found = [
            where
            for number, (where, _) in enumerate(self.shared.items, 1)
            if number not in self.shared.erased
        ]
        return list(dict.fromkeys(where for where in found if where.startswith(prefix)))

    async def erase(self, subject: str) -> None:
        await self._takes_time()
        self.shared.erased |= {item.number for item in self.shared.of(subject)}

    def _read(self, subject: str) -> list[Item]:
        """Sometimes without the newest: of one who does not know it yet."""
        if self.shared.goes_wrong():
            raise Unanswered
        items = self.shared.of(subject)
        return items[:-1] if self.shared.goes_wrong() and items else items

    def _fail(self) -> None:
        self.shared.rng.choice((self.shared.lead_anew, lambda: None))()
        raise self.shared.rng.choice((Conflict, Unanswered))

    async def _takes_time(self) -> None:
        await asyncio.sleep(self.shared.rng.uniform(0.001, 0.01))


async def befallen(befalls: deque[str], append: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """An append, as far as nothing befalls it. Raises: as appends do."""
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


_LATE: set[asyncio.Task[None]] = set()  # that nobody waits for


async def _late(append: Callable[[], Coroutine[Any, Any, int]]) -> None:
    await asyncio.sleep(0.03)
    with suppress(Conflict, Unanswered):
        await append()


async def all_late() -> None:
    """Wait for what comes late, in this loop."""
    loop = asyncio.get_running_loop()
    await asyncio.gather(*(task for task in _LATE if task.get_loop() is loop))


def in_no_time(work: Coroutine[Any, Any, Any]) -> Any:
    """What this comes to, in a loop of its own in which time costs nothing."""
    with closing(VirtualLoop()) as loop:
        return loop.run_until_complete(work)
