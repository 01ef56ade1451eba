"""Messages between a table and its workers: frames over a socket pair, with a list in each.

    request = [kind, match, ...]
      open    table key, first entry, seed or nil, [record, ...]   begin a match, or go on with it
      repeat  [record, ...]      entries that follow, and that the table has signed before
      fold    author, entry      a new entry
      close                      forget the match; there is no answer
      ping                       nothing: an answer shows that the worker is alive
    record  = [entry, head or empty, lie]
    ready   = "ready"            a worker's first frame: it has started
    answer  = [refused, failed, processor microseconds, outcome or nil, [lie, ...]]
    outcome = [status, clock duties, owed]
    lie     = what the fold made of an entry: nil: not known, empty: no lie, or the code of a lie

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
from protocol.match.fold import Outcome
from protocol.schema import between, either, exactly, fields, flag, many, nothing, text, uint
from protocol.seats import TABLE
from protocol.view.phrase import Phrase, phrase
from table.match.status import ClockDuty, MatchStatus

LENGTH_BYTES = 4
READY = "ready"

_MATCH = exactly(32)
_CODE = either(text(64), "".__eq__)
_LIE = either(nothing, _CODE)
_RECORDS = many(
    fields(between(1, MAX_ENTRY), either(exactly(0), exactly(64)), _LIE), 0, MAX_CHANGE_ENTRIES
)
_SEED = either(nothing, exactly(32))
_SHAPES = {
    "open": fields(_MATCH, exactly(32), between(1, MAX_ENTRY), _SEED, _RECORDS),
    "repeat": fields(_MATCH, _RECORDS),
    "fold": fields(_MATCH, uint(TABLE), between(1, MAX_ENTRY)),
    "close": fields(_MATCH),
    "ping": fields(_MATCH),
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
    many(_CODE, 0, MAX_CHANGE_ENTRIES),
)
_POST = fields(text(16), lambda value: type(value) is list)


class Request(NamedTuple):
    """A request to a worker."""

    kind: str
    match_id: bytes
    values: tuple[Any, ...] = ()


class JudgedRecord(NamedTuple):
    """An entry for a worker, with what the fold has made of it before, if that is known."""

    entry: bytes
    head: bytes  # empty: it is not to be checked
    outcome: Outcome | None


class Result(NamedTuple):
    """A match after what a worker folded last."""

    status: MatchStatus
    duties: tuple[ClockDuty, ...]
    owed: Post | None  # the entry that the table must post


class Answer(NamedTuple):
    """A worker's answer to a request."""

    refused: Code | None = None  # the entry cannot stand
    failed: Phrase | None = None  # why the match cannot go on
    microseconds: int = 0  # processor time
    result: Result | None = None  # unless it failed, or the request was a ping
    # what the fold made of each entry of the request that stands; of `open`, without the first one
    outcomes: tuple[Outcome, ...] = ()


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


def encode_records(records: Iterable[JudgedRecord]) -> list[Any]:
    """Return the value of records in a request."""
    return [[entry, head, _encode_outcome(outcome)] for entry, head, outcome in records]


def records_of(values: Sequence[Any]) -> list[JudgedRecord]:
    """Return the records in a request's values. Raises: RemoteError."""
    return [
        JudgedRecord(entry, head, None if lie is None else _decode_outcome(lie))
        for entry, head, lie in values
    ]


def _encode_outcome(outcome: Outcome | None) -> str | None:
    if outcome is None:
        return None
    return "" if outcome.lie is None else str(outcome.lie)


def _decode_outcome(lie: str) -> Outcome:
    try:
        return Outcome(Code(lie) if lie else None)
    except ValueError:
        raise RemoteError(Code.BAD_MESSAGE) from None


def encode_answer(answer: Answer) -> bytes:
    """Return the frame of an answer."""
    result: list[Any] | None = None
    if answer.result is not None:
        status, duties, owed = answer.result
        result = [
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
    lies = [_encode_outcome(each) for each in answer.outcomes]
    return _frame(wire.encode([refused, failed, answer.microseconds, result, lies]))


def decode_answer(payload: bytes) -> Answer:
    """Raises: RemoteError."""
    value = wire.decode(payload)
    if not _ANSWER(value):
        raise RemoteError(Code.BAD_MESSAGE)
    refused, failed, microseconds, result, lies = value
    try:
        code = Code(refused) if refused else None
    except ValueError:
        raise RemoteError(Code.BAD_MESSAGE) from None
    if result is not None and failed is not None:
        raise RemoteError(Code.BAD_MESSAGE)
    decoded = None if result is None else _decode_result(*result)
    why = None if failed is None else phrase(failed[0], **dict(failed[1]))
    outcomes = tuple(map(_decode_outcome, lies))
    return Answer(code, why, microseconds, decoded, outcomes)


def _encode_phrase(said: Phrase) -> list[Any]:
    args = [[name, word if type(word) is int else str(word)] for name, word in said.args]
    return [said.key, args]


def _decode_result(status: Any, duties: Any, owed: Any) -> Result:
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
    return Result(read, waits, None if owed is None else _decode_post(owed))


def _decode_post(data: bytes) -> Post:
    value = wire.decode(data)
    if not _POST(value):
        raise RemoteError(Code.BAD_MESSAGE)
    return Post(*value)


def split_records(records: Iterable[JudgedRecord]) -> Iterator[list[JudgedRecord]]:
    """Divide records into as many lists as frames are needed for them."""
    portion: list[JudgedRecord] = []
    size = 0
    for record in records:
        length = len(record.entry) + len(record.head) + 96
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
