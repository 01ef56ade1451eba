"""One peer of a table manager, from handshake to end: who it is, and where it stands in the flow of
messages.
"""

from typing import Protocol

from protocol.codes import Code
from protocol.limits import LIFE_SECONDS, REFUSED_COSTS, SILENCE_SECONDS
from protocol.messages.table import ConnectionPhase, encode
from protocol.session.silence import Silence
from table.match.log_broadcaster import LogBroadcaster
from table.metrics import Metrics
from table.net.connection import Connection
from table.net.token_bucket import TokenBucket


class PeerObserver(Protocol):
    """Who is told what peers do."""

    metrics: Metrics

    def identified(self, peer: "Peer") -> None:
        """It has proved who it is. Raises: RemoteError if it may not stay."""

    def message(self, peer: "Peer", payload: bytes) -> None:
        """It has sent a message. Raises: RemoteError if it broke the protocol by it."""

    def seated(self, peer: "Peer") -> None:
        """It has a place in a match, and is in the lobby no more."""

    def ended(self, peer: "Peer") -> None:
        """It is gone. Called once."""


class Peer:
    """The `Receiver` of a connection, and a `Party` of the match that it has a place in, if any."""

    __slots__ = (
        "_house",
        "_silence",
        "banned",
        "connection",
        "feed",
        "forgiven",
        "has_free_request",
        "hushed",
        "invited",
        "name",
        "phase",
        "requests",
        "seat",
        "send",
    )

    def __init__(self, connection: Connection, requests: TokenBucket, house: PeerObserver) -> None:
        """`requests`: what may be asked of the lobby from its address."""
        self._house, self.connection, self.requests = house, connection, requests
        self.send = connection.send  # an encoded message; dropped if the connection is ending
        self.phase = ConnectionPhase.GREETING
        # the phase until we changed it, while the peer cannot be known to know
        self.forgiven: ConnectionPhase | None = None
        self.hushed = False  # talk of its was dropped, and it knows
        self.invited = False  # it has shown the table's secret
        self.has_free_request = False  # it has come back by a ticket, to its seat
        self.banned = False  # the host has banned its key or address
        self.name = ""
        self.feed: LogBroadcaster | None = None
        self.seat: int | None = None
        # on its line, since its first sign of life in this match
        self._silence: Silence | None = None

    def __repr__(self) -> str:
        return repr(self.connection)

    def greeted(self, name: str) -> None:
        """It has said hello."""
        self.name, self.phase = name, ConnectionPhase.LOBBY
        self.connection.hello_received()

    def leave(self) -> None:
        """Give up its place in a match, if it has one."""
        feed, self.feed, self.seat, self._silence = self.feed, None, None, None
        self.connection.reads_logs = False
        if feed is not None:
            feed.leave(self)

    def alive(self, now: float) -> None:
        """It has given a sign of life: from now on silence means that its line is dead."""
        if self._silence is None and self.feed is not None:
            self._silence = Silence(now, LIFE_SECONDS)

    def look(self, now: float) -> None:
        """Drop its connection if that is dead; called every `LIFE_SECONDS`."""
        if self._silence is None or not self.connection.open:
            return
        # while this table does not read it, nobody knows what it says
        heard = now if self.connection.intake.waiting else self.connection.heard
        if self._silence.look(now, heard) >= SILENCE_SECONDS:
            self.connection.drop_silent()

    # --- Receiver ---

    def identified(self) -> None:
        """See `Receiver`."""
        self._house.identified(self)

    def message(self, payload: bytes) -> None:
        """See `Receiver`."""
        self._house.message(self, payload)

    def drained(self) -> None:
        """See `Receiver`."""
        if self.feed is not None:
            self.feed.drained(self)

    def ended(self) -> None:
        """See `Receiver`."""
        self._house.ended(self)

    # --- Party ---

    @property
    def identity(self) -> bytes:
        """See `Party`."""
        return self.connection.identity

    @property
    def address(self) -> str:
        """See `Party`."""
        return self.connection.address

    @property
    def open(self) -> bool:
        """See `Party`."""
        return self.connection.open

    @property
    def busy(self) -> bool:
        """See `Party`."""
        return self.connection.busy

    @property
    def takes_talk(self) -> bool:
        """See `Party`."""
        return self.connection.takes_talk

    @property
    def sent(self) -> int:
        """See `Party`."""
        return self.connection.outbox.sent

    @property
    def written(self) -> int:
        """See `Party`."""
        return self.connection.outbox.written

    @property
    def held(self) -> bool:
        """See `Party`."""
        return self.connection.intake.held

    @property
    def arrived(self) -> float:
        """See `Party`."""
        return self.connection.arrived

    def refused(self, code: Code) -> None:
        """See `Party`. It counts as more frames, for its signature was checked in vain."""
        self._house.metrics.refused_posts[code] += 1
        self.connection.refused_posts += 1
        self.connection.charge(REFUSED_COSTS)

    def cut_off(self) -> None:
        """See `Party`."""
        self.connection.cut_off()

    def moved(self, address: str, match_id: bytes) -> None:
        """See `Party`. `closing` makes programs come again."""
        self.sent_on(address, match_id)

    def sent_on(self, address: str, place: bytes | str) -> None:
        """What it has here, or wants, goes on at another host: it is told where, and comes
        again.
        """
        self.ask_at(address, place)
        self.connection.end(Code.CLOSING)

    def ask_at(self, address: str, place: bytes | str) -> None:
        """What it asks for is at another host."""
        if address:
            self.send(encode("moved", address, place))

    def stopped(self, code: Code) -> None:
        """See `Party`."""
        self.connection.end(code)

    def entered(self, feed: LogBroadcaster, seat: int | None) -> None:
        """See `Party`."""
        self.feed, self.seat, self._silence = feed, seat, None
        self.connection.reads_logs = seat is None
        self.phase = ConnectionPhase.WATCHING if seat is None else ConnectionPhase.SEATED
        self._house.seated(self)

    def dismissed(self) -> None:
        """See `Party`."""
        self.forgiven, self.phase = self.phase, ConnectionPhase.LOBBY
        self.feed = self.seat = self._silence = None
        self.connection.reads_logs = False
