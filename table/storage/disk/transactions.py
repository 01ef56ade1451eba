"""A transaction of the journal as bytes, for the standby that must have it, too.

    transaction = [[outcome, change], ...]                               canonical MessagePack
    records   [match, first, follows, claim, entries, heads, nil or [seed, rules], over, stamps]
    stamps    [number, [stamp, ...]]
    table     [number, terms, creator]         no table  [number]
    words     [first, [[slot, word], ...], [[id, record], ...]]
    ahead     [head]
    claim     [match, id, ids of others that are known, claim, entries to keep or nil]; earlier: [match]
    release   [match, claim, successor]
    heads     [match, heads]                   exported  [match, bytes of the file]
    cut       [match, number, hash]            stopped   [match, claim]

Only changes that have changed something are in it. `outcome` is what `Journal.write` gave for each:
another one at the standby would mean that the two do not hold the same.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.crypto.hashing import digest
from protocol.errors import RemoteError
from protocol.identity.keys import SIGNATURE_SIZE
from protocol.limits import MAX_ENTRY, MAX_INT, MAX_MESSAGE, MAX_STAMP
from protocol.match.terms import TERMS, decode_terms, encode_terms
from protocol.messages.claim import CLAIM_ID
from protocol.schema import Shape, between, either, exactly, fields, flag, many, nothing, uint
from table.storage.disk.match_rows import Claim, Cut, Exported, KeepHeads, Release
from table.storage.interface import (
    STAMPS,
    Change,
    HeadAhead,
    MatchBeginning,
    MatchStopped,
    NewAttestations,
    NewRecords,
    NewTable,
    Stamps,
    TableRemoved,
)

Write = Change | Claim | Release | Cut | KeepHeads | Exported
_MOST = 1 << 16  # entries, heads or words of one change; what one transaction may hold is less
_ASIDE, _EACH = (
    1024,
    SIGNATURE_SIZE + 8,
)  # bytes of a change beside entries, heads and words; around or of each of those
_NAME = 64  # characters of a successor's name, and of what names a match's rules


class Transaction(NamedTuple):
    """What one commit of the journal brought."""

    number: int  # counted since the two were paired
    hash: bytes  # of all transactions up to this one
    body: bytes


def follows(place: tuple[int, bytes], body: bytes) -> Transaction:
    """The transaction that comes with these bytes behind the number and hash of another."""
    number = place[0] + 1
    return Transaction(number, digest("standby transaction", place[1], number, body), body)


def _name(value: object) -> bool:
    return type(value) is str and len(value) <= _NAME


_MATCH, _BYTES = exactly(32), between(0, MAX_MESSAGE)
_HEADS = many(exactly(SIGNATURE_SIZE), 0, _MOST)
_PAIRS = many(fields(_BYTES, _BYTES), 0, _MOST)
_BEGIN = either(nothing, fields(between(0, 256), _name))
_CLAIM, _KEEP = between(0, CLAIM_ID), either(nothing, uint())
_ENTRIES = many(between(1, MAX_ENTRY), 1, _MOST)


def _records(new: NewRecords) -> list[Any]:
    begin = None if new.begin is None else list(new.begin)
    return [
        new.match_id,
        new.first,
        new.follows,
        new.claim,
        list(new.entries),
        list(new.heads),
        begin,
        new.over,
        [new.stamps.first, list(new.stamps.stamps)],
    ]


def _read_records(*values: Any) -> NewRecords:
    match, first, after, claim, entries, heads, begin, over, (number, stamps) = values
    kept = None if begin is None else MatchBeginning(*begin)
    known = Stamps(number, tuple(stamps))
    return NewRecords(match, first, after, claim, tuple(entries), tuple(heads), kept, over, known)


def _read_claim(match: bytes, *values: Any) -> Claim:
    if not values:
        return Claim(match)
    claim_id, known, *rest = values
    return Claim(match, claim_id, tuple(known), *rest)


def _table(new: NewTable) -> list[Any]:
    return [new.number, encode_terms(new.terms), new.creator]


def _read_table(number: int, terms: list[Any], creator: bytes) -> NewTable:
    return NewTable(number, decode_terms(terms), creator)


def _words(new: NewAttestations) -> list[Any]:
    return [new.first, list(map(list, new.words)), list(map(list, new.records))]


def _read_words(first: int, words: Any, records: Any) -> NewAttestations:
    return NewAttestations(
        first,
        tuple((slot, word) for slot, word in words),
        tuple((key, data) for key, data in records),
    )


def size_of(change: Write) -> int:
    """About how many bytes a change takes, rather more than less."""
    match change:
        case NewRecords():
            return (
                _ASIDE
                + sum(map(len, change.entries))
                + _EACH * (len(change.entries) + len(change.heads))
                + (MAX_STAMP + 2) * len(change.stamps.stamps)
            )
        case KeepHeads():
            return _ASIDE + _EACH * len(change.heads)
        case NewAttestations():
            return _ASIDE + sum(
                _EACH + len(key) + len(data) for key, data in (*change.words, *change.records)
            )
    return _ASIDE


class _Kind(NamedTuple):
    """How one kind of change is written, and read again."""

    of: type
    shape: Shape
    write: Callable[[Any], list[Any]] = list
    read: Callable[..., Write] | None = None  # None: by its own name


_KINDS = {
    "records": _Kind(
        NewRecords,
        fields(_MATCH, uint(), _MATCH, uint(), _ENTRIES, _HEADS, _BEGIN, flag, STAMPS),
        _records,
        _read_records,
    ),
    "table": _Kind(NewTable, fields(uint(), TERMS, _MATCH), _table, _read_table),
    "no table": _Kind(TableRemoved, fields(uint())),
    "words": _Kind(NewAttestations, fields(uint(), _PAIRS, _PAIRS), _words, _read_words),
    "ahead": _Kind(HeadAhead, fields(_BYTES)),
    "claim": _Kind(
        Claim,
        either(fields(_MATCH), fields(_MATCH, _CLAIM, many(_CLAIM, 0, _MOST), uint(), _KEEP)),
        lambda claim: [claim.match_id, claim.id, list(claim.known), *claim[3:]],
        _read_claim,
    ),
    "release": _Kind(Release, fields(_MATCH, uint(), _name)),
    "stopped": _Kind(MatchStopped, fields(_MATCH, uint())),
    "cut": _Kind(Cut, fields(_MATCH, uint(), _MATCH)),
    "heads": _Kind(
        KeepHeads,
        fields(_MATCH, _HEADS),
        lambda kept: [kept.match_id, list(kept.heads)],
        lambda match, heads: KeepHeads(match, tuple(heads)),
    ),
    "exported": _Kind(Exported, fields(_MATCH, uint())),
}
_NAMES = {kind.of: name for name, kind in _KINDS.items()}
_TRANSACTION = many(fields(uint(MAX_INT), lambda change: _is_change(change)), 1, _MOST)


def _is_change(value: object) -> bool:
    if type(value) is not list or not value or type(value[0]) is not str or value[0] not in _KINDS:
        return False
    return _KINDS[value[0]].shape(value[1:])


def encode_transaction(changes: Sequence[tuple[int, Write]]) -> bytes:
    """The bytes of changes with their outcomes."""
    return wire.encode([[outcome, _encode(change)] for outcome, change in changes])


def _encode(change: Write) -> list[Any]:
    name = _NAMES[type(change)]
    return [name, *_KINDS[name].write(change)]


def decode_transaction(data: bytes) -> list[tuple[int, Write]]:
    """Changes with their outcomes. Raises: RemoteError(BAD_ENCODING, BAD_MESSAGE, BAD_TERMS)."""
    values = wire.decode(data)
    if not _TRANSACTION(values):
        raise RemoteError(Code.BAD_MESSAGE)
    return [(outcome, _decode(*change)) for outcome, change in values]


def _decode(name: str, *values: Any) -> Write:
    kind = _KINDS[name]
    change: Write = (kind.read or kind.of)(*values)
    return change
