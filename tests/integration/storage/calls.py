"""Helpers that wait for a store's answers, and records to store."""

import asyncio
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from protocol.match.log import Record, chain_position
from table.storage.interface import (
    NO_STAMPS,
    Change,
    MatchBeginning,
    MatchOwnership,
    NewRecords,
    OpenMatch,
    Stamps,
    Storage,
)
from tests.support.offline import make_offline

SEALED = bytes(range(60))  # bytes in place of a sealed seed
RULES = "rules 1"


class Game(NamedTuple):
    """A whole match."""

    match_id: bytes
    records: list[Record]

    def part(
        self,
        first: int,
        end: int,
        claim: int = 0,
        heads: int | None = None,
        stamps: Stamps = NO_STAMPS,
    ) -> NewRecords:
        """Return the entries from `first` to before `end`, and the heads from `heads` on before
        them.
        """
        entries = tuple(record.entry for record in self.records)
        known = self.records[first if heads is None else heads : first]
        begin = None if first else MatchBeginning(SEALED, RULES)
        follows, over = chain_position(entries[:first])[1], end == len(entries)
        new = tuple(record.head for record in known)
        return NewRecords(
            self.match_id, first, follows, claim, entries[first:end], new, begin, over, stamps
        )

    def stored(self, entries: int, heads: int) -> list[Record]:
        """Return the contents of a store that got this many entries and heads."""
        kept = self.records[:entries]
        return [
            record if number < heads else Record(record.entry, b"")
            for number, record in enumerate(kept)
        ]


@cache
def game(seed: int = 1) -> Game:
    """Make a short match, another one for each seed."""
    offline = make_offline(2, seed, game="matches", options={"n": 9}, dealing="none")
    offline.play()
    return Game(offline.live.log.match_id, offline.live.records)


def other(new: NewRecords) -> NewRecords:
    """Return different entries for the same place in the log."""
    return new._replace(entries=tuple(b"other " + entry for entry in new.entries), over=False)


class Told:
    """A store's answer to one change."""

    def __init__(self, storage: Storage, change: Change) -> None:
        self.said: list[str] = []
        self._heard = asyncio.Event()
        storage.submit(change, lambda: self._hear("done"), lambda: self._hear("lost"))

    def _hear(self, word: str) -> None:
        self.said.append(word)
        self._heard.set()

    async def __call__(self) -> str:
        """Wait for the answer."""
        await self._heard.wait()
        await asyncio.sleep(0)
        (word,) = self.said
        return word


async def put(storage: Storage, change: Change) -> str:
    """Make a change, and return the answer."""
    return await Told(storage, change)()


async def heard(ask: Callable[..., None], *values: Any) -> Any:
    """Call a function, and return the value that it gives to its callback."""
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    ask(*values, lambda *told: answer.set_result(told[0] if told else None))
    return await answer


async def claim(storage: Storage, match_id: bytes) -> OpenMatch | None:
    """Claim a match, and return the result."""
    found: OpenMatch | None = await heard(storage.claim, match_id)
    return found


async def rows(storage: Storage) -> Sequence[MatchOwnership]:
    """Return the open matches."""
    found: Sequence[MatchOwnership] = await heard(storage.open_matches)
    return found
