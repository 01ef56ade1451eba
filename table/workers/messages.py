"""Messages between a table and its workers: frames over a socket pair, with a list in each.

    request = [kind, match, ...]
      open    table key, first entry, seed or nil, [record, ...]   begin a match, or go on with it
      repeat  [record, ...]      entries that follow, and that the table has signed before
      fold    author, entry      a new entry
      close                      forget the match; there is no answer
    record  = [entry, head or empty]
    ready   = "ready"            a worker's first frame: it has started
    answer  = [refused, failed, processor microseconds, outcome or nil]
    outcome = [status, clock duties, owed]

`refused` is a code or nil, `failed` a key of the catalogue with its arguments or nil. `owed` is an encoded list of kind
and body, or nil. Decoding is as strict as for
strangers: a worker folds what strangers have written. A frame has a length of 4 bytes before it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.dealing import Post
from protocol.errors import RemoteError
from protocol.limits import MAX_CHANGE_ENTRIES, MAX_ENTRY, MAX_SEATS, MAX_WORKER_FRAME
from protocol.match.clock import ClockDue
from protocol.match.log import Record
from protocol.schema import between, either, exactly, fields, flag, many, nothing, text, uint
from protocol.seats import TABLE
from protocol.view.phrase import Phrase, phrase
from table.match.status import ClockDuty, MatchStatus

LENGTH_BYTES = 4
READY = "ready"

_MATCH = exactly(32)
_RECORDS = many(
    fields(between(1, MAX_ENTRY), either(exactly(0), exactly(64))), 0, MAX_CHANGE_ENTRIES
)
_SEED = either(nothing, exactly(32))
_SHAPES = {
    "open": fields(_MATCH, exactly(32), between(1, MAX_ENTRY), _SEED, _RECORDS),
    "repeat": fields(_MATCH, _RECORDS),
    "fold": fields(_MATCH, uint(TABLE), between(1, MAX_ENTRY)),
    "close": fields(_MATCH),
}
_NUMBERS = many(uint(), 0, MAX_SEATS)
_STATUS = fields(
    *(uint(), flag, flag, flag, _NUMBERS, _NUMBERS),
    *(uint(), many(text(64), 0, MAX_ENTRY), flag),
)
_DUTIES = many(fields(uint(MAX_SEATS - 1), many(fields(text(16), uint()), 1, 2)), 0, MAX_SEATS)
_PHRASE = fields(text(64), many(fields(text(64), either(uint(), text(256))), 0, 8))
_ANSWER = fields(
    either(nothing, text(64)),
    either(nothing, _PHRASE),
    uint(),
    either(nothing, fields(_STATUS, _DUTIES, either(nothing, between(1, MAX_ENTRY)))),
)
_POST = fields(text(16), lambda value: type(value) is list)


class Request(NamedTuple):
    """A request to a worker."""

    kind: str
    match_id: bytes
    values: tuple[Any, ...] = ()


class Outcome(NamedTuple):
    """A match after what a worker folded last."""

    status: MatchStatus
    duties: tuple[ClockDuty, ...]
    owed: Post | None  # the entry that the table must post


class Answer(NamedTuple):
    """A worker's answer to a request."""

    refused: Code | None = None  # the entry cannot stand
    failed: Phrase | None = None  # why the match cannot go on
    microseconds: int = 0  # processor time
    outcome: Outcome | None = None  # unless it failed


def encode_request(request: Request) -> bytes:
    """Return the frame of a request."""
    kind, match_id, values = request
    return _frame(wire.encode([kind, match_id, *values]))


def decode_request(payload: bytes) -> Request:
    """Raises: RemoteError."""
    value = wire.decode(payload)
    match value:
        case [str(kind), *rest] if kind in _SHAPES and _SHAPES[kind](rest):
            return Request(kind, rest[0], tuple(rest[1:]))
    raise RemoteError(Code.BAD_MESSAGE)


def encode_ready() -> bytes:
    """Return the first frame of a worker."""
    return _frame(wire.encode(READY))


def check_ready(payload: bytes) -> None:
    """Raises: RemoteError unless a worker says that it has started."""
    if wire.decode(payload) != READY:
        raise RemoteError(Code.BAD_MESSAGE)


def records_of(values: Sequence[Any]) -> list[Record]:
    """Return the records in a request's values."""
    return [Record(*each) for each in values]


def encode_answer(answer: Answer) -> bytes:
    """Return the frame of an answer."""
    outcome: list[Any] | None = None
    if answer.outcome is not None:
        status, duties, owed = answer.outcome
        outcome = [
            [
                *status[:4],
                sorted(status.gone),
                list(status.duty_since),
                status.late,
                [str(code) for code in status.faults],
                status.may_end,
            ],
            [[duty.seat, [list(due) for due in duty.due]] for duty in duties],
            None if owed is None else wire.encode(list(owed)),
        ]
    refused = None if answer.refused is None else str(answer.refused)
    failed = None if answer.failed is None else _encode_phrase(answer.failed)
    return _frame(wire.encode([refused, failed, answer.microseconds, outcome]))


def decode_answer(payload: bytes) -> Answer:
    """Raises: RemoteError."""
    value = wire.decode(payload)
    if not _ANSWER(value):
        raise RemoteError(Code.BAD_MESSAGE)
    refused, failed, microseconds, outcome = value
    try:
        code = Code(refused) if refused else None
    except ValueError:
        raise RemoteError(Code.BAD_MESSAGE) from None
    if (outcome is None) is (failed is None):
        raise RemoteError(Code.BAD_MESSAGE)
    decoded = None if outcome is None else _decode_outcome(*outcome)
    why = None if failed is None else phrase(failed[0], **dict(failed[1]))
    return Answer(code, why, microseconds, decoded)


def _encode_phrase(said: Phrase) -> list[Any]:
    args = [[name, word if type(word) is int else str(word)] for name, word in said.args]
    return [said.key, args]


def _decode_outcome(status: Any, duties: Any, owed: Any) -> Outcome:
    number, over, playing, simultaneous, gone, since, late, faults, may_end = status
    try:
        codes = tuple(map(Code, faults))
    except ValueError:
        raise RemoteError(Code.BAD_MESSAGE) from None
    read = MatchStatus(
        number, over, playing, simultaneous, frozenset(gone), tuple(since), late, codes, may_end
    )
    waits = tuple(
        ClockDuty(seat, tuple(ClockDue(kind, after) for kind, after in due)) for seat, due in duties
    )
    return Outcome(read, waits, None if owed is None else _decode_post(owed))


def _decode_post(data: bytes) -> Post:
    value = wire.decode(data)
    if not _POST(value):
        raise RemoteError(Code.BAD_MESSAGE)
    return Post(*value)


def split_records(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Divide records into as many lists as frames are needed for them."""
    portion: list[Record] = []
    size = 0
    for record in records:
        length = len(record.entry) + len(record.head) + 16
        if portion and (
            size + length > MAX_WORKER_FRAME // 2 or len(portion) == MAX_CHANGE_ENTRIES
        ):
            yield portion
            portion, size = [], 0
        portion.append(record)
        size += length
    if portion:
        yield portion


def _frame(payload: bytes) -> bytes:
    return len(payload).to_bytes(LENGTH_BYTES, "big") + payload


def frame_size(header: bytes) -> int:
    """Return the length that a frame's header says. Raises: RemoteError(FRAME_SIZE)."""
    size = int.from_bytes(header, "big")
    if not 0 < size <= MAX_WORKER_FRAME:
        raise RemoteError(Code.FRAME_SIZE)
    return size
