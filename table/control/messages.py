"""Messages between a table and its host's command, over a Unix socket: frames of `protocol.wire`,
lists in them.

    command  [VERSION, name, arguments]        one request
    table    ["row", kind, values] …           see `ROWS`
             ["done", count]                   number of things or people concerned
             ["failed", text key, arguments]   why not: a phrase of the catalogue

A side that receives anything else drops the connection.
"""

from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.limits import (
    MAX_ADDRESS,
    MAX_BANS,
    MAX_CONTROL_PATH,
    MAX_NAME,
    MAX_SAY,
    MAX_SEATS,
    MAX_TARGET,
)
from protocol.schema import Shape, either, fields, flag, many, nothing, text, uint
from protocol.view.phrase import Phrase, Value, phrase

VERSION = 1
# of a phrase: key, argument, arguments, and phrases in each other
MAX_KEY, MAX_WORD, MAX_WORDS, MAX_DEPTH = 64, 4_096, 8, 4

# characters that may name a table: whatever a person types is answered, and not dropped
MAX_TYPED = 1_024


def words(most: int) -> Shape:
    """Return the shape of a text of at most so many characters, which may be empty."""
    return lambda value: type(value) is str and len(value) <= most


# arguments of each request
REQUESTS: dict[str, Shape] = {
    "status": fields(),
    "remove": fields(words(MAX_TYPED), flag),  # a table, or the beginning of its match's id; end
    "kick": fields(text(MAX_TARGET)),
    "ban": fields(text(MAX_TARGET), uint()),  # seconds; 0: for good
    "unban": fields(text(MAX_TARGET)),
    "say": fields(text(MAX_SAY)),
    "drain": fields(flag),  # False: matches begin again
    # what ended before this time (Unix seconds), bytes of finished matches to keep, kinds, dry
    "prune": fields(
        either(nothing, uint()), either(nothing, uint()), many(text(MAX_NAME), 0, MAX_WORDS), flag
    ),
    "backup": fields(text(MAX_CONTROL_PATH)),  # a file that does not exist
    "reload": fields(),
}


# with a host name: of a standby, or of the relay behind which a guest is
_ADDRESS = words(MAX_ADDRESS)
_SEAT = fields(words(MAX_NAME), words(MAX_TARGET), flag, flag)


class HeadRow(NamedTuple):
    """The table as a whole; the first row of a status."""

    version: str  # of the program
    name: str
    link: str  # for players; empty: the table does not listen yet
    since: int  # Unix seconds
    draining: bool  # no match begins any more
    standby: str  # its address; empty: there is none
    silent: int | None  # seconds since the standby had everything; None: it never had


class TableRow(NamedTuple):
    """A table of the lobby."""

    table: str
    game: str
    seats: int
    creator: str  # short fingerprint; empty: the host
    waiting: list[str]  # names
    match: str  # beginning of the running match's id; empty: none runs


class MatchRow(NamedTuple):
    """A match that runs here."""

    match: str
    table: str
    game: str
    began: int  # Unix seconds
    entries: int
    seats: list[list[Any]]  # name, short fingerprint, connected, has left
    watching: int  # spectators
    processor: int  # milliseconds


class ConnectionRow(NamedTuple):
    """A connection."""

    key: str  # short fingerprint; empty: not known yet
    name: str
    address: str
    phase: str
    match: str
    seconds: int  # since it came
    frames: int
    bytes: int
    refused: int  # posts
    processor: int  # milliseconds
    banned: bool


class BanRow(NamedTuple):
    """A ban that holds."""

    target: str
    until: int  # Unix seconds; 0: for good
    name: str = ""  # of the person when the ban was made; empty: not known


class HostRow(NamedTuple):
    """Another host of the table."""

    host: str
    matches: int


class PrunedKind(NamedTuple):
    """Numbers and sizes of one kind: of what is removed, and of what stays."""

    kind: str
    gone: int
    gone_bytes: int
    left: int
    left_bytes: int


class PrunedThing(NamedTuple):
    """Something that goes."""

    kind: str
    name: str
    bytes: int
    ended: int  # Unix seconds


class ChangedRow(NamedTuple):
    """A key of the configuration that has another value now."""

    key: str


Row = (
    HeadRow
    | ChangedRow
    | TableRow
    | MatchRow
    | ConnectionRow
    | BanRow
    | HostRow
    | PrunedKind
    | PrunedThing
)
ROWS: dict[str, tuple[Any, Shape]] = {
    "head": (
        HeadRow,
        fields(
            words(MAX_NAME),
            words(MAX_NAME),
            words(MAX_WORD),
            uint(),
            flag,
            _ADDRESS,
            either(nothing, uint()),
        ),
    ),
    "table": (
        TableRow,
        fields(
            words(MAX_NAME),
            words(MAX_NAME),
            uint(MAX_SEATS),
            words(MAX_TARGET),
            many(words(MAX_NAME), 0, MAX_SEATS),
            words(MAX_TARGET),
        ),
    ),
    "match": (
        MatchRow,
        fields(
            words(MAX_TARGET),
            words(MAX_NAME),
            words(MAX_NAME),
            uint(),
            uint(),
            many(_SEAT, 0, MAX_SEATS),
            uint(),
            uint(),
        ),
    ),
    "connection": (
        ConnectionRow,
        fields(
            words(MAX_TARGET),
            words(MAX_NAME),
            _ADDRESS,
            words(MAX_NAME),
            words(MAX_TARGET),
            uint(),
            uint(),
            uint(),
            uint(),
            uint(),
            flag,
        ),
    ),
    "ban": (BanRow, fields(words(MAX_TARGET), uint(), words(MAX_NAME))),
    "host": (HostRow, fields(words(MAX_NAME), uint())),
    "kind": (PrunedKind, fields(words(MAX_NAME), uint(), uint(), uint(), uint())),
    "thing": (PrunedThing, fields(words(MAX_NAME), words(MAX_WORD), uint(), uint())),
    "changed": (ChangedRow, fields(words(MAX_WORD))),
}
# of one kind in an answer; connections have the greatest bound that a host may set
MAX_ROWS = max(MAX_BANS, 100_000)
_KINDS = {row: kind for kind, (row, _) in ROWS.items()}
_REQUEST = fields(uint(), text(MAX_NAME), lambda values: type(values) is list)


def _phrase_shape(depth: int) -> Shape:
    """Return the shape of a phrase as key and arguments, which may be phrases down to `depth`."""
    word = either(words(MAX_WORD), uint())
    if depth:
        word = either(word, _phrase_shape(depth - 1))
    return fields(text(MAX_KEY), many(fields(text(MAX_KEY), word), 0, MAX_WORDS))


_FAILED = _phrase_shape(MAX_DEPTH)


class Request(NamedTuple):
    """A request of the host's command to the table."""

    name: str
    values: list[Any]


class Done(NamedTuple):
    """Answer that the table has done the request."""

    number: int  # of things or people concerned


class Failed(NamedTuple):
    """Answer that the table has not done the request."""

    why: Phrase


def encode_request(request: Request) -> bytes:
    """Return the frame of a request."""
    return wire.encode_frame(wire.encode([VERSION, request.name, request.values]))


def decode_request(data: bytes) -> Request:
    """Read a request. Raises: RemoteError."""
    value: Any = wire.decode(data)
    if not _REQUEST(value) or value[0] != VERSION or value[1] not in REQUESTS:
        raise RemoteError(Code.BAD_MESSAGE)
    if not REQUESTS[value[1]](value[2]):
        raise RemoteError(Code.BAD_MESSAGE)
    return Request(value[1], value[2])


def encode_answer(answer: Row | Done | Failed) -> bytes:
    """Return the frame of an answer."""
    value: list[Any]
    match answer:
        case Done(count):
            value = ["done", count]
        case Failed(why):
            value = ["failed", *_phrase_values(why)]
        case _:
            value = ["row", _KINDS[type(answer)], list(answer)]
    return wire.encode_frame(wire.encode(value))


def decode_answer(data: bytes) -> Row | Done | Failed:
    """Read an answer. Raises: RemoteError."""
    value: Any = wire.decode(data)
    match value:
        case ["row", str(kind), list(values)] if kind in ROWS and ROWS[kind][1](values):
            row: Row = ROWS[kind][0](*values)
            return row
        case ["done", count] if uint()(count):
            return Done(count)
        case ["failed", *failed] if _FAILED(failed):
            return Failed(_phrase_of(failed))
    raise RemoteError(Code.BAD_MESSAGE)


def _phrase_values(said: Phrase) -> list[Any]:
    return [said.key, [[name, _word_value(word)] for name, word in said.args]]


def _word_value(word: Value) -> Any:
    if isinstance(word, Phrase):
        return _phrase_values(word)
    return word if type(word) is int else str(word)[:MAX_WORD]


def _phrase_of(values: list[Any]) -> Phrase:
    key, args = values
    return phrase(
        key, **{name: _phrase_of(word) if type(word) is list else word for name, word in args}
    )
