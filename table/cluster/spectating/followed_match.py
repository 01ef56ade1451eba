"""One match of another host's that is read for who watches it here, as long as somebody does."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress

from protocol.errors import FairdealError
from protocol.games.registry import UnknownRules
from protocol.limits import (
    FOLLOW_FAILS,
    FOLLOW_IDLE_SECONDS,
    FOLLOW_PAUSE_SECONDS,
    FOLLOW_READ_SECONDS,
)
from protocol.match.log import Record
from table.cluster.spectating.followed_broadcaster import FollowedBroadcaster
from table.storage.shared.backend import Unanswered
from table.storage.shared.match_notes import BadNote
from table.storage.shared.verified_log_reader import VerifiedLogReader

Tell = Callable[[FollowedBroadcaster | None], None]
# Raises: UnknownRules, if it cannot be shown here
MakeFeed = Callable[[list[Record]], FollowedBroadcaster]
Fits = Callable[["FollowedMatch"], bool]  # whether what this one holds may be held

log = logging.getLogger(__name__)


class FollowedMatch:
    """Its readers and what they read. What cannot be read stays so for a while, so that nobody
    reads it for nothing.
    """

    def __init__(
        self,
        following: VerifiedLogReader,
        make: MakeFeed,
        poll: float,
        fits: Fits,
        first: asyncio.Lock,
    ) -> None:
        """`poll`: seconds between two looks into the store. `first`: of all those that are read for
        the first time one asks the store at a time, in turn: what takes long to be read leaves the
        host its time."""
        self._name = following.match_id.hex()[:8]
        self._following, self._make, self._poll, self._fits = following, make, poll, fits
        self._loop = asyncio.get_running_loop()
        self.feed: FollowedBroadcaster | None = None
        self._first = first
        self._asked: dict[Tell, asyncio.TimerHandle] = {}
        self._news, self._fails = asyncio.Event(), 0
        self._used = self._loop.time()  # by anybody
        self._useless = False
        self._task = self._loop.create_task(self._run())

    def __str__(self) -> str:
        return self._name

    @property
    def size(self) -> int:
        """Bytes that are held."""
        return 0 if self._useless else self._following.size

    @property
    def idle(self) -> bool:
        """Whether nobody has used it for long."""
        if self._asked or (self.feed is not None and not self.feed.empty):
            self._used = self._loop.time()
        return self._loop.time() - self._used >= FOLLOW_IDLE_SECONDS

    def ask(self, tell: Tell) -> None:
        """Call this with the feed, once all is read that there is now; with None if that takes too
        long.
        """
        if self._useless:
            tell(None)
            return
        self._asked[tell] = self._loop.call_later(FOLLOW_READ_SECONDS, self._tell, tell, None)
        self._news.set()

    def hint(self, first: int, heads: Sequence[bytes]) -> None:
        """What the owner has signed last, from this number on."""
        if not self._useless and first + len(heads) > len(self._following.records):
            self._following.hint(first, heads)
            self._news.set()

    def close(self) -> None:
        """Nothing more is read."""
        self._task.cancel()
        for tell in list(self._asked):
            self._tell(tell, None)
        if self.feed is not None:
            self.feed.close()

    async def _run(self) -> None:
        """Until it is closed, or cannot be read."""
        while self._fails < FOLLOW_FAILS and self._fits(self):
            self._news.clear()
            asked = list(self._asked)
            try:
                whole = await self._read()
                await self._show()
            except UnknownRules:
                break
            except (BadNote, FairdealError) as error:
                log.info("match %s is read anew (%s)", self, type(error).__name__)
                self._fails += 1
                self._following.anew()
                await asyncio.sleep(self._poll * 2**self._fails)
                continue
            except Exception as error:
                # whatever it is, who watches must not be left without a word
                log.error(
                    "match %s cannot be read for who watches (%s)", self, type(error).__name__
                )
                break
            for tell in asked if whole else ():
                self._tell(tell, self.feed)
            await self._pause()
        self._give_up()

    async def _read(self) -> bool:
        """All that there is; False if the store does not say."""
        had = len(self._following.records)
        try:
            while self._fits(self) and await self._more():
                pass
        except Unanswered:
            return False
        finally:
            if len(self._following.records) > had:
                self._fails = 0
        self._following.check()
        return True

    async def _more(self) -> bool:
        """See `VerifiedLogReader.more`. What is read for the first time is read to its end: who asks again
        would have it begun anew, as often as it takes too long."""
        if self.feed is not None:
            return await self._following.more()
        async with self._first:
            came = await self._following.more()
        if came:
            self._used = self._loop.time()
        return came

    async def _show(self) -> None:
        """Send what has come, not ahead of what the owner sends. What is over when it is found has
        its own way (4.5.10)."""
        records, over = self._following.records, self._following.over
        if self.feed is None and records and not over:
            self.feed = self._make(records)
            await asyncio.sleep(self.feed.level)
        elif (
            self.feed is not None
            and not self.feed.over
            and (over or len(records) > self.feed.stored)
        ):
            await asyncio.sleep(self.feed.level)
            self.feed.grow(records, over)

    async def _pause(self) -> None:
        await asyncio.sleep(FOLLOW_PAUSE_SECONDS)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._poll):
                await self._news.wait()

    def _give_up(self) -> None:
        """Who watches goes to the owner."""
        self._useless = True
        for tell in list(self._asked):
            self._tell(tell, None)
        if self.feed is not None:
            self.feed.lost()
        del self._following

    def _tell(self, tell: Tell, feed: FollowedBroadcaster | None) -> None:
        timer = self._asked.pop(tell, None)
        if timer is not None:
            timer.cancel()
            tell(feed)
