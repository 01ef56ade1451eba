"""One match as this client lives it: every entry and head is checked, and its seat answers.

No socket here. `read` takes what the table sends; `next_post` gives the one entry to send, if there is one.

A program that was killed reads its own log again (`restore`) and has what it had: see `player.seat.deterministic`.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import NamedTuple

from bots.registry import Bot
from player import events
from player.disk.memory import Memory
from player.disk.store import Store
from player.seat.agreement import Agreement
from player.seat.choosing import Choosing
from player.seat.deterministic import DeterministicSeat
from player.seat.seat import Seat
from protocol.audit.report import not_here
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.crypto.stream import SEED
from protocol.dealing import TABLE, Fault, Post
from protocol.errors import LocalError, RemoteError
from protocol.games import Action
from protocol.games.registry import BUILT_IN, Games, UnknownRules
from protocol.identity.keys import Identity, verify
from protocol.match.fold import Match
from protocol.match.log import NO_HASH, Entry, decode_entry
from protocol.match.reader import Damaged, Reader
from protocol.match.roster import roster_digest
from protocol.messages.talk import Talk


@dataclass(frozen=True)
class Environment:
    """What a client plays with. `chooser` None: a person does, through `Client.choose`.

    `remember` begins the memory of a match from what was agreed on and the seed; with it, its log is kept there too.
    """

    identity: Identity
    rng: Random
    seat_type: type[Seat]
    chooser: Bot | None
    open_store: Callable[[bytes], Store] | None  # by match id; None: nothing is kept
    tell: Callable[[events.Event], None]
    remember: Callable[[Agreement, bytes], Memory] | None = None  # None: the match does not survive this process
    games: Games = BUILT_IN


class _UnderWay(NamedTuple):
    """Our entry that is on its way into the log."""

    raw: bytes
    sequence: int
    seen_number: int


class Playing:
    """The state of one match, from the first entry to the end, across connections."""

    def __init__(
        self, agreement: Agreement, entries: int, environment: Environment, memory: Memory | None = None
    ) -> None:
        self.agreement, self._environment, self._memory = agreement, environment, memory
        self.reader: Reader | None = None
        self._steady: DeterministicSeat | None = None
        self.store: Store | None = None
        self.leaving = False
        self.refusals: list[Code] = []
        self.stopped: str | None = None  # why we do not go on although the match is not over, as a sentence
        self._entries = entries  # how many there were when we (re)joined: nothing is answered before those
        self._found: list[Fault] = []  # against the table, beside those of the reader
        self._pending: _UnderWay | None = None
        self._repeated = False  # whether it was sent again
        self._relied: tuple[int, bytes] = (-1, b"")  # the head that our newest entry of an earlier run had seen
        self._choosing = Choosing(environment.chooser, environment.rng, environment.tell)
        self._talk: Talk | None = None
        self._said = 0  # the counter of the newest remark that an earlier run of this program may have made

    @classmethod
    def restore(cls, memory: Memory, environment: Environment) -> "Playing":
        """The match as it stood when this program was killed, from its seed, its log and its outbox.

        Raises: LocalError if the log cannot be read or written.
        """
        playing = cls(memory.agreement, 0, environment, memory)
        records = memory.records()
        good = playing._read_own(records)
        if good:
            playing._open_store(memory.agreement.match_id, good)
        playing._take_outbox(memory.last())
        playing._said = time.time_ns() // 1_000_000  # nobody makes a remark a millisecond
        if playing.reader is not None:
            environment.tell(events.Started(playing.reader.match, memory.agreement.seat))
        return playing

    def _read_own(self, records: list[tuple[bytes, bytes]]) -> int:
        """Read our own log; how many of its records are good. After a crash the last may be no more than half there."""
        good = 0
        for raw, head in records:
            try:
                entry = self._read_own_record(raw, head)
            except Damaged:
                break
            if entry is not None:
                self._follow(entry)
            good += 1
        return good

    def _read_own_record(self, raw: bytes, head: bytes) -> Entry | None:
        """An entry after the first that stands. Raises: Damaged."""
        if self.reader is not None:
            return self.reader.feed(raw, head)
        try:
            reader = Reader(raw, head, self._environment.games)
        except UnknownRules as unknown:
            raise LocalError(not_here(unknown)) from None
        if self.agreement.broken_by(reader.log.setup, reader.log.match_id) is not None:
            raise LocalError("The log of the unfinished match is another match's. Move it away to go on without it.")
        self.reader = reader
        self._take_seat(reader)
        return None

    def _take_outbox(self, raw: bytes | None) -> None:
        """What was about to be sent is sent again, as the same bytes, unless it stands in the log."""
        if raw is None:
            return
        entry = decode_entry(raw)
        self._relied = entry.seen_number, entry.seen_hash
        if self.reader is None or entry.sequence >= self.reader.log.sequence(entry.author):
            self._pending = _UnderWay(raw, entry.sequence, entry.seen_number)
            self.leaving = self.leaving or entry.kind == "leave"

    @property
    def seat(self) -> Seat | None:
        """Our seat; None for a spectator, and before the first entry."""
        return self._steady.seat if self._steady else None

    @property
    def own(self) -> int | None:
        """Our seat's number; None for a spectator."""
        return self.agreement.seat

    @property
    def number(self) -> int:
        """The number of the next entry to read."""
        return self.reader.log.number if self.reader else 0

    @property
    def caught_up(self) -> bool:
        """Whether we have read all that stood at the table when we (re)joined, and all that we have answered once."""
        return self.number >= self._entries and self.number > self._relied[0]

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All that were found."""
        return (self.reader.faults if self.reader else ()) + tuple(self._found)

    @property
    def over(self) -> bool:
        """Whether there is nothing more to do here."""
        return self.stopped is not None or self.settled

    def _nothing_to_do(self) -> bool:
        """The match is over, or goes on without our seat, which has left it."""
        assert self.reader is not None
        return self.reader.over or (self.seat is not None and self.seat.number in self.reader.match.gone)

    @property
    def settled(self) -> bool:
        """Whether the match can need nothing more of us: it is over, we have left it, or the table is caught."""
        return bool(self._found) or (self.reader is not None and self._nothing_to_do())

    @property
    def remembered(self) -> bool:
        """Whether another run of the program can go on with it."""
        return self._memory is not None

    def close(self) -> None:
        """Close the log: nothing more is read."""
        if self.store is not None:
            self.store.close()

    def forget(self) -> None:
        """Drop what is remembered for going on."""
        if self._memory is not None:
            self._memory.forget()

    def rejoin(self, entries: int) -> None:
        """A new connection: this many entries stand at the table. What is under way may have been lost."""
        self._entries = max(entries, self.number)
        if entries < self.number or entries <= self._relied[0]:
            self.stopped = "the table has lost a part of the log that it had signed"

    def unanswered(self) -> bytes | None:
        """Our entry under way, to be sent again on a new connection (the same bytes, never a second version)."""
        if self._pending is None or not self.caught_up:
            return None
        self._repeated = True
        return self._pending.raw

    # --- what the table sends ---

    def read(self, number: int, raw: bytes, head: bytes) -> None:
        """The table's entry of this number."""
        if self.over:
            return
        if number > self.number:
            self._accuse(number, Code.BAD_MESSAGE)  # a gap: the connection loses nothing, so the table did
        elif self.reader is None:
            self._read_first(raw, head)
        elif number < self.number:
            self._read_again(self.reader, number, raw, head)
        else:
            self._read_next(self.reader, raw, head)

    def refused(self, entry_hash: bytes, code: Code) -> None:
        """The table refused our entry. Honest if it had been overtaken; else there is no going on."""
        if self._pending is None or sha256(self._pending.raw).digest() != entry_hash:
            return
        if code is Code.WRONG_SEQUENCE and self._repeated:
            return  # the table had it already: it is on its way to us
        overtaken = self.number > self._pending.seen_number + 1
        was_leaving, self._pending = self.leaving, None
        self.refusals.append(code)
        self._environment.tell(events.Declined(code))
        if overtaken:
            return
        if was_leaving or self.seat is None:
            self.stopped = "the table refused this player's entry"
        self.leaving = True

    def _read_first(self, raw: bytes, head: bytes) -> None:
        try:
            self.reader = Reader(raw, head, self._environment.games)
        except UnknownRules as unknown:
            self.stopped = not_here(unknown)
            return
        except Damaged as damage:
            self._accuse(0, damage.code)
            return
        match_id = self.reader.log.match_id
        code = self.agreement.broken_by(self.reader.log.setup, match_id)
        if code is None:
            self._take_seat(self.reader)  # before there is a log file: what is remembered says where that is
        self._open_store(match_id, 0)
        self._keep(raw, head)
        if code is not None:
            self._accuse(0, code)
            return
        self._environment.tell(events.Started(self.reader.match, self.agreement.seat))

    def _take_seat(self, reader: Reader) -> None:
        """Make our seat's secrets, from a seed that is on disk before anything that depends on it is posted."""
        if self.agreement.seat is None:
            return
        seed = self._environment.rng.randbytes(SEED) if self._memory is None else self._memory.seed
        if self._memory is None and self._environment.remember is not None:
            self._memory = self._environment.remember(self.agreement, seed)
        self._steady = DeterministicSeat(
            self._environment.seat_type, self._environment.identity, self.agreement.seat, seed, reader
        )

    def _read_again(self, reader: Reader, number: int, raw: bytes, head: bytes) -> None:
        """An entry whose number we hold: the same again is no harm, another one is a fork."""
        before = reader.log.hashes[number - 1] if number else NO_HASH
        hashed = digest("chain", before, number, raw)
        if hashed == reader.log.hashes[number]:
            return
        match_id = reader.log.match_id if number else hashed
        try:
            verify(reader.log.setup.table.key, head, "head", match_id, number, hashed)
        except RemoteError:
            self._accuse(number, Code.BAD_SIGNATURE)
            return
        self._accuse(number, Code.TABLE_FORKED)
        self._set_aside(number, raw, head)

    def _read_next(self, reader: Reader, raw: bytes, head: bytes) -> None:
        before = reader.match
        try:
            entry = reader.feed(raw, head)
        except Damaged as damage:
            self._accuse(self.number, damage.code)
            self._set_aside(self.number, raw, head)
            return
        self._keep(raw, head)
        if self._relied[0] == self.number - 1 and self._relied[1] != reader.log.hashes[-1]:
            self._accuse(self.number - 1, Code.TABLE_FORKED)  # a crash took the log that we had answered, not our word
        elif entry is not None:
            self._read_good(before, entry, reader.match)

    def _read_good(self, before: Match, entry: Entry, match: Match) -> None:
        if not self._follow(entry):
            return
        if entry.kind == "nonce" and (words := roster_digest(match)) is not None:
            self._environment.tell(events.Roster(match, words))
        self._environment.tell(events.Happened(before, entry, match))

    def _follow(self, entry: Entry) -> bool:
        """Keep our seat in step with the log; False for an entry of our seat that is not ours."""
        steady = self._steady
        if steady is None:
            return True
        if entry.author == steady.seat.number and not self._is_ours(steady, entry):
            return False
        if not self.leaving:
            steady.follow()
        return True

    def _is_ours(self, steady: DeterministicSeat, entry: Entry) -> bool:
        """Whether an entry of our seat is of this run of the program, or of an earlier one with the same seed."""
        if self._pending is not None and entry.sequence >= self._pending.sequence:
            pending, self._pending = self._pending, None
            if entry.raw == pending.raw:
                return True
        if self.leaving or steady.would_post(entry):
            return True
        notice = "This seat was begun by another run of this program, which alone has its keys. Leaving the match."
        self._environment.tell(events.Notice(notice))
        self.leaving = True
        return False

    def _accuse(self, number: int, code: Code) -> None:
        self._found.append(Fault(TABLE, number, code))

    # --- what our seat does ---

    def next_post(self) -> bytes | None:
        """Our next entry, if it is for us to post one and none is under way."""
        if self.over or self._steady is None or self.reader is None or self._pending or not self.caught_up:
            return None
        match = self.reader.match
        post = Post("leave", []) if self.leaving else self._steady.due or self._choosing.move(self._steady, match)
        if post is None:
            return None
        raw = self._steady.seat.entry(self.reader.log, post)
        if self._memory is not None:
            if self.store is not None:
                self.store.sync()  # what the entry has seen; else a power cut and a forked log make us sign anew
            self._memory.put(raw)
        log = self.reader.log
        self._pending = _UnderWay(raw, log.sequence(self._steady.seat.number), log.number - 1)
        self._repeated = False
        return raw

    def choose(self, action: Action) -> None:
        """A person's choice for the present turn."""
        if self.reader is not None:
            self._choosing.choose(self.reader.match, action)

    # --- table talk ---

    def say(self, remark: str) -> list[tuple[int, bytes]]:
        """Envelopes for everybody else, by seat. Raises `LocalError` if it cannot be said now."""
        talk = self._talk_ready()
        if talk is None:
            raise LocalError("Nobody can hear you yet: wait until everybody is seated.")
        return talk.say(remark, self._environment.rng)

    def hear(self, sender: int, envelope: bytes) -> None:
        """What the table brings from another seat; dropped unless it is new and that seat's."""
        talk = self._talk_ready()
        if talk is None:
            return
        try:
            remark = talk.hear(sender, envelope)
        except RemoteError:
            self._environment.tell(
                events.Notice("Something was said that did not come from the seat it claims; dropped.")
            )
            return
        self._environment.tell(events.Said(sender, remark))

    def _talk_ready(self) -> Talk | None:
        if self._talk is None and self.reader is not None and self.seat is not None:
            self._talk = self.seat.talk(self.reader.match, self._said)
        return self._talk

    # --- the log on disk ---

    def _open_store(self, match_id: bytes, records: int) -> None:
        if self._memory is not None:
            self.store = self._memory.open_store(records)
        elif self._environment.open_store is not None:
            self.store = self._environment.open_store(match_id)

    def _keep(self, raw: bytes, head: bytes) -> None:
        if self.store is None:
            return
        try:
            # What was there when we came says nothing about time, but for the first entry of a match that begins.
            self.store.append(raw, head, live=self.number > self._entries or self._entries == 1)
        except LocalError as error:  # the game goes on: the table and the others keep the log too
            self.store = None
            self._environment.tell(events.Notice(str(error)))

    def _set_aside(self, number: int, raw: bytes, head: bytes) -> None:
        if self.store is None:
            return
        try:
            path = self.store.set_aside(number, raw, head)
        except LocalError as error:  # the verdict stands without it
            self._environment.tell(events.Notice(str(error)))
            return
        self._environment.tell(events.Notice(f"What the table sent instead is kept in {path}"))
