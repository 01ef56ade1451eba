"""Group commit: the journal in a thread of its own.

What comes while one commit runs is one transaction afterwards, or some if it is much, so that many
matches share the wait for the disk. The event loop is told when it is over, and no sooner does
anybody hear of an entry. Where another machine must have it, too (`Replica`), it is over when that
one has answered.
"""

import asyncio
import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from protocol.errors import LocalError
from protocol.limits import EXPORT_PAUSE_SECONDS, MAX_COMMIT
from protocol.match.log import Record
from protocol.messages.claim import CLAIM_ID
from table.metrics import Metrics
from table.storage.disk.journal import Journal
from table.storage.disk.match_rows import Claim, KeepHeads, Release
from table.storage.disk.pruning import PruneOrder, PruneReport, prune_parts
from table.storage.disk.transactions import Write, size_of
from table.storage.interface import (
    FIRST_CLAIM,
    Change,
    Done,
    MatchOwnership,
    NewClaim,
    NewRecords,
    OpenMatch,
    SavedTable,
)

log = logging.getLogger(__name__)


class WriterStopped(Exception):
    """We close, and the other machine has not got everything."""


class Replica(Protocol):
    """Another machine that must have what the journal has. All but `close` is called in the
    journal's thread.
    """

    def level(self, journal: Journal) -> None:
        """Return when nothing is in the journal that the other must have and has not; called once,
        before anything is read from it. Raises: LocalError, saying what to do, if that will never
        be; GivenUp; sqlite3.Error."""

    def confirm(self, journal: Journal) -> None:
        """The same, as long as it takes: after each commit. Raises: GivenUp, sqlite3.Error."""

    def beat(self, journal: Journal) -> float:
        """Nothing is to be done: say that we are there. After how many seconds it is to be said
        again.
        """

    def close(self) -> None:
        """Called in the loop: soon nobody waits for the other any more."""


class _Job(NamedTuple):
    change: Write
    done: Callable[..., None]  # called in the loop, as the next one; of a claim with the match
    lost: Done


class Writer:
    """A `storage.Storage` over a journal. To be made in the event loop that it reports to; it owns
    the journal.
    """

    def __init__(
        self,
        journal: Journal,
        retry_seconds: float,
        metrics: Metrics,
        replica: Replica | None = None,
    ) -> None:
        self.journal, self._retry_seconds, self._metrics = journal, retry_seconds, metrics
        self._replica = replica
        # seconds until the other machine is to hear of us, once it is level
        self._beat: float | None = None
        self._loop = asyncio.get_running_loop()
        self._wake = threading.Condition()  # guards the next three
        self._jobs: list[_Job] = []
        # short reads: one between two commits, so that no match waits for many
        self._chores: list[Done] = []
        # what takes longer: a part when there is nothing to commit, or at least now and then; of
        # the thread's own
        self._slow: deque[Iterator[None]] = deque()
        self._slow_at = 0.0  # when the last part was done
        self._exporting: set[bytes] = set()
        self._closing = False
        # answers to come, and since when there was none: of the loop's own
        self._owed, self._heard = 0, 0.0
        self._refused = False  # the disk refuses, and the log says so
        self._error: Exception = RuntimeError()  # the last one of a commit
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)

    async def start(self) -> SavedTable:
        """See `Storage.start`. With another machine it waits until that has everything, too: a read
        proves nothing.
        """
        check_standing(self.journal, self._replica)
        self._thread.start()
        if self._replica is not None:
            level: asyncio.Future[None] = self._loop.create_future()
            self._add_chore(partial(self._level, self._replica, level))
            await level
        self._add_chore(lambda: self._slow.append(self._pack()))
        return self.journal.load()

    def submit(self, change: Change, done: Done, lost: Done) -> None:
        """See `Storage.submit`."""
        self._submit(change, done, lost)

    def open_matches(self, done: Callable[[Sequence[MatchOwnership]], None]) -> None:
        """See `Storage.open_matches`."""
        self._add_chore(partial(self._list, done))

    def claim(
        self,
        match_id: bytes,
        done: Callable[[OpenMatch | None], None],
        new: NewClaim = FIRST_CLAIM,
    ) -> None:
        """See `Storage.claim`."""
        drawn = new.id or os.urandom(CLAIM_ID)
        self._submit(Claim(match_id, *new._replace(id=drawn)), done, partial(done, None))

    def release(self, match_id: bytes, claim: int, successor: str, done: Done) -> None:
        """See `Storage.release`."""
        self._submit(Release(match_id, claim, successor), done, done)

    def fetch(self, match_id: bytes, done: Callable[[Sequence[Record] | None], None]) -> None:
        """See `Storage.fetch`."""
        self._add_chore(lambda: self._slow.append(self._fetch(match_id, done)))

    def export(self, match_id: bytes, heads: Sequence[bytes], done: Done) -> None:
        """See `Storage.export`."""
        self._submit(KeepHeads(match_id, tuple(heads)), done, done)

    def prune(self, order: PruneOrder) -> "asyncio.Future[PruneReport]":
        """Remove what an order names. The future raises: sqlite3.Error, OSError."""
        answer: asyncio.Future[PruneReport] = self._loop.create_future()
        self._add_chore(lambda: self._slow.append(self._prune(order, answer)))
        return answer

    def snapshot(self, path: Path) -> "asyncio.Future[None]":
        """Copy the journal as it is at one moment; commits wait meanwhile. The future raises:
        sqlite3.Error, OSError.
        """
        answer: asyncio.Future[None] = self._loop.create_future()
        self._add_chore(partial(self._snapshot, path, answer))
        return answer

    def silent(self) -> float:
        """See `Storage.silent`. The journal is locked: nobody else can write."""
        return self._loop.time() - self._heard if self._owed else 0.0

    @property
    def safe(self) -> bool:
        """See `Storage.safe`."""
        return not self._refused

    def close(self) -> None:
        """See `Storage.close`. Waits for the disk once more."""
        if self._replica is not None:
            self._replica.close()
        with self._wake:
            self._closing = True
            self._wake.notify()
        if self._thread.is_alive():
            self._thread.join()
        if self._jobs:
            log.error(
                "closed with %d changes that the disk did not take; nobody was told of them",
                len(self._jobs),
            )
        self.journal.close()

    def _submit(self, change: Write, done: Callable[..., None], lost: Done) -> None:
        if not self._owed:
            self._heard = self._loop.time()
        self._owed += 1
        with self._wake:
            self._jobs.append(_Job(change, done, lost))
            self._wake.notify()

    # --- in the thread ---

    def _run(self) -> None:
        failed: list[_Job] = []
        retry_at = 0.0
        while True:
            with self._wake:
                patience = max(0.0, retry_at - time.monotonic()) if failed else self._beat
                self._wake.wait_for(self._has_work, 0.0 if self._slow else patience)
                jobs, self._jobs = self._jobs, []
                chore = self._chores.pop(0) if self._chores else None
                last = self._closing and chore is None
            if failed and (last or time.monotonic() >= retry_at):
                jobs, failed = failed + jobs, []
            if refused := [job for several in _portions(jobs) for job in self._commit(several)]:
                failed, retry_at = failed + refused, time.monotonic() + self._retry_seconds
            self._say_once(refusing=bool(failed) and not isinstance(self._error, WriterStopped))
            if chore is not None:
                chore()
            slow = bool(self._slow)
            if slow:
                self._work_slowly(at_once=not (jobs or chore))
            if self._replica is not None and not (jobs or chore or slow or last or failed):
                self._beat = self._replica.beat(self.journal)
            if last and not self._chores and not self._slow:  # a commit may have brought one
                self._jobs = failed
                return

    def _work_slowly(self, at_once: bool) -> None:
        """Do a part of what takes long, in turns; if it is not time for one, nothing."""
        if at_once or time.monotonic() - self._slow_at >= EXPORT_PAUSE_SECONDS:
            work = self._slow.popleft()
            if next(work, self) is not self:
                self._slow.append(work)
            self._slow_at = time.monotonic()

    def _has_work(self) -> bool:
        return bool(self._jobs or self._chores or self._closing)

    def _commit(self, jobs: list[_Job]) -> list[_Job]:
        """Write these, all at once or else one by one, and report what came of it; what failed is
        given back.
        """
        if not jobs:
            return []
        outcomes = self._write(jobs)
        if not isinstance(outcomes, Exception):
            self._answer(list(map(self._outcome, jobs, outcomes)))
            return []
        if len(jobs) > 1 and not isinstance(
            outcomes, sqlite3.OperationalError | WriterStopped
        ):  # not the disk: one of them is wrong
            return [job for single in jobs for job in self._commit([single])]
        if isinstance(outcomes, sqlite3.IntegrityError):  # its number is taken
            self._answer([jobs[0].lost])
            return []
        self._error = outcomes
        return jobs

    def _write(self, jobs: Sequence[_Job]) -> list[int] | Exception:
        began = time.perf_counter()
        try:
            outcomes = self.journal.write([job.change for job in jobs])
            if self._replica is not None:
                self._replica.confirm(self.journal)
        except Exception as error:  # whatever it is, the thread must live: all matches wait for it
            return error
        self._metrics.commit.observe(time.perf_counter() - began)
        self._metrics.batch.observe(
            sum(len(job.change.entries) for job in jobs if isinstance(job.change, NewRecords))
        )
        return outcomes

    def _outcome(self, job: _Job, outcome: int) -> Done:
        """What is called in the loop when the disk has answered; what a claim has won is read, and
        not before.

        A match that has all its heads becomes a file, without the loop: that waits for us as we
        close.
        """
        if not outcome:
            return job.lost
        if isinstance(job.change, KeepHeads):
            self._slow.append(self._export(job.change.match_id))
        if isinstance(job.change, Claim):
            return partial(
                self._add_chore, partial(self._read, job.change.match_id, outcome, job.done)
            )
        return job.done

    def _say_once(self, refusing: bool) -> None:
        if refusing and not self._refused:
            log.error(
                "the journal cannot be written (%s); trying again, the matches wait",
                describe(self._error),
            )
        elif self._refused and not refusing:
            log.info("the journal is written again")
        self._refused = refusing

    def _answer(self, calls: Sequence[Done]) -> None:
        self._tell([partial(self._hear, len(calls)), *calls])

    def _hear(self, answers: int) -> None:
        """In the loop: the disk has answered."""
        self._owed, self._heard = self._owed - answers, self._loop.time()

    def _tell(self, done: Sequence[Done]) -> None:
        """Call these in the event loop; one that fails does not concern the others."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: there is nobody to tell
            self._loop.call_soon_threadsafe(lambda: [self._loop.call_soon(each) for each in done])

    def _add_chore(self, chore: Done) -> None:
        with self._wake:
            self._chores.append(chore)
            self._wake.notify()

    def _level(self, replica: Replica, level: "asyncio.Future[None]") -> None:
        error: Exception | None = None
        try:
            replica.level(self.journal)
            self._beat = 0.0
        except Exception as wrong:
            error = wrong
        self._tell([partial(_settle, level, error)])

    def _list(self, done: Callable[[Sequence[MatchOwnership]], None]) -> None:
        found: Sequence[MatchOwnership] = ()
        try:
            found = self.journal.open_matches()
        except Exception as error:
            log.error("the matches cannot be read from the journal (%s)", describe(error))
        self._tell([partial(done, found)])

    def _read(self, match_id: bytes, claim: int, done: Callable[[OpenMatch | None], None]) -> None:
        found: OpenMatch | None = None
        try:
            found = self.journal.claimed(match_id)
        except Exception as error:
            log.error(
                "match %s cannot be read from the journal (%s)", match_id.hex()[:8], describe(error)
            )
        self._tell([partial(done, found if found is not None and found.claim == claim else None)])

    def _fetch(
        self, match_id: bytes, done: Callable[[Sequence[Record] | None], None]
    ) -> Iterator[None]:
        records: Sequence[Record] | None = None
        try:
            records = yield from self.journal.finished_parts(match_id)
        except Exception as error:
            log.error(
                "match %s cannot be read from the journal (%s)", match_id.hex()[:8], describe(error)
            )
        self._tell([partial(done, records)])

    def _snapshot(self, path: Path, answer: "asyncio.Future[None]") -> None:
        error: Exception | None = None
        try:
            self.journal.snapshot(path)
        except Exception as wrong:
            error = wrong
        self._tell([partial(_settle, answer, error)])

    def _prune(
        self, order: PruneOrder, answer: "asyncio.Future[PruneReport]"
    ) -> Generator[None, None, None]:
        error: Exception | None = None
        report = PruneReport([], [])
        try:
            report = yield from prune_parts(self.journal, order)
        except Exception as wrong:
            error = wrong
        self._tell([partial(_settle, answer, error, report)])

    def _pack(self) -> Iterator[None]:
        try:
            yield from self.journal.pack_parts()
        except Exception as error:
            message = "matches that are over stay in the journal; files cannot be written (%s)"
            log.error(message, describe(error))

    def _export(self, match_id: bytes) -> Iterator[None]:
        if match_id in self._exporting:
            return
        self._exporting.add(match_id)
        try:
            yield from self.journal.export_parts(match_id)
            if self._replica is not None:
                self._replica.confirm(self.journal)
        except Exception as error:
            message = "match %s: its log stays in the journal; the file cannot be written (%s)"
            log.error(message, match_id.hex()[:8], describe(error))
        finally:
            self._exporting.discard(match_id)


def _portions(jobs: Sequence[_Job]) -> Iterator[list[_Job]]:
    """These as transactions that a standby takes."""
    several: list[_Job] = []
    total = 0
    for job in jobs:
        size = size_of(job.change)
        if several and total + size > MAX_COMMIT:
            yield several
            several, total = [], 0
        several.append(job)
        total += size
    yield several


def _settle(answer: "asyncio.Future[Any]", error: Exception | None, result: object = None) -> None:
    if answer.done():  # nobody waits any more
        return
    if error is None:
        answer.set_result(result)
    else:
        answer.set_exception(error)


def check_standing(journal: Journal, replica: Replica | None) -> None:
    """Whether a table may run over this journal. Raises: LocalError, saying what to do."""
    standing = journal.standing
    if standing.role.following:
        raise LocalError("wrong.standby.folder", path=str(journal.path.parent))
    if standing.role.paired and replica is None:
        raise LocalError(
            "wrong.standby.needed", path=str(journal.path.parent), address=standing.peer
        )


def describe(error: Exception) -> str:
    """What kind of error it is; for one of the disk, in the system's words."""
    return (
        str(error)
        if isinstance(error, OSError | sqlite3.OperationalError)
        else type(error).__name__
    )
