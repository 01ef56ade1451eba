"""The state machine of a hosted match, without a loop: what it is told, and what is ready then."""

from math import inf

import pytest

from protocol.codes import Code
from protocol.dealing import TABLE, Post
from protocol.errors import Refused
from protocol.limits import (
    CLOCK_LINE_SECONDS,
    LOST_TAIL_SECONDS,
    MAX_HELD,
    STANDSTILL_SECONDS,
)
from protocol.match.log import ENDED, decode_entry
from protocol.messages.tail import HeldHead
from table.match.live_match import LiveMatch
from table.match.machine import CLOCK_PAUSE, NOTHING, MatchMachine, Ready
from table.match.pending import IncomingEntry
from table.match.seed_seal import seal_seed
from table.metrics import Metrics
from table.signer.signer import Denied
from table.storage.interface import OpenMatch
from tests.support.at_once import restored
from tests.support.offline import Offline, make_offline

RETURNING = 5.0


class Told:
    """A machine, and its offline players. `time` is what the machine is told."""

    def __init__(self, seats: int = 2, live: LiveMatch | None = None) -> None:
        self.offline = make_offline(seats, 1)
        played = self.offline.live
        self.live = live or LiveMatch(played._identity, played.match.setup, played.seed)
        self.time = 100.0
        self.metrics = Metrics()
        self.machine = MatchMachine(self.live, RETURNING, self.metrics, self.time)

    def ready(self) -> Ready:
        return self.machine.ready(self.time)

    def store(self, ready: Ready) -> Ready:
        """The store and the signer answer; what can be sent then."""
        assert ready.store is not None
        self.machine.stored(ready.store, self.time)
        return self.sign(self.ready())

    def sign(self, ready: Ready) -> Ready:
        assert ready.sign_heads and ready.send_from is None
        signed = [self.live.signer.ask(request) for request in ready.sign_heads]
        self.machine.heads_signed(signed, self.time)
        return self.ready()

    def begin(self) -> None:
        assert self.store(self.ready()).send_from == 0

    def entry(self, seat: int) -> IncomingEntry:
        player = self.offline.seats[seat]
        raw = player.entry(self.live.log, player.respond(self.live.match))
        return IncomingEntry(object(), seat, raw, self.time)

    def take(self, entry: IncomingEntry) -> None:
        """An entry is offered and stands."""
        self.machine.offer(entry, entry.arrived)
        ready = self.ready()
        assert ready == Ready(check=entry)
        self.live.offer(entry.raw, entry.seat)
        self.machine.checked(entry, None, self.time)


def test_new_match_is_stored_signed_then_sent():
    told = Told()
    first = told.ready()
    assert first.store is not None and first._replace(store=None) == NOTHING
    assert told.ready() == NOTHING, "each part is given once"
    told.machine.stored(first.store, told.time)
    heads = told.ready()
    assert [request.fields[1] for request in heads.sign_heads] == [0]
    assert heads._replace(sign_heads=()) == NOTHING
    assert told.sign(heads) == Ready(send_from=0)
    assert told.ready() == NOTHING and told.machine.durable


def test_entries_during_commit_go_with_next_change():
    told = Told(3)
    told.begin()
    told.take(told.entry(0))
    under_way = told.ready()
    assert under_way.store is not None and len(under_way.store.entries) == 1
    told.take(told.entry(1))
    told.take(told.entry(2))
    assert told.ready() == NOTHING, "one change at a time"
    sent = told.store(under_way)
    assert sent.send_from == 1 and sent.store is not None and len(sent.store.entries) >= 2


def test_entry_is_checked_after_everything_else():
    told = Told(3)
    told.begin()
    first, second = told.entry(0), told.entry(1)
    told.machine.offer(first, first.arrived)
    told.machine.offer(second, second.arrived)
    assert told.ready() == Ready(check=first)
    assert told.ready() == NOTHING, "the next one waits for the answer"
    told.live.offer(first.raw, 0)
    told.machine.checked(first, None, told.time)
    assert told.ready().store is not None
    assert told.ready() == Ready(check=second)


def test_delayed_entry_is_checked_when_due():
    told = Told()
    told.begin()
    entry = told.entry(0)
    told.machine.offer(entry, told.time + 0.02)
    assert told.ready() == NOTHING
    assert told.machine.wake_at(told.time) == told.time + 0.02
    told.time += 0.02
    assert told.ready() == Ready(check=entry)


def test_seat_that_floods_delayed_entries_is_cut_off():
    told = Told()
    told.begin()
    flood = [told.entry(0)._replace(raw=b"%d" % number) for number in range(MAX_HELD + 1)]
    for entry in flood:
        told.machine.offer(entry, told.time + 0.02)
    assert told.ready() == Ready(cut_off=(flood[-1].author,))


def test_drain_ends_after_stored_entries_are_sent():
    told = Told()
    told.begin()
    told.take(told.entry(0))
    under_way = told.ready()
    told.machine.drain()
    assert told.ready() == NOTHING, "the store has not answered"
    assert told.store(under_way) == Ready(send_from=1)
    assert told.ready() == Ready(drained=True)
    told.machine.offer(told.entry(1), told.time)
    assert told.ready() == NOTHING and told.machine.wake_at(told.time) == inf


def test_refusing_signer_ends_match_here():
    told = Told()
    told.begin()
    told.machine.denied(Denied.BEHIND)
    assert told.ready() == Ready(leave=True)
    assert told.ready() == NOTHING


def test_clock_entry_waits_for_store():
    told = Told()
    told.begin()
    told.take(told.entry(0))
    under_way = told.ready()
    told.time += 1_000
    assert told.ready() == NOTHING and told.machine.wake_at(told.time) == told.time + CLOCK_PAUSE
    told.store(under_way)
    told.time += 1_000
    warning = told.ready().store
    assert warning is not None and decode_entry(warning.entries[0]).kind == "warning"


def claimed(told: Told, kept: int) -> Told:
    """The same match at a host that has claimed it, with so many records."""
    played = told.offline
    while played.live.log.next_number < kept + 2:
        for seat in played.seats:
            played.step(seat)
    live = restored(played.live)
    sealed = seal_seed(live._identity, live.log.match_id, live.seed)
    found = OpenMatch(live.log.match_id, 7, sealed, list(live.records[:kept]))
    again = Told(live=LiveMatch.claimed(live._identity, found))
    again.offline = played
    return again


def held_head(played: Offline, number: int) -> HeldHead:
    live = played.live
    return HeldHead(number, live.log.chain_hashes[number], live.records[number].head)


def test_claimed_match_checks_nothing_until_seats_are_awaited():
    told = claimed(Told(), 4)
    entry = IncomingEntry(object(), 0, b"anything", told.time)
    told.machine.offer(entry, told.time)
    assert told.ready() == NOTHING
    until = told.machine.recovery.until
    assert until > told.time
    told.time = until
    assert told.ready().check in (None, entry)
    assert not told.machine.recovery.waits


def test_player_with_longer_log_is_asked_once():
    told = claimed(Told(), 4)
    party, shown = object(), held_head(told.offline, 5)
    told.machine.hear(shown)
    told.machine.came(party, 0, shown, told.time)
    assert told.ready() == Ready(ask=((party, 4),))
    assert told.ready() == NOTHING and told.machine.recovery.lacks


def test_shown_head_that_nobody_gives_stops_match():
    told = claimed(Told(), 4)
    party, shown = object(), held_head(told.offline, 5)
    told.machine.hear(shown)
    told.machine.came(party, 0, shown, told.time)
    told.ready()
    told.time += max(LOST_TAIL_SECONDS, told.live.setup.allowance.step)
    ready = told.ready()
    assert ready.stop is not None and ready.stop.code is Code.MATCH_STOPPED
    assert told.ready() == NOTHING


def test_another_head_of_ours_is_a_fork():
    told = claimed(Told(), 4)
    told.machine.hear(held_head(told.offline, 3)._replace(hash=bytes(32)))
    ready = told.ready()
    assert ready.stop is not None and ready.stop.code is Code.TABLE_FORKED
    assert told.metrics.forks == 1


@pytest.mark.parametrize("seats", [2, 4])
def test_finished_match_needs_no_time(seats):
    told = Told(seats)
    told.begin()
    while not told.live.status.over:
        posts = [seat for seat in range(seats) if told.offline.seats[seat].respond(told.live.match)]
        seat = posts[0]
        told.take(told.entry(seat)._replace(raw=_leave(told, seat)))
        while not told.machine.durable:
            told.store(told.ready())
    assert told.machine.over and told.machine.wake_at(told.time) == inf
    assert decode_entry(told.live.entries[-1]).author != TABLE


def _leave(told: Told, seat: int) -> bytes:
    return told.offline.seats[seat].entry(told.live.log, Post("leave", []))


def end_entries(told: Told) -> list[str]:
    return [decode_entry(raw).kind for raw in told.live.entries]


def test_host_ends_match_with_entry_stored_signed_sent():
    told = Told()
    told.begin()
    told.machine.end()
    assert told.store(told.ready()).send_from == 1
    assert end_entries(told)[-1] == ENDED and told.machine.over


def test_end_waits_until_store_has_what_stands():
    told = Told()
    told.begin()
    told.take(told.entry(0))
    told.machine.end()
    under_way = told.ready()
    assert under_way.store is not None and ENDED not in end_entries(told)
    told.store(under_way)
    told.ready()
    assert end_entries(told)[-1] == ENDED


def test_end_waits_for_signer_that_is_away():
    told = Told()
    told.begin()
    told.live.signer.away = True
    told.machine.end()
    told.ready()
    assert ENDED not in end_entries(told)
    told.live.signer.away = False
    told.ready()
    assert end_entries(told)[-1] == ENDED


def test_decided_game_keeps_its_result_when_host_ends_it():
    told = Told()
    told.offline.play()
    live = LiveMatch.restore(
        told.offline.live._identity, told.offline.live.seed, told.offline.live.records[:-1]
    )
    assert not live.status.may_end and not live.match.over
    machine = MatchMachine(live, RETURNING, told.metrics, told.time)
    machine.end()
    machine.ready(told.time)
    assert not live.match.over and live.match.next_number == len(live.records)


# --- the time of a seat ---


class Timed(Told):
    """A match in which both seats owe an entry since entry 0, and the limit of a step is known."""

    limit = 300.0

    def __init__(self, seats: int = 2, here: bool = True, written: bool = True) -> None:
        super().__init__(seats)
        self.parties = [object() for _ in range(seats)]
        if here:
            for seat, party in enumerate(self.parties):
                self.machine.reads(party, seat, 0, self.time)
        self.begin()
        if here and written:
            for seat in range(seats):
                self.machine.written(seat, 0, self.time)

    def waited(self, seat: int = 0) -> float:
        return self.machine.waited(seat, self.time)

    def clock(self) -> list[tuple[str, int]]:
        """Return the clock entries that are posted now, all of which store and signer take."""
        said = []
        while (ready := self.ready()) != NOTHING:
            if ready.store is not None:
                entries = [decode_entry(raw) for raw in ready.store.entries]
                said += [(entry.kind, entry.body[0]) for entry in entries if entry.author == TABLE]
                self.machine.stored(ready.store, self.time)
            if ready.sign_heads:
                self.sign(ready)
            if ready.check is not None:
                self.answer(ready.check)
            self.time += CLOCK_PAUSE
        return said

    def answer(self, entry: IncomingEntry) -> None:
        try:
            self.live.offer(entry.raw, entry.seat)
        except Refused as refused:
            self.machine.checked(entry, refused.code, self.time)
        else:
            self.machine.checked(entry, None, self.time)


def test_time_begins_when_entry_is_written():
    told = Timed(written=False)
    told.time += 4
    assert told.waited() == 0
    told.machine.written(0, 0, told.time)
    told.time += 5
    assert told.waited(0) == 5 and told.waited(1) == 0


def test_seat_that_reads_nothing_stops_no_time():
    told = Timed(written=False)
    told.time += CLOCK_LINE_SECONDS + 3
    assert told.waited() == pytest.approx(3)
    told.machine.written(0, 0, told.time)
    assert told.waited() == pytest.approx(3), "what is written later changes nothing"


def test_away_seat_has_its_time_at_once():
    told = Timed(here=False)
    told.time += 5
    assert told.waited() == 5


def test_seat_that_leaves_and_returns_restarts_nothing():
    told = Timed(written=False)
    told.time += 4
    told.machine.left(told.parties[0], told.time)
    told.time += 2
    told.machine.reads(told.parties[0], 0, 0, told.time)
    told.time += 3
    assert told.waited() == 5
    told.machine.written(0, 0, told.time)
    assert told.waited() == 5


def test_newest_connection_of_seat_counts():
    told = Timed(written=False)
    newer = object()
    told.machine.reads(newer, 0, 0, told.time)
    told.machine.left(told.parties[0], told.time)
    told.time += 4
    assert told.waited() == 0, "it is still there"
    told.machine.left(newer, told.time)
    told.time += 1
    assert told.waited() == 1


def test_standstill_is_no_seat_time():
    told = Timed()
    told.time += 290 + 7
    told.machine.stood_still(100, told.time)
    assert told.waited() == pytest.approx(197) and told.clock() == []
    told.time += 93
    assert told.clock() == [("warning", 0), ("warning", 1)]


def test_standstill_before_entry_could_be_written_counts_neither():
    told = Timed(written=False)
    told.time += 60
    told.machine.stood_still(58, told.time)
    told.time += 5
    assert told.waited() == 0
    told.time += 4
    assert told.waited() == pytest.approx(1)


def test_standstill_during_request_is_counted_once():
    told = Timed()
    told.take(told.entry(0))
    told.time += 1
    ready = told.ready()
    told.time += 30
    told.machine.stored(ready.store, told.time)
    told.machine.stood_still(30, told.time)
    told.sign(told.ready())
    assert told.waited(1) == pytest.approx(1)


@pytest.mark.parametrize("late", ["store", "signer", "worker"])
def test_time_without_answer_is_no_seat_time(late):
    told = Timed(3)
    entry = told.entry(0)
    told.machine.offer(entry, entry.arrived)
    assert told.ready().check == entry
    told.time += 300 * (late == "worker")
    told.answer(entry)
    ready = told.ready()
    told.time += 300 * (late == "store")
    told.machine.stored(ready.store, told.time)
    heads = told.ready()
    told.time += 300 * (late == "signer")
    told.sign(heads)
    assert told.waited(1) == 0 and told.clock() == []


def test_short_answers_do_not_stop_the_clock():
    told = Timed(3)
    told.take(told.entry(0))
    ready = told.ready()
    told.time += STANDSTILL_SECONDS / 2
    told.store(ready)
    assert told.waited(1) == STANDSTILL_SECONDS / 2


def test_costly_refused_entry_stops_no_clock():
    told = Timed()
    for _ in range(20):
        bad = IncomingEntry(told.parties[0], 0, b"costly", told.time)
        told.machine.offer(bad, told.time)
        assert told.ready().check == bad
        told.time += 15
        told.answer(bad)
        told.machine.stood_still(15, told.time)  # as where this process folds
    assert told.waited(0) == 300 and told.waited(1) == 0
    assert ("warning", 0) in told.clock()


def warned() -> Timed:
    """Return a match in which seat 0 has been warned, and seat 1 owes nothing."""
    told = Timed()
    told.take(told.entry(1))
    assert told.clock() == []
    told.time = 100.0 + 290
    assert told.clock() == [("warning", 0)]
    return told


def test_entry_that_came_in_time_goes_before_the_lapse():
    told = warned()
    limit = 100.0 + told.limit
    told.time = limit + 5
    entry = told.entry(0)._replace(arrived=limit + STANDSTILL_SECONDS - 0.1)
    told.machine.offer(entry, entry.arrived)
    assert told.ready() == Ready(check=entry)
    told.answer(entry)
    assert told.clock() == []


def test_delayed_entry_that_came_in_time_goes_first():
    told = warned()
    limit = 100.0 + told.limit
    told.time = limit - 0.1
    entry = told.entry(0)
    told.machine.offer(entry, limit + 0.3)
    told.time = limit + 0.2
    assert told.ready() == NOTHING
    told.time = limit + 0.3
    assert told.ready() == Ready(check=entry)


def test_entries_after_the_limit_put_nothing_off():
    told = warned()
    told.time = 100.0 + told.limit + 2
    late = told.entry(0)
    told.machine.offer(late, late.arrived)
    assert told.clock()[0] == ("lapse", 0)


def test_copies_of_an_old_entry_put_nothing_off():
    told = warned()
    limit = 100.0 + told.limit
    for number in range(MAX_HELD):
        told.time = limit + number / 100
        told.machine.offer(IncomingEntry(told.parties[0], 0, b"%d" % number, told.time), 0.0)
    told.time = limit + 1
    assert told.clock()[-1] == ("lapse", 0)


def test_seat_that_is_not_read_gets_some_time():
    told = warned()
    limit = 100.0 + told.limit
    told.time = limit + 1
    told.machine.held_back({0})
    assert told.ready() == NOTHING
    told.time = limit + 6
    told.machine.held_back(set())
    entry = told.entry(0)._replace(held_since=limit - 5)
    told.machine.offer(entry, 0.0)
    assert told.ready() == Ready(check=entry), "it may have come before the limit"
    told.answer(entry)
    assert told.clock() == []


def test_seat_that_is_never_read_lapses():
    told = warned()
    told.time = 100.0 + told.limit + CLOCK_LINE_SECONDS - 1
    told.machine.held_back({0})
    assert told.clock() == []
    told.time = 100.0 + told.limit + CLOCK_LINE_SECONDS
    assert told.clock() == [("lapse", 0)]


def test_time_begins_anew_after_a_restart():
    told = claimed(Told(), 6)
    told.time = told.machine.recovery.until
    told.machine.ready(told.time)
    assert not told.machine.recovery.waits
    told.time += 5
    assert max(told.machine.waited(seat, told.time) for seat in range(2)) == 5, "both are away"
