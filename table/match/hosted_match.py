"""A running match at a table: the loop around its state machine.

    parties, store, signer, clock  →  MatchMachine  →  Ready: check → store → sign → send

`_run` asks the machine for ready work and does it, until there is none. Answers of the store and the
signer, and messages of parties, go to the machine, and `_run` asks again.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from functools import partial
from math import inf
from typing import Protocol

from protocol.codes import Code
from protocol.limits import HOST_STALE_SECONDS, MAX_REFUSALS_WAITING
from protocol.match.refusal import unsigned_refusal
from protocol.messages import table as messages
from protocol.messages.claim import SignedClaim
from protocol.messages.tail import HeldHead, LogTail
from table.config import Bounds
from table.match.clock import LoopWatch, tick
from table.match.hosted_log import HostedLog
from table.match.line_checks import LineChecks
from table.match.log_broadcaster import LogBroadcaster, MatchOwner, Party, send_refusal
from table.match.machine import NOTHING, MatchMachine, Ready, Stop
from table.match.pending import IncomingEntry, PendingRefusal, PendingRefusals
from table.match.presence import Presence
from table.match.rtt_monitor import RttMonitor, rtt_monitor_of
from table.match.status import MatchStatus
from table.net.processor_time import METER, Payer, WorkPayer, split
from table.signer.signer import Denied
from table.storage.interface import (
    NO_CALLBACKS,
    Done,
    MatchStopped,
    NewClaim,
    NewRecords,
    Storage,
)

log = logging.getLogger(__name__)

STALE_PAUSE = 0.05  # seconds between two looks whether store and signer have answered again
# seconds between two looks at connections that do not take at once what they are sent
WRITE_PAUSE = 0.25
RUN_PAUSE = 0.05  # seconds after an unexpected error, which may come again


def _always(seat: int, now: float) -> bool:
    return True


def _nothing() -> None:
    """Do nothing."""


class HostingOwner(MatchOwner, Protocol):
    """The owner that a hosted match reports to."""

    loop_watch: LoopWatch  # of this program


class HostedMatch(LogBroadcaster):
    """One match at one table, from its first entry, or from the state that a stopped table has left."""

    clock_rule = staticmethod(tick)  # rule for the clock entries of the table

    def __init__(
        self,
        live: HostedLog,
        storage: Storage,
        bounds: Bounds,
        owner: HostingOwner,
        several: bool = False,
    ) -> None:
        """`several`: the table has several hosts, so players look for the match at others, too."""
        super().__init__(live.log.match_id, live.setup, live.records, bounds, owner)
        self.live = live
        self._storage = storage
        # by seat: address from which its player sat down, or first came back
        self._origins: dict[int, str] = {}
        self._lost = False  # another host goes on with the match, or nobody can
        self._drained: Done | None = None  # called once all accepted entries are stored and sent
        self._stopped: Code | None = None  # reason why nobody can go on with it
        self.spent = 0.0  # seconds of processor time that the match has cost
        # by number: payers of entries that stand and are not stored
        self._payers: dict[int, Payer] = {}
        self.machine = MatchMachine(
            live,
            bounds.returning_seconds if several else bounds.returning_alone_seconds,
            owner.metrics,
            self._loop.time(),
            self.clock_rule,
            bounds.clock_line_seconds,
        )
        self._refusals = PendingRefusals()
        self.presence = Presence(live, self._parties)
        self.presence.held_up = lambda: self.machine.recovery.lacks
        self._lines = LineChecks(self.match_id, self._parties) if several else None
        if self._lines is not None:
            self.machine.may_lapse = self._lines.may_lapse
        self._rtt = rtt_monitor_of(live.setup, self.match_id, live.seed, self._parties)
        if self._rtt is not None and self.stored:
            self._rtt.begin()
        self._running = False
        # by seated party: entries sent to it that its connection has not taken, each with the bytes
        # that it takes until then
        self._unwritten: dict[Party, deque[tuple[int, int]]] = {}
        self._write_timer: asyncio.TimerHandle | None = None
        self._watch = owner.loop_watch
        self._standstill = (
            self._watch.seconds
        )  # in which this program stood still, as the machine knows
        self._timer: asyncio.TimerHandle | None = None
        self._stale_timer: asyncio.TimerHandle | None = None
        live.changed = self._run
        self._run()

    @property
    def over(self) -> bool:
        """The match has ended, and its end is stored."""
        return self.machine.over

    @property
    def durable(self) -> bool:
        """The store has all of the log, and every entry has its head."""
        return self.machine.durable

    # --- the loop ---

    def _run(self) -> None:
        """Do what is ready, until nothing is. Calls from within are part of the same loop."""
        if self._running:
            return
        self._running = True
        try:
            while (ready := self.machine.ready(self._tell_time())) is not NOTHING:
                self._do(ready)
        except BaseException:
            # whatever happened, what stands in the log goes out
            self._loop.call_later(RUN_PAUSE, self._run)
            raise
        finally:
            self._running = False
        self._wake()

    def _tell_time(self) -> float:
        """Tell the machine of standstills and of connections that are not read; return the time."""
        now = self._loop.time()
        stood = self._watch.look(now)
        if stood > self._standstill:
            self.machine.stood_still(stood - self._standstill, now)
            self._standstill = stood
        if now >= self.machine.looks_at:
            self.machine.held_back(
                {seat for party, seat in self._parties.items() if seat is not None and party.held}
            )
        return now

    def _do(self, ready: Ready) -> None:
        """Do the ready work, stage by stage."""
        if ready.stop is not None:
            self._stop(ready.stop)
        elif ready.claim_again is not None:
            self.claim_again((), ready.claim_again)
        elif ready.leave:
            self.leave_to("")
        elif ready.drained:
            self._finish_drain()
        for party in ready.cut_off:
            party.cut_off()
        for party, number in ready.ask:
            party.send(messages.encode("missing", self.match_id, number))
        if ready.store is not None:
            change = ready.store
            self._storage.submit(change, partial(self._on_stored, change), self.give_up)
        if ready.sign_heads:
            self.live.signer.submit(ready.sign_heads, self._on_heads, self._on_denied)
        if ready.sign_own_entry is not None:
            self.live.signer.submit([ready.sign_own_entry], self._on_own_entry, self._on_denied)
        if ready.send_from is not None:
            self._send_records(ready.send_from)
        if ready.check is not None:
            self._check(ready.check)

    def _check(self, entry: IncomingEntry) -> None:
        """Have an entry folded. It stands, or its author gets a refusal."""
        waited = self.machine.waited(entry.seat, self._loop.time()) if entry.author else 0.0
        done = partial(self._on_checked, entry, self.live.status, waited)
        before = METER.switch(entry.payer)
        try:
            self.live.fold(entry.raw, entry.seat, done)
        except BaseException:
            self.machine.checked(entry, None, self._loop.time())
            raise
        finally:
            METER.switch(before)

    def _on_checked(
        self, entry: IncomingEntry, before: MatchStatus, waited: float, refused: Code | None
    ) -> None:
        payer = METER.switch(entry.payer)
        try:
            self._take_check(entry, before, waited, refused)
        finally:
            METER.switch(payer)

    def _take_check(
        self, entry: IncomingEntry, before: MatchStatus, waited: float, refused: Code | None
    ) -> None:
        self.machine.checked(entry, refused, self._loop.time())
        if refused is None and entry.payer is not None:
            self._payers[before.next_number] = entry.payer
        if self.live.failed is not None:
            pass  # the match stops, which is no refusal
        elif entry.author is not None and refused is not None:
            log.debug("match %s: an entry of seat %d is refused: %s", self, entry.seat, refused)
            self._refuse(entry.author, entry.raw, refused)
        elif entry.author is not None:
            metrics = self._owner.metrics
            (metrics.turn if before.playing else metrics.step).observe(waited)
            if self._rtt is not None:
                self._rtt.entry_accepted(entry, before, self.live.status, metrics)
        self._run()

    def _on_stored(self, change: NewRecords) -> None:
        numbers = range(change.first, change.first + len(change.entries))
        payers = [self._payers[number] for number in numbers if number in self._payers]
        before = METER.switch(split(payers))
        try:
            self.machine.stored(change, self._loop.time())
            self._run()
        finally:
            METER.switch(before)

    def _on_heads(self, heads: Sequence[bytes]) -> None:
        self.machine.heads_signed(heads, self._loop.time())
        self._run()

    def _on_own_entry(self, answers: Sequence[bytes]) -> None:
        self.machine.own_entry_signed(answers[0], self._loop.time())
        self._run()

    def _on_denied(self, reason: Denied) -> None:
        self.machine.denied(reason)
        self._run()

    def _send_records(self, first: int) -> None:
        """Send the records from this number on, and then the refusals that waited for them."""
        numbers = range(first, self.stored)
        payers = [self._payers.pop(number) for number in numbers if number in self._payers]
        before = METER.switch(split(payers))
        try:
            self._send_all(first)
        finally:
            METER.switch(before)

    def _send_all(self, first: int) -> None:
        if self._lost:
            return
        self._owner.metrics.entries += self.stored - first
        if self._rtt is not None:
            self._rtt.equalizer.stored(first, self._loop.time())
        if first == 0:
            self._begin()
        self._send_new(first)
        self._send_refusals()
        delayed = self._release_delayed()
        if self.over:
            self._finish()
        for party in delayed:
            self._go_on(party)

    def _wake(self) -> None:
        """Set the timer for the next work of the machine."""
        at = self.machine.wake_at(self._loop.time())
        if self._timer is not None:
            if self._timer.when() <= at and not self._timer.cancelled():
                return
            self._timer.cancel()
        self._timer = None if at == inf else self._loop.call_at(at, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._run()

    # --- parties ---

    def enter(self, party: Party, holds: HeldHead | None = None) -> None:
        """Add a party as `LogBroadcaster` does, and tell the others.

        A head that it shows is compared first, and the heads up to it are signed, before the party is
        told the length of the log.
        """
        seat = self.seat_of(party.identity)
        if holds is not None and seat is not None:
            self.machine.hear(holds)
            self._run()
        if self._stopped is not None:
            party.stopped(self._stopped)
            return
        if self._lost:
            party.moved("", self.match_id)
            return
        super().enter(party)
        if seat is not None:
            self._origins.setdefault(seat, party.address)
        if party not in self._parties:  # cut off, since it did not take the announcement
            return
        if self._rtt is not None:
            self._rtt.came(party)
        self._change_presence()
        if party in self._parties:  # else a question was too much for it
            self.machine.came(party, seat, holds, self._loop.time())
            self._run()

    def leave(self, party: Party) -> None:
        """Remove a party as `LogBroadcaster` does, and tell the others."""
        if self._lines is not None:
            self._lines.left(party, self._parties.get(party))
        super().leave(party)
        self.machine.left(party, self._loop.time())
        self._unwritten.pop(party, None)
        if self._rtt is not None:
            self._rtt.left(party)
        if not (self.over or self._lost):
            self._change_presence()

    def seats_from(self, address: str) -> int:
        """Return the number of seats taken from an address and not left; after a restart, of those
        that are back.
        """
        gone = self.live.status.gone
        return sum(origin == address for seat, origin in self._origins.items() if seat not in gone)

    def post(self, party: Party, raw: bytes) -> None:
        """Queue an entry of a seated party. It will be stored and sent to all, or refused."""
        if self.machine.closed:
            return
        seat = self._parties[party]
        assert seat is not None
        payer = WorkPayer(METER.payer, self._count)
        entry = IncomingEntry(party, seat, raw, self._loop.time(), party.arrived, payer)
        trips = self._equalized_trips
        due = (
            0.0 if trips is None else trips.equalizer.due_in(seat, trips.trip(party), entry.arrived)
        )
        self.machine.offer(entry, due)
        self._run()

    def take_back(self, party: Party, tail: LogTail) -> bool:
        """Take lost entries back from a party, and store and send them as any entry. Return False if it
        was not asked for them.
        """
        asked = self.machine.give_back(party, tail)
        self._run()
        return asked

    def answered(self, party: Party, token: bytes) -> None:
        """Take note of an answer to a question that measures a party's round trip."""
        if self._lines is not None:
            self._lines.answered(party, token)
        if self._rtt is not None:
            self._rtt.answered(party, token)

    def drained(self, party: Party) -> None:
        """Note what the party's connection has taken, and go on: see `LogBroadcaster`."""
        self._note_written(party)
        super().drained(party)

    def replay(self, party: Party, number: int) -> bool:
        """Send the log from this number on, as `LogBroadcaster` does."""
        if not super().replay(party, number):
            return False
        if (seat := self._parties.get(party)) is not None:
            self.machine.reads(party, seat, number, self._loop.time())
        return True

    def _note_written(self, party: Party) -> None:
        """Tell the machine which entries a seat's connection has taken; look again at the rest."""
        marks, seat = self._unwritten.get(party), self._parties.get(party)
        if not marks or seat is None:
            return
        written, newest = party.written, -1
        while marks and marks[0][1] <= written:
            newest = max(newest, marks.popleft()[0])  # it may have asked for old ones again
        if newest >= 0:
            self.machine.written(seat, newest, self._loop.time())
        if marks and self._write_timer is None:
            self._write_timer = self._loop.call_later(WRITE_PAUSE, self._look_at_writes)

    def _look_at_writes(self) -> None:
        self._write_timer = None
        for party in list(self._unwritten):
            self._note_written(party)

    def _after_pump(self) -> None:
        """Send the refusals that have waited for the entries just sent."""
        self._send_refusals()

    def end(self) -> None:
        """End the match by an entry of the table."""
        self.machine.end()
        self._run()

    @property
    def signed_claim(self) -> SignedClaim | None:
        """See `LogBroadcaster`."""
        return self.live.signed_claim

    def _begin(self) -> None:
        """Tell everybody of the match, whose first entry is stored."""
        # a party that does not read may be cut off here, and leave
        for party, seat in list(self._parties.items()):
            self._announce(party, seat)
        self._change_presence()
        if self._rtt is not None:
            self._rtt.begin()

    def _announce(self, party: Party, seat: int | None) -> None:
        """Tell a party of the match; if that is under way, also the waiting times of the seats."""
        super()._announce(party, seat)
        if self.stored > 1 and not self.over and party.open and party.takes_talk:
            party.send(messages.encode("waited", self.match_id, self._waited()))

    def _waited(self) -> list[list[int] | None]:
        """Return by seat the number of the entry that brought its duty, and the milliseconds of its time
        so far; None for a seat without a duty.
        """
        now = self._loop.time()
        since = self.live.status.duty_since
        waited: list[list[int] | None] = [None] * self.setup.seats
        for seat, _ in self.live.clock_duties():
            waited[seat] = [since[seat], int(1000 * self.machine.waited(seat, now))]
        return waited

    def _change_presence(self) -> None:
        """Report a change of presence, but not before the parties have been told of the match."""
        if self.stored:
            self.presence.changed()

    def _may_ask_for(self, party: Party) -> int:
        return self.machine.recovery.may_ask_for(party)

    def _count(self, seconds: float) -> None:
        self.spent += seconds

    # --- refusals ---

    def _refuse(self, party: Party, raw: bytes, code: Code) -> None:
        """Refuse an entry, but not before its author has been sent the entries that may be the
        reason.
        """
        party.refused(code)
        refusal = PendingRefusal(self.live.log.newest_head, party, raw, code)
        waiting = self._refusals.put(refusal)
        self._send_refusals()
        if waiting > MAX_REFUSALS_WAITING:
            party.cut_off()

    def _send_refusals(self) -> None:
        """Have the refusals signed and sent that are due.

        While the store is silent, another host may have the match with the entry in it, and the
        refused author would sign another entry in its place. So refusals wait then. They also wait
        while the signer is away, so that they do not accumulate there.
        """
        if self._stale_timer is not None:
            self._stale_timer.cancel()
            self._stale_timer = None
        if self._is_silent() and self._refusals.is_waiting(self._count_sent):
            self._stale_timer = self._loop.call_later(STALE_PAUSE, self._send_refusals)
            return
        for party, raw, seen, code in [
            (each.author, each.raw, each.seen, each.code)
            for each in self._refusals.take_due(self._count_sent)
        ]:
            if party in self._parties:  # else an earlier one was too much for its author
                self.sign_refusal(party, raw, seen, code)

    def sign_refusal(self, party: Party, raw: bytes, seen: tuple[int, bytes], code: Code) -> None:
        """Have the refusal of an entry behind the head `seen` signed, and send it to its author."""
        send_refusal(self.live.signer, self.match_id, party, unsigned_refusal(raw, seen, code))

    def _count_sent(self, party: Party) -> int | None:
        """Return the number of records that a party has been sent; None if it has gone.

        A party that reads no log waits for the store only.
        """
        if party not in self._parties:
            return None
        return min(self.stored, self._next.get(party, self.stored))

    def _is_silent(self) -> bool:
        """Tell if no refusal may be sent now."""
        return self._storage.silent() >= HOST_STALE_SECONDS or self.live.signer.away

    # --- round trips ---

    @property
    def _equalized_trips(self) -> RttMonitor | None:
        """Monitor of the round trips if they are to be equalized now; else None."""
        rtt = self._rtt
        if rtt is None or not rtt.equalizer.seconds or not self.live.status.simultaneous:
            return None
        return rtt

    def _may_send(self, party: Party, number: int) -> bool:
        trips = self._equalized_trips
        if trips is None:
            return True
        due = trips.equalizer.due_out(number, trips.trip(party))
        if due <= self._loop.time():
            return True
        trips.send_later(party, due, self._go_on)
        return False

    def _send_record(self, party: Party, number: int) -> None:
        super()._send_record(party, number)
        if self._parties.get(party) is not None:  # else it watches, or was too much for it
            self._unwritten.setdefault(party, deque()).append((number, party.sent))
        if self._rtt is not None:
            self._rtt.sent(party, number)

    def _release_delayed(self) -> list[Party]:
        """Return the parties with delayed records, if round trips are not equalized any more."""
        return (
            self._rtt.release_delayed()
            if self._rtt is not None and self._equalized_trips is None
            else []
        )

    def _go_on(self, party: Party) -> None:
        if party in self._next:
            self.pump(party)

    # --- ends ---

    def close(self) -> None:
        """Stop all timers, and drop all callbacks."""
        super().close()
        self.machine.close()
        self.live.close()
        self.machine.may_lapse = _always
        self.live.changed = _nothing  # no circle is left (`table.ops.garbage`)
        self.presence.close()
        self._refusals.clear()
        self._payers.clear()  # no circle is left
        self._unwritten.clear()
        for timer in (self._timer, self._stale_timer, self._write_timer):
            if timer is not None:
                timer.cancel()
        if self._rtt is not None:
            self._rtt.close()

    def give_up(self) -> None:
        """Stop to serve the match, since another host goes on with it, and send its people there."""
        if self._lost:
            return
        log.warning(
            "match %s: another host has it now, after entry %d of ours", self, self.stored - 1
        )
        self._owner.metrics.fenced += 1
        self.leave_to(self._owner.elsewhere(self.match_id))

    def stop(self, then: Done) -> None:
        """Accept no more entries. `then`: called when the store has acknowledged its changes, and they
        have been sent.
        """
        if self._lost:
            then()
            return
        self._drained = then
        self.machine.drain()
        self._run()

    def leave_to(self, address: str) -> None:
        """Send everybody to another host, which goes on with the match or will do so. `address`: empty
        if it is not known.
        """
        self._lost = True
        self.close()
        self.send_away(address)
        self._owner.match_lost(self)

    def knows(self, claim: bytes) -> bool:
        """Tell if a claim is this host's newest one or an earlier one. A match whose end is stored is
        not claimed any more, so any claim counts.
        """
        return claim in self.live.known_claims or self.over or not self.stored

    def claim_again(self, known: tuple[bytes, ...], keep: int) -> None:
        """Have this host claim the match anew. All parties come again, and show their newest heads.

        `known`: ids of claims that somebody has shown. Entries from the number `keep` on are
        dropped: nobody has been told of them.
        """
        if self._lost:
            return
        self._lost = True
        self.close()
        self.send_away("")
        again = NewClaim(known=known, owned=self.live.claim, keep=keep)
        self._owner.claim_again(self, again)
        if self._drained is not None:
            self._drained()

    def _finish_drain(self) -> None:
        self._lost = True
        assert self._drained is not None
        self._drained()

    def _stop(self, stop: Stop) -> None:
        log.error("match %s stops, and nothing more is signed of it: %s", self, stop.reason)
        self._stopped, self._lost = stop.code, True
        self.close()
        for party in list(self._parties):
            party.stopped(stop.code)
        self._owner.match_stopped(self)
        if self._drained is not None:
            self._drained()
        if stop.code is Code.TABLE_FORKED:
            self._storage.submit(MatchStopped(self.match_id, self.live.claim), *NO_CALLBACKS)

    def _finish(self) -> None:
        """Stop the timers after the end of the match is stored, and dismiss its parties."""
        for timer in (self._timer, self._write_timer):
            if timer is not None:
                timer.cancel()
        self._timer = self._write_timer = None
        self.presence.close()
        self.machine.recovery.close()
        if self._rtt is not None:
            self._rtt.close()
        log.info(
            "match %s is over after %d entries, faults: %d",
            self,
            self.stored,
            len(self.live.status.faults),
        )
        self._owner.match_over(self)
        self.say_goodbye()
