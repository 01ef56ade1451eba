"""One host's connection to the simulated store: requests and answers are lost, late, or delayed."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from protocol.limits import MAX_STORE_DAYS
from table.storage.shared.backend import (
    AgedItem,
    AgedSubject,
    Conflict,
    Held,
    Item,
    Unanswered,
    Walk,
)
from tests.properties.simulate.hosts.store import WAY, Answer, SharedStore
from tests.properties.simulate.link import Network
from tests.properties.simulate.loop import Process
from tests.properties.simulate.store import dangerous

TIMEOUT = 1.0  # seconds after which a host stops waiting for the result of a request
LATE = (0.1, 3.0)  # seconds after the timeout at which a delayed request arrives


@dataclass
class Cut:
    """Traffic that does not get through between a host and the store."""

    requests: bool = False
    answers: bool = False
    said: bool = False  # announcements of this host
    heard: bool = False  # announcements of the others


class SimulatedEngine:
    """A `table.storage.shared.backend.StoreBackend` of one process."""

    most = 4000  # bytes; small, so that some notes have several parts
    safe = True
    parts = 8

    def __init__(
        self, store: SharedStore, process: Process, cut: Cut, rng: Random, kept: float
    ) -> None:
        """`kept`: seconds after which a match is as old as matches become (`MAX_STORE_DAYS`)."""
        self._faster = MAX_STORE_DAYS * 86_400 / kept
        self.store, self.process, self.cut, self.rng = store, process, cut, rng
        self.network: Network = store.network
        self._loop = process.loop

    # --- Engine ---

    async def open(self) -> None:
        """Override `Engine`. This always succeeds."""

    async def close(self) -> None:
        """Override `Engine`. Requests in transit still arrive."""
        self.store.ears.pop(self.process, None)

    async def beat(self) -> None:
        await self._ask(lambda: None)

    async def append(self, subject: str, after: int, data: bytes) -> int:
        assert len(data) <= self.most, "no store takes an item like this"
        dangerous(self.network, "table_crash", self.process, lambda: None)
        number: int = await self._answered(partial(self.store.append, subject, after, data))
        return number

    async def next(self, subject: str, after: int) -> Item | None:
        def look() -> Item | None:
            return next((item for item in self.store.read(subject) if item.number > after), None)

        found: Item | None = await self._ask(look)
        return found

    async def last(self, subject: str) -> Item | None:
        found: Item | None = await self._ask(lambda: next(reversed(self.store.read(subject)), None))
        return found

    async def names(self, prefix: str) -> list[str]:
        found: list[str] = await self._ask(lambda: self.store.names(prefix))
        return found

    async def last_aged(self, subject: str) -> AgedItem | None:
        def look() -> AgedItem | None:
            item = next(reversed(self.store.read(subject)), None)
            return item and AgedItem(item, self.store.age(item.number) * self._faster)

        found: AgedItem | None = await self._ask(look)
        return found

    def oldest(self, prefix: str) -> Walk:
        return SimulatedWalk(self, prefix)

    async def begun(self, prefix: str, after: int) -> tuple[int, AgedSubject] | None:
        """Return the subject that began first behind this number, and the number of its first item."""

        def look() -> tuple[int, AgedSubject] | None:
            found = self.store.oldest(prefix, after)
            age = found and self.store.age(found[1]) * self._faster
            return found and (found[1], AgedSubject(found[0], age or 0.0))

        begun: tuple[int, AgedSubject] | None = await self._ask(look)
        return begun

    async def held(self, prefix: str) -> Held:
        names: list[str] = await self._ask(lambda: self.store.names(prefix))
        return Held(len(names), len(names))

    async def purge(self, subject: str, last: int) -> int:
        gone: int = await self._ask(lambda: self.store.purge(subject, last))
        return gone

    async def trim(self, subject: str, first: int) -> None:
        await self._ask(lambda: self.store.trim(subject, first))

    async def erase(self, subject: str) -> None:
        await self._ask(lambda: self.store.erase(subject))

    async def announce(self, data: bytes) -> None:
        if not (self.cut.requests or self.cut.said):
            self.store.announce(data)

    async def hear(self, heard: Callable[[bytes], None]) -> None:
        def hear(data: bytes) -> None:
            if not (self.cut.answers or self.cut.heard or self.network.strikes("request")):
                self.network.later(self.rng.uniform(*WAY), heard, data, process=self.process)

        self.store.ears[self.process] = hear
        self.process.on_death[lambda: self.store.ears.pop(self.process, None) and None] = None

    # --- in transit ---

    async def _ask(self, question: Callable[[], Any]) -> Any:
        """Return an immediate answer."""
        return await self._answered(lambda answer: answer(question()))

    async def _answered(self, work: Callable[[Answer], None]) -> Any:
        """Return the answer to a request. Raises: Unanswered, or the error of the store."""
        heard: asyncio.Future[Any] = self._loop.create_future()
        late = self.network.strikes("late")
        if not (self.cut.requests or self.network.strikes("request")):
            way = self.rng.uniform(*WAY) + (TIMEOUT + self.rng.uniform(*LATE) if late else 0)
            self.network.later(way, self._arrives, work, heard, self.store.losses)
        timer = self._loop.call_later(TIMEOUT, _settle, heard, Unanswered())
        try:
            return await heard
        finally:
            timer.cancel()

    def _arrives(
        self, work: Callable[[Answer], None], heard: "asyncio.Future[Any]", losses: int
    ) -> None:
        """A request that was under way when the store lost items is lost with them: else it might be
        appended behind another item of the same number (decision 78, 10).
        """
        if not self.store.leads or losses != self.store.losses:
            return
        try:
            work(partial(self._answer, heard))
        except Conflict as conflict:
            self._answer(heard, conflict)

    def _answer(self, heard: "asyncio.Future[Any]", value: Any) -> None:
        if not (self.cut.answers or self.network.strikes("answer")):
            self.network.later(self.rng.uniform(*WAY), _settle, heard, value, process=self.process)


class SimulatedWalk:
    """The subjects in order."""

    def __init__(self, engine: SimulatedEngine, prefix: str) -> None:
        self._engine, self._prefix, self._number = engine, prefix, 0

    async def next(self) -> AgedSubject | None:
        found = await self._engine.begun(self._prefix, self._number)
        if found is None:
            return None
        self._number, aged = found
        return aged


def _settle(heard: "asyncio.Future[Any]", value: Any) -> None:
    if heard.done():
        return
    if isinstance(value, Exception):
        heard.set_exception(value)
    else:
        heard.set_result(value)
