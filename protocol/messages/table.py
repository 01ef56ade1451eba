"""What a player and a table say to each other once their session stands: one row a message.

A message is a canonical MessagePack list: its name, then its fields. Beside each name: who may send
it, in which phases of the connection, and the shape (with sizes) of its fields. A pair that is not
in the table is an error (`BAD_MESSAGE`); nothing else decides what is allowed when.
"""

from enum import Enum
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.address import is_address
from protocol.identity.keys import INVITE_SIZE
from protocol.limits import (
    MAX_ENTRY,
    MAX_HOSTS,
    MAX_NAME,
    MAX_PIPE_DATA,
    MAX_PRESENT,
    MAX_SAY,
    MAX_SEATS,
    MAX_TABLES_LISTED,
    MAX_TRIP,
    PIPE_WINDOW,
    TALK_ENVELOPE,
)
from protocol.match.terms import TERMS
from protocol.messages.fixed import FixedLayout
from protocol.messages.lobby import PURPOSES, WANTS_ALL
from protocol.messages.tail import HOLDS, TAIL
from protocol.messages.witness import REPLY_SHAPES, REQUEST_SHAPES
from protocol.schema import Shape, between, either, exactly, fields, many, nothing, text, uint

VERSION = wire.VERSION


class Sender(Enum):
    """Who may send a message."""

    PLAYER = "player"
    TABLE = "table"


class ConnectionPhase(Enum):
    """Where a connection stands, as both sides see it."""

    GREETING = "greeting"  # session up, hello not yet said
    LOBBY = "lobby"  # greeted, at no table
    WAITING = "waiting"  # a seat is reserved, the match has not begun
    SEATED = "seated"  # in a match, with a seat
    WATCHING = "watching"  # in a match, as a spectator

    # there is one of each; Enum's own takes longer than looking whether a message fits
    __hash__ = object.__hash__


class Message(NamedTuple):
    """One decoded message: `name` as in `MESSAGES`, `values` in the order of its shape."""

    name: str
    values: list[Any]


class MessageSpec(NamedTuple):
    """One row of `MESSAGES`."""

    sender: Sender
    phases: frozenset[ConnectionPhase]
    shape: Shape  # of all fields together


AFTER_GREETING = frozenset(ConnectionPhase) - {ConnectionPhase.GREETING}
IN_MATCH = frozenset({ConnectionPhase.SEATED, ConnectionPhase.WATCHING})
TABLE_ID = text(MAX_NAME)
PLACE = either(TABLE_ID, nothing)  # nil: where one has a seat, else the default table
MATCH_ID = exactly(32)
PEOPLE = many(fields(text(MAX_NAME), exactly(32)), 0, MAX_SEATS)
PING = 8  # bytes of a question, which nobody can answer before it comes
SEATS = many(uint(MAX_SEATS - 1), 0, MAX_SEATS)  # ascending, none twice
KEY = exactly(32)
WANTS = uint(WANTS_ALL)  # `meeting.wants_of`
PURPOSE = uint(max(PURPOSES))
PIPE = (KEY, PURPOSE)  # which pipe: whom it leads to, and for what
LISTING = fields(TABLE_ID, TERMS, PEOPLE, uint(1))  # table id, terms, who waits, is a match running


def _player(phases: frozenset[ConnectionPhase], *shapes: Shape) -> MessageSpec:
    return MessageSpec(Sender.PLAYER, phases, fields(*shapes))


def _table(phases: frozenset[ConnectionPhase], *shapes: Shape) -> MessageSpec:
    return MessageSpec(Sender.TABLE, phases, fields(*shapes))


LOBBY = frozenset({ConnectionPhase.LOBBY})
# where people meet: whoever is in a match is not in the lobby
IN_LOBBY_OR_WAITING = frozenset({ConnectionPhase.LOBBY, ConnectionPhase.WAITING})

MESSAGES: dict[str, MessageSpec] = {
    # from players
    # the secret of a table that asks for one
    "invite": _player(frozenset({ConnectionPhase.GREETING}), exactly(INVITE_SIZE)),
    "hello": _player(
        frozenset({ConnectionPhase.GREETING}), uint(), text(MAX_NAME)
    ),  # version, own name
    "list": _player(AFTER_GREETING),
    "create": _player(LOBBY, TERMS),  # -> created
    # where, and for which terms (`terms_hash`)
    "join": _player(LOBBY, either(PLACE, fields(PLACE, exactly(32)))),
    "spectate": _player(LOBBY, PLACE),
    # back to one's seat in this match, also when it is over; the newest head that one has -> match
    "resume": _player(LOBBY, MATCH_ID, either(HOLDS, nothing)),
    # what the table has lost of the log, in order
    "tail": _player(frozenset({ConnectionPhase.SEATED}), MATCH_ID, *TAIL),
    "leave": _player(frozenset({ConnectionPhase.WAITING, ConnectionPhase.WATCHING})),
    "replay": _player(IN_MATCH, MATCH_ID, uint()),  # send the log again from this number on
    "post": _player(frozenset({ConnectionPhase.SEATED}), MATCH_ID, between(1, MAX_ENTRY)),
    "relay": _player(
        frozenset({ConnectionPhase.SEATED}), MATCH_ID, uint(MAX_SEATS - 1), exactly(TALK_ENVELOPE)
    ),
    "pong": _player(AFTER_GREETING, MATCH_ID, exactly(PING)),  # what the `ping` said, at once
    # from players to each other, in the lobby
    "appear": _player(
        IN_LOBBY_OR_WAITING, WANTS
    ),  # be seen by all who are seen, for this -> people
    "vanish": _player(IN_LOBBY_OR_WAITING),  # be seen no more
    "talk": _player(
        IN_LOBBY_OR_WAITING, text(MAX_SAY)
    ),  # to all who are seen, and readable by the table
    "call": _player(IN_LOBBY_OR_WAITING, KEY, TABLE_ID),  # ask somebody to come to a table
    "open": _player(
        IN_LOBBY_OR_WAITING, *PIPE
    ),  # have a pipe, if the other side opens it too -> opened
    "send": _player(IN_LOBBY_OR_WAITING, *PIPE, between(1, MAX_PIPE_DATA)),
    "grant": _player(
        IN_LOBBY_OR_WAITING, *PIPE, uint(PIPE_WINDOW)
    ),  # so much of the window has been read
    "close": _player(IN_LOBBY_OR_WAITING, *PIPE),  # have it no more, or not at all
    # to a witness of trades in cards, and from it
    **{name: _player(AFTER_GREETING, *shapes) for name, shapes in REQUEST_SHAPES.items()},
    **{name: _table(AFTER_GREETING, *shapes) for name, shapes in REPLY_SHAPES.items()},
    # from the table
    # version, the table's name, addresses at which this table can be found, too
    "welcome": _table(
        frozenset({ConnectionPhase.GREETING}),
        uint(),
        text(MAX_NAME),
        many(is_address, 0, MAX_HOSTS),
    ),
    # ask there: where, for which match or table
    "moved": _table(AFTER_GREETING, is_address, either(MATCH_ID, TABLE_ID)),
    "tables": _table(AFTER_GREETING, many(LISTING, 0, MAX_TABLES_LISTED)),
    "created": _table(AFTER_GREETING, TABLE_ID),  # on disk
    "waiting": _table(AFTER_GREETING, TABLE_ID, uint(MAX_SEATS), PEOPLE),  # seats in all, who waits
    # a match begins or is joined again: match id, own seat (nil: spectator), entries in the log
    "match": _table(
        AFTER_GREETING, TABLE_ID, MATCH_ID, either(uint(MAX_SEATS - 1), nothing), uint()
    ),
    # number, encoded entry, signature of the head after it
    "entry": _table(IN_MATCH, MATCH_ID, uint(), between(1, MAX_ENTRY), exactly(64)),
    "relayed": _table(
        frozenset({ConnectionPhase.SEATED}), MATCH_ID, uint(MAX_SEATS - 1), exactly(TALK_ENVELOPE)
    ),
    # hash of the entry; number and hash of the head it was judged at; code, signature: see
    # `protocol.match.refusal`
    "refused": _table(
        frozenset({ConnectionPhase.SEATED}),
        MATCH_ID,
        exactly(32),
        uint(),
        exactly(32),
        text(MAX_NAME),
        exactly(64),
    ),
    # asks for `pong`: how long that takes
    "ping": _table(frozenset({ConnectionPhase.SEATED}), MATCH_ID, exactly(PING)),
    # by seat: milliseconds of its round trip; nil: the table does not know it now
    "trips": _table(IN_MATCH, MATCH_ID, many(either(uint(MAX_TRIP), nothing), 1, MAX_SEATS)),
    # asks for `tail`, from this number on
    "missing": _table(frozenset({ConnectionPhase.SEATED}), MATCH_ID, uint()),
    "present": _table(IN_MATCH, MATCH_ID, SEATS),  # the seats whose players are connected
    "left": _table(AFTER_GREETING),  # back in the lobby
    # who came (or wants something else now) and who went; the first one since `appear` has all who
    # are seen
    "people": _table(
        IN_LOBBY_OR_WAITING,
        many(fields(text(MAX_NAME), KEY, WANTS), 0, MAX_PRESENT),
        many(KEY, 0, MAX_PRESENT),
    ),
    "hidden": _table(
        IN_LOBBY_OR_WAITING, text(MAX_NAME)
    ),  # seen no more, without having asked for it: code
    "said": _table(IN_LOBBY_OR_WAITING, KEY, text(MAX_SAY)),
    "called": _table(IN_LOBBY_OR_WAITING, KEY, TABLE_ID),
    "knock": _table(
        IN_LOBBY_OR_WAITING, *PIPE
    ),  # somebody would have a pipe: `open` or `close` answers
    "opened": _table(IN_LOBBY_OR_WAITING, *PIPE),
    "sent": _table(IN_LOBBY_OR_WAITING, *PIPE, between(1, MAX_PIPE_DATA)),
    "granted": _table(IN_LOBBY_OR_WAITING, *PIPE, uint(PIPE_WINDOW)),  # so much more may be sent
    # code; nil: the other side closed it
    "closed": _table(IN_LOBBY_OR_WAITING, *PIPE, either(text(MAX_NAME), nothing)),
    "error": _table(frozenset(ConnectionPhase), text(MAX_NAME)),  # code
}


_RELAYED = (32, 0, TALK_ENVELOPE)
LAYOUTS = {  # of messages of one size
    name: FixedLayout(name, *_RELAYED, most=MAX_SEATS - 1) for name in ("relay", "relayed")
}
_OF_SIZE = {layout.size: (name, layout) for name, layout in LAYOUTS.items()}
_NONE: tuple[str, FixedLayout | None] = ("", None)


def encode(name: str, *values: object) -> bytes:
    """A message's bytes. The shape is checked here too: a message of ours that breaks it is a bug
    of ours.
    """
    layout = LAYOUTS.get(name)
    if layout is not None:
        return layout.encode(values)
    assert MESSAGES[name].shape(list(values)), name
    return wire.encode([name, *values])


def decode(data: bytes, sender: Sender, phase: ConnectionPhase) -> Message:
    """A message that this sender may send in this phase; raises `RemoteError(BAD_ENCODING |
    BAD_MESSAGE)`.
    """
    name, layout = _OF_SIZE.get(len(data), _NONE)
    values = None if layout is None else layout.decode(data)
    fits = values is not None
    if values is None:
        name, *values = _taken_apart(data)
    row = MESSAGES.get(name)
    if (
        row is None
        or row.sender is not sender
        or phase not in row.phases
        or not (fits or row.shape(values))
    ):
        raise RemoteError(Code.BAD_MESSAGE)
    return Message(name, values)


def _taken_apart(data: bytes) -> list[Any]:
    """Name and fields of a message."""
    value = wire.decode(data)
    if type(value) is not list or not value or type(value[0]) is not str:
        raise RemoteError(Code.BAD_MESSAGE)
    return value
