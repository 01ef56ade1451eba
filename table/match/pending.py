"""What waits in a match: entries that have come and are not taken yet, and refusals that may not be
signed yet.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from protocol.codes import Code
from protocol.limits import MAX_HELD
from table.match.log_broadcaster import Party

STALE_PAUSE = 0.05  # seconds between two looks whether store and signer have answered again


class IncomingEntry(NamedTuple):
    """An entry as it came."""

    author: Party  # to whom a refusal goes
    seat: int
    raw: bytes
    arrived: float  # seconds of the event loop's clock


class PendingRefusal(NamedTuple):
    """A refusal that is not signed yet."""

    seen: tuple[int, bytes]  # the head, its number and hash, behind which the entry cannot stand
    author: Party
    raw: bytes
    code: Code


class PendingRefusals:
    """The refusals of a match that wait, in the order of the entries that they are about.

    For the records up to their head: all of them are stored before one is signed, the refused entry
    itself among them if it is a second copy. For the store: while it is silent another host may
    have the match, with the entry in it, and whoever is told that it is not there signs another in
    its place. And for the signer, so that none pile up there.
    """

    def __init__(
        self,
        silent: Callable[[], bool],
        sent: Callable[[Party], int | None],
        say: Callable[[PendingRefusal], None],
    ) -> None:
        """`silent`: whether nothing can be said now. `sent`: how many records somebody has been
        sent; None: it is gone. `say` is called with each that is due."""
        self._loop, self._silent, self._sent, self._say = (
            asyncio.get_running_loop(),
            silent,
            sent,
            say,
        )
        self._waiting: list[PendingRefusal] = []
        self._again: asyncio.TimerHandle | None = None

    def put(self, refusal: PendingRefusal) -> int:
        """Say this as soon as may be; how many of its author's wait."""
        self._waiting.append(refusal)
        self.send()
        return sum(waiting.author is refusal.author for waiting in self._waiting)

    def send(self) -> None:
        """Say those whose author is still here and has been sent the log as far as it went when it
        was refused.
        """
        self._waiting = [each for each in self._waiting if self._sent(each.author) is not None]
        if self._waiting and self._silent():
            self._stop()
            self._again = self._loop.call_later(STALE_PAUSE, self.send)
            return
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            # one that was said may have been too much for its author
            sent = self._sent(each.author)
            if sent is not None and each.seen[0] < sent:
                self._say(each)
            elif sent is not None:
                self._waiting.append(each)

    def close(self) -> None:
        """None of them is said any more."""
        self._waiting.clear()
        self._stop()

    def _stop(self) -> None:
        if self._again is not None:
            self._again.cancel()


class DelayedEntries:
    """What is held for all seats of a match."""

    def __init__(self, take: Callable[[IncomingEntry], None]) -> None:
        """`take` is called with each when it is due."""
        self._loop, self._take = asyncio.get_running_loop(), take
        # by seat, with when they are due; none is empty
        self._posts: dict[int, deque[tuple[IncomingEntry, float]]] = {}
        self._timers: dict[int, asyncio.TimerHandle] = {}  # by seat: for the first of those

    def waits(self, seat: int) -> bool:
        """Whether something of this seat is held: then what comes after it waits too."""
        return seat in self._posts

    def put(self, post: IncomingEntry, due: float) -> bool:
        """Hold an entry until then; False if there are too many of its seat.

        The same bytes once more, as after a lost connection, are one entry, whose answer goes where
        they came last.
        """
        posts = self._posts.get(post.seat, deque())
        for place, (old, when) in enumerate(posts):
            if old.raw == post.raw:
                posts[place] = old._replace(author=post.author), when
                return True
        if len(posts) >= MAX_HELD:
            return False
        posts.append((post, due))
        self._posts[post.seat] = posts
        if len(posts) == 1:
            self._wait(post.seat)
        return True

    def close(self) -> None:
        """Nothing is taken any more. Who has sent it still has it."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self._posts.clear()

    def _wait(self, seat: int) -> None:
        _, due = self._posts[seat][0]
        self._timers[seat] = self._loop.call_at(due, self._due, seat)

    def _due(self, seat: int) -> None:
        posts = self._posts[seat]
        post, _ = posts.popleft()
        if posts:
            self._wait(seat)
        else:
            del self._posts[seat], self._timers[seat]
        self._take(post)
