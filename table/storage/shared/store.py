"""A `Storage` for a table of several hosts, over a store on other machines."""

import asyncio
import logging
from collections.abc import Callable, Collection, Coroutine, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from protocol.errors import LocalError, RemoteError
from protocol.limits import MAX_LOBBY_ITEMS
from protocol.match.log import Record
from table.storage.disk.log_files import write_log
from table.storage.interface import (
    FIRST_CLAIM,
    Change,
    Done,
    MatchOwnership,
    MatchStopped,
    NewClaim,
    NewRecords,
    NewTable,
    OpenMatch,
    SavedTable,
    TableRemoved,
)
from table.storage.shared.backend import StoreBackend, Unanswered, opened
from table.storage.shared.lobby_subjects import LobbySubjects
from table.storage.shared.match_notes import RUN, BadNote
from table.storage.shared.match_subjects import MatchSubjects
from table.storage.shared.pruning import PruneLimits, StorePass
from table.storage.shared.verified_log_reader import VerifiedLogReader

# between two questions to the store whether it is there; hosts go stale after 2 s
BEAT_SECONDS = 0.25

log = logging.getLogger(__name__)


class SharedStore:
    """See `Storage`. Everything that is asked of it runs as a task of its own, until the store has
    answered.
    """

    matches_type = MatchSubjects  # a test plants its faults in a subclass
    lobby_items = MAX_LOBBY_ITEMS  # a test has fewer

    def __init__(
        self,
        engine: StoreBackend,
        host: str,
        key: bytes,
        logs: Path,
        rng: Random | None = None,
        earlier: Collection[bytes] = (),
    ) -> None:
        """`host`: this host's name among the table's; `key`: the table's, public; `logs`: the
        folder for log files; `rng`: the system's, if none is given; `earlier`: public keys that
        rotations have led from to this one."""
        self._earlier = earlier
        self._engine, self._folder = engine, logs
        self._matches = self.matches_type(engine, host, rng)
        self._lobby = LobbySubjects(engine, self._matches.writer, key, self.lobby_items)
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self._heard = self._loop.time()
        self._beating: asyncio.Task[None] | None = None

    async def start(self) -> SavedTable:
        """See `Storage.start`. Raises: LocalError if the store is not safe: it says what to
        change.
        """
        await opened(self._engine)
        try:
            if await self._lobby.belongs_to(self._earlier):
                await self._follow_rotation()
            kept = await self._lobby.load()
        except BaseException:
            await self._engine.close()
            raise
        self._heard = self._loop.time()
        self._beating = self._loop.create_task(self._beat())
        return kept

    async def _follow_rotation(self) -> None:
        """Take over the store from the key that the table had before. Raises: LocalError if a match
        still needs that key.
        """
        running = await self._matches.open()
        if running:
            raise LocalError("wrong.store.rotated", count=len(running))
        await self._lobby.hand_over(self._earlier)

    def submit(self, change: Change, done: Done, lost: Done) -> None:
        """See `Storage.submit`."""

        async def put() -> None:
            self._loop.call_soon(done if await self._put(change) else lost)

        self._run(put())

    async def _put(self, change: Change) -> bool:
        match change:
            case NewRecords():
                return await self._matches.append(change)
            case MatchStopped():
                return await self._matches.stop(change)
        return await self._lobby.change(change)

    def open_matches(self, done: Callable[[Sequence[MatchOwnership]], None]) -> None:
        """See `Storage.open_matches`."""
        self._answer(self._matches.open, done)

    def claim(
        self,
        match_id: bytes,
        done: Callable[[OpenMatch | None], None],
        new: NewClaim = FIRST_CLAIM,
    ) -> None:
        """See `Storage.claim`."""
        self._answer(partial(self._matches.claim, match_id, new), done)

    @property
    def run(self) -> bytes:
        """Bytes that stand for this process in claims."""
        return self._matches.writer[:RUN]

    def carried(self, match_id: bytes, claim: int, done: Callable[[bool], None]) -> None:
        """Note that a claimed match is loaded, or that this host has lived for long enough since.

        `done` is told if the match is still this host's. Nothing else of the match may be under
        way.
        """
        self._answer(partial(self._matches.carried, match_id, claim), done)

    def release(self, match_id: bytes, claim: int, successor: str, done: Done) -> None:
        """See `Storage.release`."""
        self._answer(partial(self._matches.release, match_id, claim, successor), lambda _: done())

    def fetch(self, match_id: bytes, done: Callable[[Sequence[Record] | None], None]) -> None:
        """See `Storage.fetch`."""
        self._answer(partial(self._matches.finished, match_id), done)

    def export(self, match_id: bytes, heads: Sequence[bytes], done: Done) -> None:
        """See `Storage.export`."""
        self._run(self._export(match_id, heads, done))

    def silent(self) -> float:
        """See `Storage.silent`."""
        return self._loop.time() - self._heard

    # --- what hosts tell each other ---

    @property
    def safe(self) -> bool:
        """See `Storage.safe`."""
        return self._engine.safe

    @property
    def most(self) -> int:
        """Bytes of the largest thing that can be said."""
        return self._engine.most

    async def announce(self, data: bytes) -> None:
        """See `StoreBackend.announce`."""
        await self._engine.announce(data)

    async def hear(self, heard: Callable[[bytes], None]) -> None:
        """See `StoreBackend.hear`."""
        await self._engine.hear(heard)

    def owned(self, match_id: bytes, done: Callable[[MatchOwnership | None], object]) -> None:
        """Whose a match is that is not finished; None if there is none such. A read."""
        self._answer(partial(self._matches.owned, match_id), done)

    def following(self, match_id: bytes, key: bytes) -> VerifiedLogReader:
        """A match that somebody else has, to be read as it grows. `key`: the table's, public."""
        return VerifiedLogReader(self._engine, match_id, key)

    def prune(self, limits: PruneLimits) -> StorePass:
        """Return a look at what is to go by these limits."""
        return StorePass(self._engine, limits)

    async def trim_lobby(self) -> bool:
        """Remove items about tables that later ones have replaced. Tell if some are gone. Raises:
        Unanswered.
        """
        try:
            return await self._lobby.trim()
        except (BadNote, RemoteError):
            raise Unanswered from None

    def follow(self, changed: Callable[[NewTable | TableRemoved], None]) -> None:
        """From now on, call this with each change to the tables that is made, whoever made it."""
        self._lobby.changed = changed

    async def look(self) -> None:
        """Take in what others have changed."""
        try:
            await self._lobby.follow()
        except (BadNote, RemoteError):
            log.error("what the store has of the tables is damaged: new ones are not seen here")

    async def idle(self, seconds: float) -> None:
        """Wait for what is under way, for so long."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    def close(self) -> None:
        """See `Storage.close`. What has no answer yet is left to whoever claims the match next."""
        if self._tasks:
            log.error(
                "closed with %d changes that the store had not acknowledged; nobody was told",
                len(self._tasks),
            )
        for task in (*self._tasks, *([self._beating] if self._beating is not None else [])):
            task.cancel()
        self._closing = self._loop.create_task(self._engine.close())

    async def closed(self) -> None:
        """Wait until everything is let go of."""
        await self._closing

    async def _export(self, match_id: bytes, heads: Sequence[bytes], done: Done) -> None:
        records = await self._matches.finish(match_id, heads)
        self._loop.call_soon(done)
        if records:
            try:
                await asyncio.to_thread(write_log, self._folder, match_id, records)
            except OSError as error:
                text = "match %s: its log stays in the store; the file cannot be written (%s)"
                log.error(text, match_id.hex()[:8], error.strerror)
                return
            await self._matches.exported(match_id)

    def _answer(
        self, question: Callable[[], Coroutine[Any, Any, Any]], done: Callable[[Any], object]
    ) -> None:
        async def ask() -> None:
            self._loop.call_soon(done, await question())

        self._run(ask())

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            log.error("a change is not made, and nobody hears of it (%s)", type(error).__name__)

    async def _beat(self) -> None:
        """Ask a majority of the store whether it is there, as long as this runs."""
        while True:
            sent = self._loop.time()
            try:
                await self._engine.beat()
                self._heard = sent
            except Unanswered:
                pass
            except Exception as error:  # whatever it is, the next answer must be heard
                log.error(
                    "the store cannot be asked whether it is there (%s)", type(error).__name__
                )
            await asyncio.sleep(BEAT_SECONDS)
