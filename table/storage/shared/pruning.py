"""Removal of finished matches from a store that several hosts share: a pass over them in turns, in the
order in which they began.

A match goes if its log file is written and it has all its heads, as its own notes say. So a running
match stays, and one that has stopped, whatever its age: it lacks heads. Nobody appends to a finished
match any more, and it goes whole or not at all. So any host may do this at any time, several at
once, and a crash needs no repair.
"""

import asyncio
from typing import NamedTuple

from protocol.errors import RemoteError
from protocol.limits import MAX_PRUNE_KEPT, MAX_PRUNED_NAMES, PRUNE_STEPS, STORE_KEPT_SECONDS
from table.storage.shared.backend import Held, Item, SharedLog, Walk
from table.storage.shared.match_notes import DECIDING, decode_note
from table.storage.shared.sealed_seeds import MARKS, SEEDS, is_match

MATCHES = "m."
_AT_ONCE = 32  # questions to the store in a survey


class PruneLimits(NamedTuple):
    """Limits of a store. A finished match that is above one of them goes."""

    age: float | None = None  # seconds since the end of a match
    size: int | None = None  # bytes of all matches
    # seconds since the end of a match, up to which it does not go for `size`
    kept: float = STORE_KEPT_SECONDS


class PrunedMatch(NamedTuple):
    """A match that goes."""

    match_id: bytes
    size: int  # bytes
    age: float  # seconds since its end


class StorePass:
    """One look at the matches of a store."""

    def __init__(self, logs: SharedLog, limits: PruneLimits) -> None:
        self._logs, self._limits = logs, limits
        self._held: Held | None = None  # before anything went
        self._oldest: Walk = logs.oldest(MATCHES)
        self._stays: set[str] = set()  # of the subjects that came up
        self.gone = self.gone_size = 0  # matches, and bytes
        self.names: list[PrunedMatch] = []  # of these the first MAX_PRUNED_NAMES

    @property
    def is_counted(self) -> bool:
        """True once the store has said how much it has."""
        return self._held is not None

    @property
    def left(self) -> Held:
        """The matches that stay; nothing before they are counted."""
        held = self._held or Held(0, 0)
        return Held(max(0, held.subjects - self.gone), max(0, held.size - self.gone_size))

    async def turn(self, steps: int = PRUNE_STEPS) -> bool:
        """Go through the next items, and remove what is to go. Tell if there may be more.

        Raises: Unanswered; then this look is over.
        """
        if self._held is None:
            self._held = await self._logs.held(MATCHES)
        for _ in range(steps):
            found = await self._oldest.next()
            # the matches behind it began later, and so ended later than this time
            if found is None or not self._goes(found.age):
                return False
            if found.subject not in self._stays:
                await self._look_at(found.subject)
        return True

    async def survey(self) -> None:
        """Count what would go, and remove nothing. This reads the newest notes of each match. Raises:
        Unanswered.
        """
        self._held = await self._logs.held(MATCHES)
        usual = self._held.size // max(1, self._held.subjects)
        ages: list[tuple[float, str]] = []
        for number in range(self._logs.parts):
            subjects = await self._logs.names(f"{MATCHES}{number}.")
            for start in range(0, len(subjects), _AT_ONCE):
                part = subjects[start : start + _AT_ONCE]
                found = await asyncio.gather(*map(self._ended, part))
                pairs = zip(found, part, strict=True)
                ages += [(ended[0], subject) for ended, subject in pairs if ended is not None]
        for age, subject in sorted(ages, reverse=True):
            if self._goes(age):
                self._count(subject, usual, age)

    def _goes(self, age: float) -> bool:
        """Tell if a finished match of this age is above a limit."""
        limits = self._limits
        above = limits.size is not None and self.left.size > limits.size
        old = limits.age is not None and age > limits.age
        return old or (above and age > limits.kept)

    async def _look_at(self, subject: str) -> None:
        ended = await self._ended(subject)
        if ended is not None and self._goes(ended[0]):
            age, last = ended
            # a crash of its host may have left them
            for prefix in (SEEDS, MARKS):
                await self._logs.erase(prefix + _name(subject))
            size = await self._logs.purge(subject, last)
            if size:
                self._count(subject, size, age)
                return
        if len(self._stays) >= MAX_PRUNE_KEPT:
            self._stays.clear()
        self._stays.add(subject)

    def _count(self, subject: str, size: int, age: float) -> None:
        self.gone += 1
        self.gone_size += size
        if len(self.names) < MAX_PRUNED_NAMES:
            self.names.append(PrunedMatch(bytes.fromhex(_name(subject)), size, age))

    async def _ended(self, subject: str) -> tuple[float, int] | None:
        """Return the seconds since a match was noted as finished, and the number of its newest item;
        None: it is not finished.
        """
        newest = await self._logs.last_aged(subject)
        if newest is None or not is_match(_name(subject)):
            return None
        try:
            finished = await self._is_finished(subject, newest.item)
        except RemoteError:  # nobody can tell
            return None
        return (newest.age, newest.item.number) if finished else None

    async def _is_finished(self, subject: str, item: Item) -> bool:
        """Tell if its log file is written and all heads are there. `item`: its newest. A match that
        has stopped is noted as one whose log file is written, too, and lacks heads. Raises:
        RemoteError.
        """
        note = decode_note(item.data)
        exported = False
        while exported or note.kind in ("proof", "exported"):
            if note.kind == "exported":
                exported = True
            elif note.kind in DECIDING:
                return note.kind == "heads"
            before = await self._logs.next(subject, note.after - 1) if note.after else None
            if before is None or before.number != note.after:
                return False
            note = decode_note(before.data)
        return False


def _name(subject: str) -> str:
    """The id of a subject's match, in hexadecimal digits."""
    return subject.rpartition(".")[2]
