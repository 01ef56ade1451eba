"""Pipes between two people at one table: bytes that it carries and cannot read, within bounds that
it can afford.

A pipe stands once both of its ends have asked for it. What is under way in it, each way, is bounded
by a window: an end may send on only after the other has read, and after the rates allow it, for the
table holds back the word of that. So nothing of a pipe is ever kept here but what is queued for a
connection, and no pipe is in the way of a match.
"""

import asyncio
from collections.abc import Callable

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import PIPE_WINDOW
from protocol.messages.lobby import Purpose, pipe_window_cost
from protocol.messages.table import encode
from table.config import Bounds
from table.lobby.peer import Peer
from table.lobby.tables import Declined
from table.net.fair_slots import FairSlots
from table.net.timer import Timer
from table.net.token_bucket import TokenBucket, TokenBuckets

# a pipe, as one of its ends calls it: who is at the other end, and for what
Name = tuple[bytes, Purpose]


class RelayDirection:
    """One direction of a pipe."""

    __slots__ = ("_held", "_pace", "_stall", "_unread", "_wait", "name", "reader", "writer")

    def __init__(
        self,
        writer: Peer,
        reader: Peer,
        purpose: Purpose,
        pipes: "Relays",
        stalled: Callable[[], None],
    ) -> None:
        self.writer, self.reader, self.name = writer, reader, (writer.identity, purpose)
        self._unread = 0  # bytes of the window that the reader has not granted back
        self._held = 0  # that it has, and the writer has not heard of
        self._wait = pipes.wait
        self._pace = Timer(pipes.loop, self._grant)
        self._stall = Timer(pipes.loop, stalled)

    def send(self, data: bytes, patience: float) -> None:
        """Pass data on. Raises: RemoteError if the window has no room for it."""
        self._unread += pipe_window_cost(data)
        if self._unread + self._held > PIPE_WINDOW:
            raise RemoteError(Code.BAD_MESSAGE)
        if not self._stall.running:
            self._stall.set(patience)
        self.reader.send(encode("sent", *self.name, data))

    def granted(self, size: int, patience: float) -> None:
        """The reader has read. Raises: RemoteError if there was not so much to be read."""
        self._unread -= size
        if self._unread < 0:
            raise RemoteError(Code.BAD_MESSAGE)
        self._stall.stop()
        if self._unread:
            self._stall.set(patience)
        self._held += size
        wait = self._wait(self.writer.identity, size)
        if not self._pace.running:
            self._pace.set(wait)

    def _grant(self) -> None:
        self.writer.send(encode("granted", self.reader.identity, self.name[1], self._held))
        self._held = 0

    def close(self) -> None:
        """Stop the timers."""
        self._pace.stop()
        self._stall.stop()


class Relay:
    """A pipe that stands: its two ways."""

    def __init__(self, ends: tuple[Peer, Peer], purpose: Purpose, pipes: "Relays") -> None:
        self.ends, self.purpose = ends, purpose
        one, other = ends
        self.ways = {
            writer: RelayDirection(
                writer, reader, purpose, pipes, lambda: pipes.end(self, Code.TOO_SLOW)
            )
            for writer, reader in ((one, other), (other, one))
        }

    def other(self, end: Peer) -> Peer:
        """Who is at the other end."""
        return self.ends[end is self.ends[0]]


class Relays:
    """All pipes of one table manager, and those that are asked for."""

    def __init__(self, bounds: Bounds, loop: asyncio.AbstractEventLoop) -> None:
        self.loop, self._bounds = loop, bounds
        self._pipes: dict[Peer, dict[Name, Relay]] = {}
        self._asked: dict[Peer, dict[Name, Timer]] = {}
        self._places: FairSlots[Relay] = FairSlots(bounds.pipes)
        self._rates = TokenBuckets(bounds.pipe_bytes, bounds.addresses_kept)
        self._in_all = TokenBucket(bounds.pipe_bytes_in_all)

    def __len__(self) -> int:
        return sum(map(len, self._pipes.values())) // 2

    def wait(self, identity: bytes, size: int) -> float:
        """Seconds until somebody may be told that it may send so many bytes more."""
        now = self.loop.time()
        self._in_all.spend(now, size)
        return max(self._rates.spend(identity, now, size), self._in_all.wait(now))

    def ask(self, peer: Peer, other: Peer | None, name: Name) -> bool:
        """Somebody wants a pipe to a key, whose newest connection is `other`; whether it has to
        wait for that one.

        Raises: Declined(TOO_MANY); RemoteError if it has this one already, or has asked for it.
        """
        own, asked = self._pipes.get(peer, {}), self._asked.get(peer, {})
        if name in own or name in asked:
            raise RemoteError(Code.BAD_MESSAGE)
        if len(own) + len(asked) >= self._bounds.pipes_of_one:
            raise Declined(Code.TOO_MANY)
        back = (peer.identity, name[1])
        if other is not None and back in self._asked.get(other, {}):
            self._withdraw(other, back)
            self._open(peer, other, name[1])
            return False
        timer = Timer(self.loop, lambda: self._in_vain(peer, name))
        self._asked.setdefault(peer, {})[name] = timer
        timer.set(self._bounds.pipe_ask_seconds)
        return True

    def send(self, peer: Peer, name: Name, data: bytes) -> None:
        """Data for the other end; dropped if the pipe is closed, of which the sender may not have
        heard.
        """
        pipe = self._pipes.get(peer, {}).get(name)
        if pipe is not None:
            pipe.ways[peer].send(data, self._bounds.pipe_stall_seconds)

    def grant(self, peer: Peer, name: Name, size: int) -> None:
        """An end has read so much. Nothing happens if the pipe is closed, nor for 0, which is no
        sign of reading.
        """
        pipe = self._pipes.get(peer, {}).get(name)
        if pipe is not None and size:
            pipe.ways[pipe.other(peer)].granted(size, self._bounds.pipe_stall_seconds)

    def close(self, peer: Peer, other: Peer | None, name: Name) -> None:
        """Somebody has done with a pipe, wants it no more, or does not want what another asks
        for.
        """
        pipe, back = self._pipes.get(peer, {}).get(name), (peer.identity, name[1])
        if pipe is not None:
            self.end(pipe, None)
        elif self._withdraw(peer, name):
            tell_closed(peer, name, None)
        elif other is not None and self._withdraw(other, back):
            tell_closed(other, back, None)

    def leave(self, peer: Peer) -> None:
        """Somebody is in the lobby no more."""
        for name in list(self._asked.get(peer, ())):
            self._withdraw(peer, name)
        for pipe in list(self._pipes.get(peer, {}).values()):
            self._remove(pipe)
            tell_closed(pipe.other(peer), (peer.identity, pipe.purpose), Code.NOT_HERE)

    def end(self, pipe: Relay, code: Code | None) -> None:
        """Close a pipe, and tell both ends why."""
        self._remove(pipe)
        for end in pipe.ends:
            tell_closed(end, (pipe.other(end).identity, pipe.purpose), code)

    def stop(self) -> None:
        """Stop all timers."""
        for peer in [*self._asked, *self._pipes]:
            self.leave(peer)

    # --- inside ---

    def _open(self, peer: Peer, other: Peer, purpose: Purpose) -> None:
        pipe = Relay((other, peer), purpose, self)
        for end in pipe.ends:
            self._pipes.setdefault(end, {})[pipe.other(end).identity, purpose] = pipe
            end.send(encode("opened", pipe.other(end).identity, purpose))
        self._places.keep(self._stands)
        gives_way = self._places.take(pipe, other.connection.address)
        if gives_way is not None:
            self.end(gives_way, Code.TOO_MANY)

    def _stands(self, pipe: Relay) -> bool:
        end, other = pipe.ends
        return self._pipes.get(end, {}).get((other.identity, pipe.purpose)) is pipe

    def _remove(self, pipe: Relay) -> None:
        for end in pipe.ends:
            pipe.ways[end].close()
            own = self._pipes[end]
            del own[pipe.other(end).identity, pipe.purpose]
            if not own:
                del self._pipes[end]

    def _withdraw(self, peer: Peer, name: Name) -> bool:
        """Whether this was asked for, and is no more."""
        own = self._asked.get(peer, {})
        timer = own.pop(name, None)
        if timer is None:
            return False
        timer.stop()
        if not own:
            del self._asked[peer]
        return True

    def _in_vain(self, peer: Peer, name: Name) -> None:
        self._withdraw(peer, name)
        tell_closed(peer, name, Code.TOO_SLOW)


def tell_closed(peer: Peer, name: Name, code: Code | None) -> None:
    """What was asked for has ended: this is said once for each `open`. None: somebody closed it."""
    peer.send(encode("closed", *name, None if code is None else str(code)))
