"""This host among the others of its table: it says that it is there, hears who is, and goes on with
what others left.

What is decided stands in `table.cluster.membership`; here are the clock, the store, and the matches of
this host.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Protocol

from protocol.errors import LocalError, RemoteError
from protocol.limits import (
    HOST_AWAY_SECONDS,
    HOST_CUT_OFF_SECONDS,
    HOST_GIVEN_SECONDS,
    HOST_NO_STORE_SECONDS,
    MAX_CHANGE_ENTRIES,
)
from protocol.match.terms import encode_terms
from table.cluster.claims import Claims
from table.cluster.heartbeats import (
    Heartbeat,
    Host,
    MatchLoad,
    NewestHeartbeats,
    decode_heartbeat,
    decode_release,
    encode_drain,
    encode_heartbeat,
    is_drain,
    prefix,
)
from table.cluster.membership import Membership
from table.cluster.pruning import StorePruning
from table.cluster.release import released
from table.cluster.shared_lobby import SharedLobby
from table.cluster.spectating.spectating import Spectating
from table.cluster.strays import Stray, StrayReports, Strays
from table.config import Config
from table.lobby.bans import Ban, BanList
from table.lobby.matches import Matches
from table.lobby.peer import Peer
from table.lobby.tables import Lobby, LobbyTable
from table.match.hosted_match import HostedMatch
from table.signer.signer import signer_of
from table.storage.shared.store import SharedStore

BANS_A_TURN = 7  # bans by which each heartbeat begins farther on; any store's message has so many

log = logging.getLogger(__name__)


class ClusterHost(Protocol):
    """What a host has of its own: `table.manager.manager.TableManager`."""

    matches: Matches
    lobby: Lobby
    people: dict[bytes, Peer]  # who is here, by identity

    @property
    def moderation(self) -> "BanKeeper":
        """What the host has decided."""

    def sweep(self) -> None:
        """Take away tables that nobody needs."""


class BanKeeper(Protocol):
    """The bans of a host: `table.manager.moderation.Moderation`."""

    bans: BanList

    @property
    def now(self) -> int:
        """Unix milliseconds."""

    def apply_bans(self) -> int:
        """Close the connections of banned people without a seat."""


class Cluster:
    """See above. `start` before the table listens, `open` when it does."""

    def __init__(self, me: Host, store: SharedStore, manager: ClusterHost, config: Config) -> None:
        self.loop = self._loop = asyncio.get_running_loop()
        assert config.cluster is not None
        pace, stay = config.cluster.pace, config.bounds.return_seconds
        self._desk = manager
        self._run = store.run
        self.view = Membership(me, self._run, self._loop.time(), pace)
        self.store, self._pace = store, pace
        self.matches, self.lobby, self._people = (
            manager.matches,
            manager.lobby,
            manager.people,
        )
        self._tasks: list[asyncio.Task[None]] = []
        self.drained = asyncio.Event()  # this host is to hand over what it has, and to stop
        self._news = asyncio.Event()  # something is to be said before the next second
        self._given: dict[bytes, tuple[str, float]] = {}  # what was released, whom to and when
        self._sweep_at = self._away_at = 0.0
        self._fit_at = self._loop.time()  # when we were last fit, or nobody else was
        self._looked = self._loop.time()
        self._looking: set[asyncio.Task[None]] = set()
        self.shared = SharedLobby(self.lobby, self.view, store, self._people, stay)
        self.strays, self._reports = Strays(), StrayReports()
        self._ban_turn = 0  # number of the ban with which the next heartbeat begins
        self._untold: set[str] = set()  # tables of which others may believe what was so before
        self._telling: set[str] = set()  # of these, what is being said
        self.matches.rules, self.matches.elsewhere, self.matches.changed = (
            me.rules,
            self.elsewhere,
            self._changed,
        )
        self.claims = Claims(self.view, store, self.matches, config.rng, pace)
        self.watching = Spectating(
            store,
            self.matches.identity,
            config,
            self.matches.metrics,
            elsewhere=self.elsewhere,
            reading=self.matches.reading,
        )
        self.pruning = StorePruning(self.view, store, config.bounds, self.matches.metrics)
        self.matches.carry = store.carried
        self.matches.stuck, self.matches.left.pace = partial(self.claims.pass_on, self.give), pace

    async def start(self) -> None:
        """Hear who is there. Raises: LocalError if somebody else has this host's name."""
        await self.store.hear(self._heard)
        self._tasks = [self._loop.create_task(self._beat())]
        await asyncio.sleep(self._pace.hear)
        if self.view.twin:
            raise LocalError("wrong.cluster.name", name=self.view.me.name)
        log.info("%d other hosts are there", len(self.view.others))

    def open(self, address: str) -> None:
        """Take part: this host listens, and is found at this address."""
        self.view.me, self.view.takes = self.view.me._replace(address=address), True
        self.claims.scan_soon()
        self._loop.call_later(max(0.0, self._pace.silent - self._pace.hear), self.claims.scan_soon)
        work = self._watch(), self.shared.follow(), self.pruning.run()
        self._tasks += map(self._loop.create_task, work)
        self._news.set()

    def close(self) -> None:
        """Say and claim nothing more."""
        self.view.takes = False
        for task in (*self._tasks, *self._looking):
            task.cancel()
        self.watching.close()

    def elsewhere(self, match_id: bytes) -> str:
        """See `Keeper`: whose host says so, or who is to have it, as far as we can know."""
        found = self.view.of_match(match_id)
        host = found.host if found is not None else None
        host = host or self.view.successor(match_id, self.view.me.rules)
        return host.address if host is not None else ""

    def has_match(self, match_id: bytes) -> bool:
        """Tell if a match runs at another host, or is on its way to this one."""
        return self.view.of_match(match_id) is not None or self.claims.awaits(match_id)

    def addresses(self) -> list[str]:
        """Where this table is found: at this host, and at those that are there."""
        hosts = self.view.taking()
        return [host.address for host in hosts.values() if host.address]

    def tells(self, table_id: str) -> bool:
        """Whether others may not know yet what is at a table here: then they are told now."""
        if table_id in self._untold or table_id in self._telling:
            self._news.set()
            return True
        return False

    def _changed(self, table_id: str) -> None:
        """A match has begun here, or is here no more. If the table is at home elsewhere, people are
        sent to and fro.
        """
        self._untold.add(table_id)
        if self.shared.home(table_id) != self.view.me:
            self._news.set()

    def heir(self, room: HostedMatch) -> Host | None:
        """Whom we leave a match to."""
        return self.view.successor(room.match_id, room.live.rules)

    def look_for_tables(self, then: Callable[[], None]) -> None:
        """Take in what others have created just now."""
        looking = self._loop.create_task(self.store.look())
        self._looking.add(looking)
        looking.add_done_callback(self._looking.discard)
        looking.add_done_callback(lambda done: then())

    # --- what is said and heard ---

    def beat(self) -> Heartbeat:
        """What we say of ourselves."""
        now, view, bans = self._loop.time(), self.view, self._desk.moderation.bans
        self._given = {
            match_id: each
            for match_id, each in self._given.items()
            if now - each[1] < HOST_GIVEN_SECONDS
        }
        makers = {
            table.creator for table in self.lobby.tables.values() if table.creator in self._people
        }
        return Heartbeat(
            view.me,
            self._run,
            view.ready,
            tuple(self._row(table) for table in self.lobby.everything() if self._tells(table)),
            tuple(sorted(prefix(maker) for maker in makers if maker)),
            tuple((match_id, name) for match_id, (name, _) in self._given.items()),
            self.watching.matches,
            tuple(self._newest({match_id for beat in view.others for match_id in beat.watched})),
            bans.digest,
            self._bans_to_tell(),
            self.strays.tell(now),
        )

    def _bans_to_tell(self) -> tuple[Ban, ...]:
        """Return the bans if another host knows others. What does not fit into a heartbeat goes
        with the next ones: each begins farther on.
        """
        bans = self._desk.moderation.bans
        if all(beat.bans_digest in (b"", bans.digest) for beat in self.view.others):
            return ()
        known = bans.all
        self._ban_turn = (self._ban_turn + BANS_A_TURN) % max(len(known), 1)
        return (*known[self._ban_turn :], *known[: self._ban_turn])

    def _newest(self, watched: Iterable[bytes]) -> Iterator[NewestHeartbeats]:
        """What we have signed last of these, as far as they run here: it is in the store with the
        next entry only.
        """
        for match_id in watched:
            room = self.matches.feeds.get(match_id)
            heads = (
                room.live.unstored_heads()[-MAX_CHANGE_ENTRIES:]
                if isinstance(room, HostedMatch)
                else ()
            )
            if room is not None and heads:
                yield NewestHeartbeats(match_id, room.stored - len(heads), heads)

    def _tells(self, table: LobbyTable) -> bool:
        """Whether there is something to say of it."""
        return bool(table.waiting) if table.room is None else table.room.match_id not in self._given

    async def announce(self) -> None:
        """Say it now; who has nothing to go on with for long says nothing, and counts as gone."""
        if self._unfit() >= self._pace.unfit:
            return
        await self.store.announce(encode_heartbeat(self.beat(), self.store.most))

    def give(self, match_id: bytes, successor: str) -> None:
        """A match has been released to a host of this name, which is told at once."""
        self._given[match_id] = successor, self._loop.time()
        self._news.set()

    async def _beat(self) -> None:
        while True:
            self._news.clear()
            self._telling, self._untold = self._telling | self._untold, set()
            try:
                await self.announce()
                self._telling = set()
            except Exception as error:  # whatever it is, the next one must be said
                log.error(
                    "the other hosts could not be told that this one is there (%s)",
                    type(error).__name__,
                )
            try:
                async with asyncio.timeout(self._pace.beat):
                    await self._news.wait()
                await asyncio.sleep(self._pace.look / 2)  # what comes together is said together
            except TimeoutError:
                pass

    def _heard(self, data: bytes) -> None:
        if self._hear_operator(data):
            return
        try:
            beat = decode_heartbeat(data)
        except RemoteError:
            log.warning("something was heard that no host of this version says")
            return
        known = self.view.named(beat.host.name) is not None
        took = beat.host.name in self.view.taking()
        self.view.heard(beat, self._loop.time())
        if beat.host.name == self.view.me.name:
            if beat.run != self._run and not beat.takes:
                self._news.set()  # a newcomer of our name is answered before it takes part
            return
        if not known:
            log.info("host %s is there", beat.host.name)
        moderation = self._desk.moderation
        if beat.bans and moderation.bans.merge(beat.bans, moderation.now):
            moderation.apply_bans()
        if took and not beat.takes:
            self.claims.scan_soon()  # what was to be its own is somebody else's now
        for match_id, successor in beat.given:
            if successor == self.view.me.name:
                self.claims.left_to_us(match_id)
        for row in beat.rows:
            self.claims.doubt(row.match_id)
        for newest in beat.heads:
            self.watching.hint(*newest)
        self._hear_strays(beat)

    def _hear_operator(self, data: bytes) -> bool:
        """Tell if an operator has said this."""
        if is_drain(data):
            if data == encode_drain(self.view.me.name, self._run) and not self.drained.is_set():
                log.info("an operator asks this host to hand over its matches, and to stop")
                self.drained.set()
            return True
        match_id = decode_release(data)
        if match_id is not None:
            self.claims.let_go_on(match_id)
        return match_id is not None

    def _hear_strays(self, beat: Heartbeat) -> None:
        now = self._loop.time()
        for stray in map(Stray._make, beat.strays):
            room = self.matches.feeds.get(stray.match_id)
            if isinstance(room, HostedMatch) and room.stored and not room.over:
                seats = set(map(prefix, room.people))
                self._reports.heard(stray, seats, beat.host.name, now)

    def stray(self, match_id: bytes, identity: bytes) -> None:
        """A seat is sent to the host of its match. If it has been there in vain, that host hears so."""
        found = self.view.of_seat(identity)
        if found is None or found.match_id != match_id:
            return
        if self.strays.sent(match_id, identity, self._loop.time()):
            self._news.set()

    # --- what is to be done ---

    async def _watch(self) -> None:
        while True:
            try:
                self.look()
            except Exception as error:  # whatever it is, it must be looked again
                log.error("the look at the other hosts has failed (%s)", type(error).__name__)
            await asyncio.sleep(self._pace.look)

    def look(self) -> None:
        """Who is gone, and what is to be done about it."""
        now = self._loop.time()
        self._check_fit(now)
        if now - self._looked >= self._pace.silent or self.store.silent() >= self._pace.silent:
            # we have slept, or could not hear: others may have what was ours, and be done
            self.claims.scan_soon()
        self._looked = now
        for name in self.view.update(now):
            log.warning(
                "host %s has not been heard for %.1f s, and counts as gone", name, self._pace.silent
            )
            self.claims.scan_soon()
        self.matches.metrics.moved += self.shared.send_on_who_waits()
        self._send_away(now)
        self._give_up_unreached(now)
        if now >= self._sweep_at:
            self._sweep_at = now + self._pace.beat
            self._desk.sweep()
        self.claims.look(now)
        for newest in self._newest(self.watching.matches):  # those that have become ours meanwhile
            self.watching.hint(*newest)
        self.watching.look()

    def _send_away(self, now: float) -> None:
        """While the store cannot be reached nobody's time runs, and others may have the matches:
        people look there.
        """
        silent = self.store.silent()
        alone = now - self.view.last_heard() >= self._pace.silent
        cut_off = silent >= (HOST_CUT_OFF_SECONDS if alone else HOST_NO_STORE_SECONDS)
        # by then the others have noticed that we say nothing, and send nobody back
        if (
            not (cut_off or self._unfit() >= self._pace.unfit + self._pace.silent)
            or now < self._away_at
        ):
            return
        self._away_at, rules = now + HOST_AWAY_SECONDS, self.view.me.rules
        for feed in list(self.matches.feeds.values()):
            host = (
                self.view.refuge(feed.match_id)
                if cut_off
                else self.view.successor(feed.match_id, rules)
            )
            # what is not stored yet may still begin, and those of its people who sit elsewhere by
            # then miss it
            told = feed.stored or silent >= HOST_AWAY_SECONDS
            if isinstance(feed, HostedMatch) and host is not None and told:
                feed.send_away(host.address)
        if cut_off:
            self.watching.send_away(self._refuge)

    def _give_up_unreached(self, now: float) -> None:
        """Give up matches whose seats do not hear this host, and reach another one.

        No seat of such a match may be connected here: a seat that is proves that this host is
        heard.
        """
        for match_id in self._reports.matches:
            room = self.matches.feeds.get(match_id)
            if not isinstance(room, HostedMatch) or room.seated:
                self._reports.forget(match_id)
                continue
            name = self._reports.refuge(match_id, now)
            host = self.view.taking(room.live.rules).get(name or "")
            if host is None or host == self.view.me or not self.view.is_sure(host, now):
                continue
            self._reports.forget(match_id)
            log.warning("match %s: its seats do not reach this host, but host %s", room, name)
            giving = self._loop.create_task(self._give_up(room, host))
            self._looking.add(giving)
            giving.add_done_callback(self._looking.discard)

    async def _give_up(self, room: HostedMatch, host: Host) -> None:
        await released(room, host, self.store)
        self.give(room.match_id, host.name)
        room.leave_to(host.address)
        self.matches.left.unreached(room.match_id)
        self.matches.metrics.released += 1

    def _refuge(self, match_id: bytes) -> str:
        host = self.view.refuge(match_id)
        return host.address if host is not None else ""

    def _check_fit(self, now: float) -> None:
        """Whether we can append and sign. If nobody else can either, nothing would go on anywhere
        else.
        """
        view, was = self.view, self.view.fit
        view.fit = self.store.safe and not signer_of(self.matches.identity).away
        if (
            view.fit
            or was
            or not any(beat.takes and beat.host.rules == view.me.rules for beat in view.others)
        ):
            self._fit_at = now
        if view.fit is not was:
            log.warning(
                "this host %s",
                "takes matches again" if view.fit else "takes nothing: it cannot go on with it",
            )
            self.claims.scan_soon()
            self._news.set()

    def _unfit(self) -> float:
        """For how many seconds others could go on with what we have, and we cannot."""
        return 0.0 if self.view.fit else self._loop.time() - self._fit_at

    def _row(self, table: LobbyTable) -> MatchLoad:
        """What others have to know of a table."""
        terms = encode_terms(table.played) if not table.number or not table.creator else None
        if table.room is None:
            return MatchLoad(table.table_id, terms, table.people(), b"", ())
        listed = self.lobby.tables.get(table.table_id) is table
        seats = tuple(map(prefix, table.room.people))
        return MatchLoad(table.table_id if listed else "", terms, [], table.room.match_id, seats)
