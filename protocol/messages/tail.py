"""Log tail: the end of a match's log, which a player gives back to a table that has lost it.

Only the table's signatures under heads count, not the sender of a tail: with each head the table
has confirmed an entry and its number. A head is a signed message by itself (`protocol.match.log`),
and can be checked without the log. The records of a tail continue the hash chain from a given hash.
So a tail can also be checked without the log.
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
# maximum bytes of a message without its records, and of a record without its entry
_MESSAGE_OVERHEAD = 128
_RECORD_OVERHEAD = 80


class HeldHead(NamedTuple):
    """The newest head that a player has of a match's log, as sent in `resume`."""

    number: int  # number of the entry
    hash: bytes  # hash of the chain after the entry
    head: bytes  # the table's signature of the number and the hash


class LogTail(NamedTuple):
    """Consecutive records of a log, as sent in `tail`."""

    first: int  # number of the first record
    before: bytes  # hash of the chain before the first record
    records: list[Record]

    def values(self) -> list[object]:
        """Return the fields of the message after the match id."""
        return [self.first, self.before, [list(record) for record in self.records]]


def parse_tail(first: int, before: bytes, records: list[list[bytes]]) -> LogTail:
    """Create a tail from the fields of its message."""
    return LogTail(first, before, [Record(*record) for record in records])


def check_held_head(holds: HeldHead, match_id: bytes, table_key: bytes) -> None:
    """Check that this table signed the head for this match. Raises: RemoteError(BAD_SIGNATURE)."""
    number, hashed, head = holds
    verify(table_key, head, "head", match_id, number, hashed)


def check_tail(tail: LogTail, match_id: bytes, table_key: bytes) -> list[bytes]:
    """Return the hash of the chain before the records, and after each of them.

    Raises: RemoteError(BAD_SIGNATURE) unless this table signed every head for this chain in this
    match.
    """
    hashes = [tail.before]
    for number, (entry, head) in enumerate(tail.records, tail.first):
        hashes.append(digest("chain", hashes[-1], number, entry))
        verify(table_key, head, "head", match_id, number, hashes[-1])
    return hashes


def split_tail(first: int, before: bytes, records: Iterable[Record]) -> Iterator[LogTail]:
    """Split records, numbered from `first`, into as many messages as necessary."""
    part = LogTail(first, before, [])
    room = MAX_MESSAGE - _MESSAGE_OVERHEAD
    for record in records:
        size = len(record.entry) + _RECORD_OVERHEAD
        if part.records and (size > room or len(part.records) == MAX_TAIL_RECORDS):
            yield part
            for number, given in enumerate(part.records, part.first):
                before = digest("chain", before, number, given.entry)
            part = LogTail(part.first + len(part.records), before, [])
            room = MAX_MESSAGE - _MESSAGE_OVERHEAD
        part.records.append(record)
        room -= size
    if part.records:
        yield part
