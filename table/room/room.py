"""One running match: its log and fold, what the store has of it, and how long it waits for whom."""

import logging
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from protocol.codes import Code
from protocol.errors import LocalError, Refused
from protocol.i18n import english_text
from protocol.limits import HOST_STALE_SECONDS, MAX_REFUSALS_WAITING
from protocol.match.state import Match, MatchStage
from protocol.messages.tail import HeldHead, LogTail
from table.config import Bounds
from table.room.clock import Waits, tick
from table.room.feed import Feed, Keeper, Party
from table.room.held import Held, Post, Refusal, Refusals
from table.room.live_match import LiveMatch
from table.room.presence import Presence
from table.room.returning.returning import Forked, Returning
from table.room.signing import Signing
from table.room.storage import UNHEARD, Done, NewRecords, Stopped, Storage
from table.room.timing import Timing, timing_of

log = logging.getLogger(__name__)

T = TypeVar("T")

CLOCK_PAUSE = 0.05  # seconds at least between two looks at the clock; finer than anybody notices


class Room(Feed):
    """One match at one table, from its first entry, or from where a table that was stopped has left
    it.
    """

    tick = staticmethod(tick)  # when there is something to say about time

    def __init__(self, live: LiveMatch, storage: Storage, bounds: Bounds, keeper: Keeper) -> None:
        super().__init__(live.log.match_id, live.match.setup, live.records, bounds, keeper)
        self.live = live
        self._storage = storage
        self._origins: dict[int, str] = {}  # by seat: where its player sat down, or first came back
        self._lost = False  # another host goes on with the match, or nobody can
        # nothing more is taken; called once nothing is on its way to the store
        self._stopping: Done | None = None
        self._stopped: Code | None = None  # why nobody can
        self._signing = Signing(
            live, self._waited, self._take, self._publish, partial(self.leave_to, "")
        )
        self._refusals = Refusals(self._silent, self._sent, self._signing.refuse)
        self.presence = Presence(live, self._parties)
        self._held = Held(self._take)
        self._timing = timing_of(live.match.setup, self.match_id, live.seed, self._parties)
        if self._timing is not None and self.stored:
            self._timing.begin()
        self._waits = Waits()
        self._begin_to_wait()
        self._clock = self._loop.call_later(CLOCK_PAUSE, self._check_clock)
        self._returning = Returning(
            live, partial(_short, self), keeper.metrics, partial(_look, self)
        )
        self.presence.held_up = lambda: self._returning.lacks
        # records are on their way to the store, as when another host had it
        self._storing = self._signing.lacking
        self._publish()
        _look(self)

    @property
    def over(self) -> bool:
        """Whether the match has ended and its end is on disk."""
        return self.live.match.over and self.durable

    @property
    def durable(self) -> bool:
        """Whether the store has all of the log, and so it has been sent to whoever reads it."""
        return self.stored == self.live.log.next_number

    def enter(self, party: Party, holds: HeldHead | None = None) -> None:
        """As every feed does; and the others hear of it."""
        _hear(self, party, holds)
        if self._stopped is not None:
            party.stopped(self._stopped)
            return
        super().enter(party)
        if (seat := self.seat_of(party.identity)) is not None:
            self._origins.setdefault(seat, party.address)
        if self._timing is not None:
            self._timing.came(party)
        self._somebody_moved()
        _came(self, party, holds)

    def seats_from(self, address: str) -> int:
        """The number of seats taken from an address and not left; after a restart, of those
        back.
        """
        gone = self.live.match.gone
        return sum(origin == address for seat, origin in self._origins.items() if seat not in gone)

    def leave(self, party: Party) -> None:
        """As every feed does; and the others hear of it."""
        super().leave(party)
        self._returning.left(party)
        if self._timing is not None:
            self._timing.left(party)
        if not (self.over or self._lost):
            self._somebody_moved()

    def _somebody_moved(self) -> None:
        """Before anybody has been told of the match there is nobody who could be told who is in
        it.
        """
        if self.stored:
            self.presence.changed()

    def post(self, party: Party, raw: bytes) -> None:
        """Take an entry of a seated party: to disk, then to everybody; or `refused` to its
        author.
        """
        if self._lost or self._stopping is not None:
            return
        seat = self._parties[party]
        assert seat is not None
        post = Post(party, seat, raw, self._loop.time())
        timing = self._levelled
        due = 0.0 if timing is None else timing.level.due_in(seat, timing.trip(party), post.arrived)
        if due <= post.arrived and not self._held.waits(seat):
            self._take(post)
        elif not self._held.put(post, due):
            party.cut_off()

    def take_back(self, party: Party, tail: LogTail) -> bool:
        """As every feed does: what is ours is stored, and goes out, as any entry."""
        if self._lost or self._stopping is not None:
            return True
        asked = _attempt(self, partial(self._returning.take, party, tail))
        _look(self)
        self._publish()
        return asked is not False

    def answered(self, party: Party, token: bytes) -> None:
        """As every feed does; and so it is known how far away it is."""
        if self._timing is not None:
            self._timing.answered(party, token)

    def _take(self, post: Post) -> None:
        if self._returning.keeps(post) or self._signing.holds(post):
            return
        party, seat, raw, _ = post
        before, waited = self.live.match, self._waited(seat)
        try:
            self.live.offer(raw, seat)
            _count(self, post, before, waited)
        except Refused as refusal:
            log.debug("match %s: an entry of seat %d is refused: %s", self, seat, refusal.code)
            self._refuse(party, raw, refusal.code)
        finally:  # whatever happened, what stands in the log goes out
            self._publish()

    @property
    def _levelled(self) -> Timing | None:
        """Where seats act independently now, and round trips are to be level."""
        levelled = (
            self._timing is not None
            and self._timing.level.seconds
            and self.live.match.active_simultaneous is not None
        )
        return self._timing if levelled else None

    def _may_have(self, party: Party, number: int) -> bool:
        timing = self._levelled
        if timing is None:
            return True
        due = timing.level.due_out(number, timing.trip(party))
        if due <= self._loop.time():
            return True
        timing.later(party, due, self._go_on)
        return False

    def _give(self, party: Party, number: int) -> None:
        super()._give(party, number)
        if self._timing is not None:
            self._timing.sent(party, number)

    def _may_ask_for(self, party: Party) -> int:
        return self._returning.may_ask_for(party)

    def _held_up(self) -> list[Party]:
        """To whom more would be sent later, and need not: what they were held up for is over."""
        return self._timing.release() if self._timing is not None and self._levelled is None else []

    def _go_on(self, party: Party) -> None:
        """Send what it was held up for."""
        if party in self._next:
            self.pump(party)

    def pump(self, party: Party) -> None:
        """As every feed does; and then what had to wait for these entries."""
        super().pump(party)
        self._refusals.send()

    def close(self) -> None:
        """Stop all timers: nothing happens here any more."""
        super().close()
        self._clock.cancel()
        for part in (self.presence, self._signing, self._held, self._returning, self._refusals):
            part.close()
        if self._timing is not None:
            self._timing.close()

    def _refuse(self, party: Party, raw: bytes, code: Code) -> None:
        """Tell an author why not, but never before it has been sent the entries that may have been
        the reason.
        """
        party.refused(code)
        if (
            self._refusals.put(Refusal(self.live.log.newest_head, party, raw, code))
            > MAX_REFUSALS_WAITING
        ):
            party.cut_off()

    def _sent(self, party: Party) -> int | None:
        """How many records a party has been sent; whoever reads no log waits for the disk. None: it
        is gone.
        """
        return (
            min(self.stored, self._next.get(party, self.stored)) if party in self._parties else None
        )

    def _silent(self) -> bool:
        """Whether no refusal may be said: by the store, or by the signer."""
        return self._storage.silent() >= HOST_STALE_SECONDS or self._signing.away

    def _publish(self) -> None:
        """Have new entries stored, and then put into the stream. If the store refuses, both
        wait.
        """
        if (
            self._stopping is not None
            and (not self._storing or self._signing.lacking)
            and not self._lost
        ):
            self._lost = True
            self._stopping()
        if self._storing or self._lost or self.durable:
            self._signing.pay()
            return
        self._storing, change = True, self.live.change()
        self._storage.submit(change, partial(self._on_disk, change), self.give_up)

    def give_up(self) -> None:
        """Another host goes on with this match: nothing more is said of it here, and its people
        find that host.
        """
        if self._lost:
            return
        log.warning(
            "match %s: another host has it now, after entry %d of ours", self, self.stored - 1
        )
        self._keeper.metrics.fenced += 1
        self.leave_to(self._keeper.elsewhere(self.match_id))

    def stop(self, then: Done) -> None:
        """Take nothing more; `then` is called when all that is at the store has been acknowledged
        and sent.
        """
        if self._lost:
            then()
            return
        self._stopping = then
        self._publish()

    def leave_to(self, address: str) -> None:
        """Another host goes on with this match, or will: nothing more is said of it here."""
        self._lost = True
        self.close()
        self.send_away(address)
        self._keeper.match_lost(self)

    def _on_disk(self, change: NewRecords) -> None:
        """The store has these; they get their heads, unless players have shown others of ours
        meanwhile.
        """
        self.live.stored(change.first + len(change.entries), change.first)
        _attempt(self, self._returning.check)
        _sign(self)
        _look(self)
        self._publish()  # who waits for what is at the store, to leave

    def _headed(self, first: int) -> None:
        """What is stored has its heads, too, from this number on."""
        if self._lost:
            return
        self._storing = self._signing.lacking
        if self._timing is not None:
            self._timing.level.stored(first, self._loop.time())
        self._keeper.metrics.entries += self.stored - first
        self._begin_to_wait()
        if first == 0:
            _begin(self)
        self._send_new(first)
        self._refusals.send()
        held_up = self._held_up()
        _look(self)
        if self.over:
            self._finish()
        else:
            self._publish()  # what has come meanwhile
        for party in held_up:
            self._go_on(party)

    def _finish(self) -> None:
        _wind_up(self)

    def _begin_to_wait(self, anew: bool = False) -> None:
        self._waits.begin(self.live.match, self.stored, self._loop.time(), anew)

    def _waited(self, seat: int) -> float:
        return self._waits.seconds(self.live.match, seat, self._loop.time())

    def _check_clock(self) -> None:
        """Say what is due about the time of those who owe an entry, and look again later."""
        again = CLOCK_PAUSE
        # Nobody can answer what is not stored yet, so while the store refuses nobody's time runs
        # out.
        if self._signing.away:
            self._begin_to_wait(anew=True)
        elif (
            self.durable
            and not self.live.owes
            and not self._signing.early
            and not self._returning.waits
        ):
            again = _say_time(self)
        if not self.over:
            self._clock = self._loop.call_later(max(again, CLOCK_PAUSE), self._check_clock)


def _begin(room: Room) -> None:
    """The first entry is stored: everybody hears of the match."""
    # who does not read may be cut off here, and leave
    for party, seat in list(room._parties.items()):
        room._announce(party, seat)
    room._somebody_moved()
    if room._timing is not None:
        room._timing.begin()


def _wind_up(room: Room) -> None:
    """The end of the match is stored."""
    room._clock.cancel()
    room.presence.close()
    room._returning.close()
    if room._timing is not None:
        room._timing.close()
    log.info(
        "match %s is over after %d entries, faults: %d",
        room,
        room.stored,
        len(room.live.match.faults),
    )
    room._keeper.match_over(room)
    room.say_goodbye()


def _say_time(room: Room) -> float:
    """Say what is due about anybody's time; in how many seconds to ask again at the latest."""
    post, again = room.tick(room.live.match, room._waited)
    if post is not None:
        log.info("match %s: %s for seat %d", room, post.kind, post.body[0])
        room.live.post_clock(post)
        room._keeper.metrics.clock[post.kind] += 1
        room._publish()
    return again


def _hear(room: Room, party: Party, holds: HeldHead | None) -> None:
    """Before somebody is told how far the log goes: what it has of that is signed, if it was not
    yet.
    """
    if holds is not None and not room._lost and room.seat_of(party.identity) is not None:
        _attempt(room, partial(room._returning.hear, holds))
        _sign(room)


def _sign(room: Room) -> None:
    """Have signed what is stored, as far as nothing else of ours can stand there."""
    if not room._lost:
        room._signing.sign(room._returning.sure, room._headed)


def _came(room: Room, party: Party, holds: HeldHead | None) -> None:
    """Somebody is there, unless it has been cut off since, with the newest head that it has."""
    if party in room._parties:
        _attempt(room, partial(room._returning.came, party, room._parties[party], holds))
        _look(room)


def _look(room: Room) -> None:
    """Once all is stored: whether players hold more than that; if not any more, what waited for it
    goes on.
    """
    if room._lost or room._stopping is not None or not (room.durable or room._signing.lacking):
        return
    waiting = None if room.live.owes else _attempt(room, room._returning.look)
    _sign(room)
    if waiting is None or room._lost:
        return
    room._begin_to_wait(anew=True)
    room.live.answer()
    for post in waiting:
        room._take(post)
    room._publish()


def _attempt(room: Room, work: Callable[[], T]) -> T | None:
    """Do what may turn out to be impossible, because this table has signed something else; then the
    match stops.
    """
    if room._stopped is not None:
        return None
    try:
        return work()
    except Forked:
        room._keeper.metrics.forks += 1
        _stop(
            room,
            Code.TABLE_FORKED,
            "the store had lost entries, and two heads of ours are about one number",
        )
        room._storage.submit(Stopped(room.match_id, room.live.claim), *UNHEARD)
    except LocalError as error:
        _stop(room, Code.MATCH_STOPPED, english_text(error.phrase))
    return None


def _stop(room: Room, code: Code, why: str) -> None:
    log.error("match %s stops, and nothing more is signed of it: %s", room, why)
    room._stopped, room._lost = code, True
    room.close()
    for party in list(room._parties):
        party.stopped(code)
    room._keeper.match_stopped(room)
    if room._stopping is not None:
        room._stopping()


def _short(room: Room) -> float:
    """For how long seats are awaited once one is back after a claim."""
    several = room.presence.lively
    return room._bounds.returning_seconds if several else room._bounds.returning_alone_seconds


def _count(room: Room, post: Post, before: Match, waited: float) -> None:
    """What is to be known of an entry that stands."""
    metrics = room._keeper.metrics
    (metrics.turn if before.stage is MatchStage.PLAYING else metrics.step).observe(waited)
    if room._timing is not None:
        room._timing.stands(post, before, room.live.match, metrics)
