"""The events for pages, in order. A page that is slow, or slept, gets only the newest snapshot."""

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

    run: str  # the run of the program and the match: in another one the numbers mean nothing
    entry: int  # number of the log's next entry
    at: int  # number of the newest item

    def __str__(self) -> str:
        return f"{self.run}-{self.entry}-{self.at}"


class StreamEvent(NamedTuple):
    """An event as a page gets it. `mark`: how far the page has read with it."""

    name: str
    data: dict[str, Any]
    mark: Mark


class Item(NamedTuple):
    """An event that no snapshot contains."""

    at: int
    entry: int  # number that the log's next entry had
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
        """Begin with another match: its entries are numbered anew."""
        self._run = token_hex(4)
        self._kept.clear()

    def add(self, event: str, data: dict[str, Any], entry: int) -> None:
        """Add an event for all pages."""
        self._kept.append(Item(self._count, entry, event, {"entry": entry} | data))
        self._count += 1
        self.changed()

    def changed(self) -> None:
        """Have all pages read what is new: an event, or only the snapshot."""
        for reader in self._readers:
            reader.set()

    async def wait_for_page(self, seconds: float) -> bool:
        """Wait for a page, at most for so many seconds or until `wake` is called. Return True if a
        page listens.
        """
        if not self._readers:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self.wait_for_change()
        return bool(self._readers)

    async def wait_for_change(self) -> None:
        """Wait until a page has come or gone, or `wake` is called."""
        self._move = self._move or asyncio.get_running_loop().create_future()
        await asyncio.shield(self._move)

    def wake(self) -> None:
        """End the present calls of `wait_for_page` and `wait_for_change`."""
        move = self._move
        self._move = None
        if move is not None:
            move.set_result(None)

    def end(self) -> None:
        """End the stream. Every page gets a last event, and hangs up."""
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
        """Return the first entry whose deeds a page must request; None if it has missed none."""
        if mark is None:
            return 0
        if self._kept and self._kept[0].at > mark.at + 1:
            return mark.entry
        return None

    def _mark(self, event_id: str | None) -> Mark | None:
        """Read the id of an event; None if it is of another run."""
        parts = (event_id or "").split("-")
        if (
            len(parts) != 3
            or parts[0] != self._run
            or not all(part.isascii() and part.isdigit() for part in parts[1:])
        ):
            return None
        return Mark(self._run, int(parts[1][:18]), int(parts[2][:18]))

    async def events(
        self, snapshot: Callable[[], Snapshot], last: str | None
    ) -> AsyncGenerator[StreamEvent | None, None]:
        """Yield the events for one page, whose last event had the mark `last`. None: no event for
        `PAGE_BEAT_SECONDS`.

        `snapshot` returns the newest snapshot. After "ended" nothing comes, until the page stops
        reading.
        """
        news = asyncio.Event()
        mark = self._mark(last)
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
                    # the page hangs up; until then this waits, so that no new stream begins
                    await asyncio.Event().wait()
                with suppress(TimeoutError):
                    async with asyncio.timeout(PAGE_BEAT_SECONDS):
                        await news.wait()
                if not news.is_set():
                    yield None
        finally:
            self._readers.discard(news)
            self.wake()
