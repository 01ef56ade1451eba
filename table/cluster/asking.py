"""What people ask for that another host has: they are told where. What nobody has yet, they wait for.

A match whose host has just died is somebody's in a few seconds: until then nobody hears that there is no such match.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from protocol.codes import Code
from protocol.messages.table import Phase
from table.cluster.beats import Host
from table.cluster.cluster import Cluster
from table.cluster.view import Found
from table.lobby import DEFAULT_TABLE, Declined
from table.peer import Peer
from table.room.storage import Owned

WAIT_SECONDS = 10.0  # that somebody is kept waiting; a takeover takes four
READ_SECONDS = 1.0  # between two questions to the store about one match
LOOK_SECONDS = 0.1

Answer = Callable[[], None]  # gives what was asked for. Raises: Declined


class _Asked(NamedTuple):
    again: Callable[[], None]
    until: float


class Asking:
    """Those who wait for an answer: one question of each."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster, self._loop = cluster, cluster.loop
        self._waiting: dict[Peer, _Asked] = {}
        self._looks = False

    def forget(self, peer: Peer) -> None:
        """It is gone, or asks for something else."""
        self._waiting.pop(peer, None)

    def resume(self, peer: Peer, match_id: bytes) -> None:
        """Back to one's seat in a match, wherever it is. Raises: Declined."""
        self.forget(peer)
        self._resume(peer, match_id, self._loop.time() + WAIT_SECONDS)

    def table(self, peer: Peer, table_id: str | None, seat: bool, here: Answer) -> None:
        """Something at a table, or with `seat` at that where one has a seat: by `here`, if that is here.

        Raises: Declined.
        """
        self.forget(peer)
        self._table(peer, table_id, seat, here, self._loop.time() + WAIT_SECONDS)

    # --- a match ---

    def _resume(self, peer: Peer, match_id: bytes, until: float) -> None:
        cluster = self._cluster
        found = cluster.view.of_match(match_id)
        here, again = partial(cluster.matches.resume, peer, match_id), partial(self._resume, peer, match_id, until)
        if match_id in cluster.matches.feeds:
            self._ask(peer, match_id, partial(self._seated, peer, match_id, here, again, until), until)
        elif cluster.awaits(match_id):  # whoever had it sends people here, and its newest beat may say that it has it
            self._wait(peer, again, LOOK_SECONDS, until)
        elif found is not None and found.host is not None and self._sure(found.host):
            self._send_on(peer, found.host.address, match_id)
        else:
            self._ask(peer, match_id, partial(self._owned, peer, match_id, until), until)

    def _owned(self, peer: Peer, match_id: bytes, until: float, owned: Owned | None) -> None:
        """The store has said whose a match is. Raises: Declined."""
        cluster = self._cluster
        host = None if owned is None else cluster.view.named(owned.owner)
        if owned is None or match_id in cluster.matches.feeds:
            cluster.matches.resume(peer, match_id)
        elif host is not None and self._sure(host):
            self._send_on(peer, host.address, match_id)
        else:
            self._wait(peer, partial(self._resume, peer, match_id, until), READ_SECONDS, until)

    # --- a table ---

    def _table(self, peer: Peer, table_id: str | None, seat: bool, here: Answer, until: float) -> None:
        cluster = self._cluster
        lobby, view, name = cluster.lobby, cluster.view, table_id or DEFAULT_TABLE
        again = partial(self._table, peer, table_id, seat, here, until)
        if seat and (own := lobby.seat_of(peer.identity)) is not None and own.room is not None:
            match_id = own.room.match_id
            self._ask(peer, match_id, partial(self._seated, peer, match_id, here, again, until), until)
        elif seat and table_id is None and (found := view.of_seat(peer.identity)) is not None:
            self._follow(peer, found, found.match_id, again, until)
        elif name in lobby.tables and lobby.tables[name].room is not None:
            here()
        elif (found := view.of_table(name)) is not None:
            self._follow(peer, found, name, again, until)
        elif (host := view.home(name)) is not None and host != view.me and host.address:
            self._send_on(peer, host.address, name)
        elif name not in lobby.tables:
            cluster.look_for_tables(partial(self._answer, peer, here))
        else:
            here()

    def _seated(
        self, peer: Peer, match_id: bytes, here: Answer, again: Callable[[], None], until: float, owned: Owned | None
    ) -> None:
        """The store has said whose a match is in which somebody has a seat here. Raises: Declined.

        We may have slept while others went on with it: who has read more of it would take ours for a log that has lost
        a part, and who has seen its end and forgotten it would sign in it anew.
        """
        if self._cluster.missed(match_id, owned):
            self._wait(peer, again, LOOK_SECONDS, until)
        else:
            here()

    def _follow(self, peer: Peer, found: Found, place: bytes | str, again: Callable[[], None], until: float) -> None:
        comes = self._cluster.awaits(found.match_id)
        if found.host is not None and self._sure(found.host) and not comes:
            self._send_on(peer, found.host.address, place)
        else:
            self._wait(peer, again, LOOK_SECONDS, until)

    # --- who waits ---

    def _sure(self, host: Host) -> bool:
        """Whether somebody may be sent there: who is sent to a host that has just died has lost time."""
        return self._cluster.view.is_sure(host, self._loop.time())

    def _send_on(self, peer: Peer, address: str, place: bytes | str) -> None:
        self._cluster.matches.metrics.moved += 1
        peer.ask_at(address, place)

    def _ask(self, peer: Peer, match_id: bytes, then: Callable[[Owned | None], None], until: float) -> None:
        """Go on with what the store says of a match, if it does in time."""
        self._waiting[peer] = asked = _Asked(lambda: None, until)
        late = self._loop.call_at(until, self._late, peer, asked)

        def told(owned: Owned | None) -> None:
            late.cancel()
            if self._waiting.get(peer) is asked:
                del self._waiting[peer]
                self._answer(peer, partial(then, owned))

        self._cluster.store.owned(match_id, told)

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
        return peer.open and peer.phase is Phase.LOBBY
