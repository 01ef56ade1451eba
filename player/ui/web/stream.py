"""The events for pages, in order. A page that is slow, or slept, gets the newest snapshot only."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from secrets import token_hex
from typing import Any, NamedTuple

from protocol.limits import MAX_PAGE_NEWS, PAGE_BEAT_SECONDS

DEED = "deed"


class Mark(NamedTuple):
    """The id of an event: it says how far a page has read."""

    run: str  # numbers mean nothing in another run of the program, or in another match
    entry: int  # of the log
    at: int  # of the news

    def __str__(self) -> str:
        return f"{self.run}-{self.entry}-{self.at}"


class StreamEvent(NamedTuple):
    """An event as a page gets it. `mark`: how far the page has read with it."""

    name: str
    data: dict[str, Any]
    mark: Mark


class Item(NamedTuple):
    """A piece of news: what no snapshot says."""

    at: int
    entry: int  # the number that the next entry of the log had
    event: str
    data: dict[str, Any]


class Snapshot(NamedTuple):
    """All that is on the screen."""

    serial: int
    number: int  # entries in the log
    data: dict[str, Any]


class News:
    """The events for all pages. Old ones are dropped."""

    def __init__(self) -> None:
        self._run = token_hex(4)
        self._kept: deque[Item] = deque(maxlen=MAX_PAGE_NEWS)
        self._count = 0
        self._readers: set[asyncio.Event] = set()
        self._ended = False
        self._move: asyncio.Future[None] | None = None

    @property
    def readers(self) -> int:
        """Return the number of pages that listen."""
        return len(self._readers)

    def begin(self) -> None:
        """A match begins: the numbers of its entries are others."""
        self._run = token_hex(4)
        self._kept.clear()

    def add(self, event: str, data: dict[str, Any], entry: int) -> None:
        """Something has happened."""
        self._kept.append(Item(self._count, entry, event, {"entry": entry} | data))
        self._count += 1
        self.changed()

    def changed(self) -> None:
        """There is something new, perhaps in the snapshot alone."""
        for reader in self._readers:
            reader.set()

    async def joined(self, seconds: float) -> bool:
        """Return True if a page listens, or begins to before so many seconds have passed or `wake`
        is called.
        """
        if not self._readers:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self.moved()
        return bool(self._readers)

    async def moved(self) -> None:
        """Wait until a page has come or gone, or `wake` is called."""
        self._move = self._move or asyncio.get_running_loop().create_future()
        await asyncio.shield(self._move)

    def wake(self) -> None:
        """Whoever waits for pages is to look again."""
        move = self._move
        self._move = None
        if move is not None:
            move.set_result(None)

    def end(self) -> None:
        """End the stream: every page is told, and hangs up."""
        self._ended = True
        self.changed()

    def _since(self, mark: Mark | None) -> list[Item]:
        """Return the events that a page has not read; no deeds if the page is new or has missed
        some (see `stream`).
        """
        items = [item for item in self._kept if mark is None or item.at > mark.at]
        missed = self._missed(mark)
        if missed is not None:
            return [item for item in items if item.event != DEED]
        return items

    def _missed(self, mark: Mark | None) -> int | None:
        """From which entry on a page must ask for deeds; None: it has missed none."""
        if mark is None:
            return 0
        if self._kept and self._kept[0].at > mark.at + 1:
            return mark.entry
        return None

    def _mark(self, said: str | None) -> Mark | None:
        """Read the id of an event; None if it is of another run."""
        parts = (said or "").split("-")
        if (
            len(parts) != 3
            or parts[0] != self._run
            or not all(part.isascii() and part.isdigit() for part in parts[1:])
        ):
            return None
        return Mark(self._run, int(parts[1][:18]), int(parts[2][:18]))

    async def events(
        self, snapshot: Callable[[], Snapshot], said: str | None
    ) -> AsyncGenerator[StreamEvent | None, None]:
        """The events for one page, whose last one had the mark `said`. None: nothing has happened
        for `PAGE_BEAT_SECONDS`.

        `snapshot` is asked for the newest one. After "ended" nothing comes, until the page stops
        reading.
        """
        news = asyncio.Event()
        mark = self._mark(said)
        sent = -1
        self._readers.add(news)
        self.wake()
        try:
            while True:
                news.clear()
                shown = snapshot()
                if mark is not None and mark.run != self._run:
                    mark = None
                items = self._since(mark)
                missed = self._missed(mark)
                newest = self._count - 1
                if missed is not None:
                    before = Mark(self._run, missed, mark.at if mark else -1)
                    yield StreamEvent("missed", {"from": missed, "to": shown.number}, before)
                for item in items:
                    read = Mark(self._run, item.entry, item.at)
                    yield StreamEvent(item.event, item.data, read)
                mark = Mark(self._run, shown.number, newest)
                if shown.serial != sent:
                    sent = shown.serial
                    yield StreamEvent("snapshot", shown.data, mark)
                if self._ended:
                    yield StreamEvent("ended", {}, mark)
                    # until the page hangs up: then it has nothing more to ask
                    await asyncio.Event().wait()
                with suppress(TimeoutError):
                    async with asyncio.timeout(PAGE_BEAT_SECONDS):
                        await news.wait()
                if not news.is_set():
                    yield None
        finally:
            self._readers.discard(news)
            self.wake()
