"""The lobby as a place to meet: what the table does with each message of people to each other. None
of it is logged.
"""

import asyncio
from collections.abc import Callable, Container, Mapping

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.messages.lobby import Purpose, check_remark
from protocol.messages.table import encode
from table.config import Bounds
from table.lobby.peer import Peer
from table.lobby.relay import Relays, tell_closed
from table.lobby.roster import Roster
from table.lobby.tables import Declined, Lobby
from table.net.token_bucket import TokenBucket, TokenBuckets


class Chat:
    """Everything that people in the lobby of one table manager do with each other. It is gone with
    the process.
    """

    def __init__(
        self,
        lobby: Lobby,
        people: Mapping[bytes, Peer],
        bounds: Bounds,
        muted: Container[bytes] = frozenset(),
    ) -> None:
        """`people`: the newest connection of each identity that is here; `muted`: who may not talk,
        nor call.
        """
        loop = asyncio.get_running_loop()
        self._lobby, self._people, self._muted, self._time = lobby, people, muted, loop.time
        self.present, self.pipes = Roster(bounds, loop), Relays(bounds, loop)
        kept = bounds.addresses_kept
        self._appears = TokenBuckets(bounds.appears, kept)  # by identity
        self._talk = TokenBuckets(bounds.lobby_talk, kept)  # by identity
        self._talk_of = TokenBuckets(bounds.lobby_talk_per_address, kept)  # by address
        self._talk_in_all = TokenBucket(bounds.lobby_talk_in_all)
        self._calls = TokenBuckets(bounds.calls, kept)  # by who calls
        self._calls_of = TokenBuckets(bounds.calls, kept)  # by address, and who is called
        self._called = TokenBuckets(bounds.called, kept)  # by who is called

    def mutes(self, identity: bytes) -> bool:
        """Tell if the host lets this key say nothing."""
        return identity in self._muted

    def leave(self, peer: Peer) -> None:
        """Somebody is in the lobby no more: in a match, or gone."""
        self.present.vanish(peer)
        self.pipes.leave(peer)

    def close(self) -> None:
        """Stop all timers."""
        self.present.close()
        self.pipes.stop()

    def appear(self, peer: Peer, wants: int) -> None:
        """Be seen, or want something else. A name can be a remark, so neither is for free. Raises:
        Declined.
        """
        if not self._appears.take(peer.identity, self._time()):
            raise Declined(Code.TOO_MANY)
        self.present.appear(peer, wants)

    def talk(self, peer: Peer, remark: str) -> None:
        """A remark to all who are seen; whoever does not read fast enough misses it. Raises:
        Declined.
        """
        self._check_seen(peer)
        try:
            check_remark(remark)
        except RemoteError as error:
            raise Declined(error.code) from None
        now = self._time()
        buckets = ((self._talk, peer.identity), (self._talk_of, peer.connection.address))
        if not all(each.take(key, now) for each, key in buckets) or not self._talk_in_all.take(now):
            raise Declined(Code.TOO_MANY)
        self.present.tell()
        said = encode("said", peer.identity, remark)
        for other in self.present.others(peer):
            if other.takes_talk:
                other.send(said)

    def call(self, peer: Peer, identity: bytes, table_id: str) -> None:
        """Ask somebody who is seen to come to a table. Raises: Declined."""
        self._check_seen(peer)
        self._lobby.find(table_id)
        other = self.present.find(identity)
        now = self._time()
        if (
            other is peer
            or not self._calls.take(peer.identity, now)
            or not self._may_hear(identity, peer, now)
        ):
            raise Declined(Code.TOO_MANY)
        self.present.tell()
        other.send(encode("called", peer.identity, table_id))

    def open(self, peer: Peer, identity: bytes, purpose: int) -> None:
        """Have a pipe to a key, as soon as whoever has it wants it too. Raises: RemoteError.

        Whether that one is here is not said. It is told if both are seen, and not too many ask: or
        it asks by itself.
        """
        now, name = self._time(), (identity, Purpose(purpose))
        other = self._people.get(identity)
        try:
            if identity == peer.identity or not self._calls.take(peer.identity, now):
                raise Declined(Code.TOO_MANY)
            waits = self.pipes.ask(peer, other, name)
        except Declined as declined:
            tell_closed(peer, name, declined.code)
            return
        heard = other is not None and peer in self.present and other in self.present
        if (
            other is not None
            and waits
            and heard
            and peer.identity not in self._muted
            and self._may_hear(identity, peer, now)
        ):
            self.present.tell()
            other.send(encode("knock", peer.identity, purpose))

    def _may_hear(self, identity: bytes, peer: Peer, now: float) -> bool:
        """Take a call into account. Keys are free, so no address may use up what somebody hears."""
        from_there = self._calls_of.take((peer.connection.address, identity), now)
        return from_there and self._called.take(identity, now)

    def _check_seen(self, peer: Peer) -> None:
        if peer not in self.present:
            raise Declined(Code.NOT_HERE)
        if peer.identity in self._muted:
            raise Declined(Code.MUTED)


def _vanish(meeting: Chat, peer: Peer) -> None:
    meeting.present.vanish(peer)


def _send(meeting: Chat, peer: Peer, identity: bytes, purpose: int, data: bytes) -> None:
    meeting.pipes.send(peer, (identity, Purpose(purpose)), data)


def _grant(meeting: Chat, peer: Peer, identity: bytes, purpose: int, size: int) -> None:
    meeting.pipes.grant(peer, (identity, Purpose(purpose)), size)


def _close(meeting: Chat, peer: Peer, identity: bytes, purpose: int) -> None:
    meeting.pipes.close(peer, meeting._people.get(identity), (identity, Purpose(purpose)))


REQUESTS = frozenset({"appear", "call"})
# (meeting, peer, *values of the message). Raises: RemoteError, Declined
HANDLERS: dict[str, Callable[..., None]] = {
    "appear": Chat.appear,
    "vanish": _vanish,
    "talk": Chat.talk,
    "call": Chat.call,
    "open": Chat.open,
    "send": _send,
    "grant": _grant,
    "close": _close,
}
