"""What the table does with each message of a player: one function a message."""

import logging
from collections.abc import Callable, Mapping
from hmac import compare_digest
from typing import Any

from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.names import check_name
from protocol.limits import BYTES_A_FRAME, ENTRY_FREE, MAX_TABLES_LISTED
from protocol.match.terms import check_terms, decode_terms
from protocol.messages import table as messages
from protocol.messages.table import MESSAGES, VERSION, Message, Phase, Sender
from table.lobby import Declined
from table.peer import Peer
from table.reception import Reception
from table.room.feed import Feed

log = logging.getLogger(__name__)

Handler = Callable[..., None]  # (reception, peer, *values of the message). Raises: RemoteError, Declined


def handle(reception: Reception, peer: Peer, payload: bytes, handlers: Mapping[str, Handler]) -> None:
    """Do what a message asks for, or answer why not. Raises: RemoteError if the peer broke the protocol by it."""
    try:
        message = _decode(peer, payload)
        if message.name in REQUESTS:
            _count_request(reception, peer)
        handlers[message.name](reception, peer, *message.values)
    except Declined as declined:
        reception.metrics.declined[declined.code] += 1
        peer.connection.send_error(declined.code)


def _count_request(reception: Reception, peer: Peer) -> None:
    """Requests are counted by identity, across its connections, and by address. Raises: Declined(TOO_MANY)."""
    now = reception.time()
    if not peer.requests.take(now) or not reception.requests.take(peer.identity, now):
        raise Declined(Code.TOO_MANY)


def _decode(peer: Peer, payload: bytes) -> Message:
    """The message, if it is allowed now.

    One that was allowed until the table moved the peer on may have crossed our word of it: that is declined, not
    held against the peer, until it sends something that shows that it knows.
    """
    forgiven = peer.forgiven
    try:
        message = messages.decode(payload, Sender.PLAYER, peer.phase)
    except RemoteError:
        if forgiven is None:
            raise
        messages.decode(payload, Sender.PLAYER, forgiven)
        raise Declined(Code.NOT_NOW if peer.phase is Phase.SEATED else Code.MATCH_OVER) from None
    if forgiven is not None and forgiven not in MESSAGES[message.name].phases:
        peer.forgiven = None
    return message


def _invite(reception: Reception, peer: Peer, secret: bytes) -> None:
    """One guess for a connection; whoever asks for no invitation takes any."""
    if reception.invite and not compare_digest(secret, reception.invite):
        raise RemoteError(Code.BY_INVITATION)
    peer.invited = True


def _hello(reception: Reception, peer: Peer, version: int, name: str) -> None:
    if version != VERSION:
        raise RemoteError(Code.WRONG_VERSION)
    if reception.invite and not peer.invited:
        raise RemoteError(Code.BY_INVITATION)
    try:
        check_name(name)
    except RemoteError as error:
        raise Declined(error.code) from None
    peer.send(messages.encode("welcome", VERSION, reception.config.name))
    peer.greeted(name)
    log.info("%r is here", peer)


def _list(reception: Reception, peer: Peer) -> None:
    peer.send(messages.encode("tables", reception.lobby.listing()[:MAX_TABLES_LISTED]))


def _create(reception: Reception, peer: Peer, values: list[Any]) -> None:
    terms = decode_terms(values)
    try:
        check_terms(terms, reception.config.games, has_table=True)
    except RemoteError as error:
        raise Declined(error.code) from None
    reception.create(terms, peer)


def _join(reception: Reception, peer: Peer, table_id: str | None) -> None:
    """To one's own seat if a match runs in which one has one (that is what nil means then), else to a free one."""
    own = reception.lobby.seat_of(peer.identity)
    wanted = own if own and table_id is None else reception.lobby.find(table_id)
    if own is None:
        reception.reserve(wanted, peer)
    elif own is wanted and wanted.room is not None:
        wanted.room.enter(peer)
    else:
        raise Declined(Code.ALREADY_SEATED)


def _spectate(reception: Reception, peer: Peer, table_id: str | None) -> None:
    room = reception.lobby.find(table_id).room
    if room is None:
        raise Declined(Code.WRONG_MATCH)
    if room.seat_of(peer.identity) is not None:
        raise Declined(Code.ALREADY_SEATED)
    if room.spectators >= reception.config.bounds.spectators:
        raise Declined(Code.TOO_MANY)
    room.enter(peer)


def _resume(reception: Reception, peer: Peer, match_id: bytes) -> None:
    reception.matches.resume(peer, match_id)


def _leave(reception: Reception, peer: Peer) -> None:
    if peer.feed is not None:
        peer.leave()
    else:
        reception.release(peer)
    peer.phase, peer.forgiven = Phase.LOBBY, None
    peer.send(messages.encode("left"))


def _replay(reception: Reception, peer: Peer, match_id: bytes, number: int) -> None:
    if not _feed(peer, match_id).replay(peer, number):
        raise Declined(Code.WRONG_HEAD)


def _post(reception: Reception, peer: Peer, match_id: bytes, raw: bytes) -> None:
    """A long entry counts as more frames, whatever comes of it: what makes it long are proofs, which are checked."""
    peer.connection.charge(max(len(raw) - ENTRY_FREE, 0) // BYTES_A_FRAME)
    _feed(peer, match_id).post(peer, raw)


def _relay(reception: Reception, peer: Peer, match_id: bytes, to: int, envelope: bytes) -> None:
    """Dropped if there is too much of it, which is said once; and if nobody is there, or reads: that is no error, for
    the sender can do nothing about it. It never waits: talk must not hold up what else its sender has to say.
    """
    feed = _feed(peer, match_id)
    if to >= len(feed.people):
        raise Declined(Code.BAD_MESSAGE)
    if not reception.relays.take((peer.identity, to), reception.time()):
        _talks_too_much(peer)
        return
    peer.hushed = False
    target = reception.people.get(feed.people[to])
    if target is not None and target.feed is feed and target.takes_talk:
        target.send(messages.encode("relayed", match_id, peer.seat, envelope))


def _talks_too_much(peer: Peer) -> None:
    """Say so, but not again before something of its talk has been passed on."""
    if not peer.hushed:
        peer.hushed = True
        raise Declined(Code.TOO_MANY)


def _feed(peer: Peer, match_id: bytes) -> Feed:
    if peer.feed is None or peer.feed.match_id != match_id:
        raise Declined(Code.WRONG_MATCH)
    return peer.feed


# What asks the lobby for something: it costs more to answer than to ask, and others are told of some of it.
REQUESTS = frozenset({"list", "create", "join", "spectate", "resume"})
HANDLERS: dict[str, Handler] = {
    "invite": _invite,
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
