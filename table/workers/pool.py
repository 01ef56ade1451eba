"""The workers of a table: which match is folded where, and what happens when a worker dies.

A worker is sent one request at a time; what else is for it waits here. So a request that has waited
for long can go to another worker, and a worker that dies takes one request with it. The requests of
one match stay in order: all of them wait at the same place. Of several matches that wait at a
worker, the one comes first whose author's address, and then the match itself, has had least of the
workers of late (`table.workers.job_order`).

Where there are several workers, one of them folds no match with long entries while there are others
that have none: so these wait for one another only. What a worker has spent is charged to the author
of the entry.

A log is sent in portions, each when the one before is folded, so that no turn of the event loop
takes time in proportion to it.

When a worker dies, the request that it was working on is tried once more at a fresh worker, which
serves such matches only, and keeps this one from then on. If that dies, too, the request is
answered: `too_costly` for an entry, a failure for a log that was folded before. The other matches of
a dead worker are opened again where they are asked for next.
"""

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple, Protocol

from commandline.children import python_child
from commandline.log_output import where
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import (
    PROCESSOR_LONG_KEPT_SECONDS,
    PROCESSOR_SHORT_KEPT_SECONDS,
    WORKER_ENTRY_SECONDS,
    WORKER_MOVE_SECONDS,
    WORKER_PATIENCE_SECONDS,
    WORKER_RETRY_SECONDS,
)
from protocol.match.fold import Outcome
from protocol.match.log import Record
from protocol.view.phrase import phrase
from table.net.processor_time import METER, Payer, is_long
from table.workers.job_order import Flow, JobOrder
from table.workers.messages import (
    LENGTH_BYTES,
    Answer,
    JudgedRecord,
    Request,
    check_ready,
    decode_answer,
    encode_records,
    encode_request,
    frame_size,
    split_records,
)

log = logging.getLogger(__name__)

Answered = Callable[[Answer], None]


class FoldSource(Protocol):
    """A match, as far as a worker needs it to fold it from the beginning."""

    @property
    def match_id(self) -> bytes:
        """The match."""

    @property
    def table_key(self) -> bytes:
        """The table's public key."""

    @property
    def worker_seed(self) -> bytes | None:
        """The secret of the table's deals; None: its dealing gives the table none."""

    @property
    def folded(self) -> Sequence[JudgedRecord]:
        """The entries that the fold has answered for, the first included, or that it is to begin
        with. What `FoldPool.repeat` was asked for comes after them.
        """


@dataclass(eq=False)
class _Job:
    """A request of one match that has no answer yet."""

    match: "_Match"
    request: Request
    done: Answered
    waits_since: float
    payer: Payer | None = None  # of what it costs
    deaths: int = 0
    outcomes: tuple[Outcome, ...] = ()  # of the entries that its requests had folded so far


@dataclass(eq=False)
class _Match:
    """A match that is folded at a worker, or will be."""

    source: FoldSource
    worker: "_Worker | None" = None  # the worker at which its requests wait
    is_suspect: bool = False  # it is folded at the worker for such matches only
    deaths: int = 0  # workers that have died while they folded it
    microseconds: int = 0  # processor time that it has cost
    is_long: bool = False  # an entry has taken long
    finish: float = 0.0  # see `Flow`


class WorkerHandle(Protocol):
    """A worker process."""

    def kill(self) -> None:
        """End it at once. Raises: ProcessLookupError if it has ended."""

    async def wait(self) -> int:
        """Wait until it has ended, and return its exit code."""


class WorkerProcess:
    """A worker as a process of the system.

    `asyncio`'s own `kill` first asks the system if the process has ended. If it has, nobody learns
    its exit code any more.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.pid = process.pid

    def kill(self) -> None:
        """End it at once. Raises: ProcessLookupError if it has ended."""
        if self._process.returncode is None:
            os.kill(self.pid, signal.SIGKILL)

    async def wait(self) -> int:
        """Wait until it has ended, and return its exit code."""
        return await self._process.wait()


class RequestWriter(Protocol):
    """The line for requests to a worker; `asyncio.StreamWriter` is one."""

    def write(self, data: bytes) -> None:
        """Send bytes."""

    def close(self) -> None:
        """Send nothing more: the worker ends."""


class StartedWorker(NamedTuple):
    """A worker process, and both directions of the line to it."""

    process: WorkerHandle
    reader: asyncio.StreamReader
    writer: RequestWriter


@dataclass(eq=False)
class _Worker:
    """A worker process."""

    process: WorkerHandle
    writer: RequestWriter
    reader: asyncio.StreamReader
    is_for_suspects: bool  # it has the matches of which another worker has died
    is_for_short: bool  # it has matches without long entries, if there are any
    started: float  # when the worker was started, or when the first job was sent
    jobs: deque[_Job] = field(default_factory=deque)  # the first is under way
    requests: Iterator[Request] = field(
        default_factory=lambda: iter(())
    )  # what is still to be sent for the first
    matches: set[_Match] = field(default_factory=set)  # that it has open
    has_begun: bool = False  # it may have begun with the first job


class FoldPool:
    """The worker processes of one table. Callbacks come in the event loop."""

    module = "table.workers.process"  # what a worker runs
    entry_seconds: float = WORKER_ENTRY_SECONDS  # processor time for one entry

    def __init__(self, count: int, arguments: Sequence[str] = ()) -> None:
        """`count`: workers. `arguments`: of each, such as the plug-ins of games."""
        self._count, self._arguments = count, tuple(arguments)
        self._workers: list[_Worker] = []
        self._starting: set[WorkerHandle] = set()  # workers that are not ready yet
        self._has_suspects = False  # one worker is for suspects, or will be
        self._matches: dict[bytes, _Match] = {}
        self._waiting: deque[_Job] = deque()  # for a worker to be started
        self._order = JobOrder()
        self._short_at = -inf  # when a match without long entries has asked for something
        self._closed = False
        self._retry = asyncio.Event()  # set when nothing is to be tried again
        self._loop = asyncio.get_running_loop()
        self._patience: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.deaths = 0  # workers that ended by themselves
        self.seconds = 0.0  # of processor time that they have spent

    def start(self) -> None:
        """Start the workers. What is asked of them meanwhile waits."""
        for number in range(self._count):
            self._spawn(self._start(is_for_short=0 < number == self._count - 1))

    @property
    def idle(self) -> bool:
        """Workers are there, and nothing is asked of them."""
        busy = self._waiting or any(worker.jobs for worker in self._workers)
        return bool(self._workers) and not busy

    async def close(self) -> None:
        """End the workers. Requests without an answer get none."""
        self._closed = True
        if self._patience is not None:
            self._patience.cancel()
        self._retry.set()
        for worker in list(self._workers):
            worker.writer.close()
            _kill(worker.process)
        for process in self._starting:
            _kill(process)
        while self._tasks:  # one that is being started ends as soon as it is there
            await asyncio.wait(self._tasks)

    # --- matches ---

    def add(self, source: FoldSource) -> None:
        """Know a match. A worker folds it from the beginning when something is asked of it."""
        self._matches[source.match_id] = _Match(source)

    def open(self, match_id: bytes, done: Answered) -> None:
        """Have a match folded as far as it stands."""
        self._request(Request("open", match_id), done)

    def repeat(self, match_id: bytes, records: Sequence[Record], done: Answered) -> None:
        """Have entries folded that follow, and that the table has signed before."""
        judged = [JudgedRecord(*record, None) for record in records]
        self._request(Request("repeat", match_id, (encode_records(judged),)), done)

    def fold(self, match_id: bytes, author: int, raw: bytes, done: Answered) -> None:
        """Have a new entry folded."""
        self._request(Request("fold", match_id, (author, raw)), done)

    def forget(self, match_id: bytes) -> None:
        """Let go of a match. What it has asked for is answered no more."""
        match = self._matches.pop(match_id, None)
        if match is None:
            return
        self._waiting = deque(job for job in self._waiting if job.match is not match)
        if (worker := match.worker) is not None:
            under_way, *jobs = worker.jobs or (None,)
            jobs = [job for job in jobs if job.match is not match]
            worker.jobs = deque([under_way, *jobs] if under_way is not None else ())
            _close(worker, match)

    def _request(self, request: Request, done: Answered) -> None:
        match = self._matches[request.match_id]
        self._submit(_Job(match, request, done, self._loop.time(), METER.payer))

    # --- jobs ---

    def _submit(self, job: _Job) -> None:
        if not job.match.is_long:
            self._short_at = self._loop.time()
        worker = self._worker_for(job)
        if worker is None or any(waiting.match is job.match for waiting in self._waiting):
            self._waiting.append(job)
            return
        job.match.worker = worker
        worker.jobs.append(job)
        if len(worker.jobs) == 1:
            self._send(worker)
        elif self._patience is None:
            self._patience = self._loop.call_later(WORKER_PATIENCE_SECONDS, self._move_waiting)

    def _worker_for(self, job: _Job) -> _Worker | None:
        match = job.match
        if match.worker is not None:
            return match.worker
        if match.is_suspect:
            return next((each for each in self._workers if each.is_for_suspects), None)
        return min(
            (each for each in self._workers if self._may_fold(each, job)),
            # the idle share the matches out
            key=lambda each: (
                len(each.jobs),
                any(match.is_long for match in each.matches),
                len(each.matches),
            ),
            default=None,
        )

    def _may_fold(self, worker: _Worker, job: _Job) -> bool:
        """Tell if a match may be opened at a worker."""
        if worker.is_for_suspects:
            return False
        if not worker.is_for_short:
            return True
        now = self._loop.time()
        account = None if job.payer is None else job.payer.account
        long = job.match.is_long or (account is not None and now < account.long_until)
        # the other workers may still be starting
        alone = all(each is worker or each.is_for_suspects for each in self._workers)
        return alone or not long or now - self._short_at > PROCESSOR_SHORT_KEPT_SECONDS

    def _send(self, worker: _Worker) -> None:
        """Send the first job of a worker, and before it what the worker does not have of its
        match.
        """
        job = self._order.first(_first_of_matches(worker.jobs), _flows)
        worker.jobs.remove(job)
        worker.jobs.appendleft(job)
        worker.started = self._loop.time()
        job.outcomes = ()
        worker.has_begun = False
        worker.requests = self._requests_of(worker, job)
        worker.writer.write(encode_request(next(worker.requests)))

    def _requests_of(self, worker: _Worker, job: _Job) -> Iterator[Request]:
        if job.deaths:
            # a worker that was killed, and whose end has not been noticed yet, is no second death
            yield Request("ping", job.match.source.match_id)
        worker.has_begun = True
        if job.match not in worker.matches:
            worker.matches.add(job.match)
            yield from _opening(job.match.source)
            if job.request.kind == "open":
                return
        yield job.request

    def _on_answer(self, worker: _Worker, answer: Answer) -> None:
        """Raises: RemoteError if nothing was asked, or something else."""
        is_ping = answer.result is None and answer.failed is None
        if not worker.jobs or is_ping is worker.has_begun:
            raise RemoteError(Code.BAD_MESSAGE)
        job = worker.jobs[0]
        job.match.microseconds += answer.microseconds
        self._charge(job, answer.microseconds / 1_000_000)
        job.outcomes += answer.outcomes
        request = None if answer.failed else next(worker.requests, None)
        if request is not None:
            worker.writer.write(encode_request(request))
            return
        worker.jobs.popleft()
        if job.request.kind == "fold" and is_long(answer.microseconds / 1_000_000):
            self._on_long(worker, job)
        if job.match.is_suspect:
            self._acquit(worker, job.match)
        if worker.jobs:
            self._send(worker)
        self._tell(job, answer._replace(outcomes=job.outcomes))

    def _acquit(self, worker: _Worker, match: _Match) -> None:
        """Let a match go back to the other workers: the request that one worker died of has been
        answered. So that worker was killed from outside, or other matches had taken its memory.
        """
        if match.deaths > 1 or any(job.match is match for job in worker.jobs):
            return
        _close(worker, match)
        match.is_suspect, match.worker = False, None

    def _charge(self, job: _Job, seconds: float) -> None:
        self.seconds += seconds
        self._order.charge(_flows(job), seconds)
        if job.payer is not None:
            job.payer.charge(seconds, 1 / self._count)

    def _on_long(self, worker: _Worker, job: _Job) -> None:
        """An entry has taken long: its match goes on at another worker, if that is cheap."""
        match = job.match
        self._note_long(job)
        if (
            worker.is_for_suspects
            or match.worker is not worker
            or self._may_fold(worker, job)
            or not _is_cheap(match)
        ):
            return
        jobs = [each for each in worker.jobs if each.match is match]
        worker.jobs = deque(each for each in worker.jobs if each.match is not match)
        _close(worker, match)
        match.worker = None
        for each in jobs:
            self._submit(each)

    def _note_long(self, job: _Job) -> None:
        job.match.is_long = True
        account = None if job.payer is None else job.payer.account
        if account is not None:
            account.long_until = self._loop.time() + PROCESSOR_LONG_KEPT_SECONDS

    def _tell(self, job: _Job, answer: Answer) -> None:
        if not self._knows(job.match):
            return
        try:
            job.done(answer)
        except Exception:
            # an error in one match must not end the others
            log.exception("match %s: an answer was not taken", job.match.source.match_id.hex()[:8])

    def _move_waiting(self) -> None:
        """Give what has waited for long behind a request of another match to an idle worker."""
        self._patience = None
        for worker in self._workers:
            self._move_from(worker)
        if any(len(worker.jobs) > 1 for worker in self._workers):
            self._patience = self._loop.call_later(WORKER_PATIENCE_SECONDS, self._move_waiting)

    def _move_from(self, worker: _Worker) -> None:
        if len(worker.jobs) < 2 or worker.is_for_suspects:
            return
        now, under_way = self._loop.time(), worker.jobs[0].match
        for match in dict.fromkeys(job.match for job in worker.jobs):
            jobs = [job for job in worker.jobs if job.match is match]
            idle = next(
                (w for w in self._workers if not w.jobs and self._may_fold(w, jobs[0])), None
            )
            # to wait for as long as it would cost to fold the match again is never a bad choice
            patience = max(WORKER_PATIENCE_SECONDS, match.microseconds / 1_000_000)
            waited = now - jobs[0].waits_since
            if idle is None or match is under_way or waited < patience or not _is_cheap(match):
                continue
            worker.jobs = deque(job for job in worker.jobs if job.match is not match)
            _close(worker, match)
            match.worker = idle
            idle.jobs.extend(jobs)
            self._send(idle)

    # --- processes ---

    async def _start(self, is_for_suspects: bool = False, is_for_short: bool = False) -> None:
        """Start a worker, and try again until one is ready: no request is lost meanwhile."""
        while not self._closed:
            try:
                worker = await self._begin(is_for_suspects, is_for_short)
            except (OSError, EOFError, RemoteError) as error:
                if not self._closed:
                    log.error("a worker cannot start (%s); tried again soon", type(error).__name__)
                    await self._pause()
            else:
                self._workers.append(worker)
                self._spawn(self._read(worker))
                self._submit_waiting()
                return

    async def _begin(self, is_for_suspects: bool, is_for_short: bool) -> _Worker:
        """Start a process, and wait until it is ready. Raises: OSError, EOFError, RemoteError."""
        process, reader, writer = await self.launch(is_for_suspects)
        self._starting.add(process)
        try:
            if self._closed:
                raise EOFError
            check_ready(await _read_frame(reader))
        except BaseException:
            writer.close()
            _kill(process)
            await process.wait()
            raise
        finally:
            self._starting.discard(process)
        return _Worker(process, writer, reader, is_for_suspects, is_for_short, self._loop.time())

    async def launch(self, is_for_suspects: bool) -> StartedWorker:
        """Start a worker process, which says when it is ready. Raises: OSError."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                place = str(theirs.fileno())
                child = python_child(
                    "-m", self.module, place, str(self.entry_seconds), *self._arguments
                )
                process = await asyncio.create_subprocess_exec(
                    *child.command,
                    env=child.environ,
                    pass_fds=[theirs.fileno()],
                    stdin=asyncio.subprocess.DEVNULL,
                )
        except BaseException:
            ours.close()
            raise
        reader, writer = await asyncio.open_connection(sock=ours)
        return StartedWorker(WorkerProcess(process), reader, writer)

    async def _pause(self) -> None:
        """Wait before a worker is started once more; the end of the pool ends the wait."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(WORKER_RETRY_SECONDS):
                await self._retry.wait()

    def _submit_waiting(self) -> None:
        waiting, self._waiting = self._waiting, deque()
        for job in waiting:
            self._submit(job)

    async def _read(self, worker: _Worker) -> None:
        try:
            while True:
                self._on_answer(worker, decode_answer(await _read_frame(worker.reader)))
        except (OSError, EOFError):
            pass
        except Exception as error:
            log.error("a worker is ended (%s)\n%s", type(error).__name__, where(error))
        self._workers.remove(worker)
        under_way = worker.jobs[0] if worker.jobs else None
        worker.writer.close()
        _kill(worker.process)
        code = await worker.process.wait()
        if not self._closed:
            await self._replace(worker, under_way, code)

    async def _replace(self, worker: _Worker, under_way: _Job | None, code: int) -> None:
        """A worker is gone: its matches are opened elsewhere when they are asked for."""
        self.deaths += 1
        log.warning(
            "a worker ended (%d); %d matches are opened elsewhere", code, len(worker.matches)
        )
        if under_way is not None and code == -signal.SIGPROF:
            # it has spent all that an entry may, and could not say so
            self._charge(under_way, self.entry_seconds)
            self._note_long(under_way)
        for match in self._matches.values():
            if match.worker is worker:
                match.worker = None
        # what was under way for a match that was let go of is not tried again
        jobs = [job for job in worker.jobs if self._knows(job.match)]
        if under_way is not None and worker.has_begun and self._knows(under_way.match):
            under_way.match.is_suspect = True
            under_way.match.deaths += 1
            under_way.deaths += 1
            if under_way.deaths > 1:
                jobs.remove(under_way)
                self._give_up(under_way)
        elif self._loop.time() - worker.started < WORKER_RETRY_SECONDS:
            await self._pause()
        for job in jobs:
            self._submit(job)
        self._spawn(self._start(worker.is_for_suspects, worker.is_for_short))
        if not self._has_suspects:
            self._has_suspects = True
            self._spawn(self._start(is_for_suspects=True))

    def _knows(self, match: _Match) -> bool:
        return self._matches.get(match.source.match_id) is match

    def _give_up(self, job: _Job) -> None:
        """Two workers have died of one request."""
        log.error("match %s: two workers died of one entry", job.match.source.match_id.hex()[:8])
        if job.request.kind == "fold":
            self._tell(job, Answer(refused=Code.TOO_COSTLY))
        else:
            self._tell(job, Answer(failed=phrase("wrong.room.worker")))

    def _spawn(self, work: Coroutine[object, object, None]) -> "asyncio.Task[None]":
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _flows(job: _Job) -> tuple[Flow, Flow]:
    account = None if job.payer is None else job.payer.account
    return account or job.match, job.match


def _first_of_matches(jobs: Iterable[_Job]) -> Iterable[_Job]:
    """Return the jobs of which each is the first of its match."""
    first: dict[int, _Job] = {}
    for job in jobs:
        first.setdefault(id(job.match), job)
    return first.values()


def _is_cheap(match: _Match) -> bool:
    """Tell if a match may be folded again at another worker."""
    return match.microseconds <= WORKER_MOVE_SECONDS * 1_000_000


async def _read_frame(reader: asyncio.StreamReader) -> bytes:
    """Raises: OSError, EOFError, RemoteError."""
    return await reader.readexactly(frame_size(await reader.readexactly(LENGTH_BYTES)))


def _kill(process: WorkerHandle) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()


def _close(worker: _Worker, match: _Match) -> None:
    """Tell a worker to forget a match that it has open."""
    if match in worker.matches:
        worker.matches.discard(match)
        worker.writer.write(encode_request(Request("close", match.source.match_id)))


def _opening(source: FoldSource) -> Iterator[Request]:
    """Generate the requests by which a worker folds a match as far as it stands."""
    first, *rest = source.folded
    yield Request("open", source.match_id, (source.table_key, first.entry, source.worker_seed, []))
    for portion in split_records(rest):
        yield Request("repeat", source.match_id, (encode_records(portion),))
