"""Entries that have come and are not taken yet: each seat's in the order in which they came."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from protocol.limits import MAX_HELD
from table.room.feed import Party


class Post(NamedTuple):
    """An entry as it came."""

    author: Party  # to whom a refusal goes
    seat: int
    raw: bytes
    arrived: float  # seconds of the event loop's clock


class Held:
    """What is held for all seats of a match."""

    def __init__(self, take: Callable[[Post], None]) -> None:
        """`take` is called with each when it is due."""
        self._loop, self._take = asyncio.get_running_loop(), take
        self._posts: dict[int, deque[tuple[Post, float]]] = {}  # by seat, with when they are due; none is empty
        self._timers: dict[int, asyncio.TimerHandle] = {}  # by seat: for the first of those

    def waits(self, seat: int) -> bool:
        """Whether something of this seat is held: then what comes after it waits too."""
        return seat in self._posts

    def put(self, post: Post, due: float) -> bool:
        """Hold an entry until then; False if there are too many of its seat.

        The same bytes once more, as after a lost connection, are one entry, whose answer goes where they came last.
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
