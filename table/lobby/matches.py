"""All matches of one table manager: those that run, also after a restart, and those that somebody
looks back at.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Generator, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar, cast

from commandline.log_output import where
from protocol.codes import Code
from protocol.crypto.seeded_random import SEED
from protocol.errors import LocalError, Refused, RemoteError
from protocol.games.registry import UnknownRules
from protocol.i18n import english_text
from protocol.limits import (
    LOAD_TURN_SECONDS,
    LOOP_BEAT_SECONDS,
    MAX_FETCHES,
    RESTORE_SECONDS,
    RESTORED_AT_ONCE,
    SIGNER_RETRY_SECONDS,
)
from protocol.match.log import Log, Record, decode_entry
from protocol.match.setup import Person, Setup, TableIdentity, read_setup
from protocol.messages.claim import CLAIM_ID, SignedClaim
from protocol.messages.table import ConnectionPhase, encode
from protocol.messages.tail import HeldHead
from table.config import Config
from table.lobby.claim_backoff import ClaimBackoff
from table.lobby.loading import Carry, Loading, Returning, WaitingSeats, carry_nothing
from table.lobby.peer import Peer
from table.lobby.tables import Declined, Lobby, LobbyTable, dismiss
from table.match.clock import LoopWatch
from table.match.end_recovery import EndRecovery
from table.match.hosted_log import HostedLog
from table.match.hosted_match import HostedMatch
from table.match.live_match import LiveMatch, last_heads, read_chain
from table.match.log_broadcaster import LogBroadcaster, Party
from table.match.read_schedule import ReadSchedule
from table.match.tail_recovery import Forked
from table.metrics import Metrics
from table.net.fair_slots import FairSlots
from table.net.tickets import Tickets, TicketSeat
from table.signer import requests
from table.signer.requests import TICKETS
from table.signer.signer import Denied, Key, SignerGone, signer_of
from table.storage.interface import (
    FIRST_CLAIM,
    NO_CALLBACKS,
    MatchStopped,
    NewClaim,
    OpenMatch,
    Storage,
)
from table.workers.pool import FoldPool
from table.workers.worker_match import claimed_parts, open_folded, open_new

log = logging.getLogger(__name__)

T = TypeVar("T")


class Matches:
    """The feeds of one table manager, from a match's first entry until its people have been sent
    everything.
    """

    room_type = HostedMatch  # what a match is played in, and
    match_type = LiveMatch  # what it is: a test plants its faults in subclasses

    def __init__(
        self,
        identity: Key,
        config: Config,
        lobby: Lobby,
        storage: Storage,
        metrics: Metrics,
        over: Callable[[], None],
    ) -> None:
        """`over` is called after each match."""
        self.feeds: dict[bytes, LogBroadcaster] = {}  # by match id
        self.identity, self.config, self._lobby, self._storage = identity, config, lobby, storage
        self._over = over
        self.metrics = metrics
        self.reading = ReadSchedule(config.bounds)
        self.loop_watch = LoopWatch()
        self._beat: asyncio.TimerHandle | None = None
        key = partial(signer_of(identity).secret, TICKETS)
        self.tickets = Tickets(key, config.bounds.tickets_per_seat, config.now)
        # a match has ended, and its people have been sent all of it
        self.first_settled = asyncio.Event()
        # for whom a match is to come from the disk, with its id and the code if there is none
        self._fetching: dict[Peer, tuple[bytes, Code]] = {}
        self._fetches = 0  # matches that are on their way
        self.rules = ""  # which hosts may go on with what begins here (`Begin.rules`)
        self.elsewhere: Callable[[bytes], str] = lambda match_id: ""  # see `Keeper`
        # a match has begun at a table, or left it
        self.changed: Callable[[str], None] = lambda table_id: None
        # that are over and lack heads, and whose people are awaited
        self._ended: dict[bytes, EndRecovery] = {}
        # that cannot go on at a table of one host: people hear so, and keep them
        self.stopped: set[bytes] = set()
        # Tables whose match waits for the signer. Each has one timer, however often seats change.
        self._unsigned: set[str] = set()
        self._claiming: set[bytes] = set()  # matches of others that we take up
        self.kept = 0  # matches of before a restart that were open in the store
        # matches of before a restart that wait to be claimed, the next first
        self._queued: dict[bytes, None] = {}
        self._loading: dict[bytes, Loading] = {}  # claimed, and being folded
        # who waits for a match that is queued, being claimed, or being folded
        self._waiting: dict[bytes, WaitingSeats] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.carry: Carry = carry_nothing
        self.leaving = False  # this host stops: what it claims from now on it gives back
        self._closed = False
        self.pool: FoldPool | None = None  # the worker processes that fold; None: this one does
        self.left = ClaimBackoff()  # matches that ended here, could not go on, or went to others
        # called with what is ours and cannot go on
        self.stuck: Callable[[OpenMatch], None] = lambda kept: None
        self._places: FairSlots[Peer] = FairSlots(
            config.bounds.past_matches
        )  # of those who look back

    def begin(self, table: LobbyTable) -> None:
        """Everybody who waits is seated; they hear of it once the first entry is on disk.

        While the signer is away they wait.
        """
        if len(table.waiting) < table.terms.seats:  # somebody has not waited for the signer
            return
        try:
            live = self._new_log(_setup(self, table), self.config.rng.randbytes(SEED))
        except SignerGone:
            if table.table_id not in self._unsigned:
                self._unsigned.add(table.table_id)
                loop = asyncio.get_running_loop()
                loop.call_later(SIGNER_RETRY_SECONDS, self._begin_again, table)
            return
        except (LocalError, RemoteError) as error:
            log.error("no match can begin at %s: %s", table.table_id, english_text(error.phrase))
            dismiss(
                self._lobby.clear(table),
                error.code if isinstance(error, RemoteError) else Code.UNKNOWN_RULES,
            )
            return
        live.rules = self.rules
        people = self._lobby.clear(table)
        room = self._open(table, live)
        self.changed(table.table_id)
        log.info("match %s begins with %d seats", room, len(people))
        for peer in people:
            peer.forgiven = ConnectionPhase.WAITING
            room.enter(peer)

    def _new_log(self, setup: Setup, seed: bytes) -> HostedLog:
        if self.pool is None:
            return self.match_type(self.identity, setup, seed)
        return open_new(self.identity, setup, seed, self.pool)

    def _begin_again(self, table: LobbyTable) -> None:
        self._unsigned.discard(table.table_id)
        self.begin(table)

    async def restore(self) -> None:
        """Claim every match that was not over, and go on with it; of the others make what is still
        missing. What takes longer than `RESTORE_SECONDS` goes on afterwards.
        """
        rows = await _answer(self._storage.open_matches)
        self.kept = len(rows)
        self._queued = dict.fromkeys(row.match_id for row in rows)
        self._waiting.update((row.match_id, WaitingSeats()) for row in rows)
        lanes = [self._spawn(self._restore_queued()) for _ in range(RESTORED_AT_ONCE)]
        # a table with much to load listens meanwhile
        await asyncio.wait(lanes, timeout=RESTORE_SECONDS)

    async def _restore_queued(self) -> None:
        while self._queued:
            await self._restore_match(self._take_queued(next(iter(self._queued))))

    def _take_queued(self, match_id: bytes) -> bytes:
        del self._queued[match_id]
        self._claiming.add(match_id)
        return match_id

    async def _restore_match(self, match_id: bytes) -> None:
        kept = await _answer(partial(self._claim, match_id))
        self._claiming.discard(match_id)
        if kept is None:
            _stand_still(self, match_id)
            self._answer_waiting(match_id)
        else:
            await self._take_over(kept)

    def take(self, match_id: bytes, new: NewClaim = FIRST_CLAIM) -> None:
        """Claim one match, and go on with it."""
        if match_id not in self.claiming and match_id not in self.feeds:
            self._claiming.add(match_id)
            self._claim(match_id, partial(self._claimed, match_id), new)

    def _claim(
        self,
        match_id: bytes,
        done: Callable[[OpenMatch | None], None],
        new: NewClaim = FIRST_CLAIM,
    ) -> None:
        drawn = self.config.rng.randbytes(CLAIM_ID)
        self._storage.claim(match_id, done, new._replace(id=drawn))

    @property
    def claiming(self) -> frozenset[bytes]:
        """The matches that are to be claimed, are being claimed, or are folded after a claim."""
        return frozenset(self._claiming | self._queued.keys() | self._loading.keys())

    def _claimed(self, match_id: bytes, kept: OpenMatch | None) -> None:
        self._claiming.discard(match_id)
        self.metrics.claims["lost" if kept is None else "claimed"] += 1
        if kept is None:
            self.left.to_others(match_id)
            if match_id in self._waiting:
                _stand_still(self, match_id)
            self._answer_waiting(match_id)
        elif self.leaving:
            self._answer_waiting(match_id)
            self.stuck(kept)
        elif not self._closed:
            self._spawn(self._take_over(kept))

    async def _take_over(self, kept: OpenMatch) -> None:
        """Go on with a match where a table that was stopped has left it, with nobody there yet.

        One that cannot go on is left in the store as it is: the others can.
        """
        try:
            if kept.seed:
                await self._go_on(kept)
                return
            self._export(kept)
            self.left.for_long(kept.match_id)  # meanwhile its file is made
            self._answer_waiting(kept.match_id)
        except (LocalError, RemoteError) as error:
            self._cannot_go_on(kept, english_text(error.phrase))
        except Exception as error:
            self._cannot_go_on(kept, f"{type(error).__name__}\n{where(error)}")

    async def _go_on(self, kept: OpenMatch) -> None:
        """Load a match, until it is folded or a worker has been asked to fold it."""
        loading = self._loading[kept.match_id] = Loading(kept, self.carry)
        waiting = self._waiting.setdefault(kept.match_id, WaitingSeats())
        # one that cannot be read fails in the fold
        with suppress(Refused, RemoteError, UnknownRules, IndexError):
            setup = Log(kept.records[0].entry, self.config.games).setup
            waiting.admit([person.identity for person in setup.people])
            self._lobby.restored(setup).loading[kept.match_id] = setup
        loading.task = self._spawn(self._load(loading))
        # a task of its own: when it is given back, whoever waits here goes on with the next match
        await asyncio.wait([loading.task])

    async def _load(self, loading: Loading) -> None:
        kept, games = loading.kept, self.config.games
        try:
            if self.pool is None:
                parts = self.match_type.claimed_parts(self.identity, kept, games)
                self._loaded(loading, await _in_turns(parts))
            else:
                worker_parts = claimed_parts(self.identity, kept, self.pool, games)
                live = await _in_turns(worker_parts)
                loading.close = live.close
                open_folded(live, self.pool, partial(self._loaded, loading))
        except (LocalError, RemoteError) as error:
            self._fail(loading, english_text(error.phrase))
        except Exception as error:
            self._fail(loading, f"{type(error).__name__}\n{where(error)}")

    def _fail(self, loading: Loading, reason: str) -> None:
        if self._is_wanted(loading):
            self._cannot_go_on(loading.kept, reason)

    def _is_wanted(self, loading: Loading) -> bool:
        """Tell if nobody has given the match back meanwhile, or closed the table."""
        return self._loading.get(loading.kept.match_id) is loading

    def _loaded(self, loading: Loading, live: HostedLog | LocalError) -> None:
        """A match that was claimed has been folded, or cannot be: its claim is to be signed."""
        kept = loading.kept
        if isinstance(live, LocalError):
            self._fail(loading, english_text(live.phrase))
            return
        if not self._is_wanted(loading):
            live.close()
            return
        loading.close = live.close
        if not kept.id:
            self._opened(loading, live, True)
            return
        signer_of(self.identity).submit(
            [requests.claim(kept.match_id, kept.id)],
            partial(self._claim_signed, loading, live),
            partial(self._claim_denied, loading),
        )

    def _claim_denied(self, loading: Loading, why: Denied) -> None:
        self._fail(loading, why.value)

    def _claim_signed(self, loading: Loading, live: HostedLog, answers: Sequence[bytes]) -> None:
        kept = loading.kept
        live.signed_claim = SignedClaim(kept.id, answers[0])
        live.known_claims = kept.known
        if self._is_wanted(loading):
            loading.carry(partial(self._opened, loading, live))

    def _opened(self, loading: Loading, live: HostedLog, is_ours: bool) -> None:
        kept = loading.kept
        self._end_loading(kept.match_id)
        if is_ours:
            live.rules = self.rules
            room = self._open(self._lobby.restored(live.setup), live)
            _seat_who_waits(self._lobby, room)
            log.info("match %s goes on after %d entries", room, len(kept.records))
        else:
            live.close()
            self.left.to_others(kept.match_id)
        self._answer_waiting(kept.match_id)

    @property
    def loading(self) -> list[OpenMatch]:
        """The matches that were claimed and are being folded."""
        return [loading.kept for loading in self._loading.values()]

    def give_back(self, match_id: bytes) -> None:
        """Stop to load a match: it is released to another host."""
        loading = self._loading[match_id]
        self._end_loading(match_id)
        loading.close()
        self._answer_waiting(match_id)

    def claim_again(self, feed: LogBroadcaster, again: NewClaim) -> None:
        """See `MatchOwner`."""
        log.warning(
            "match %s is claimed anew: the store may have lost what it had acknowledged", feed
        )
        self.metrics.claims["again"] += 1
        self._waiting.setdefault(feed.match_id, WaitingSeats(feed.people))
        self._free_table(feed)
        self.feeds.pop(feed.match_id, None)
        self.take(feed.match_id, again)

    def _spawn(self, work: Coroutine[object, object, None]) -> "asyncio.Task[None]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _end_loading(self, match_id: bytes) -> None:
        loading = self._loading.pop(match_id, None)
        if loading is not None:
            loading.end()
            self._lobby.loaded(match_id)

    def _await_loading(self, match_id: bytes, seat: Returning) -> None:
        """Let a seat wait for a match that is being loaded, or load it now. Raises: Declined."""
        self._waiting[match_id].add(seat)
        if match_id in self._queued:
            self._spawn(self._restore_match(self._take_queued(match_id)))

    def _answer_waiting(self, match_id: bytes) -> None:
        """Answer the seats that waited for a match. Of several hosts another one may have it."""
        waiting = self._waiting.pop(match_id, None)
        for peer, holds, met in waiting.still_there() if waiting is not None else ():
            if self.config.several and match_id not in self.feeds:
                peer.connection.end(Code.CLOSING)
                continue
            try:
                self.resume(peer, match_id, holds, met)
            except Declined as declined:
                peer.connection.send_error(declined.code)

    def _cannot_go_on(self, kept: OpenMatch, reason: str) -> None:
        name = kept.match_id.hex()[:8]
        log.error("match %s cannot go on, and stays in the store: %s", name, reason)
        self._end_loading(kept.match_id)
        self.left.for_long(kept.match_id)
        _stand_still(self, kept.match_id)
        self._answer_waiting(kept.match_id)
        self.stuck(kept)

    def _export(self, kept: OpenMatch) -> None:
        """A match ended, and the table before it had its last heads stored, or made its file.

        Nothing needs to be signed if all heads are there: then it does not matter whether we still
        know its rules.
        """
        if kept.counted > len(kept.records):
            raise LocalError("wrong.room.lacking", number=len(kept.records))
        if kept.records and all(record.head for record in kept.records):
            self._keep_end(kept.match_id, [])
            return
        chain = read_chain(self.identity, kept.records, self.config.games)
        first = sum(bool(record.head) for record in kept.records)
        sign = partial(self._sign_end, chain, first)
        # people are at any of the hosts: here they would be waited for in vain
        if self.config.several:
            sign()
            return
        short = self.config.bounds.returning_alone_seconds
        self._ended[kept.match_id] = EndRecovery(
            kept, chain, short, self.metrics, partial(_attempt, self, chain, sign)
        )

    def _sign_end(self, chain: Log, first: int) -> None:
        """Raises: SignerGone, SignerRefuses; nothing has changed then."""
        heads = last_heads(self.identity, chain, first)
        self._ended.pop(chain.match_id, None)
        self._keep_end(chain.match_id, heads)

    def _keep_end(self, match_id: bytes, heads: Sequence[bytes]) -> None:
        """A match is over; until the store has its last heads nobody can read it, and who asks
        comes again.
        """
        self.left.ending.add(match_id)
        self._storage.export(match_id, heads, partial(self.left.ending.discard, match_id))

    def resume(
        self,
        peer: Peer,
        match_id: bytes,
        holds: HeldHead | None = None,
        met: bytes | None = None,
    ) -> None:
        """Back to one's seat in a match that runs or, from the disk, in one that is over. Raises:
        Declined.

        `holds`: a head of this match, which this table has signed. `met`: the id of the newest
        claim that the peer has met, which this table has signed.
        """
        if match_id in self.stopped:
            peer.stopped(Code.MATCH_STOPPED)
            return
        if match_id in self._waiting:
            self._await_loading(match_id, Returning(peer, holds, met))
            return
        feed, ended = self.feeds.get(match_id), self._ended.get(match_id)
        if ended is not None and not _hear_of_end(self, peer, ended, holds):
            return
        if isinstance(feed, HostedMatch):
            _check_seat(feed, peer)
            if met is not None and not feed.knows(met):
                feed.claim_again((met,), feed.live.told)
                self.resume(peer, match_id, holds, met)
            else:
                feed.enter(peer, holds)
        elif feed is not None:
            self._look_back(feed, peer)
        elif (
            peer in self._fetching
            or len(self._fetching) >= self.config.bounds.past_matches
            or not self.reading.may_read(peer.connection.address)
        ):
            raise Declined(Code.TOO_MANY)
        else:
            # it comes again, or not
            lacking = Code.TOO_MANY if match_id in self.left.ending else Code.WRONG_MATCH
            self._fetching[peer] = match_id, lacking
            if self._fetches < MAX_FETCHES:
                self._fetch(peer)

    def _fetch(self, peer: Peer) -> None:
        match_id, lacking = self._fetching[peer]
        self._fetches += 1
        self._storage.fetch(match_id, partial(self._fetched, peer, match_id, lacking))

    def _fetch_next(self) -> None:
        """Fetch for those who wait, as far as their addresses may still read."""
        for peer in list(self._fetching)[self._fetches :]:
            if self._fetches == MAX_FETCHES:
                return
            if not peer.open or peer.phase is not ConnectionPhase.LOBBY:
                del self._fetching[peer]
            elif not self.reading.may_read(peer.connection.address):
                del self._fetching[peer]
                peer.connection.send_error(Code.TOO_MANY)
            else:
                self._fetch(peer)

    def watch_loop(self) -> None:
        """Notice from now on when this program stands still: that is nobody's time."""
        loop = asyncio.get_running_loop()
        self._beat = loop.call_later(LOOP_BEAT_SECONDS, self.watch_loop)
        lost = self.loop_watch.beat(loop.time(), self._beat.when())
        if lost:
            log.warning("this program stood still for %.1f s: no clock of a seat ran", lost)

    def close(self) -> None:
        """Stop all timers and loading."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        for loading in list(self._loading.values()):
            self._end_loading(loading.kept.match_id)
            loading.close()
        self.reading.close()
        if self._beat is not None:
            self._beat.cancel()
        for close in [feed.close for feed in self.feeds.values()] + [
            each.close for each in self._ended.values()
        ]:
            close()

    # --- feed.Keeper ---

    def match_over(self, feed: LogBroadcaster) -> None:
        """The table is free for the next match; the log becomes a file."""
        self._free_table(feed)
        self.left.for_long(feed.match_id)
        self.metrics.matches += 1
        if isinstance(feed, HostedMatch):
            self.metrics.faults.update(feed.live.status.faults)
            self._keep_end(feed.match_id, feed.live.unstored_heads())
        self._over()

    def match_settled(self, feed: LogBroadcaster) -> None:
        """Everybody has been sent all of a match."""
        self.feeds.pop(feed.match_id, None)
        if isinstance(feed, HostedMatch):
            self.first_settled.set()

    def match_lost(self, feed: LogBroadcaster) -> None:
        """Another host goes on with a match, or the signer refuses it here: with one host that is
        its end.
        """
        _stand_still(self, feed.match_id)
        if not self.config.several:
            self.first_settled.set()
        self.left.to_others(feed.match_id)
        self._free_table(feed)
        self.feeds.pop(feed.match_id, None)

    def match_stopped(self, feed: LogBroadcaster) -> None:
        """A match cannot go on."""
        self._free_table(feed)
        self.first_settled.set()

    # --- inside ---

    def _free_table(self, feed: LogBroadcaster) -> None:
        self._lobby.free(feed)
        self.changed(feed.table_id)

    def _open(self, table: LobbyTable, live: HostedLog) -> HostedMatch:
        if table.room is not None:
            table = self._lobby.crowd(table)
        table.room = self.room_type(
            live, self._storage, self.config.bounds, self, self.config.several
        )
        table.room.seat_announced = self._give_ticket
        self.feeds[table.room.match_id] = table.room
        return table.room

    def people_of(self, match_id: bytes) -> Sequence[bytes] | None:
        """Return the identities of a running match by seat, empty while they are not known; None if
        no such match runs here.
        """
        feed = self.feeds.get(match_id)
        if isinstance(feed, HostedMatch):
            return feed.people
        return () if match_id in self.claiming or match_id in self._ended else None

    def _give_ticket(self, party: Party, match_id: bytes, seat: int) -> None:
        """Give a seat the ticket for its next connection."""
        ticket = self.tickets.make(TicketSeat(match_id, seat))
        party.send(encode("ticket", match_id, *ticket))

    def _fetched(
        self, peer: Peer, match_id: bytes, lacking: Code, records: Sequence[Record] | None
    ) -> None:
        """A match that is over has come from the disk, for somebody who may have gone on
        meanwhile.
        """
        del self._fetching[peer]
        self._fetches -= 1
        self._give(peer, match_id, lacking, records)
        self._fetch_next()

    def _give(
        self, peer: Peer, match_id: bytes, lacking: Code, records: Sequence[Record] | None
    ) -> None:
        if not peer.open or peer.phase is not ConnectionPhase.LOBBY:
            return
        if records is None:  # it may be there: nobody is told to forget it
            peer.stopped(Code.MATCH_STOPPED)
            return
        try:
            if not records:
                raise Declined(lacking)
            cost = sum(len(record.entry) for record in records)
            self.reading.charge(peer.connection.address, cost)
            self._look_back(self.feeds.get(match_id) or _past(self, match_id, records), peer)
        except RemoteError as error:
            peer.connection.send_error(error.code)

    def _look_back(self, feed: LogBroadcaster, peer: Peer) -> None:
        """Let a peer read a match that is over; for its place another may have to go, and come
        back. Raises: Declined.

        Who has no seat in it is turned away before anything is kept for it.
        """
        _check_seat(feed, peer)
        self._places.keep(_looks_back)
        gives_way = self._places.take(peer, peer.connection.address)
        if gives_way is not None:
            gives_way.connection.end(Code.TOO_SLOW)
        self.feeds[feed.match_id] = feed
        feed.enter(peer)
        feed.say_goodbye()
        self._make_room()

    def _make_room(self) -> None:
        """Send readers away while the matches that they look back at take too much memory: the
        oldest of the address that has most. One match may be as long as it is.
        """
        while True:
            past = [feed for feed in self.feeds.values() if type(feed) is LogBroadcaster]
            if len(past) < 2 or sum(feed.size for feed in past) <= self.config.bounds.past_bytes:
                return
            readers = [(party, feed) for feed in past for party in feed.parties]
            held: Counter[str] = Counter()
            for party, feed in readers:
                held[party.address] += feed.size
            party, _ = max(readers, key=lambda reader: held[reader[0].address])
            party.stopped(Code.TOO_SLOW)


def _setup(matches: Matches, table: LobbyTable) -> Setup:
    config = matches.config
    return Setup(
        TableIdentity(matches.identity.public, config.name, table.table_id),
        config.rng.randbytes(32),
        int(config.now()),
        table.terms,
        tuple(Person(peer.name, peer.identity) for peer in table.waiting),
        config.games,
    )


def _past(matches: Matches, match_id: bytes, records: Sequence[Record]) -> LogBroadcaster:
    setup = read_setup(decode_entry(records[0].entry).body, matches.config.games)
    return LogBroadcaster(match_id, setup, records, matches.config.bounds, matches)


def _stand_still(matches: Matches, match_id: bytes) -> None:
    """A match that nobody is told to forget. Of several hosts another one may go on with it."""
    if not matches.config.several:
        matches.stopped.add(match_id)


def _attempt(matches: Matches, chain: Log, sign: Callable[[], None]) -> None:
    """Raises: SignerGone."""
    try:
        sign()
    except SignerGone:
        raise
    except LocalError as error:
        why = english_text(error.phrase)
        log.error("match %s stays in the store: %s", chain.match_id.hex()[:8], why)
        _stand_still(matches, chain.match_id)


def _hear_of_end(matches: Matches, peer: Peer, ended: EndRecovery, holds: HeldHead | None) -> bool:
    """Whether the end of a match may be read now, or soon. Raises: Declined."""
    if peer.identity not in ended.people:
        raise Declined(Code.WRONG_MATCH)
    try:
        if not ended.came(peer.identity, holds):
            raise Declined(Code.TOO_MANY)
    except Forked:
        matches._storage.submit(MatchStopped(ended.match_id, ended.claim), *NO_CALLBACKS)
        peer.stopped(Code.TABLE_FORKED)
        return False
    return True


async def _in_turns(parts: Generator[None, None, T]) -> T:
    """Do all parts, in turns of the loop of at most `LOAD_TURN_SECONDS`, and return the result."""
    loop = asyncio.get_running_loop()
    while True:
        until = loop.time() + LOAD_TURN_SECONDS
        while loop.time() < until:
            try:
                next(parts)
            except StopIteration as end:
                return cast(T, end.value)
        await asyncio.sleep(0)


async def _answer(ask: Callable[[Callable[[T], None]], None]) -> T:
    """What a store answers to a question that takes a callback."""
    answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()

    def tell(value: T) -> None:
        if not answer.done():  # else whoever asked has been stopped
            answer.set_result(value)

    ask(tell)
    return await answer


def _seat_who_waits(lobby: Lobby, room: HostedMatch) -> None:
    """Who has not heard that its match has begun may wait at its table again."""
    for peer, table in list(lobby.reserved.items()):
        if table.table_id == room.table_id and room.seat_of(peer.identity) is not None:
            lobby.release(peer)
            peer.forgiven = ConnectionPhase.WAITING
            room.enter(peer)


def _check_seat(feed: LogBroadcaster, peer: Peer) -> None:
    if feed.seat_of(peer.identity) is None:
        raise Declined(Code.WRONG_MATCH)


def _looks_back(peer: Peer) -> bool:
    """Whether a peer has a place in a match that was over when it came."""
    return (
        peer.open and type(peer.feed) is LogBroadcaster
    )  # of all feeds, this one alone grows no more
