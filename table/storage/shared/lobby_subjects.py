"""Created tables and a witness's words in a store that several hosts share.

    l.tables   ["store", key] first, the table's public key, and again after a rotation of it; then
               ["table", number, terms, creator, rules], ["gone", number]
    l.words    ["words", first, [[slot, word], …], [[id, record], …]], ["ahead", head]

What is too large for one item stands in several, records first: so no word ever stands without
those that it rests on. Each item stands with its writer and the number that it was appended behind:
[writer, after, item]. Whoever finds another's there takes it in, and then sees whether its own can
still stand.

A read proves nothing: what another host has appended may be gone with the store's next change of
leader, and its number be given again. So the last item that was read is read once more with each
look, and when something of ours stands behind it; if it is another, everything is read from the
beginning.

Of l.tables the beginning goes when there is much (`trim`): from the newest ["store", key] on
everything that counts is stated again, and what is before it is removed once there is as much
behind it again. So the store never rests on what has just been appended. A host that has not read
so far finds another item than it expects, and reads from the new beginning: an item "store" may be
the first one, whatever it was appended behind. Words stay for ever: a witness must know all of them.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from protocol import wire
from protocol.errors import LocalError, RemoteError
from protocol.limits import LOBBY_RETRY_SECONDS, MAX_LOBBY_ITEMS
from protocol.match.terms import encode_terms
from table.storage.interface import HeadAhead, NewAttestations, NewTable, SavedTable, TableRemoved
from table.storage.shared.backend import Item, SharedLog, Unanswered
from table.storage.shared.lobby_items import LobbyContents, changes, decode_item
from table.storage.shared.match_notes import BadNote
from table.storage.shared.subject_append import (
    FIRST_PAUSE,
    LACKING,
    AppendOutcome,
    SubjectAppend,
    asked,
)

TABLES, WORDS = "l.tables", "l.words"
_ASIDE, _ROW = 128, 16  # bytes of an item beside its rows, and of a row beside what is in it
_READS = 4  # from the beginning, before what is read is called damaged
_AGAIN_SECONDS = 30.0  # after that, before it is read from the beginning again
_AWAY_SECONDS = 5.0  # for which the last item is not there; who says so may not know the newest
_RECENT = 16  # items that a change of leader may still take back while they are read
Rows = Sequence[tuple[bytes, bytes]]

log = logging.getLogger(__name__)


@dataclass
class _Read:
    """A subject, as far as it has been read."""

    contents: LobbyContents = field(default_factory=LobbyContents)
    number: int = 0  # of the last item
    last: bytes = b""  # that item
    # the number of the last item that was acknowledged to us: it stands for good, and all before it
    proven: int = 0
    away: float | None = None  # since when the last item is not there, by the loop's clock
    numbers: deque[int] = field(default_factory=deque)  # of all items
    owner_at: int = 0  # number of the newest item that says whose store it is
    # number of the newest item for each table, and for the last number that a table has had
    tables_at: dict[int, int] = field(default_factory=dict)
    last_at: int = 0

    @property
    def own(self) -> bool:
        """Check that the last item was acknowledged to this host."""
        return self.number == self.proven

    @property
    def is_restated(self) -> bool:
        """Check that everything that counts stands behind the newest item "store"."""
        lasts = [self.last_at] if self.contents.last_number else []
        return self.owner_at < min([*self.tables_at.values(), *lasts], default=self.owner_at + 1)

    def take(self, item: list[Any], number: int) -> None:
        """The next one, which has this number."""
        self.numbers.append(number)
        before = self.contents.last_number
        self.contents.take(item)
        match item:
            case ["store", _]:
                self.owner_at = number
            case ["table", each, *_]:
                self.tables_at[each] = number
            case ["gone", each]:
                self.tables_at.pop(each, None)
        if item[0] in ("table", "gone") and item[1] >= before:
            self.last_at = number


class LobbySubjects:
    """What a table begins with again beside its matches."""

    def __init__(
        self, logs: SharedLog, writer: bytes, key: bytes, items: int = MAX_LOBBY_ITEMS
    ) -> None:
        """`key`: the table's, public: a store serves one table. `items`: about tables, above which
        `trim` removes some."""
        self._items = items
        self._trims_from = 0.0  # not before this time of the loop
        self._logs, self._writer, self._key = logs, writer, key
        self._read = {subject: _Read() for subject in (TABLES, WORDS)}
        self._changing = {subject: asyncio.Lock() for subject in self._read}
        self._again = dict.fromkeys(self._read, 0.0)  # when all of it may be read again
        self._lost = False  # the store belongs to another key by now
        # with each change that came or stands
        self.changed: Callable[[NewTable | TableRemoved], None] = lambda change: None

    async def belongs_to(self, keys: Collection[bytes]) -> bool:
        """Tell if the store is that of a table with one of these keys. Raises: LocalError if it is
        damaged.
        """
        await self._read_all()
        return self._read[TABLES].contents.owner in keys

    async def hand_over(self, earlier: Collection[bytes]) -> None:
        """Give the store of a table with one of these keys to the key that has followed them.
        Raises: LocalError if it is damaged, or a witness's, whose key stands in records.
        """
        if self._read[WORDS].contents.words:
            raise LocalError("wrong.rotate.witness")
        try:
            await self._add(
                TABLES,
                ["store", self._key],
                lambda: self._read[TABLES].contents.owner in earlier,
            )
        except (BadNote, RemoteError):
            raise LocalError("wrong.store.damaged") from None

    async def _read_all(self) -> None:
        """Raises: LocalError if it is damaged."""
        try:
            for subject in self._read:
                await self._take_in(subject)
        except (BadNote, RemoteError):
            raise LocalError("wrong.store.damaged") from None

    async def load(self) -> SavedTable:
        """All of it. Raises: LocalError if it is damaged, or another table's."""
        await self._read_all()
        try:
            if self._read[TABLES].contents.owner is None:
                await self._add(
                    TABLES, ["store", self._key], lambda: self._read[TABLES].contents.owner is None
                )
        except (BadNote, RemoteError):
            raise LocalError("wrong.store.damaged") from None
        tables, words = (self._read[subject].contents for subject in (TABLES, WORDS))
        if tables.owner != self._key:
            raise LocalError("wrong.store.foreign")
        rows = [table for _, table in sorted(tables.tables.items())]
        return SavedTable(
            rows, tables.last_number, tuple(words.words), tuple(words.ledger.values()), words.ahead
        )

    async def change(self, change: NewTable | TableRemoved | NewAttestations | HeadAhead) -> bool:
        """See `Storage.submit`; False: lost."""
        try:
            return await self._change(change)
        except (BadNote, RemoteError):
            log.error("what the store has of the lobby is damaged: nothing is changed there")
            return False

    async def _change(self, change: NewTable | TableRemoved | NewAttestations | HeadAhead) -> bool:
        match change:
            case NewTable(number, terms, creator, rules):
                item = ["table", number, encode_terms(terms), creator, rules]
                return await self._add(
                    TABLES,
                    item,
                    lambda: self._ours() and number > self._read[TABLES].contents.last_number,
                )
            case TableRemoved(number) if number > self._read[TABLES].contents.last_number:
                return True  # there never was one
            case TableRemoved(number):
                return await self._add(TABLES, ["gone", number], self._ours)
            case NewAttestations():
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
        owner = self._read[TABLES].contents.owner
        if owner not in (None, self._key) and not self._lost:
            self._lost = True
            log.error(
                "a host with a key that has followed this one's has taken the store over: end this "
                "host when its matches are over, and give it the new key and its key-history"
            )

    async def trim(self) -> bool:
        """Remove items about tables that later ones have replaced, if there are many. Tell if some
        are gone. Raises: Damaged, RemoteError, Unanswered.
        """
        loop = asyncio.get_running_loop()
        await self.follow()
        read = self._read[TABLES]
        most = max(self._items, 4 * len(read.contents.tables))
        if len(read.numbers) <= most or loop.time() < self._trims_from:
            return False
        self._trims_from = loop.time() + LOBBY_RETRY_SECONDS
        first = read.owner_at if read.is_restated else 0
        # that this stands proves what was read so far
        if not await self._add(TABLES, ["store", self._key], self._ours):
            return False
        gone = self._read[TABLES] is read and first > read.numbers[0]
        if gone:
            await self._logs.trim(TABLES, first)
            while read.numbers[0] < first:
                read.numbers.popleft()
        await self._restate()
        self._trims_from = 0.0
        return gone

    async def _restate(self) -> None:
        """Say again what stands before the newest item "store" and counts: then a later `trim` may
        remove what is before it. Raises: Damaged, RemoteError.
        """
        for number, table in sorted(self._read[TABLES].contents.tables.items()):
            _, terms, creator, rules = table
            item = ["table", number, encode_terms(terms), creator, rules]
            await self._add(TABLES, item, partial(self._lacks, number))
        last = self._read[TABLES].contents.last_number
        if last and last not in self._read[TABLES].contents.tables:
            await self._add(TABLES, ["gone", last], partial(self._lacks_last, last))

    def _lacks(self, number: int) -> bool:
        """Check that a table is there, and is not stated behind the newest item "store"."""
        read = self._read[TABLES]
        return number in read.contents.tables and read.tables_at[number] < read.owner_at

    def _lacks_last(self, last: int) -> bool:
        """Check the same of the last number that a table has had."""
        read = self._read[TABLES]
        return read.contents.last_number == last and read.last_at < read.owner_at

    def _ours(self) -> bool:
        """Check that the store still says that it is this table's."""
        return self._read[TABLES].contents.owner == self._key

    def _free(self, item: list[Any]) -> bool:
        """Check that these words can still stand."""
        _, first, words, _ = item
        there = self._read[WORDS].contents
        return first == len(there.words) and not there.slots & {slot for slot, _ in words}

    async def _add(self, subject: str, item: list[Any], free: Callable[[], bool]) -> bool:
        """Append this, as long as nothing that has come stands against it. Raises: Damaged,
        RemoteError.
        """
        async with self._changing[subject]:
            while free():
                read = self._read[subject]
                tail = self._tail(subject, read)
                outcome = await tail.append(wire.encode([self._writer, read.number, item]))
                if outcome is AppendOutcome.DONE:
                    await self._stands(subject, item, tail)
                    return True
                if outcome is AppendOutcome.GONE and read.own:
                    log.error("the store has lost what it had acknowledged of the lobby")
                    if subject == TABLES:  # words that are lost must not be followed by others
                        await self._begin_again(subject, read.proven)
                    return False
                if outcome is AppendOutcome.GONE:
                    await self._begin_again(subject, read.proven)
                else:
                    await self._take_in(subject)
            return False

    async def _stands(self, subject: str, item: list[Any], tail: SubjectAppend) -> None:
        """Ours stands for good; behind what was read, or behind another that has its number."""
        read = self._read[subject]
        if read.own or await self._there(subject, read, sure=True):
            self._take(read, item, tail.placed, tell=True)
            if tail.number != tail.placed:
                read.numbers.append(tail.number)
            read.number = read.proven = tail.number
            read.last = tail.last or b""
        else:
            with suppress(BadNote, RemoteError):  # then the next look finds it
                await self._begin_again(subject, tail.number)

    async def _take_in(self, subject: str) -> None:
        """What has come. Raises: Damaged, RemoteError."""
        read = self._read[subject]
        if await self._there(subject, read):
            try:
                await self._more(subject, read, tell=True)
                return
            except BadNote:
                log.info("what the store has of the lobby is read from the beginning")
        await self._begin_again(subject, read.proven)

    async def _begin_again(self, subject: str, own: int) -> None:
        """Read all of it, with ours that has this number, and tell what is another. Raises:
        Damaged, RemoteError.
        """
        loop = asyncio.get_running_loop()
        if loop.time() < self._again[subject]:
            raise BadNote
        try:
            read = await self._anew(subject, own)
        except (BadNote, RemoteError):
            self._again[subject] = loop.time() + _AGAIN_SECONDS
            raise
        before, self._read[subject] = self._read[subject].contents.tables, read
        for change in changes(before, read.contents.tables):
            self.changed(change)
        last = read.contents.last_number
        if last and last not in read.contents.tables:  # it may have come and gone meanwhile
            self.changed(TableRemoved(last))

    async def _anew(self, subject: str, own: int) -> _Read:
        """All of it, with ours that has this number, if it is not 0; of tables what is left.

        Raises: Damaged, RemoteError.
        """
        pause = FIRST_PAUSE
        for _ in range(_READS - 1):
            read = _Read(proven=own)
            with suppress(BadNote):
                if await self._more(subject, read) or not own:
                    return read
            await asyncio.sleep(pause)
            pause *= 2
        read = _Read(proven=own)
        if not await self._more(subject, read) and own:
            if subject == WORDS:
                raise BadNote
            read.proven = 0
        return read

    async def _there(self, subject: str, read: _Read, sure: bool = False) -> bool:
        """Whether what was read last still stands, as far as one knows. `sure`: something stands
        behind it.

        Of what was acknowledged only another that has its number says that it does not.
        """
        if not read.number:
            return True
        found = await self._at(subject, read.number, sure)
        if found is not None:
            read.away = None
            return found == Item(read.number, read.last)
        now = asyncio.get_running_loop().time()
        read.away = now if read.away is None else read.away
        return not sure and (read.own or now - read.away < _AWAY_SECONDS)

    async def _at(self, subject: str, number: int, sure: bool = False) -> Item | None:
        """What has this number or the next one. `sure`: there is such a one."""
        lacking = count(1)

        async def item() -> Item | None:
            found = await self._logs.next(subject, number - 1)
            if found is None and sure and next(lacking) <= LACKING:
                raise Unanswered  # by one who does not know the newest
            return found

        return await asked(item)

    async def _more(self, subject: str, read: _Read, tell: bool = False) -> bool:
        """What follows, and whether ours is there that was proven. Raises: Damaged, RemoteError."""
        recent = deque([Item(read.number, read.last)] if read.number else [], _RECENT)
        met = False
        while item := await asked(lambda: self._logs.next(subject, read.number)):
            after, value = decode_item(item.data)
            begins = not read.number and value[0] == "store"
            if after != read.number and not begins:
                raise BadNote
            # ours may be among those that have gone
            met = met or item.number == read.proven or (begins and item.number > read.proven)
            self._take(read, value, item.number, tell)
            read.number, read.last, read.away = item.number, item.data, None
            recent.append(item)
        for each in list(recent)[:-1]:  # the leader may have changed between two of them
            found = await self._at(subject, each.number)
            if found is not None and found != each:
                raise BadNote
        return met

    def _take(self, read: _Read, item: list[Any], number: int, tell: bool) -> None:
        read.take(item, number)
        match item if tell else None:
            case ["table", number, *_]:
                self.changed(read.contents.tables[number])
            case ["gone", number]:
                self.changed(TableRemoved(number))

    def _tail(self, subject: str, read: _Read) -> SubjectAppend:
        tail = SubjectAppend(
            self._logs,
            subject,
            read.number,
            lambda after: wire.encode([self._writer, after, ["proof"]]),
        )
        tail.last = read.last if read.number else None
        return tail


def _items(new: NewAttestations, most: int) -> Iterator[list[Any]]:
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
