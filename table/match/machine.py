"""A hosted match as a state machine: told what has happened, asked what to do next.

No socket, no store, no signer, no clock: the time comes in, in seconds of a clock that only goes
forward. `table.match.hosted_match` is the loop around it.

    told                                          stage that it concerns
    offer, checked                                delayed entries, queue, check
    stored                                        store
    heads_signed, own_entry_signed, denied        sign
    hear, came, left, give_back                   recovery of a lost tail
    reads, left, written, held_back, stood_still  clock
    drain                                         drain

    asked: ready(now) -> Ready, until that is empty

An entry passes the stages in the order of `Ready`: checked against the log, stored, its head
signed, sent. One change is at the store at a time; what is checked meanwhile goes with the next.
"""

import logging
from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple, TypeVar

from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.errors import LocalError
from protocol.i18n import english_text
from protocol.limits import CLOCK_LINE_SECONDS, STANDSTILL_SECONDS
from protocol.match.clock import CLOCK_KINDS, LAPSE
from protocol.match.log import ENDED, decode_entry
from protocol.messages.tail import HeldHead, LogTail
from table.match.clock import Tick, WaitTimes, tick
from table.match.hosted_log import HostedLog
from table.match.log_broadcaster import Party
from table.match.pending import DelayedEntries, EntryQueue, IncomingEntry
from table.match.status import ClockDuty
from table.match.tail_recovery import Forked, GivesWay, TailRecovery
from table.metrics import Metrics
from table.signer.requests import Request
from table.signer.signer import Denied
from table.storage.interface import NewRecords

log = logging.getLogger(__name__)

T = TypeVar("T")

CLOCK_PAUSE = 0.05  # seconds at least between two looks at the clock; finer than anybody notices

ClockRule = Callable[..., Tick]


class Stop(NamedTuple):
    """The match cannot go on at this table."""

    code: Code  # TABLE_FORKED, MATCH_STOPPED
    reason: str


class Ready(NamedTuple):
    """Work that can be done now, in this order. Each part is given once.

    An entry to check comes alone, when everything else is done.
    """

    stop: Stop | None = None  # then nothing follows any more
    claim_again: int | None = None  # entries from this number on give way; then nothing follows
    leave: bool = False  # the signer refuses: another host may go on with the match
    drained: bool = False  # all that was taken is stored and signed, and nothing more will be
    cut_off: tuple[Party, ...] = ()  # parties that send too much
    ask: tuple[tuple[Party, int], ...] = ()  # parties to ask for lost entries, from this number on
    store: NewRecords | None = None  # answered by `stored` or `lost`
    sign_heads: tuple[Request, ...] = ()  # answered by `heads_signed` or `denied`
    sign_own_entry: Request | None = None  # answered by `own_entry_signed` or `denied`
    send_from: int | None = None  # number of the first record that can be sent now
    check: IncomingEntry | None = None  # answered by `checked`


NOTHING = Ready()


class MatchMachine:
    """The stages of one match between its log, store, signer and parties."""

    def __init__(
        self,
        live: HostedLog,
        returning_seconds: float,
        metrics: Metrics,
        now: float,
        clock: ClockRule = tick,
        line_seconds: float = CLOCK_LINE_SECONDS,
    ) -> None:
        """`returning_seconds`: see `TailRecovery`. `clock`: see `table.match.clock.tick`.

        `line_seconds`: for how long a seat's connection may hold up its clock.
        """
        self.live, self._metrics, self._clock = live, metrics, clock
        self.recovery = TailRecovery(live, returning_seconds, metrics, now)
        self._line_seconds = line_seconds
        self._waits = WaitTimes(line_seconds)
        self._seats: dict[Party, int] = {}  # of the parties that read the log
        self._held_back: set[int] = set()  # seats whose connections are not read now
        self._asked_at: dict[str, float] = {}  # by stage: when it was asked what it owes
        self._delayed = DelayedEntries()
        self._queue = EntryQueue()
        self._cut_off: list[Party] = []
        self._checking = False
        self._storing = False
        self._signing_heads = False
        self._signing_own = False
        self._own_entry: IncomingEntry | None = None  # signed, and to be checked
        # a clock entry that the signer has signed and that is not due yet: it signs no other there
        self._early = b""
        self._sent = len(live.records)  # number of records that `send_from` has offered
        self._clock_at = now + CLOCK_PAUSE
        self._draining = False
        self._ending = False  # the host ends the match
        self._leaving = False
        self._stop: Stop | None = None
        self._gives_way: int | None = None  # entries from this number on
        self.closed = False  # nothing follows any more
        # tells if the time of a seat may be over, since it hears this table
        self.may_lapse: Callable[[int, float], bool] = lambda seat, now: True
        self._waits.begin(live.status, len(live.records), now)

    # --- told: entries ---

    def offer(self, entry: IncomingEntry, due: float) -> None:
        """Take an entry of a seat, to be checked from `due` on."""
        if self.closed or self._draining:
            return
        if due <= entry.arrived and not self._delayed.waits(entry.seat):
            self._enqueue(entry)
        elif not self._delayed.put(entry, due):
            self._cut_off.append(entry.party)

    def checked(self, entry: IncomingEntry, refused: Code | None, now: float) -> None:
        """The entry of `Ready.check` stands, or is refused with a code."""
        self._checking = False
        since = self._asked_at.pop("check", now)
        if refused is None:
            self._excuse(since, now)
        elif entry.seat != TABLE:
            # nobody stops a clock with entries that cannot stand, and least of all its own
            self._waits.charge(entry.seat, now)
        if entry.seat == TABLE and refused is not None:
            # it stood when it was signed; so these are other rules, or another log
            self.denied(Denied.FORK)

    def _enqueue(self, entry: IncomingEntry) -> None:
        if not self._queue.put(entry):
            self._cut_off.append(entry.party)

    # --- told: store and signer ---

    def stored(self, change: NewRecords, now: float) -> None:
        """The store has acknowledged the change of `Ready.store`."""
        self._storing = False
        self._answered("store", now)
        stamps = change.stamps.first + len(change.stamps.stamps)
        self.live.stored(change.first + len(change.entries), change.first, stamps)
        if not self.closed:
            self._attempt(self.recovery.check)

    def heads_signed(self, heads: Sequence[bytes], now: float) -> None:
        """The signer has signed the heads of `Ready.sign_heads`."""
        self._signing_heads = False
        self._answered("heads", now)
        if not self.closed:
            self.live.add_heads(heads)
            self._waits.begin(self.live.status, len(self.live.records), now)

    def own_entry_signed(self, raw: bytes, now: float) -> None:
        """The signer has signed the table's entry of `Ready.sign_own_entry`.

        It may be another clock entry, signed before a crash or before the signer was away, and not
        due now that the wait has begun anew. The signer signs no other one at its place; so it
        stands when it is due, unless a seat acts first.
        """
        self._signing_own = False
        self._answered("own entry", now)
        if self.closed:
            return
        self.live.clear_owed()
        if self._is_early(raw, now):
            self._early = raw
        else:
            self._own_entry = IncomingEntry(None, TABLE, raw, now)

    def denied(self, reason: Denied) -> None:
        """The signer refuses to sign for this match here, for good."""
        if not self.closed:
            last = len(self.live.records) - 1
            log.error(
                "match %s stops after entry %d, the signer refuses: %s",
                self._name,
                last,
                reason.value,
            )
            self._leaving = True

    # --- told: people ---

    def hear(self, holds: HeldHead) -> None:
        """Compare a head of ours that a seat shows, with a checked signature."""
        if not self.closed:
            self._attempt(lambda: self.recovery.hear(holds))

    def came(self, party: Party, seat: int | None, holds: HeldHead | None, now: float) -> None:
        """Note that a party is back."""
        if not self.closed:
            self.recovery.came(party, seat, holds, now)

    def left(self, party: Party, now: float) -> None:
        """Note that a party has gone."""
        self.recovery.left(party)
        seat = self._seats.pop(party, None)
        if seat is not None and seat not in self._seats.values():
            self._waits.left(seat, now)

    def give_back(self, party: Party, tail: LogTail) -> bool:
        """Take lost entries back from a party. Return False if it was not asked.

        Raises: RemoteError if they are not what was asked for.
        """
        if self.closed or self._draining:
            return True
        return self._attempt(lambda: self.recovery.take(party, tail)) is not False

    # --- told: time ---

    def reads(self, party: Party, seat: int, number: int, now: float) -> None:
        """A party of a seat reads the log from this number on, and has what is before."""
        self._seats[party] = seat
        self._waits.came(seat)
        self._waits.written(seat, number - 1, now)

    def written(self, seat: int, number: int, now: float) -> None:
        """The entries up to `number` have been written to the seat's connection."""
        self._waits.written(seat, number, now)

    def held_back(self, seats: set[int]) -> None:
        """Note the seats whose connections are not read now, because they or others send too much."""
        self._held_back = seats

    def stood_still(self, seconds: float, now: float) -> None:
        """The program stood still for so many seconds, until now."""
        self._waits.excuse(now - seconds, now)

    # --- told: the host ---

    def end(self) -> None:
        """Post the table's end of the match as soon as it may stand."""
        self._ending = True

    def drain(self) -> None:
        """Take nothing more; `Ready.drained` comes once nothing is at the store."""
        self._draining = True

    def close(self) -> None:
        """Stop all stages. Authors still have the entries that wait here."""
        self.closed = True
        self.recovery.close()
        self._queue.clear()
        self._delayed.clear()

    # --- asked ---

    def ready(self, now: float) -> Ready:
        """Return what can be done now; `NOTHING`: wait until `wake_at`, or until told something."""
        if self.closed:
            return NOTHING
        for entry in self._delayed.take_due(now):
            self._enqueue(entry)
        asked = self._recover(now)
        self._post_end(now)
        self._keep_time(now)
        if self.live.failed is not None and self._stop is None:
            self._stop = Stop(Code.MATCH_STOPPED, english_text(self.live.failed.phrase))
        if self._stop is not None or self._leaving:
            self.close()
            return Ready(stop=self._stop, leave=self._leaving)
        if self._gives_way is not None:
            self.close()
            return Ready(claim_again=self._gives_way)
        cut_off = self._cut_offs()
        change = self._next_change(now)
        heads = self._next_heads(now)
        own_entry = self._next_own_entry(now)
        first = self._next_send()
        if cut_off or asked or change or heads or own_entry or first is not None:
            return Ready(
                cut_off=cut_off,
                ask=asked,
                store=change,
                sign_heads=heads,
                sign_own_entry=own_entry,
                send_from=first,
            )
        if self._draining and not (self._storing or self._signing_heads):
            self.close()
            return Ready(drained=True)
        offered = self._next_check(now)
        return NOTHING if offered is None else Ready(check=offered)

    def wake_at(self, now: float) -> float:
        """Return when `ready` is to be asked again at the latest; infinity: not before it is told
        something.
        """
        if self.closed or self.over:
            return inf
        times = (self._delayed.next_due, self.recovery.until, self._clock_at)
        return min((time for time in times if time > now), default=inf)

    @property
    def looks_at(self) -> float:
        """The time of the next look at the clocks of the seats."""
        return self._clock_at

    @property
    def over(self) -> bool:
        """The match has ended, and its end is stored."""
        return self.live.status.over and self.durable

    @property
    def durable(self) -> bool:
        """Every entry of the log is stored and has its head."""
        return len(self.live.records) == self.live.log.next_number

    def has_early_entry(self, now: float) -> bool:
        """Tell if the signer will sign no clock entry here but one that is not due yet."""
        return bool(self._early) and self._is_early(self._early, now)

    def waited(self, seat: int, now: float) -> float:
        """Return the seat's time for its present duty in seconds: see `WaitTimes`."""
        return self._waits.seconds(self.live.status, seat, now)

    # --- stages ---

    def _cut_offs(self) -> tuple[Party, ...]:
        if not self._cut_off:
            return ()
        parties, self._cut_off = tuple(self._cut_off), []
        return parties

    def _recover(self, now: float) -> tuple[tuple[Party, int], ...]:
        """Look for lost entries, once all that is known is stored."""
        if not self.recovery.is_active:
            return ()
        if (
            self._draining
            or self.live.busy
            or self._own_entry_due
            or not (self.durable or self._lacks_heads)
        ):
            return ()
        waited = self.recovery.waits
        asked = self._attempt(lambda: self.recovery.requests(now)) or []
        if waited and not self.recovery.waits and self._stop is None:
            self._waits.begin(self.live.status, len(self.live.records), now, anew=True)
            self.live.answer()
        return tuple(asked)

    def _keep_time(self, now: float) -> None:
        """Post the clock entry that is due. While the store does not answer nobody's time runs out.
        An entry that came in time is checked first.
        """
        if now < self._clock_at or self.over:
            return
        again = CLOCK_PAUSE
        if self.live.signer.away:
            self._waits.begin(self.live.status, len(self.live.records), now, anew=True)
        elif self._may_post(now):
            duties = self.live.clock_duties()
            free = [duty for duty in duties if not self._is_held(duty, now)]
            post, again = self._clock(
                free, self.live.setup.allowance, lambda seat: self.waited(seat, now)
            )
            if len(free) < len(duties):
                again = CLOCK_PAUSE
            if post is not None and post.kind == LAPSE and not self.may_lapse(post.body[0], now):
                again = CLOCK_PAUSE
            elif post is not None:
                log.info("match %s: %s for seat %d", self._name, post.kind, post.body[0])
                self.live.post_clock(post)
                self._metrics.clock[post.kind] += 1
        self._clock_at = now + max(again, CLOCK_PAUSE)

    def _is_held(self, duty: ClockDuty, now: float) -> bool:
        """Tell if an entry of the seat came before a clock entry was due, or may have."""
        over = self.waited(duty.seat, now) - min(due.after for due in duty.due) / 1000
        if over < 0:
            return False
        if duty.seat in self._held_back and over < self._line_seconds:
            return True
        # what came to the system in time may have been read a little later
        latest = now - over + STANDSTILL_SECONDS
        return any(entries.has_of(duty.seat, latest) for entries in (self._delayed, self._queue))

    def _post_end(self, now: float) -> None:
        """Post the end of the match that the host wants. It is asked for again until the match is
        over: a signer may have signed another entry of the table at this place.
        """
        if not self._ending or not self.live.status.may_end or self.live.signer.away:
            return
        if self._may_post(now):
            log.info("match %s: ended by the host", self._name)
            self.live.post_clock(Post(ENDED, []))

    def _may_post(self, now: float) -> bool:
        """Tell if the table may post an entry of its own now."""
        busy = self._own_entry_due or self._checking or self._draining or self.live.busy
        return self.durable and not (busy or self.recovery.waits or self.has_early_entry(now))

    def _next_check(self, now: float) -> IncomingEntry | None:
        if self._checking or self._draining or self.live.busy:
            return None
        if self._own_entry is not None:
            entry, self._own_entry = self._own_entry, None
        elif not self._queue or self.recovery.waits or self._own_entry_due:
            return None
        else:
            entry = self._queue.take()
        self._checking = True
        self._asked_at["check"] = now
        return entry

    def _next_change(self, now: float) -> NewRecords | None:
        if self._storing or self._unsigned or self.durable or self._draining:
            return None
        self._storing = True
        self._asked_at["store"] = now
        return self.live.change()

    def _next_heads(self, now: float) -> tuple[Request, ...]:
        if self._signing_heads or not self._unsigned:
            return ()
        count = min(self.recovery.safe_count, self.live.acknowledged)
        requests = self.live.head_requests(count)
        self._signing_heads = bool(requests)
        if requests:
            self._asked_at["heads"] = now
        return requests

    def _next_own_entry(self, now: float) -> Request | None:
        """A signer that remembers signs an entry of the table's only behind a head that it has
        signed.
        """
        if not self.live.owes or self._signing_own or self._draining:
            return None
        if not (self.durable or self.live.signer.at_once):
            return None
        self._signing_own = True
        self._asked_at["own entry"] = now
        return self.live.owed()

    def _next_send(self) -> int | None:
        first, self._sent = self._sent, len(self.live.records)
        return first if first < self._sent else None

    # --- inside ---

    def _answered(self, stage: str, now: float) -> None:
        """Store or signer has answered."""
        self._excuse(self._asked_at.pop(stage, now), now)

    def _excuse(self, since: float, now: float) -> None:
        """Take the time in which an answer was lacking out of everybody's, if it was long."""
        if now - since > STANDSTILL_SECONDS:
            self._waits.excuse(since, now)

    @property
    def _own_entry_due(self) -> bool:
        """Nothing may stand before an entry of the table's own."""
        return self.live.owes or self._signing_own or self._own_entry is not None

    @property
    def _unsigned(self) -> bool:
        """Entries are stored that have no head yet."""
        return self.live.acknowledged > len(self.live.records)

    @property
    def _lacks_heads(self) -> bool:
        """Entries are stored whose heads nobody has been asked for."""
        return self._unsigned and not self._signing_heads

    def _is_early(self, raw: bytes, now: float) -> bool:
        entry = decode_entry(raw)
        if (
            entry.kind not in CLOCK_KINDS
            or (entry.seen_number, entry.seen_hash) != self.live.log.newest_head
        ):
            return False
        match entry.body:
            case [int(seat), int(milliseconds)] if 0 <= seat < self.live.setup.seats:
                return self.waited(seat, now) * 1000 < milliseconds
        return False

    def _attempt(self, work: Callable[[], T]) -> T | None:
        """Do work that may show that the match cannot go on, because the table has signed another
        entry.
        """
        if self._stop is not None:
            return None
        try:
            return work()
        except Forked:
            self._metrics.forks += 1
            self._stop = Stop(
                Code.TABLE_FORKED,
                "the store had lost entries, and two heads of ours are about one number",
            )
        except GivesWay as way:
            self._gives_way = way.number
        except LocalError as error:
            self._stop = Stop(Code.MATCH_STOPPED, english_text(error.phrase))
        return None

    @property
    def _name(self) -> str:
        return self.live.log.match_id.hex()[:8]
