"""What a player holds of a match's log, and the end of it that it gives back to a table which has
lost that.

A table's signature under a head is the only word that counts here: whoever brings it, the table
once stood by these entries at these numbers. A head is one message of the table's
(`protocol.match.log`), so it can be checked without the log; the records of a tail chain from the
hash before them, so a tail can be checked by itself, whatever log it is of.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from protocol.crypto.hashing import digest
from protocol.identity.keys import verify
from protocol.limits import MAX_ENTRY, MAX_MESSAGE, MAX_TAIL_RECORDS
from protocol.match.log import Record
from protocol.schema import between, exactly, fields, many, uint

HOLDS = fields(uint(), exactly(32), exactly(64))
RECORDS = many(fields(between(1, MAX_ENTRY), exactly(64)), 1, MAX_TAIL_RECORDS)
TAIL = (uint(), exactly(32), RECORDS)
# bytes of a message beside its records, and of a record beside its entry, at most
_ASIDE, _A_RECORD = 128, 80


class HeldHead(NamedTuple):
    """The newest head that somebody has of a match's log, as `resume` says it."""

    number: int  # of the entry
    hash: bytes  # of the chain after it
    head: bytes  # the table's signature of that


class LogTail(NamedTuple):
    """Some records of a log, one after the other, as `tail` gives them."""

    first: int  # number of the first one
    before: bytes  # hash of the chain before it
    records: list[Record]

    def values(self) -> list[object]:
        """The fields of the message, after the match id."""
        return [self.first, self.before, [list(record) for record in self.records]]


def parse_tail(first: int, before: bytes, records: list[list[bytes]]) -> LogTail:
    """A tail from the fields of its message."""
    return LogTail(first, before, [Record(*record) for record in records])


def check_held_head(holds: HeldHead, match_id: bytes, table_key: bytes) -> None:
    """Raises: RemoteError(BAD_SIGNATURE) unless this table signed it for this match."""
    number, hashed, head = holds
    verify(table_key, head, "head", match_id, number, hashed)


def check_tail(tail: LogTail, match_id: bytes, table_key: bytes) -> list[bytes]:
    """The hash of the chain before the records, and after each of them.

    Raises: RemoteError(BAD_SIGNATURE) unless this table signed every head, for this chain in this
    match.
    """
    hashes = [tail.before]
    for number, (entry, head) in enumerate(tail.records, tail.first):
        hashes.append(digest("chain", hashes[-1], number, entry))
        verify(table_key, head, "head", match_id, number, hashes[-1])
    return hashes


def split_tail(first: int, before: bytes, records: Iterable[Record]) -> Iterator[LogTail]:
    """These records, from number `first` on, in as many messages as it takes."""
    part, room = LogTail(first, before, []), MAX_MESSAGE - _ASIDE
    for record in records:
        size = len(record.entry) + _A_RECORD
        if part.records and (size > room or len(part.records) == MAX_TAIL_RECORDS):
            yield part
            for number, given in enumerate(part.records, part.first):
                before = digest("chain", before, number, given.entry)
            part, room = LogTail(part.first + len(part.records), before, []), MAX_MESSAGE - _ASIDE
        part.records.append(record)
        room -= size
    if part.records:
        yield part
