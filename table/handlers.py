"""What the table does with each message of a player: one function a message."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.names import check_name
from protocol.limits import MAX_TABLES_LISTED
from protocol.match.terms import check_terms, decode_terms
from protocol.messages import table as messages
from protocol.messages.table import MESSAGES, VERSION, Message, Phase, Sender
from table.lobby import Declined, LobbyTable
from table.net.connection import Connection
from table.room.feed import Feed, refuse

if TYPE_CHECKING:
    from table.server import Table


def handle(table: "Table", connection: Connection, payload: bytes) -> None:
    """Do what a message asks for, or answer why not. Raises: RemoteError if the peer broke the protocol by it."""
    try:
        message = _decode(connection, payload)
        if message.name in REQUESTS:
            _count_request(table, connection)
        HANDLERS[message.name](table, connection, *message.values)
    except Declined as declined:
        table.metrics.declined[declined.code] += 1
        connection.send_error(declined.code)


def _count_request(table: "Table", connection: Connection) -> None:
    """Requests are counted by identity, across its connections, and by address. Raises: Declined(TOO_MANY)."""
    now = table.loop.time()
    if not connection.origin.requests.take(now) or not table.requests.take(connection.identity, now):
        raise Declined(Code.TOO_MANY)


def _decode(connection: Connection, payload: bytes) -> Message:
    """The message, if it is allowed now.

    One that was allowed until the table moved the peer on may have crossed our word of it: that is declined, not
    held against the peer, until it sends something that shows that it knows.
    """
    forgiven = connection.forgiven
    try:
        message = messages.decode(payload, Sender.PLAYER, connection.phase)
    except RemoteError:
        if forgiven is None:
            raise
        messages.decode(payload, Sender.PLAYER, forgiven)
        raise Declined(Code.NOT_NOW if connection.phase is Phase.SEATED else Code.MATCH_OVER) from None
    if forgiven is not None and forgiven not in MESSAGES[message.name].phases:
        connection.forgiven = None
    return message


def _hello(table: "Table", connection: Connection, version: int, name: str) -> None:
    if version != VERSION:
        raise RemoteError(Code.WRONG_VERSION)
    try:
        check_name(name)
    except RemoteError as error:
        raise Declined(error.code) from None
    connection.name = name
    connection.send(messages.encode("welcome", VERSION, table.config.name))
    connection.phase = Phase.LOBBY
    table.greeted(connection)


def _list(table: "Table", connection: Connection) -> None:
    connection.send(messages.encode("tables", table.lobby.listing()[:MAX_TABLES_LISTED]))


def _create(table: "Table", connection: Connection, values: list[Any]) -> None:
    terms = decode_terms(values)
    try:
        check_terms(terms, table.config.games, has_table=True)
    except RemoteError as error:
        raise Declined(error.code) from None
    table.create(terms, connection)


def _join(table: "Table", connection: Connection, table_id: str | None) -> None:
    """To one's own seat if a match runs in which one has one (that is what nil means then), else to a free one."""
    own = table.lobby.seat_of(connection.identity)
    wanted = own if own and table_id is None else table.lobby.find(table_id)
    if own is None:
        table.reserve(wanted, connection)
    elif own is wanted and wanted.room is not None:
        wanted.room.enter(connection)
    else:
        raise Declined(Code.ALREADY_SEATED)


def _spectate(table: "Table", connection: Connection, table_id: str | None) -> None:
    room = table.lobby.find(table_id).room
    if room is None:
        raise Declined(Code.WRONG_MATCH)
    if room.seat_of(connection.identity) is not None:
        raise Declined(Code.ALREADY_SEATED)
    if room.spectators >= table.config.bounds.spectators:
        raise Declined(Code.TOO_MANY)
    room.enter(connection)


def _resume(table: "Table", connection: Connection, match_id: bytes) -> None:
    table.matches.resume(connection, match_id)


def _leave(table: "Table", connection: Connection) -> None:
    if connection.room is not None:
        connection.room.leave(connection)
    else:
        table.release(connection)
    connection.phase, connection.forgiven = Phase.LOBBY, None
    connection.send(messages.encode("left"))


def _replay(table: "Table", connection: Connection, match_id: bytes, number: int) -> None:
    if not _room(connection, match_id).replay(connection, number):
        raise Declined(Code.WRONG_HEAD)


def _post(table: "Table", connection: Connection, match_id: bytes, raw: bytes) -> None:
    room = connection.room
    assert room is not None
    if match_id == room.match_id:
        room.post(connection, raw)
    else:
        refuse(connection, match_id, raw, Code.WRONG_MATCH)


def _relay(table: "Table", connection: Connection, match_id: bytes, to: int, envelope: bytes) -> None:
    """Nobody there is no error: the sender cannot do anything about it, and the seat may be back any time."""
    room = _room(connection, match_id)
    if to >= len(room.seated):
        raise Declined(Code.BAD_MESSAGE)
    target = room.seated[to]
    if target is not None:
        target.send(messages.encode("relayed", match_id, connection.seat, envelope))
        if target.busy:
            target.hold(connection)


def _room(connection: Connection, match_id: bytes) -> Feed:
    if connection.room is None or connection.room.match_id != match_id:
        raise Declined(Code.WRONG_MATCH)
    return connection.room


def tell_waiting(table: LobbyTable) -> None:
    """Tell those who wait at a table who they are now."""
    message = messages.encode("waiting", table.table_id, table.terms.seats, table.people())
    for connection in list(table.waiting):
        connection.send(message)


# What asks the lobby for something: it costs more to answer than to ask, and others are told of some of it.
REQUESTS = frozenset({"list", "create", "join", "spectate", "resume"})
HANDLERS: dict[str, Callable[..., None]] = {
    "hello": _hello,
    "list": _list,
    "create": _create,
    "join": _join,
    "spectate": _spectate,
    "resume": _resume,
    "leave": _leave,
    "replay": _replay,
    "post": _post,
    "relay": _relay,
}
