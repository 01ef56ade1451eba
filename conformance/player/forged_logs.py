"""False logs that a table shows: a log that differs from the honest one from some number on, with
heads signed by the table.
"""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.player.fake_table import FakeTable, NumberedRecord
from conformance.player.kit_match import KitMatch
from protocol.crypto.hashing import digest
from protocol.dealing import Post
from protocol.identity.keys import Identity
from protocol.match.log import EntryContent, Record, decode_entry, make_entry

# Number of the entry in most lies: with two seats and the dealing `layered`, it is seat 1's
# `layer`.
LIE_NUMBER = 6


class ForkedLog:
    """A log that is honest up to a number."""

    def __init__(self, room: KitMatch, number: int = LIE_NUMBER) -> None:
        self.room = room
        self.hashes = room.log.chain_hashes[:number]
        self.authors = [decode_entry(record.entry).author for record in room.records[:number]]

    def add(
        self,
        author: int,
        kind: str,
        body: list[Any],
        signer: Identity | None = None,
        seen: tuple[int, bytes] | None = None,
        sequence: int | None = None,
    ) -> NumberedRecord:
        """Add the next entry of this author; every field that is not given is correct."""
        room = self.room
        last = len(self.hashes) - 1
        own = {seat.number: seat.identity for seat in room.others}
        if sequence is None:
            sequence = self.authors.count(author)
        raw = make_entry(
            signer or own.get(author, room.identity),
            room.log.match_id,
            EntryContent(author, sequence, seen or (last, self.hashes[-1]), kind, body),
        )
        self.authors.append(author)
        return self.add_raw(raw)

    def add_raw(self, raw: bytes) -> NumberedRecord:
        """Add any bytes as the next entry."""
        number = len(self.hashes)
        match_id = self.room.log.match_id
        self.hashes.append(digest("chain", self.hashes[-1], number, raw))
        return number, Record(
            raw, self.room.identity.sign("head", match_id, number, self.hashes[-1])
        )


def replace_entry(
    table: FakeTable, lie: Callable[[ForkedLog], Sequence[NumberedRecord]], number: int = LIE_NUMBER
) -> None:
    """Show this entry instead of the entry of this number."""

    def shown(at: int, record: Record) -> Sequence[NumberedRecord]:
        if at == number:
            return lie(ForkedLog(table.room, number))
        return [(at, record)]

    table.shown = shown


def replace_move(
    table: FakeTable,
    author: int,
    body: list[Any],
    meant: Callable[[list[Any]], bool] = lambda action: True,
) -> None:
    """Show this move instead of the author's first move with the given action, and no entry after
    it.
    """

    def shown(number: int, record: Record) -> Sequence[NumberedRecord]:
        entry = decode_entry(record.entry)
        if (
            table.shown is shown
            and (entry.author, entry.kind) == (author, "move")
            and meant(entry.body[0])
        ):
            table.shown = lambda number, record: []
            return [ForkedLog(table.room, number).add(author, "move", body)]
        return [(number, record)]

    table.shown = shown


def change_body(
    table: FakeTable,
    author: int,
    kind: str,
    change: Callable[[list[Any]], list[Any]],
    always: bool = False,
) -> None:
    """Change the body of the first entry of this kind by the table or this seat; or of all such
    entries.
    """
    done = False

    def tamper(by: int, post: Post) -> Post:
        nonlocal done
        if (by, post.kind) != (author, kind) or (done and not always):
            return post
        done = True
        return Post(kind, change(post.body))

    table.tamper = tamper


def entry_number(table: FakeTable, author: int, kind: str) -> int:
    """Return the number of the first entry of this author and kind in the honest log; -1 if there
    is none.
    """
    for number, record in enumerate(table.room.records if table.begun else []):
        entry = decode_entry(record.entry)
        if (entry.author, entry.kind) == (author, kind):
            return number
    return -1
