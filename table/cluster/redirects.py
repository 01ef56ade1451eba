"""What people ask for that another host has: they are told where. What nobody has yet, they wait
for.

A match whose host has just died is somebody's in a few seconds: until then nobody hears that there
is no such match.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from protocol.codes import Code
from protocol.limits import HOST_WAIT_SECONDS
from protocol.match.log import Record
from protocol.messages.table import ConnectionPhase
from protocol.messages.tail import HeldHead
from table.cluster.cluster import Cluster
from table.cluster.heartbeats import Host
from table.cluster.membership import TableLocation
from table.lobby.peer import Peer
from table.lobby.tables import DEFAULT_TABLE, Declined
from table.storage.interface import MatchOwnership

READ_SECONDS = 1.0  # between two questions to the store about one match
LOOK_SECONDS = 0.1

T = TypeVar("T")
Answer = Callable[[], None]  # gives what was asked for. Raises: Declined


class _Asked(NamedTuple):
    again: Callable[[], None]
    until: float


class _Place(NamedTuple):
    """A table that somebody wants to be at, or with `seat` to sit at."""

    name: str
    seat: bool
    here: Answer
    again: Callable[[], None]
    until: float


class _Wanted(NamedTuple):
    """A match that somebody has a seat in."""

    match_id: bytes
    holds: HeldHead | None
    met: bytes | None  # id of the newest claim that the seat has met
    until: float


class Redirects:
    """Those who wait for an answer: one question of each."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._loop = cluster, cluster.loop
        self._waiting: dict[Peer, _Asked] = {}
        self._looks = False

    def forget(self, peer: Peer) -> None:
        """It is gone, or asks for something else."""
        self._waiting.pop(peer, None)

    def resume(
        self,
        peer: Peer,
        match_id: bytes,
        holds: HeldHead | None = None,
        met: bytes | None = None,
    ) -> None:
        """Back to one's seat in a match, wherever it is, with this head of it. Raises: Declined."""
        self.forget(peer)
        self._resume(peer, _Wanted(match_id, holds, met, self._loop.time() + HOST_WAIT_SECONDS))

    def table(self, peer: Peer, table_id: str | None, seat: bool, here: Answer) -> None:
        """Something at a table, or with `seat` at that where one has a seat: by `here`, if that is
        here.

        Raises: Declined.
        """
        self.forget(peer)
        self._table(peer, table_id, seat, here, self._loop.time() + HOST_WAIT_SECONDS)

    # --- a match ---

    def _resume(self, peer: Peer, wanted: _Wanted) -> None:
        cluster, match_id = self._cluster, wanted.match_id
        found = cluster.view.of_match(match_id)
        here, again = (
            partial(cluster.matches.resume, peer, match_id, wanted.holds, wanted.met),
            partial(self._resume, peer, wanted),
        )
        if match_id in cluster.matches.feeds:
            then = partial(self._seated, peer, match_id, here, again, wanted.until)
            self._ask(peer, partial(cluster.store.owned, match_id), then, wanted.until)
        elif cluster.claims.awaits(match_id):
            # its old host sends people here, and its last beat may say it has it
            self._wait(peer, again, LOOK_SECONDS, wanted.until)
        elif found is not None and found.host is not None and self._sure(found.host):
            cluster.stray(match_id, peer.identity)
            self._send_on(peer, found.host.address, match_id)
        else:
            self._ask(
                peer,
                partial(cluster.store.owned, match_id),
                partial(self._owned, peer, wanted),
                wanted.until,
            )

    def _owned(self, peer: Peer, wanted: _Wanted, owned: MatchOwnership | None) -> None:
        """The store has said whose a match is. Raises: Declined."""
        cluster, match_id = self._cluster, wanted.match_id
        host = None if owned is None else cluster.view.named(owned.owner)
        if owned is None or match_id in cluster.matches.feeds:
            cluster.matches.resume(peer, match_id, wanted.holds, wanted.met)
        elif owned.over:
            self._look_back(peer, wanted)
        elif host is not None and self._sure(host):
            self._send_on(peer, host.address, match_id)
        else:
            if owned.owner == cluster.view.me.name:
                cluster.claims.want(match_id)
            self._wait(peer, partial(self._resume, peer, wanted), READ_SECONDS, wanted.until)

    def _look_back(self, peer: Peer, wanted: _Wanted) -> None:
        """A match is over, and its log file not made yet: it can be read as soon as its last heads
        are there.
        """

        def fetched(records: Sequence[Record] | None) -> None:
            if records or records is None:
                self._cluster.matches.resume(peer, wanted.match_id, wanted.holds, wanted.met)
            else:
                self._wait(peer, partial(self._resume, peer, wanted), READ_SECONDS, wanted.until)

        self._ask(peer, partial(self._cluster.store.fetch, wanted.match_id), fetched, wanted.until)

    # --- a table ---

    def _table(
        self, peer: Peer, table_id: str | None, seat: bool, here: Answer, until: float
    ) -> None:
        cluster, view, name = self._cluster, self._cluster.view, table_id or DEFAULT_TABLE
        again = partial(self._table, peer, table_id, seat, here, until)
        at_table = _Place(name, seat, here, again, until)
        if (
            seat
            and (own := cluster.lobby.seat_of(peer.identity)) is not None
            and own.room is not None
        ):
            match_id = own.room.match_id
            then = partial(self._seated, peer, match_id, here, again, until)
            self._ask(peer, partial(cluster.store.owned, match_id), then, until)
        elif not seat or (found := view.of_seat(peer.identity)) is None:
            self._at(peer, at_table)
        elif table_id is None or not found.table_id:
            # of a match that is not listed its host knows the table
            self._follow(peer, found, found.match_id, again, until)
        elif found.table_id == name and found.host is not None and self._sure(found.host):
            self._follow(peer, found, name, again, until)
        else:
            then = partial(self._has_seat, peer, at_table, found)
            self._ask(peer, partial(cluster.store.owned, found.match_id), then, until)

    def _has_seat(
        self, peer: Peer, place: _Place, found: TableLocation, owned: MatchOwnership | None
    ) -> None:
        """Somebody had a seat elsewhere a moment ago; the store has said whether that match runs.
        Raises: Declined.
        """
        if owned is None or owned.over:
            self._at(peer, place)
        elif found.table_id == place.name:
            self._follow(peer, found, place.name, place.again, place.until)
        else:
            raise Declined(Code.ALREADY_SEATED)

    def _at(self, peer: Peer, place: _Place) -> None:
        """At a table, wherever its match runs. Raises: Declined."""
        name, seat, here, again, until = place
        lobby = self._cluster.lobby
        if name in lobby.tables and lobby.tables[name].room is not None:
            here()
        elif (found := self._cluster.view.of_table(name)) is not None:
            follow = partial(self._follow, peer, found, name, again, until)
            if seat:
                follow()
            else:
                watching = self._cluster.watching
                then = partial(watching.enter, peer, follow)
                self._ask(peer, partial(watching.find, found.match_id), then, until)
        elif name in lobby.tables:
            self._home(peer, place)
        else:  # where it is depends on what it is
            self._cluster.look_for_tables(
                partial(self._answer, peer, partial(self._home, peer, place))
            )

    def _home(self, peer: Peer, place: _Place) -> None:
        """At a table at which no match runs; who comes from its home, where our last word is
        believed, waits for it.

        Raises: Declined.
        """
        name, _, here, again, until = place
        cluster = self._cluster
        host = cluster.shared.home(name)
        if (
            name not in cluster.lobby.tables
            or host is None
            or host == cluster.view.me
            or not host.address
        ):
            here()
        elif cluster.tells(name):
            self._wait(peer, again, LOOK_SECONDS, until)
        else:
            self._send_on(peer, host.address, name)

    def _seated(
        self,
        peer: Peer,
        match_id: bytes,
        here: Answer,
        again: Callable[[], None],
        until: float,
        owned: MatchOwnership | None,
    ) -> None:
        """The store has said whose a match is in which somebody has a seat here. Raises: Declined.

        We may have slept while others went on with it: who has read more of it would take ours for
        a log that has lost a part, and who has seen its end and forgotten it would sign in it anew.
        """
        if (
            self._cluster.claims.missed(match_id, owned)
            or match_id not in self._cluster.matches.feeds
        ):
            self._wait(peer, again, LOOK_SECONDS, until)
        else:
            here()

    def _follow(
        self,
        peer: Peer,
        found: TableLocation,
        place: bytes | str,
        again: Callable[[], None],
        until: float,
    ) -> None:
        comes = self._cluster.claims.awaits(found.match_id)
        if found.host is not None and self._sure(found.host) and not comes:
            self._send_on(peer, found.host.address, place)
        else:
            self._wait(peer, again, LOOK_SECONDS, until)

    # --- who waits ---

    def _sure(self, host: Host) -> bool:
        """Whether somebody may be sent there: who is sent to a host that has just died has lost
        time.
        """
        return self._cluster.view.is_sure(host, self._loop.time())

    def _send_on(self, peer: Peer, address: str, place: bytes | str) -> None:
        self._cluster.matches.metrics.moved += 1
        peer.ask_at(address, place)

    def _ask(
        self,
        peer: Peer,
        question: Callable[[Callable[[T], None]], None],
        then: Callable[[T], None],
        until: float,
    ) -> None:
        """Go on with what the store says to a question, if it does in time."""
        self._waiting[peer] = asked = _Asked(lambda: None, until)
        late = self._loop.call_at(until, self._late, peer, asked)

        def told(value: T) -> None:
            late.cancel()
            if self._waiting.get(peer) is asked:
                del self._waiting[peer]
                self._answer(peer, partial(then, value))

        question(told)

    def _late(self, peer: Peer, asked: _Asked) -> None:
        if self._waiting.get(peer) is asked:
            del self._waiting[peer]
            peer.connection.end(Code.CLOSING)

    def _wait(self, peer: Peer, again: Callable[[], None], seconds: float, until: float) -> None:
        """Try again; who has waited for too long is to come again, and finds more then."""
        if self._loop.time() >= until:
            peer.connection.end(Code.CLOSING)
            return
        self._waiting[peer] = asked = _Asked(again, until)
        self._loop.call_later(seconds, self._again, peer, asked)

    def _again(self, peer: Peer, asked: _Asked) -> None:
        if self._waiting.get(peer) is asked:
            del self._waiting[peer]
            if self._may_be_answered(peer):
                self._answer(peer, asked.again)

    def _answer(self, peer: Peer, answer: Answer) -> None:
        if not self._may_be_answered(peer):
            return
        try:
            answer()
        except Declined as declined:
            peer.connection.send_error(declined.code)

    def _may_be_answered(self, peer: Peer) -> bool:
        return peer.open and peer.phase is ConnectionPhase.LOBBY
