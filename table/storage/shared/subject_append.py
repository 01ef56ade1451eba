"""Appending to the end of a subject, and finding out what became of it (R3: a read proves nothing,
an append does).

An append is answered, or it is not: the answer was lost, the leader was stopped, a rival was there,
or a leader that does not know the newest thinks so. Then this looks at what stands after the number
that was appended to:

- nothing: it is appended again, under the same condition, so that it can stand once at most;
- ours: one more item is appended behind it, which says nothing; when that is acknowledged, ours
  stands for good;
- another's, there or behind ours: whose the subject is now, and to say what stands in it is theirs;
- not even what we appended to: the store has lost what it acknowledged. That is believed, too, when
  an item appended behind what is left has been acknowledged, and not before. Where nothing is left
  nothing is appended, since a subject must not begin so: that it is empty is believed when it has
  been said several times.

So the answer is always one of three, however long it takes.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from enum import Enum
from typing import TypeVar

from table.storage.shared.backend import Conflict, Item, SharedLog, Unanswered

# seconds between two attempts to find out: each twice the one before
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 0.5
# reads without what was acknowledged, before it is taken for lost: more than a machine lags behind
LACKING = 20
_EMPTY = 5  # times that a subject is said to be empty; who says it may not know the newest


T = TypeVar("T")


class AppendOutcome(Enum):
    """What became of an append."""

    DONE = "done"  # there for good
    LOST = "lost"  # another has appended: ours is not there, or is theirs to tell of
    GONE = "gone"  # never there: the store has lost what it was to follow


class SubjectAppend:
    """The end of a subject, as one who appends to it knows it."""

    def __init__(
        self, logs: SharedLog, subject: str, number: int, proof: Callable[[int], bytes]
    ) -> None:
        """`number`: of the last item, 0 if there is none. `proof`: an item that says nothing, for
        appending after this number; no two writers' are the same."""
        self._logs, self.subject, self.number, self._proof = logs, subject, number, proof
        self._empty = 0  # how often it was said that nothing is left
        self.last: bytes | None = None  # the item at `number`, if that is known
        # where what was appended last stands: at `number`, or before what proved it
        self.placed = 0

    async def append(self, data: bytes) -> AppendOutcome:
        """Append this, which nobody else would append; `number` is then the last item's."""
        try:
            self.placed = self.number = await self._logs.append(self.subject, self.number, data)
            self.last = data
            return AppendOutcome.DONE
        except (Conflict, Unanswered):
            return await self._insist(data)

    async def _insist(self, data: bytes) -> AppendOutcome:
        """Try until there is an outcome."""
        pause, self._empty = FIRST_PAUSE, 0
        while True:
            with suppress(Conflict, Unanswered):
                outcome = await self._decide(data)
                if outcome is not None:
                    return outcome
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _decide(self, data: bytes) -> AppendOutcome | None:
        """Look once, and append once. None: nothing is certain yet."""
        found = await self._logs.next(self.subject, self.number)
        if found is None:
            return await self._again(data)
        if found.data != data:
            return AppendOutcome.LOST
        last: Item | None = found
        while (
            last is not None
            and (following := await self._logs.next(self.subject, last.number)) is not None
        ):
            last = following if following.data == self._proof(last.number) else None
        if last is None:
            return AppendOutcome.LOST
        proof = self._proof(last.number)
        self.number, self.placed = (
            await self._logs.append(self.subject, last.number, proof),
            found.number,
        )
        self.last = proof
        return AppendOutcome.DONE

    async def _again(self, data: bytes) -> AppendOutcome | None:
        """Nothing stands after what this was to follow: append it again, if at least that
        stands.
        """
        last = await self._logs.last(self.subject)
        standing = 0 if last is None else last.number
        # What has this number may be another item: the store has lost ours, and given its number
        # again.
        another = last is not None and self.last is not None and last.data != self.last
        if standing == self.number and not another:
            self.placed = self.number = await self._logs.append(self.subject, self.number, data)
            self.last = data
            return AppendOutcome.DONE
        if standing > self.number:
            return None
        if not standing:
            self._empty += 1
            return AppendOutcome.GONE if self._empty >= _EMPTY else None
        await self._logs.append(self.subject, standing, self._proof(standing))
        return AppendOutcome.GONE


async def asked(question: Callable[[], Awaitable[T]]) -> T:
    """The answer to a question that changes nothing, asked until there is one."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await question()
        except Unanswered:
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
