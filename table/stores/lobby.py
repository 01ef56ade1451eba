"""Created tables and a witness's words in a store that several hosts share.

    l.tables   ["store", key] first, the table's public key; then
               ["table", number, terms, creator, rules], ["gone", number]
    l.words    ["words", first, [[slot, word], …], [[id, record], …]], ["ahead", head]

What is too large for one item stands in several, records first: so no word ever stands without those that it rests on.
Each item stands with its writer and the number that it was appended behind: [writer, after, item]. Whoever finds
another's there takes it in, and then sees whether its own can still stand.

A read proves nothing: what another host has appended may be gone with the store's next change of leader, and its number
be given again. So the last item that was read is read once more with each look, and behind it, when something of ours
stands there; if it is another, everything is read from the beginning.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from protocol import wire
from protocol.errors import LocalError, RemoteError
from protocol.match.terms import encode_terms
from table.room.storage import HeadAhead, Kept, NewTable, NewWords, NoTable
from table.stores.lobby_items import Contents, changes, decode_item
from table.stores.log import Item, Logs, Unanswered
from table.stores.notes import Damaged
from table.stores.tail import FIRST_PAUSE, LACKING, Outcome, Tail, asked

TABLES, WORDS = "l.tables", "l.words"
_ASIDE, _ROW = 128, 16  # bytes of an item beside its rows, and of a row beside what is in it
_READS = 4  # from the beginning, before what is read is called damaged
_AWAY = 5  # looks in a row in which the last item is not there; who says so may not know the newest
Rows = Sequence[tuple[bytes, bytes]]

log = logging.getLogger(__name__)


@dataclass
class _Read:
    """A subject, as far as it has been read."""

    contents: Contents = field(default_factory=Contents)
    number: int = 0  # of the last item
    last: bytes | None = None  # that item, if another's; None: it stands for good, and all before it
    away: int = 0  # how often it was not there
    own: int = 0  # the number of ours that was acknowledged last


class Lobby:
    """What a table begins with again beside its matches."""

    def __init__(self, logs: Logs, writer: bytes, key: bytes) -> None:
        """`key`: the table's, public: a store serves one table."""
        self._logs, self._writer, self._key = logs, writer, key
        self._read = {subject: _Read() for subject in (TABLES, WORDS)}
        self._changing = {subject: asyncio.Lock() for subject in self._read}
        self.changed: Callable[[NewTable | NoTable], None] = lambda change: None  # with each change that came or stands

    async def load(self) -> Kept:
        """All of it. Raises: LocalError if it is damaged, or another table's."""
        try:
            for subject in self._read:
                await self._take_in(subject)
            if self._read[TABLES].contents.owner is None:
                await self._add(TABLES, ["store", self._key], lambda: self._read[TABLES].contents.owner is None)
        except (Damaged, RemoteError):
            raise LocalError("wrong.store.damaged") from None
        tables, words = (self._read[subject].contents for subject in (TABLES, WORDS))
        if tables.owner != self._key:
            raise LocalError("wrong.store.foreign")
        rows = [table for _, table in sorted(tables.tables.items())]
        return Kept(rows, tables.last_number, tuple(words.words), tuple(words.ledger.values()), words.ahead)

    async def change(self, change: NewTable | NoTable | NewWords | HeadAhead) -> bool:
        """See `Storage.submit`; False: lost."""
        try:
            return await self._change(change)
        except (Damaged, RemoteError):
            log.error("what the store has of the lobby is damaged: nothing is changed there")
            return False

    async def _change(self, change: NewTable | NoTable | NewWords | HeadAhead) -> bool:
        match change:
            case NewTable(number, terms, creator, rules):
                item = ["table", number, encode_terms(terms), creator, rules]
                return await self._add(
                    TABLES, item, lambda: self._ours() and number > self._read[TABLES].contents.last_number
                )
            case NoTable(number):
                return await self._add(TABLES, ["gone", number], self._ours)
            case NewWords():
                for item in _items(change, self._logs.most - _ASIDE):
                    if not await self._add(WORDS, item, partial(self._free, item)):
                        return False
                return True
            case HeadAhead(head):
                return await self._add(WORDS, ["ahead", head], lambda: True)

    async def follow(self) -> None:
        """Take in what other hosts have changed about tables. Raises: Damaged, RemoteError."""
        async with self._changing[TABLES]:
            await self._take_in(TABLES)

    def _ours(self) -> bool:
        """Whether anything is left of what says whose store this is."""
        return self._read[TABLES].contents.owner == self._key

    def _free(self, item: list[Any]) -> bool:
        """Whether these words can still stand."""
        _, first, words, _ = item
        there = self._read[WORDS].contents
        return first == len(there.words) and not there.slots & {slot for slot, _ in words}

    async def _add(self, subject: str, item: list[Any], free: Callable[[], bool]) -> bool:
        """Append this, as long as nothing that has come stands against it. Raises: Damaged, RemoteError."""
        async with self._changing[subject]:
            while free():
                read = self._read[subject]
                tail = self._tail(subject, read.number)
                outcome = await tail.append(wire.encode([self._writer, read.number, item]))
                if outcome is Outcome.DONE:
                    await self._stands(subject, item, tail)
                    return True
                if outcome is Outcome.GONE and read.last is None:
                    log.error("the store has lost what it had acknowledged of the lobby")
                    if subject == TABLES:  # words that are lost must not be followed by others
                        await self._take_in(subject, sure=True)
                    return False
                await self._take_in(subject, sure=outcome is Outcome.GONE)
            return False

    async def _stands(self, subject: str, item: list[Any], tail: Tail) -> None:
        """Ours stands for good; behind what was read, or behind another that has its number."""
        read = self._read[subject]
        before = dict(read.contents.tables)
        if read.last is None or await self._there(subject, read, sure=True):
            read.contents.take(item)
            read.number, read.last, read.own = tail.number, None, tail.placed
        else:
            self._read[subject] = await self._anew(subject, tail.placed)
        self._tell(before, subject)

    async def _take_in(self, subject: str, sure: bool = False) -> None:
        """What has come. `sure`: what was read last is gone. Raises: Damaged, RemoteError."""
        read = self._read[subject]
        before = dict(read.contents.tables)
        try:
            if sure or not await self._there(subject, read):
                raise Damaged
            await self._more(subject, read)
        except (Damaged, RemoteError):
            self._read[subject] = await self._anew(subject, read.own)
        self._tell(before, subject)

    def _tell(self, before: dict[int, NewTable], subject: str) -> None:
        for change in changes(before, self._read[subject].contents.tables):
            self.changed(change)

    async def _there(self, subject: str, read: _Read, sure: bool = False) -> bool:
        """Whether what was read last still stands, as far as one knows. `sure`: something stands behind it."""

        lacking = count(1)

        async def item() -> Item | None:
            found = await self._logs.next(subject, read.number - 1)
            if found is None and sure and next(lacking) <= LACKING:
                raise Unanswered  # by one who does not know the newest
            return found

        if read.last is None:
            return True
        found = await asked(item)
        read.away = read.away + 1 if found is None else 0
        return read.away < _AWAY and not sure if found is None else found == Item(read.number, read.last)

    async def _more(self, subject: str, read: _Read, own: int = 0) -> None:
        """What follows, with ours that has this number, if it is not 0. Raises: Damaged, RemoteError."""
        while item := await asked(lambda: self._logs.next(subject, read.number)):
            after, value = decode_item(item.data)
            if after != read.number:
                raise Damaged
            read.contents.take(value)
            read.number, read.last = item.number, item.data
            if item.number == own:
                read.last, read.own = None, own
        if own and read.own != own:
            raise Damaged

    async def _anew(self, subject: str, own: int) -> _Read:
        """All of it, with ours that has this number, if it is not 0; of tables what is left.

        Raises: Damaged, RemoteError.
        """
        pause = FIRST_PAUSE
        for _ in range(_READS - 1):
            read = _Read()
            with suppress(Damaged, RemoteError):
                await self._more(subject, read, own)
                return read
            await asyncio.sleep(pause)
            pause *= 2
        read = _Read()
        await self._more(subject, read, own if subject == WORDS else 0)
        return read

    def _tail(self, subject: str, number: int) -> Tail:
        return Tail(self._logs, subject, number, lambda after: wire.encode([self._writer, after, ["proof"]]))


def _items(new: NewWords, most: int) -> Iterator[list[Any]]:
    """These words in items whose rows have at most so many bytes; in one if they can be."""
    if sum(map(_size, (*new.words, *new.records))) <= most:
        yield ["words", new.first, _rows(new.words), _rows(new.records)]
        return
    for part in _parts(new.records, most):
        yield ["words", new.first, [], _rows(part)]
    first = new.first
    for part in _parts(new.words, most):
        yield ["words", first, _rows(part), []]
        first += len(part)


def _parts(rows: Rows, most: int) -> Iterator[Rows]:
    start, size = 0, 0
    for place, row in enumerate(rows):
        if size + _size(row) > most and place > start:
            yield rows[start:place]
            start, size = place, 0
        size += _size(row)
    if start < len(rows):
        yield rows[start:]


def _size(row: tuple[bytes, bytes]) -> int:
    return sum(map(len, row)) + _ROW


def _rows(rows: Rows) -> list[list[bytes]]:
    return [list(row) for row in rows]
