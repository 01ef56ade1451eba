"""Changed copies of a log, each with one change, and the bytes of its file.

Three kinds of changes: of the file, which nobody has signed; of an entry, signed by its author as a
lie or a mistake of a seat would be; and of the order of entries, as a table in league with somebody
would sign it. Of the last two the table signs every head, so only the fold can find them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from conformance.auditor.matches import AuditedMatch, make_match
from conformance.mutations import flip_bit
from conformance.player.kit_match import KitMatch
from protocol.crypto.hashing import digest
from protocol.dealing import TABLE
from protocol.errors import FairdealError
from protocol.identity.keys import Identity
from protocol.match.log import NO_HASH, Entry, EntryContent, Record, decode_entry, make_entry
from protocol.match.log_file import MAGIC, encode_record

# entries of one kind and author whose bodies are changed, in a match; the first ones
CHANGED_ENTRIES = 1
TAIL = 3  # honest entries that follow a changed one, under heads that the table has signed


class ChangedLog(NamedTuple):
    """A changed log."""

    case: str  # name of the case that it belongs to
    name: str
    section: str  # of the specification, which says what the change is
    make: Callable[[], bytes]  # makes the file


@dataclass(frozen=True)
class LogSource:
    """An honest match, and the keys of all who signed in it."""

    wanted: AuditedMatch
    match: KitMatch

    @property
    def records(self) -> list[Record]:
        """The honest log."""
        return self.match.records

    def signer(self, author: int) -> Identity:
        """Return the key of an author; of the table for a number that is nobody's."""
        own = {seat.number: seat.identity for seat in self.match.others}
        return own.get(author, self.match.identity)

    def sign(self, content: EntryContent) -> bytes:
        """Return an entry with this content, signed by its author."""
        match_id = self.match.log.match_id
        return make_entry(self.signer(content.author), match_id, content)

    def chained(self, raws: Sequence[bytes]) -> bytes:
        """Return the file of these entries, with heads that the table has signed."""
        records = []
        match_id, newest = NO_HASH, NO_HASH
        for number, raw in enumerate(raws):
            newest = digest("chain", newest, number, raw)
            match_id = match_id if number else newest
            records.append(Record(raw, self.match.identity.sign("head", match_id, number, newest)))
        return file_of(records)


def file_of(records: Sequence[Record]) -> bytes:
    """Return the file of these records (docs/protocol, 10.1)."""
    return MAGIC + b"".join(encode_record(*record) for record in records)


def make_source(wanted: AuditedMatch) -> LogSource:
    """Play the match of which logs are changed."""
    return LogSource(wanted, make_match(wanted))


def honest(source: LogSource) -> ChangedLog:
    """Return the log as it is."""
    return ChangedLog("honest", "honest", "10.2", partial(file_of, source.records))


def changed_logs(source: LogSource) -> Iterator[ChangedLog]:
    """Generate every changed copy of a log; with `changes` in its match, only of entries."""
    if not source.wanted.changes:
        yield from _changed_files(source)
        yield from _changed_order(source)
    yield from _changed_entries(source)


# --- the file ---


def files_of_no_match() -> Iterator[ChangedLog]:
    """Generate files in which there is nothing of a match."""
    for name, data in (
        ("no-bytes", b""),
        ("magic-alone", MAGIC),
        ("half-a-magic", MAGIC[:7]),
        ("text", b"clean\n"),
        ("frame-without-an-end", MAGIC + b"\xff\xff\xff\xff"),
        ("frame-of-no-bytes", MAGIC + bytes(4)),
    ):
        yield ChangedLog(name, name, "10.1.2", partial(bytes, data))


def _changed_files(source: LogSource) -> Iterator[ChangedLog]:
    records, whole = source.records, file_of(source.records)
    half = len(records) // 2
    last = records[-1]

    def changed(name: str, section: str, data: bytes) -> ChangedLog:
        return ChangedLog(name, name, section, lambda: data)

    yield changed("another-magic", "10.1.1", b"fairdeal log 2\n" + whole[len(MAGIC) :])
    yield changed("cut-after-half", "10.3", file_of(records[:half]))
    yield changed("cut-before-last-byte", "10.1.2", whole[:-1])
    yield changed("four-zero-bytes-more", "10.2.2", whole + bytes(4))
    yield changed("one-byte-more", "10.1.2", whole + b"\0")
    yield changed("last-record-twice", "10.2.2", whole + encode_record(*last))
    yield changed("frame-of-no-record", "10.2.2", whole + b"\0\0\0\1\xc0")
    yield changed(
        "head-of-another-entry",
        "10.2.2",
        file_of([*records[:half], Record(records[half].entry, last.head), *records[half + 1 :]]),
    )
    yield changed(
        "entry-changed-under-its-head",
        "10.2.2",
        file_of(
            [
                *records[:half],
                Record(flip_bit(records[half].entry, -1), records[half].head),
                *records[half + 1 :],
            ]
        ),
    )
    yield changed("first-head-changed", "10.2.1", file_of([_flipped(records[0]), *records[1:]]))


def _flipped(record: Record) -> Record:
    return Record(record.entry, flip_bit(record.head))


# --- the order, as a table would sign it ---


def _changed_order(source: LogSource) -> Iterator[ChangedLog]:
    raws = [record.entry for record in source.records]
    half = len(raws) // 2
    before, entry, after = raws[:half], raws[half], raws[half + 1 :]

    def changed(name: str, *order: bytes, section: str = "6.7.3") -> ChangedLog:
        return ChangedLog(name, name, section, partial(source.chained, order))

    yield changed("entry-left-out", *before, *after)
    yield changed("entry-twice", *before, entry, entry, *after)
    yield changed("two-entries-swapped", *before, after[0], entry, *after[1:])
    yield changed("signature-changed", *before, flip_bit(entry, -1))
    yield changed("bytes-that-are-no-entry", *before, b"\xc0")
    for name, section, change in FIELD_CHANGES:
        raw = source.sign(change(_content(decode_entry(entry))))
        yield changed(name, *before, raw, *after, section=section)
    last = len(raws) - 1
    seen = last, source.match.log.chain_hashes[last]
    sequence = sum(decode_entry(raw).author == 0 for raw in raws)
    more = source.sign(EntryContent(0, sequence, seen, "leave", []))
    yield changed("entry-after-the-last", *raws, more)


def _content(entry: Entry) -> EntryContent:
    seen = (entry.seen_number, entry.seen_hash)
    return EntryContent(entry.author, entry.sequence, seen, entry.kind, entry.body)


FIELD_CHANGES: tuple[tuple[str, str, Callable[[EntryContent], EntryContent]], ...] = (
    ("author-that-is-no-seat", "6.7.1", lambda content: content._replace(author=100)),
    ("sequence-repeated", "6.3.3", lambda content: content._replace(sequence=0)),
    (
        "sequence-skipped",
        "6.3.3",
        lambda content: content._replace(sequence=content.sequence + 1),
    ),
    ("seen-of-another-log", "6.3.4", lambda content: content._replace(seen=(0, bytes(32)))),
    (
        "seen-of-the-future",
        "6.3.4",
        lambda content: content._replace(seen=(content.seen[0] + 1000, content.seen[1])),
    ),
    ("kind-that-there-is-not", "6.7.1", lambda content: content._replace(kind="wave")),
    ("kind-of-the-table", "6.7.1", lambda content: content._replace(kind="ended", body=[])),
    ("leave-instead", "6.6", lambda content: content._replace(kind="leave", body=[])),
    ("protest-instead", "6.6", lambda content: content._replace(kind="protest", body=[1])),
    (
        "receipt-instead",
        "6.6",
        lambda content: content._replace(kind="receipt", body=[[0, 0]]),
    ),
    ("sit-out-instead", "6.6", lambda content: content._replace(kind="sit_out", body=[])),
    (
        "lapse-of-the-seat-instead",
        "14.3.4",
        lambda content: content._replace(author=TABLE, kind="lapse", body=[0, 10_000_000]),
    ),
)


# --- bodies, as their authors would sign them ---


def _changed_entries(source: LogSource) -> Iterator[ChangedLog]:
    """Change the bodies of the first entries of each kind in the log, value by value."""
    raws = [record.entry for record in source.records]
    met: dict[str, int] = {}
    for number, raw in enumerate(raws[1:], 1):
        entry = decode_entry(raw)
        what = f"{entry.kind}-{entry.body[0][0]}" if entry.kind == "move" else entry.kind
        what = what.strip(".").replace("_", "-")
        met[what] = met.get(what, 0) + 1
        if met[what] > CHANGED_ENTRIES:
            continue
        for name, body in changed_bodies(entry.body):
            try:
                changed = source.sign(_content(entry)._replace(body=body))
            except FairdealError:  # larger than an entry may be, or no value of the encoding
                continue
            log = (*raws[:number], changed, *raws[number + 1 : number + 1 + TAIL])
            yield ChangedLog(f"{what}-body", f"{what}-{name}", "6.7", partial(source.chained, log))


def changed_bodies(body: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Generate changed copies of a body: a field more, one less, and each value changed."""
    yield "field-more", [*body, 0]
    if body:
        yield "field-less", body[:-1]
    for path, value in _leaves(body, ()):
        place = "-".join(map(str, path))
        for name, other in _changed_values(value):
            yield f"{place}-{name}", _with(body, path, other)


def _leaves(value: Any, path: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Generate the values in nested lists with their places, of each list the first and the last
    item.
    """
    if isinstance(value, list):
        if path:
            yield path, value
        for at in dict.fromkeys((0, len(value) - 1)):
            if value:
                yield from _leaves(value[at], (*path, at))
    elif path:
        yield path, value


def _changed_values(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bytes):
        if value:
            yield "bit", flip_bit(value, len(value) // 2)
            yield "shorter", value[:-1]
        yield "longer", value + b"\0"
        yield "zeros", bytes(len(value))
    elif isinstance(value, bool):
        yield "other", not value
    elif isinstance(value, int):
        yield "plus-one", value + 1
        if value:
            yield "zero", 0
        yield "huge", 2**63 - 1
    elif isinstance(value, str):
        yield "text", value + "x"
    elif isinstance(value, list):
        if len(value) > 1:
            yield "reversed", value[::-1]
        if value:
            yield "empty", []
            yield "doubled", [*value, value[-1]]
    elif value is None:
        yield "zero", 0


def _with(body: list[Any], path: tuple[int, ...], value: Any) -> list[Any]:
    first, *rest = path
    inner = _with(body[first], tuple(rest), value) if rest else value
    return [*body[:first], inner, *body[first + 1 :]]
