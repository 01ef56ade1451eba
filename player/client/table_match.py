"""A match at a table, on the client's side: refusals, the pending entry, reconnections and table
talk.

The module has no socket. `read` takes the entries of the table; `next_post` returns the next entry to
send. `player.client.match_replica` has what is the same without a table.
"""

from collections import deque
from contextlib import suppress

from player.client import events
from player.client.deterministic_seat import DeterministicSeat
from player.client.environment import Environment
from player.client.lapse_disputes import LapseDisputes
from player.client.match_replica import MatchReplica
from player.client.rejections import PendingPost, RejectionAnswer, Rejections, why_stopped
from player.client.table_talk import Seated, TableTalk
from player.storage.agreement import Agreement
from player.storage.log_store import LogStore
from player.storage.recovery_state import RecoveryState
from protocol.codes import Code
from protocol.crypto.seeded_random import SEED
from protocol.dealing import TABLE, Fault
from protocol.errors import LocalError, RemoteError
from protocol.games.registry import UnknownRules, unknown_rules_phrase
from protocol.limits import MAX_TAIL_KEPT
from protocol.match.log import Entry, Log, Record, decode_entry
from protocol.match.log_reader import DamagedLog, LogReader
from protocol.match.narration import doubt_phrase
from protocol.match.refusal import Refusal
from protocol.match.state import Match
from protocol.messages.claim import SignedClaim
from protocol.session.ticket import Ticket
from protocol.view.phrase import phrase


class TableMatch(MatchReplica):
    """The state of one match, from the first entry to the end, across connections."""

    other_match_key = "wrong.log.other_match.move"

    def __init__(
        self,
        agreement: Agreement,
        entries: int,
        environment: Environment,
        memory: RecoveryState | None = None,
    ) -> None:
        super().__init__(agreement.seat, environment)
        self.agreement = agreement
        self._memory = memory
        # the newest claim of a host that this seat has met
        self.newest_claim = None if memory is None else memory.claim()
        self._refusals = Rejections(environment.tell)
        self._doubts = LapseDisputes(environment.steady, environment.now)
        # entries that stood at the (re)join: nothing is posted before they have been read
        self._entries_at_join = entries
        # the first entry that the table has lost, if that is below our own number
        self.lost_from = entries
        self._pending: PendingPost | None = None
        # the head that our newest entry of an earlier run had seen
        self._answered_head: tuple[int, bytes] = (-1, b"")
        self._talk = TableTalk(environment)
        # the end of the log, for a client without a log file
        self.newest_records: deque[Record] = deque(maxlen=MAX_TAIL_KEPT)
        # the newest ticket: it brings our seat back to a table that is full
        self.ticket: Ticket | None = None
        self._ticket_kept = True  # the newest ticket is stored
        self._proven = False  # signatures of the table prove to anybody that it lied

    @classmethod
    def restore(cls, memory: RecoveryState, environment: Environment) -> "TableMatch":
        """Return the match of an earlier run, from its stored seed, log and outbox.

        Raises: LocalError if the log cannot be read or written.
        """
        playing = cls(memory.agreement, 0, environment, memory)
        playing._restore(memory.records(), as_new=False)
        playing._take_outbox(memory.last())
        playing.ticket = memory.ticket()
        # more than the earlier run can have reached: nobody makes a remark in each millisecond
        playing._talk.said = int(environment.now() * 1000)
        if playing.reader is not None:
            environment.tell(events.Started(playing.reader.match, memory.agreement.seat))
        return playing

    def _take_outbox(self, raw: bytes | None) -> None:
        """Take over the entry of the stored outbox as the pending one, unless it stands in the log."""
        if raw is None:
            return
        entry = decode_entry(raw)
        self._answered_head = entry.seen_number, entry.seen_hash
        if self.reader is None or entry.sequence >= self.reader.log.sequence(entry.author):
            self._pending = PendingPost(raw, entry.sequence, entry.seen_number)
            self.leaving = self.leaving or entry.kind == "leave"

    @property
    def caught_up(self) -> bool:
        """Return True when all entries that stood at the table at the (re)join have been read, and
        answered once.
        """
        return self.number >= self._entries_at_join and self.number > self._answered_head[0]

    @property
    def live(self) -> bool:
        """Tell if the newest entry came when it was written, as the first one of a match does."""
        return self.number > self._entries_at_join or self._entries_at_join == 1

    @property
    def settled(self) -> bool:
        """Return True if the match can need nothing more of this seat: it is over, this seat has
        left, or the table is proven to lie.

        An end without proof does not count: without its seed and outbox the seat would sign a
        number a second time.
        """
        if self.reader is None:
            return False
        return self._proven or self.reader.over or self.own in self.reader.match.gone

    @property
    def over(self) -> bool:
        """Return True if nothing more is to be done here. That holds as soon as the table is accused,
        even if it may still show the right log.
        """
        return super().over or bool(self.found)

    @property
    def refusals(self) -> tuple[Code, ...]:
        """Return why the table refused entries of this seat, each time."""
        return tuple(self._refusals.codes)

    def forget(self) -> None:
        """Delete the stored state of a match that is settled."""
        try:
            if self._memory is not None:
                self._memory.end()
        except LocalError as error:  # the outcome stands all the same
            self._tell(events.Notice(error.phrase))

    def rejoin(self, entries: int) -> None:
        """Go on over a new connection. `entries`: the entries that stand at the table. The pending
        entry may have been lost.

        A spectator may have read more at another host than the present one has: the rest will come.
        """
        self._entries_at_join = max(entries, self.number)
        self.lost_from = entries
        # the table states both anew
        self.absent = frozenset()
        self.trips = {}
        if self.own is not None and (entries < self.number or entries <= self._answered_head[0]):
            self._tell(events.Notice(phrase("notice.table_lacks")))

    def take_claim(self, claim: SignedClaim) -> None:
        """Take the newest claim of a host. It is on disk before anything else is sent."""
        if claim == self.newest_claim:
            return
        self.newest_claim = claim
        try:
            if self._memory is not None:
                self._memory.meet(claim)
        except LocalError as error:  # this run shows it all the same
            self._tell(events.Notice(error.phrase))

    def unanswered(self) -> bytes | None:
        """Return the pending entry, to be sent again on a new connection: the same bytes, never a
        second version. None if there is none.
        """
        if self._pending is not None and self.caught_up and not self.over:
            return self._pending.raw
        return None

    # --- tickets ---

    def take_ticket(self, ticket: Ticket) -> None:
        """Take a ticket of the table for the own seat. The new ticket and the one before count
        until the new one is stored.
        """
        self.ticket, self._ticket_kept = ticket, False

    def keep_ticket(self) -> Ticket | None:
        """Store the newest ticket with the match. Return it once it is stored; otherwise None.

        A match is on disk only after its first entry. If the disk does not take the ticket, the
        stored one stays valid.
        """
        if self._ticket_kept or self.ticket is None or self.reader is None:
            return None
        self._ticket_kept = True
        try:
            if self._memory is not None:
                self._memory.put_ticket(self.ticket)
        except LocalError:
            return None
        return self.ticket

    # --- what the table sends ---

    def read(self, number: int, raw: bytes, head: bytes) -> None:
        """Take the entry of this number from the table."""
        if self.over:
            return
        if number > self.number:
            # a gap: the connection loses nothing, so the table has left an entry out
            self._accuse(number, Code.BAD_MESSAGE)
        elif self.reader is None:
            self._read_first(raw, head)
        elif number < self.number:
            self._compare(number, raw, head)
        else:
            try:
                self._read_next(raw, head)
            except DamagedLog as damage:
                self._accuse(number, damage.code)
                self._set_aside(number, raw, head)

    def _read_first(self, raw: bytes, head: bytes) -> None:
        try:
            reader = LogReader(raw, head, self._environment.games)
        except UnknownRules as unknown:
            self.stopped = unknown_rules_phrase(unknown)
            return
        except DamagedLog as damage:
            self._accuse(0, damage.code)
            return
        code = self._broken_by(reader.log)
        if code is None:
            self._begin(reader, raw, head)
            return
        self.reader = reader
        if self._memory is None:  # otherwise the log file belongs to the stored match
            self.store = self._open_store(0)  # the entry is evidence
            self._keep(raw, head)
        self._accuse(0, code)

    def _follow(self, before: Match, entry: Entry | None, as_new: bool = True) -> None:
        assert self.reader is not None
        if (
            self._answered_head[0] == self.number - 1
            and self._answered_head[1] != self.reader.log.chain_hashes[-1]
        ):
            # a crash took our log, but our posted entry names another head for this number
            self._accuse(self.number - 1, Code.TABLE_FORKED)
            return
        super()._follow(before, entry, as_new)
        if entry is not None and self.own is not None:
            self._doubts.check_lapse(before, entry)
            # nothing can be posted any more: the doubt goes to the own person alone
            if self.over and (doubt := self._doubts.take_doubt()):
                match, (_, most) = self.reader.match, doubt.body
                self._tell(events.Notice(doubt_phrase(match.clock.lapses[-1], self.own, most)))

    def refused(self, refusal: Refusal) -> bool:
        """Handle a refusal of the own entry. Return True to send the same bytes again.

        Where the entry can stand by the own fold, nothing else is signed in its place: otherwise a
        table could make this seat leave. An entry that was overtaken is dropped, and another one
        follows. An entry that never could stand ends the match here. Raises: RemoteError if the
        table did not sign the refusal.
        """
        pending = self._pending
        reader = self.reader
        if (
            self.over
            or reader is None
            or not self.caught_up
            or pending is None
            or not pending.is_refused_by(refusal)
        ):
            return False
        answer = self._refusals.answer(reader, self.store, pending, refusal)
        if answer is RejectionAnswer.ACCUSE:
            self._accuse(refusal.number, Code.TABLE_FORKED, proven=True)
        elif answer is RejectionAnswer.STOP:
            self.stopped = why_stopped(refusal.code, self.remembered)
        elif answer is RejectionAnswer.DROP:
            self._pending = None
            if self.number == pending.seen_number + 1:
                if self.leaving:
                    self.stopped = phrase("stop.table.refused")
                else:
                    self.stopped = None
                self.leaving = True
        return answer is RejectionAnswer.REPEAT

    def _is_ours(self, steady: DeterministicSeat, entry: Entry) -> bool:
        if self._pending is not None and entry.sequence >= self._pending.sequence:
            pending = self._pending
            self._pending = None
            if entry.raw == pending.raw:
                self._doubts.note_accepted(self.number - 1)
                return True
        return super()._is_ours(steady, entry)

    def _handle_foreign_entry(self) -> None:
        self._tell(events.Notice(phrase("notice.another_run")))
        self.leaving = True

    def _compare(self, number: int, raw: bytes, head: bytes) -> None:
        try:
            super()._compare(number, raw, head)
        except RemoteError:
            self._accuse(number, Code.BAD_SIGNATURE)
            return
        if self.found:
            # another first entry may belong to another match, and be right there
            self._report_accusation(proven=number > 0)

    def _accuse(self, number: int, code: Code, *, proven: bool = False) -> None:
        self.found += (Fault(TABLE, number, code),)
        self._report_accusation(proven)

    def _report_accusation(self, proven: bool) -> None:
        """Note an accusation of the table. If nothing proves it to others, the match is kept, and a
        notice tells the person what to do.
        """
        self._proven = self._proven or proven
        if self.remembered and not self.settled:
            self._tell(events.Notice(phrase("notice.named.kept")))

    def _broken_by(self, log: Log) -> Code | None:
        return self.agreement.broken_by(log.setup, log.match_id)

    # --- what our seat does ---

    def next_post(self) -> bytes | None:
        """Return our next entry; None if we have nothing to post, or if an entry is pending. Raises:
        LocalError.
        """
        if (
            self.over
            or self._own_seat is None
            or self.reader is None
            or self._pending
            or not self.caught_up
        ):
            return None
        if self._memory is not None and self.store is None:
            raise LocalError("wrong.log.behind", path=str(self._memory.log_path))
        # doubts come before choices, and after the posts for which others wait
        if self.leaving or self._own_seat.due:
            doubt = None
        else:
            doubt = self._doubts.take_doubt()
        post = doubt or self._next_post()
        if post is None:
            return None
        log = self.reader.log
        raw = self._own_seat.seat.entry(log, post)
        if self._memory is not None:
            self._sync(self._memory)
            self._memory.put(raw)
        self._pending = PendingPost(
            raw, log.sequence(self._own_seat.seat.number), log.next_number - 1
        )
        self._doubts.note_sent()
        return raw

    # --- table talk ---

    def say(self, remark: str) -> list[tuple[int, bytes]]:
        """Return the envelopes of a remark for all other seats. Raises: LocalError if it cannot be
        sent now.
        """
        return self._talk.say(remark, self._seated)

    def hear(self, sender: int, envelope: bytes) -> None:
        """Take table talk from another seat. It is dropped unless it is new and that seat's."""
        self._talk.hear(sender, envelope, self._seated)

    @property
    def _seated(self) -> Seated:
        if self.reader is None or self.seat is None:
            return None
        return (self.seat, self.reader.match)

    # --- on disk ---

    def _seed(self) -> bytes:
        if self._memory is not None:
            return self._memory.seed
        seed = self._environment.rng.randbytes(SEED)
        if self._environment.files is not None:
            self._memory = self._environment.files.remember(
                self.agreement, seed, self._environment.brings
            )
            if self._memory is not None and self.newest_claim is not None:
                self._memory.meet(self.newest_claim)
        return seed

    def _stored_match(self) -> RecoveryState | None:
        return self._memory

    def _open_store(self, entries: int) -> LogStore | None:
        if self._memory is not None:
            return self._memory.open_store(entries)
        files = self._environment.files
        if files:
            return files.open_store(self.agreement.match_id)
        return None

    def _keep(self, raw: bytes, head: bytes) -> None:
        self.newest_records.append(Record(raw, head))
        if self.store is None:
            return
        try:
            ours = self._pending is not None and raw == self._pending.raw
            # only a live entry has a time of arrival
            self.store.append(
                raw, head, self.live, self._doubts.pending_seconds() if ours else None
            )
        except LocalError as error:  # the game goes on: the table and the others keep the log too
            self._drop_store()
            self._tell(events.Notice(error.phrase))

    def _drop_store(self) -> None:
        """Close the log on disk for good. If another run would continue from it, this run posts no
        further entry (`next_post`).
        """
        if self.store is not None:
            with suppress(LocalError):
                self.store.close()
        self.store = None

    def _sync(self, memory: RecoveryState) -> None:
        """Flush the log to the disk up to the head that the own entry names: otherwise a power cut and
        a forked log could make this seat sign a second entry. Raises: LocalError.
        """
        try:
            if self.store is not None:
                self.store.sync()
        except LocalError:
            self._drop_store()
            raise LocalError("wrong.log.behind", path=str(memory.log_path)) from None
