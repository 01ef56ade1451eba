"""A hosted match whose entries another process folds."""

from collections.abc import Callable, Generator, Sequence
from functools import partial

from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.errors import LocalError, Refused
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.match.fold import begin
from protocol.match.log import NO_HASH, EntryContent, Log, Record, decode_entry, encode_content
from protocol.match.setup import KIND, Setup
from table.match.hosted_log import FoldCallback, HostedLog
from table.match.seed_seal import unseal_seed
from table.match.status import ClockDuty, MatchStatus, clock_duties, status_of
from table.match.stored_outcomes import count_known
from table.signer import requests
from table.signer.signer import Key, signer_of
from table.storage.interface import OpenMatch
from table.workers.messages import Answer, JudgedRecord, Result
from table.workers.pool import FoldPool

Opened = Callable[["WorkerMatch | LocalError"], None]


class WorkerMatch(HostedLog):
    """The chain of one match here, its fold in a worker. See `open_new` and `claimed_parts`."""

    def __init__(self, key: Key, log: Log, seed: bytes, first: bytes, pool: FoldPool) -> None:
        super().__init__(key, log, seed, first)
        self._pool = pool
        self._status: MatchStatus | None = None
        self._duties: tuple[ClockDuty, ...] = ()
        self._due: Post | None = None  # the entry that the table must post
        self._folded = 1  # entries that the fold has answered for, or is to begin with

    # --- FoldSource ---

    @property
    def match_id(self) -> bytes:
        """See `FoldSource`."""
        return self.log.match_id

    @property
    def table_key(self) -> bytes:
        """See `FoldSource`."""
        return self.setup.table.key

    @property
    def worker_seed(self) -> bytes | None:
        """See `FoldSource`."""
        return self.seed if self.setup.dealing.needs_table else None

    @property
    def folded(self) -> Sequence[JudgedRecord]:
        """See `FoldSource`."""
        return [
            JudgedRecord(
                self.entries[number],
                self.records[number].head if number < len(self.records) else b"",
                self.outcomes.get(number),
            )
            for number in range(self._folded)
        ]

    # --- HostedLog ---

    @property
    def status(self) -> MatchStatus:
        """See `HostedLog`."""
        assert self._status is not None
        return self._status

    @property
    def busy(self) -> bool:
        """See `HostedLog`."""
        return self._folded < len(self.entries)

    def clock_duties(self) -> tuple[ClockDuty, ...]:
        """See `HostedLog`."""
        return self._duties

    def fold(self, raw: bytes, seat: int, done: FoldCallback) -> None:
        """See `HostedLog`."""
        self._pool.fold(self.match_id, seat, raw, partial(self._on_folded, raw, done))

    def answer(self) -> None:
        """See `HostedLog`."""
        if self._owed is None:
            self._owed = self._due

    def take_back(self, records: Sequence[Record]) -> None:
        """See `HostedLog`. The heads have been checked, so the entries stand before they are
        folded.
        """
        for record in records:
            try:
                self._append(record.entry)
            except Refused:
                raise LocalError("wrong.room.records") from None
        if records:
            self._pool.repeat(self.match_id, records, partial(self._on_repeated, len(records)))

    def post_clock(self, post: Post) -> None:
        """See `HostedLog`."""
        self._owed = post

    def close(self) -> None:
        """See `HostedLog`."""
        self._pool.forget(self.match_id)

    # --- inside ---

    def _on_folded(self, raw: bytes, done: FoldCallback, answer: Answer) -> None:
        if answer.failed:
            self._fail(answer)
            done(Code.INTERNAL)
            return
        if answer.refused is None:
            self._append(raw)
            self._folded += 1
            self._take(answer, 1)
            self.answer()
        done(answer.refused)

    def _on_repeated(self, count: int, answer: Answer) -> None:
        self._folded += count
        if answer.failed:
            self._fail(answer)
        else:
            self._take(answer, count)
        self.changed()

    def _append(self, raw: bytes) -> None:
        self.log.append(decode_entry(raw))
        self.entries.append(raw)

    def _read_stamp(self, number: int, head: bytes, stamps: Sequence[bytes]) -> None:
        """Take note of the stored outcome of the newest entry, if its stamp holds."""
        stamp = stamps[number] if number < len(stamps) else b""
        if stamp:
            outcome = self.stamps().open(number, self.log.chain_hashes[-1], head, stamp)
            if outcome is not None:
                self.outcomes[number] = outcome

    def _take(self, answer: Answer, count: int) -> None:
        """Take an answer that concerns the last `count` of the entries that the fold has answered
        for.
        """
        assert answer.result is not None
        self._status, self._duties, self._due = answer.result
        judged = answer.outcomes[len(answer.outcomes) - count :]
        self.outcomes.update(enumerate(judged, self._folded - count))

    def _fail(self, answer: Answer) -> None:
        assert answer.failed is not None
        self.failed = LocalError(answer.failed)


def open_new(key: Key, setup: Setup, seed: bytes, pool: FoldPool) -> WorkerMatch:
    """Begin a match. Raises: SignerGone, if its first entry cannot be signed now."""
    content = encode_content(EntryContent(TABLE, 0, (0, NO_HASH), KIND, setup.body()))
    first = signer_of(key).ask(requests.first_entry(content))
    live = WorkerMatch(key, Log(first, setup.games), seed, first, pool)
    match = begin(live.setup, live.match_id)
    live._take(Answer(result=Result(status_of(match), clock_duties(match), None)), 0)
    pool.add(live)
    return live


def claimed_parts(
    key: Key, found: OpenMatch, pool: FoldPool, games: Games = BUILT_IN
) -> Generator[None, None, WorkerMatch]:
    """Go on with a match as a claim found it, with a stop after each entry. `open_folded` follows.

    Raises: LocalError if its records or its seed are not ours.
    """
    seed = unseal_seed(key, found.match_id, found.seed)
    try:
        first = found.records[0].entry
        log = Log(first, games)
        if log.setup.table.key != key.public:
            raise LocalError("wrong.room.key")
        live = WorkerMatch(key, log, seed, first, pool)
        for number, record in enumerate(found.records[1:], 1):
            live._append(record.entry)
            live._read_stamp(number, record.head, found.stamps)
            yield
    except UnknownRules as unknown:
        raise LocalError("wrong.room.unknown", why=unknown.phrase) from None
    except (Refused, IndexError):
        raise LocalError("wrong.room.records") from None
    live.claim, live.counted = found.claim, found.counted
    live.adopt_stored(found.records)
    live.stored(0, stamps=count_known(live.outcomes))
    live._folded = len(found.records)
    return live


def open_folded(live: WorkerMatch, pool: FoldPool, done: Opened) -> None:
    """Have a worker fold a match that was claimed, and tell `done` then."""

    def opened(answer: Answer) -> None:
        if answer.failed:
            pool.forget(live.match_id)
            done(LocalError(answer.failed))
        else:
            live._take(answer, live._folded - 1)
            done(live)

    pool.add(live)
    pool.open(live.match_id, opened)
