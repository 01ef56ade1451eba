"""Created tables and a witness's words in a store that several hosts share.

    l.tables   ["store", key] first, the table's public key; then
               ["table", number, terms, creator, rules], ["gone", number]
    l.words    ["words", first, [[slot, word], …], [[id, record], …]], ["ahead", head]

What is too large for one item stands in several, records first: so no word ever stands without those that it rests on.
Each item stands with its writer and the number that it was appended behind: [writer, after, item]. Whoever finds
another's there takes it in, and then sees whether its own can still stand.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from protocol import wire
from protocol.codes import Code
from protocol.errors import LocalError, RemoteError
from protocol.match.terms import TERMS, decode_terms, encode_terms
from protocol.schema import Shape, between, exactly, fields, many, text, uint
from table.room.storage import HeadAhead, Kept, NewTable, NewWords, NoTable
from table.stores.log import Logs
from table.stores.notes import WRITER
from table.stores.tail import Outcome, Tail, asked

TABLES, WORDS = "l.tables", "l.words"
_MOST = 1 << 16  # rows, or bytes of one
_MAX_RULES = 64  # characters
_ASIDE, _ROW = 128, 16  # bytes of an item beside its rows, and of a row beside what is in it
Rows = Sequence[tuple[bytes, bytes]]
_bytes = between(0, _MOST)


def _rules(value: object) -> bool:
    return type(value) is str and len(value) <= _MAX_RULES


ITEMS: dict[str, Shape] = {
    "proof": fields(text(8)),
    "store": fields(text(8), exactly(32)),
    "table": fields(text(8), uint(), TERMS, exactly(32), _rules),
    "gone": fields(text(8), uint()),
    "words": fields(text(8), uint(), many(fields(_bytes, _bytes), 0, _MOST), many(fields(_bytes, _bytes), 0, _MOST)),
    "ahead": fields(text(8), _bytes),
}
_ITEM = fields(exactly(WRITER), uint(), lambda item: type(item) is list and bool(item))

log = logging.getLogger(__name__)


def decode_item(data: bytes) -> tuple[int, list[Any]]:
    """What it was appended behind, and the item itself. Raises: RemoteError(BAD_ENCODING)."""
    value = wire.decode(data)
    if not _ITEM(value):
        raise RemoteError(Code.BAD_ENCODING)
    _, after, item = value
    if type(item[0]) is not str or item[0] not in ITEMS or not ITEMS[item[0]](item):
        raise RemoteError(Code.BAD_ENCODING)
    return after, item


class Lobby:
    """What a table begins with again beside its matches."""

    def __init__(self, logs: Logs, writer: bytes, key: bytes) -> None:
        """`key`: the table's, public: a store serves one table."""
        self._logs, self._writer, self._key = logs, writer, key
        self._tails = {subject: self._tail(subject) for subject in (TABLES, WORDS)}
        self._changing = {subject: asyncio.Lock() for subject in self._tails}
        self._tables: dict[int, NewTable] = {}
        self._last_number = 0
        self._words: list[bytes] = []
        self._slots: set[bytes] = set()
        self._ledger: dict[bytes, bytes] = {}
        self._ahead: bytes | None = None
        self._owner: bytes | None = None  # whose store it is
        self.changed: Callable[[NewTable | NoTable], None] = lambda change: None  # with each change that came or stands

    async def load(self) -> Kept:
        """All of it. Raises: LocalError if it is damaged, or another table's."""
        try:
            for subject in self._tails:
                await self._read(subject)
            if self._owner is None:
                await self._add(TABLES, ["store", self._key], lambda: self._owner is None)
        except RemoteError:
            raise LocalError("wrong.store.damaged") from None
        if self._owner != self._key:
            raise LocalError("wrong.store.foreign")
        tables = [table for _, table in sorted(self._tables.items())]
        return Kept(tables, self._last_number, tuple(self._words), tuple(self._ledger.values()), self._ahead)

    async def change(self, change: NewTable | NoTable | NewWords | HeadAhead) -> bool:
        """See `Storage.submit`; False: lost."""
        match change:
            case NewTable(number, terms, creator, rules):
                item = ["table", number, encode_terms(terms), creator, rules]
                return await self._add(TABLES, item, lambda: number > self._last_number)
            case NoTable(number):
                return await self._add(TABLES, ["gone", number], lambda: True)
            case NewWords():
                for item in _items(change, self._logs.most - _ASIDE):
                    if not await self._add(WORDS, item, partial(self._free, item)):
                        return False
                return True
            case HeadAhead(head):
                return await self._add(WORDS, ["ahead", head], lambda: True)

    async def follow(self) -> None:
        """Take in what other hosts have changed about tables. Raises: RemoteError if it is damaged."""
        async with self._changing[TABLES]:
            await self._read(TABLES)

    def _free(self, item: list[Any]) -> bool:
        """Whether these words can still stand."""
        _, first, words, _ = item
        return first == len(self._words) and not self._slots & {slot for slot, _ in words}

    async def _add(self, subject: str, item: list[Any], free: Callable[[], bool]) -> bool:
        """Append this, as long as nothing that has come stands against it."""
        async with self._changing[subject]:
            tail = self._tails[subject]
            while free():
                data = wire.encode([self._writer, tail.number, item])
                outcome = await tail.append(data)
                if outcome is Outcome.DONE:
                    self._take(item)
                    return True
                if outcome is Outcome.GONE:
                    log.error("the store has lost what it had acknowledged of the lobby")
                    return False
                await self._read(subject)
            return False

    async def _read(self, subject: str) -> None:
        """Take in what has come. Raises: RemoteError."""
        tail = self._tails[subject]
        while item := await asked(lambda: self._logs.next(subject, tail.number)):
            after, value = decode_item(item.data)
            if after != tail.number:
                raise RemoteError(Code.BAD_ENCODING)
            self._take(value)
            tail.number = item.number

    def _take(self, item: list[Any]) -> None:
        match item:
            case ["store", key]:
                self._owner = key if self._owner is None else self._owner
            case ["table", number, terms, creator, rules]:
                self._tables[number] = table = NewTable(number, decode_terms(terms), creator, rules)
                self._last_number = max(self._last_number, number)
                self.changed(table)
            case ["gone", number]:
                self._tables.pop(number, None)
                self.changed(NoTable(number))
            case ["words", _, words, records]:
                self._words += [word for _, word in words]
                self._slots |= {slot for slot, _ in words}
                for name, raw in records:
                    self._ledger.setdefault(name, raw)
            case ["ahead", head]:
                self._ahead = head

    def _tail(self, subject: str) -> Tail:
        return Tail(self._logs, subject, 0, lambda after: wire.encode([self._writer, after, ["proof"]]))


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
