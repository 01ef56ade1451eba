"""What stands in a match's subject: notes, and what they come to.

    note = [kind, after, writer, owner, claim, state, body]           canonical MessagePack
    records   [first, follows, heads, entries, rules, more, stamps]
               the rest of them is in the next note if there is `more`; `stamps` is missing in notes of before
    claim     [id, known, dropped, loading]   whoever had the match before may append nothing after this
    released  []            the same, by its owner, for the host that is named as owner
    carried   []            its owner has loaded it, or has lived for a minute since it claimed it
    proof     []            says nothing: once it is acknowledged, what stands before it stands for good
    heads     [heads]       the last heads of a match that is over
    exported  []            its log file is written; or it has stopped for good, and lacks heads

`id` is the claim's (`protocol.messages.claim`), `known` are ids of others that players have shown.
`dropped` is nil, or a claim and a number: if the claim is the newest before, entries from the number
on are dropped, of which nobody has been told. `loading` are the hosts that have claimed the match
before, one after the other, and have not carried it.

`after` is the number of the item that it was appended behind, `writer` a number drawn at random by
each process: no two writers' notes are the same, and one that is missing between two others is
noticed. `claim` is the number of the item that made the match its owner's, 0 for who began it.
`state`: 0 it runs, 1 it is over, 2 its log file is written; in claims, releases and proofs a hint
for lists: their writer may have read a note that another took the number of since.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import MAX_ENTRY, MAX_LOADING
from protocol.match.log import NO_HASH, Record, chain_position
from protocol.messages.claim import CLAIM_ID
from protocol.schema import Shape, between, either, exactly, fields, flag, many, nothing, uint
from table.storage.interface import STAMPS, Claimant, NewRecords, Stamps, hash_after
from table.storage.shared.backend import Item

RUNS, OVER, EXPORTED = range(3)
WRITER = 16  # bytes
RUN = 8  # of these that stand for a process
MAX_HOST_NAME = 64  # characters; of what names its rules, too
_MOST = 1 << 16  # entries or heads of one note; what a message of a store holds is less


def _name(value: object) -> bool:
    return type(value) is str and len(value) <= MAX_HOST_NAME


_HEADS = many(exactly(64), 0, _MOST)
_FIELDS = uint(), exactly(32), _HEADS, many(between(1, MAX_ENTRY), 1, _MOST), _name, flag
_RECORDS = either(fields(*_FIELDS, STAMPS), fields(*_FIELDS))
BODIES: dict[str, Shape] = {
    "records": _RECORDS,
    "claim": either(
        fields(),  # of an earlier program
        fields(
            exactly(CLAIM_ID),
            many(exactly(CLAIM_ID), 0, _MOST),
            either(nothing, fields(uint(), uint())),
            many(fields(_name, exactly(RUN)), 0, MAX_LOADING),
        ),
    ),
    "released": fields(),
    "carried": fields(),
    "proof": fields(),
    "heads": fields(_HEADS),
    "exported": fields(),
}
DECIDING = ("records", "heads", "exported")  # how far a match is
_NOTE = fields(
    BODIES.__contains__, uint(), exactly(WRITER), _name, uint(), uint(EXPORTED), lambda body: True
)


class Note(NamedTuple):
    """One note."""

    kind: str
    after: int
    writer: bytes
    owner: str
    claim: int
    state: int
    body: list[Any]


def encode_note(note: Note) -> bytes:
    """Its bytes."""
    return wire.encode(list(note))


def decode_note(data: bytes) -> Note:
    """A note from its bytes. Raises: RemoteError(BAD_ENCODING)."""
    value = wire.decode(data)
    if type(value) is not list or not value or type(value[0]) is not str or not _NOTE(value):
        raise RemoteError(Code.BAD_ENCODING)
    note = Note(*value)
    if not BODIES[note.kind](note.body):
        raise RemoteError(Code.BAD_ENCODING)
    return note


def claimants(note: Note) -> tuple[Claimant, ...]:
    """Return the hosts that have claimed a match last and have not carried it, if this is its newest
    note.
    """
    if note.kind != "claim":
        return ()
    before = [Claimant(name, run) for name, run in (note.body[3] if note.body else ())]
    return (*before, Claimant(note.owner, note.writer[:RUN]))


class BadNote(Exception):
    """These are no match's notes: one is missing between two others, or they are somebody
    else's.
    """


@dataclass
class MatchNotes:
    """What the notes of a subject come to, one after the other."""

    number: int = 0  # of the last item
    claim: int = 0
    owner: str = ""
    rules: str = ""
    state: int = RUNS
    entries: list[bytes] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)
    stamps: list[Stamps] = field(default_factory=list)  # stored outcomes, as they came
    hash: bytes = NO_HASH  # of the chain after the entries
    id: bytes = b""  # of the newest claim
    known: set[bytes] = field(default_factory=set)  # ids of all claims
    # the least number from which on a claim has dropped entries
    dropped: int | None = None
    _begun: tuple[bytes, ...] = ()  # entries whose rest has not come

    @property
    def records(self) -> list[Record]:
        """The entries with their heads, empty ones where the store has not got them."""
        missing = len(self.entries) - len(self.heads)
        return list(map(Record, self.entries, [*self.heads, *[b""] * missing]))

    def take(self, item: Item) -> None:
        """The next note. Raises: Damaged, RemoteError."""
        note = decode_note(item.data)
        state = note.state if note.kind in DECIDING else self.state
        if note.after != self.number or state < self.state:
            raise BadNote
        if note.kind == "records":
            self._take_records(note)
        elif not self.number:
            raise BadNote
        if note.kind == "claim" and note.body:
            self.id, known, dropped, _ = note.body
            self.known.update((self.id, *known))
            if dropped is not None:
                self._drop(*dropped)
        elif note.kind == "claim":
            self.id = b""
        if note.kind in ("claim", "released"):
            self.claim, self.owner, self._begun = item.number, note.owner, ()
        if note.kind == "heads":
            self._take_heads(len(self.entries), note.body[0])
        self.number, self.state = item.number, state

    def _drop(self, claim: int, keep: int) -> None:
        if claim != self.claim or self.state != RUNS or not 0 < keep < len(self.entries):
            return
        self.entries, self.heads = self.entries[:keep], self.heads[:keep]
        self.hash = chain_position(self.entries)[1]
        self.dropped = keep if self.dropped is None else min(keep, self.dropped)

    def _take_records(self, note: Note) -> None:
        first, follows, heads, entries, rules, more, *stamps = note.body
        begun = self._begun
        if (first, note.claim) != (
            len(self.entries) + len(begun),
            self.claim,
        ) or self.state != RUNS:
            raise BadNote
        whole = NewRecords(b"", len(self.entries), self.hash, self.claim, (*begun, *entries))
        if follows != (self.hash if not begun else hash_after(whole._replace(entries=begun))):
            raise BadNote
        if not self.number:
            self.owner, self.rules = note.owner, rules
        if not begun:
            self._take_heads(first, heads)
            self.stamps += [Stamps(number, tuple(several)) for number, several in stamps]
        self._begun = whole.entries
        if not more:
            self.hash, self._begun = hash_after(whole), ()
            self.entries += whole.entries

    def _take_heads(self, end: int, heads: Sequence[bytes]) -> None:
        """Those of the entries before `end`, as far as they are not here."""
        first = end - len(heads)
        if heads and not 0 <= first <= len(self.heads):
            raise BadNote
        if heads:
            self.heads[first:end] = heads


def fold_notes(items: Iterable[Item]) -> MatchNotes:
    """What these come to. Raises: Damaged, RemoteError."""
    result = MatchNotes()
    for item in items:
        result.take(item)
    return result
