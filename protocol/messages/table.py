"""Messages between player and table inside their session: one row of `MESSAGES` for each.

A message is a canonical MessagePack list of its name and its fields. For each name, `MESSAGES`
lists the sender, the phases of the connection, and the shape and sizes of the fields. Any other
combination is an error (`BAD_MESSAGE`). No other code decides which message is permitted when.
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
    MAX_KEY_HISTORY,
    MAX_NAME,
    MAX_PIPE_DATA,
    MAX_PRESENT,
    MAX_RULE_FILE,
    MAX_SAY,
    MAX_SEATS,
    MAX_TABLES_LISTED,
    MAX_TRIP,
    PIPE_WINDOW,
    TALK_ENVELOPE,
    TICKET,
    TICKET_SECRET,
)
from protocol.match.terms import TERMS
from protocol.messages.claim import CLAIM
from protocol.messages.fixed import FixedLayout
from protocol.messages.lobby import PURPOSES, WANTS_ALL
from protocol.messages.table_search import FIND, found_shapes
from protocol.messages.tail import HOLDS, TAIL
from protocol.messages.witness import REPLY_SHAPES, REQUEST_SHAPES
from protocol.schema import Shape, between, either, exactly, fields, many, nothing, text, uint

VERSION = wire.VERSION


class Sender(Enum):
    """Party that sends a message."""

    PLAYER = "player"
    TABLE = "table"


class ConnectionPhase(Enum):
    """Phase of a connection, the same on both sides."""

    GREETING = "greeting"  # session established, before `hello`
    LOBBY = "lobby"  # after `hello`, at no table
    WAITING = "waiting"  # a seat is reserved, and the match has not begun
    SEATED = "seated"  # in a match, with a seat
    WATCHING = "watching"  # in a match, as a spectator

    # members are singletons; Enum's own hash takes longer than the check of a whole message
    __hash__ = object.__hash__


class Message(NamedTuple):
    """A decoded message: `name` as in `MESSAGES`, `values` in the order of its shape."""

    name: str
    values: list[Any]


class MessageSpec(NamedTuple):
    """A row of `MESSAGES`: the rules for one message."""

    sender: Sender
    phases: frozenset[ConnectionPhase]
    shape: Shape  # shape of the list of all fields


AFTER_GREETING = frozenset(ConnectionPhase) - {ConnectionPhase.GREETING}
IN_MATCH = frozenset({ConnectionPhase.SEATED, ConnectionPhase.WATCHING})
TABLE_ID = text(MAX_NAME)
# nil: the sender's own table, or the default table without a seat
PLACE = either(TABLE_ID, nothing)
MATCH_ID = exactly(32)
PEOPLE = many(fields(text(MAX_NAME), exactly(32)), 0, MAX_SEATS)
PING = 8  # bytes of the challenge, which nobody can answer before it arrives
# the answer to no question: by this `pong` a player says that it is there
SIGN_OF_LIFE = bytes(PING)
SEATS = many(uint(MAX_SEATS - 1), 0, MAX_SEATS)  # ascending, without duplicates
KEY = exactly(32)
WANTS = uint(WANTS_ALL)  # see `protocol.messages.lobby.encode_wants`
PURPOSE = uint(max(PURPOSES))
PIPE = (KEY, PURPOSE)  # a pipe: key of the person at its other end, and its purpose
# table id, terms, people who wait, 1 if a match is running
LISTING = fields(TABLE_ID, TERMS, PEOPLE, uint(1))


def _from_player(phases: frozenset[ConnectionPhase], *shapes: Shape) -> MessageSpec:
    return MessageSpec(Sender.PLAYER, phases, fields(*shapes))


def _from_table(phases: frozenset[ConnectionPhase], *shapes: Shape) -> MessageSpec:
    return MessageSpec(Sender.TABLE, phases, fields(*shapes))


LOBBY = frozenset({ConnectionPhase.LOBBY})
# phases in which people can meet: a person in a match is not in the lobby
IN_LOBBY_OR_WAITING = frozenset({ConnectionPhase.LOBBY, ConnectionPhase.WAITING})

MESSAGES: dict[str, MessageSpec] = {
    # --- from players ---
    # the secret of a table by invitation
    "invite": _from_player(frozenset({ConnectionPhase.GREETING}), exactly(INVITE_SIZE)),
    # version, own name
    "hello": _from_player(frozenset({ConnectionPhase.GREETING}), uint(), text(MAX_NAME)),
    "list": _from_player(AFTER_GREETING),
    "find": _from_player(AFTER_GREETING, *FIND),  # a page of tables -> found
    "create": _from_player(LOBBY, TERMS),  # -> created
    # the table, and the hash of its terms (`terms_hash`)
    "join": _from_player(LOBBY, either(PLACE, fields(PLACE, exactly(32)))),
    "spectate": _from_player(LOBBY, PLACE),
    # the text of the rule file that a table's terms name -> rules
    "ask_rules": _from_player(LOBBY, PLACE),
    # that text, for whoever asks: from a person who waits at the table and has it
    "give_rules": _from_player(
        frozenset({ConnectionPhase.WAITING, ConnectionPhase.SEATED}), between(1, MAX_RULE_FILE)
    ),
    # return to one's own seat in this match, even if it is over; the newest head that the player
    # has, and the newest claim that it has met -> match
    "resume": _from_player(LOBBY, MATCH_ID, either(HOLDS, nothing), CLAIM),
    # entries that the table has lost, in order
    "tail": _from_player(frozenset({ConnectionPhase.SEATED}), MATCH_ID, *TAIL),
    "leave": _from_player(frozenset({ConnectionPhase.WAITING, ConnectionPhase.WATCHING})),
    # ask for the log again, from this number on
    "replay": _from_player(IN_MATCH, MATCH_ID, uint()),
    "post": _from_player(frozenset({ConnectionPhase.SEATED}), MATCH_ID, between(1, MAX_ENTRY)),
    "relay": _from_player(
        frozenset({ConnectionPhase.SEATED}), MATCH_ID, uint(MAX_SEATS - 1), exactly(TALK_ENVELOPE)
    ),
    # the challenge of a `ping`, returned at once; or `SIGN_OF_LIFE`
    "pong": _from_player(AFTER_GREETING, MATCH_ID, exactly(PING)),
    # this ticket is stored: those before it are spent
    "kept": _from_player(AFTER_GREETING, MATCH_ID, exactly(TICKET)),
    # --- from players to each other, in the lobby ---
    # become visible to all visible people, for these purposes -> people
    "appear": _from_player(IN_LOBBY_OR_WAITING, WANTS),
    "vanish": _from_player(IN_LOBBY_OR_WAITING),  # become invisible
    # to all visible people, readable by the table
    "talk": _from_player(IN_LOBBY_OR_WAITING, text(MAX_SAY)),
    "call": _from_player(IN_LOBBY_OR_WAITING, KEY, TABLE_ID),  # invite a person to a table
    # open a pipe, if the other side opens it too -> opened
    "open": _from_player(IN_LOBBY_OR_WAITING, *PIPE),
    "send": _from_player(IN_LOBBY_OR_WAITING, *PIPE, between(1, MAX_PIPE_DATA)),
    # bytes of the window that have been read
    "grant": _from_player(IN_LOBBY_OR_WAITING, *PIPE, uint(PIPE_WINDOW)),
    "close": _from_player(IN_LOBBY_OR_WAITING, *PIPE),  # close or reject a pipe
    # --- to and from a witness of trades in cards ---
    **{name: _from_player(AFTER_GREETING, *shapes) for name, shapes in REQUEST_SHAPES.items()},
    **{name: _from_table(AFTER_GREETING, *shapes) for name, shapes in REPLY_SHAPES.items()},
    # --- from the table ---
    # its encoded `KeyHistory`, before all other messages; from a table whose key has committed to
    # the next one, or has been rotated
    "keys": _from_table(frozenset({ConnectionPhase.GREETING}), between(1, MAX_KEY_HISTORY)),
    # version, the table's name, other addresses of this table
    "welcome": _from_table(
        frozenset({ConnectionPhase.GREETING}),
        uint(),
        text(MAX_NAME),
        many(is_address, 0, MAX_HOSTS),
    ),
    # another address, and the match or table that can be found at it
    "moved": _from_table(AFTER_GREETING, is_address, either(MATCH_ID, TABLE_ID)),
    "tables": _from_table(AFTER_GREETING, many(LISTING, 0, MAX_TABLES_LISTED)),
    "found": _from_table(AFTER_GREETING, *found_shapes(LISTING)),
    "created": _from_table(AFTER_GREETING, TABLE_ID),  # the new table is on disk
    # the text of the rule file of a table; empty: nobody has given it
    "rules": _from_table(AFTER_GREETING, TABLE_ID, between(0, MAX_RULE_FILE)),
    # number of seats, people who wait
    "waiting": _from_table(AFTER_GREETING, TABLE_ID, uint(MAX_SEATS), PEOPLE),
    # a match begins or is joined again: match id, own seat (nil: spectator), entries in the log,
    # the host's newest claim
    "match": _from_table(
        AFTER_GREETING, TABLE_ID, MATCH_ID, either(uint(MAX_SEATS - 1), nothing), uint(), CLAIM
    ),
    # after `match` to a seat: what brings this seat back to a full table, and its secret
    "ticket": _from_table(
        frozenset({ConnectionPhase.SEATED}), MATCH_ID, exactly(TICKET), exactly(TICKET_SECRET)
    ),
    # number, encoded entry, signature of the head after it
    "entry": _from_table(IN_MATCH, MATCH_ID, uint(), between(1, MAX_ENTRY), exactly(64)),
    "relayed": _from_table(
        frozenset({ConnectionPhase.SEATED}), MATCH_ID, uint(MAX_SEATS - 1), exactly(TALK_ENVELOPE)
    ),
    # hash of the entry; number and hash of the head it was judged at; code; signature: see
    # `protocol.match.refusal`
    "refused": _from_table(
        frozenset({ConnectionPhase.SEATED}),
        MATCH_ID,
        exactly(32),
        uint(),
        exactly(32),
        text(MAX_NAME),
        exactly(64),
    ),
    # asks for `pong`, to measure the round trip
    "ping": _from_table(frozenset({ConnectionPhase.SEATED}), MATCH_ID, exactly(PING)),
    # by seat: round trip in milliseconds; nil: not known now
    "trips": _from_table(IN_MATCH, MATCH_ID, many(either(uint(MAX_TRIP), nothing), 1, MAX_SEATS)),
    # after `match`, by seat: number of the entry since which its present duty stands, and
    # milliseconds of its time that have passed; nil: it has none
    "waited": _from_table(
        IN_MATCH, MATCH_ID, many(either(fields(uint(), uint()), nothing), 1, MAX_SEATS)
    ),
    # asks for `tail`, from this number on
    "missing": _from_table(frozenset({ConnectionPhase.SEATED}), MATCH_ID, uint()),
    "present": _from_table(IN_MATCH, MATCH_ID, SEATS),  # seats whose players are connected
    "left": _from_table(AFTER_GREETING),  # the player is back in the lobby
    "announced": _from_table(AFTER_GREETING, text(MAX_SAY)),  # a line of the host to everybody
    # people who came or changed their purposes, and people who went; the first message after
    # `appear` lists all visible people
    "people": _from_table(
        IN_LOBBY_OR_WAITING,
        many(fields(text(MAX_NAME), KEY, WANTS), 0, MAX_PRESENT),
        many(KEY, 0, MAX_PRESENT),
    ),
    # the player has become invisible without a request: code
    "hidden": _from_table(IN_LOBBY_OR_WAITING, text(MAX_NAME)),
    "said": _from_table(IN_LOBBY_OR_WAITING, KEY, text(MAX_SAY)),
    "called": _from_table(IN_LOBBY_OR_WAITING, KEY, TABLE_ID),
    # another person asks for a pipe: answer with `open` or `close`
    "knock": _from_table(IN_LOBBY_OR_WAITING, *PIPE),
    "opened": _from_table(IN_LOBBY_OR_WAITING, *PIPE),
    "sent": _from_table(IN_LOBBY_OR_WAITING, *PIPE, between(1, MAX_PIPE_DATA)),
    # additional bytes that the receiver may send
    "granted": _from_table(IN_LOBBY_OR_WAITING, *PIPE, uint(PIPE_WINDOW)),
    # code; nil: the other side closed the pipe
    "closed": _from_table(IN_LOBBY_OR_WAITING, *PIPE, either(text(MAX_NAME), nothing)),
    "error": _from_table(frozenset(ConnectionPhase), text(MAX_NAME)),  # code
}


_RELAYED = (32, 0, TALK_ENVELOPE)
LAYOUTS = {  # layouts of messages of constant size
    name: FixedLayout(name, *_RELAYED, most=MAX_SEATS - 1) for name in ("relay", "relayed")
}
_LAYOUT_BY_SIZE = {layout.size: (name, layout) for name, layout in LAYOUTS.items()}
_NONE: tuple[str, FixedLayout | None] = ("", None)


def encode(name: str, *values: object) -> bytes:
    """Return the bytes of a message. An own message of the wrong shape is a bug, and fails an
    assertion.
    """
    layout = LAYOUTS.get(name)
    if layout is not None:
        return layout.encode(values)
    assert MESSAGES[name].shape(list(values)), name
    return wire.encode([name, *values])


def decode(data: bytes, sender: Sender, phase: ConnectionPhase) -> Message:
    """Read a message that this sender may send in this phase. Raises: RemoteError(BAD_ENCODING,
    BAD_MESSAGE).
    """
    name, layout = _LAYOUT_BY_SIZE.get(len(data), _NONE)
    values = None if layout is None else layout.decode(data)
    fits = values is not None
    if values is None:
        name, *values = _split_message(data)
    row = MESSAGES.get(name)
    if (
        row is None
        or row.sender is not sender
        or phase not in row.phases
        or not (fits or row.shape(values))
    ):
        raise RemoteError(Code.BAD_MESSAGE)
    return Message(name, values)


def _split_message(data: bytes) -> list[Any]:
    """Return the name and the fields of a message, in one list."""
    value = wire.decode(data)
    if type(value) is not list or not value or type(value[0]) is not str:
        raise RemoteError(Code.BAD_MESSAGE)
    return value
