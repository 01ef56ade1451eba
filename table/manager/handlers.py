"""What the table does with each message of a player: one function a message."""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from hmac import compare_digest
from typing import Any

from protocol.codes import Code
from protocol.dealing import CHUNK_KIND
from protocol.errors import Refused, RemoteError
from protocol.identity.names import check_name
from protocol.limits import BYTES_A_FRAME, CHUNK_BYTES_A_FRAME, ENTRY_FREE, MAX_TABLES_LISTED
from protocol.match.log import decode_entry
from protocol.match.terms import decode_terms, terms_hash
from protocol.messages import table as messages
from protocol.messages import witness
from protocol.messages.claim import SignedClaim, check_claim
from protocol.messages.table import MESSAGES, VERSION, ConnectionPhase, Message, Sender
from protocol.messages.table_search import TableSearch
from protocol.messages.tail import HeldHead, check_held_head, parse_tail
from table.config import Watching
from table.lobby import chat
from table.lobby.creation import check_creation
from table.lobby.peer import Peer
from table.lobby.tables import Declined
from table.manager.manager import TableManager
from table.match.log_broadcaster import LogBroadcaster
from table.net.processor_time import CLOCK
from table.net.tickets import TicketSeat

log = logging.getLogger(__name__)

# (manager, peer, *values of the message). Raises: RemoteError, Declined
Handler = Callable[..., None]


def handle(
    manager: TableManager, peer: Peer, payload: bytes, handlers: Mapping[str, Handler]
) -> None:
    """Do what a message asks for, or answer why not. Raises: RemoteError if the peer broke the
    protocol by it.
    """
    try:
        message = _decode(peer, payload)
        if message is None:
            return
        if peer.banned:
            manager.moderation.check(peer, message.name)
        if message.name in REQUESTS:
            _count_request(manager, peer)
        began = CLOCK()
        try:
            handlers[message.name](manager, peer, *message.values)
        finally:
            manager.metrics.processor[message.name] += CLOCK() - began
    except Declined as declined:
        manager.metrics.declined[declined.code] += 1
        peer.connection.send_error(declined.code)


def _count_request(manager: TableManager, peer: Peer) -> None:
    """Requests are counted by identity, across its connections, and by address. Raises:
    Declined(TOO_MANY).
    """
    now = manager.time()
    if peer.has_free_request:  # its address has nothing to do with its way back to its seat
        peer.has_free_request = False
    elif not peer.requests.take(now) or not manager.requests.take(peer.identity, now):
        raise Declined(Code.TOO_MANY)


def _decode(peer: Peer, payload: bytes) -> Message | None:
    """The message, if it is allowed now.

    One that was allowed until the table moved the peer on may have crossed our word of it: that is
    declined, not held against the peer, until it sends something that shows that it knows. What was
    for somebody in the lobby is dropped then, without a word: there may be a window full of it.
    """
    forgiven = peer.forgiven
    try:
        message = messages.decode(payload, Sender.PLAYER, peer.phase)
    except RemoteError:
        if forgiven is None:
            raise
        crossed = messages.decode(payload, Sender.PLAYER, forgiven)
        if crossed.name in chat.HANDLERS:
            return None
        raise Declined(
            Code.NOT_NOW if peer.phase is ConnectionPhase.SEATED else Code.MATCH_OVER
        ) from None
    if forgiven is not None and forgiven not in MESSAGES[message.name].phases:
        peer.forgiven = None
    return message


def _invite(manager: TableManager, peer: Peer, secret: bytes) -> None:
    """One guess for a connection; whoever asks for no invitation takes any."""
    if manager.invite and not compare_digest(secret, manager.invite):
        raise RemoteError(Code.BY_INVITATION)
    peer.invited = True


def _hello(manager: TableManager, peer: Peer, version: int, name: str) -> None:
    if version != VERSION:
        raise RemoteError(Code.WRONG_VERSION)
    if manager.invite and not peer.invited:
        raise RemoteError(Code.BY_INVITATION)
    try:
        check_name(name)
    except RemoteError as error:
        raise Declined(error.code) from None
    peer.send(messages.encode("welcome", VERSION, manager.config.name, manager.addresses()))
    if manager.config.greeting:
        peer.send(messages.encode("announced", manager.config.greeting))
    peer.greeted(name)
    peer.banned = manager.moderation.is_banned(peer)
    log.info("%r is here", peer, extra={"address": peer.address})


def _list(manager: TableManager, peer: Peer) -> None:
    peer.send(messages.encode("tables", manager.listing()[:MAX_TABLES_LISTED]))


def _find(
    manager: TableManager, peer: Peer, text: str | None, games: list[str], start: int, most: int
) -> None:
    page = manager.page(TableSearch(text, tuple(games), start, most))
    peer.send(messages.encode("found", *page.values()))


def _create(manager: TableManager, peer: Peer, values: list[Any]) -> None:
    terms = decode_terms(values)
    check_creation(terms, manager.config)
    if not manager.creations.take(peer.address, manager.time()):
        raise Declined(Code.TOO_MANY)
    manager.create(terms, peer)


def _at_the_right_host(
    manager: TableManager,
    peer: Peer,
    table_id: str | None,
    sits: bool,
    here: Callable[[], None],
) -> None:
    """Call `here` if the request about a table belongs to this host; another host is named else.

    `sits`: the peer wants a seat there, or what those who wait for seats have.
    """
    if manager.asking is not None:
        manager.asking.table(peer, table_id, sits, here)
    else:
        here()


def _join(manager: TableManager, peer: Peer, place: Any) -> None:
    """To one's own seat if a match runs in which one has one (that is what nil means then), else to
    a free one.

    Who says which terms it has seen gets a free one for those only.
    """
    table_id, seen = place if isinstance(place, list) else (place, None)
    _at_the_right_host(
        manager, peer, table_id, True, partial(_join_here, manager, peer, table_id, seen)
    )


def _join_here(manager: TableManager, peer: Peer, table_id: str | None, seen: bytes | None) -> None:
    own = manager.lobby.seat_of(peer.identity)
    wanted = own if own and table_id in (None, own.table_id) else manager.lobby.find(table_id)
    if own is None:
        if peer.banned:
            raise RemoteError(Code.BANNED)
        if seen not in (None, terms_hash(wanted.played)):
            raise Declined(Code.OTHER_TERMS)
        manager.reserve(wanted, peer)
    elif own is wanted and wanted.room is not None:
        wanted.room.enter(peer)
    else:
        raise Declined(Code.ALREADY_SEATED)


def _spectate(manager: TableManager, peer: Peer, table_id: str | None) -> None:
    _at_the_right_host(
        manager, peer, table_id, False, partial(_spectate_here, manager, peer, table_id)
    )


def _spectate_here(manager: TableManager, peer: Peer, table_id: str | None) -> None:
    if manager.config.watching is Watching.NOBODY:
        raise Declined(Code.NO_SPECTATORS)
    room = manager.lobby.find(table_id).room
    if room is None:
        raise Declined(Code.WRONG_MATCH)
    if room.seat_of(peer.identity) is not None:
        raise Declined(Code.ALREADY_SEATED)
    if not room.has_place(peer.address):
        raise Declined(Code.TOO_MANY)
    room.enter(peer)


def _ask_rules(manager: TableManager, peer: Peer, table_id: str | None) -> None:
    """Answer at the host where `join` would seat the peer: those who wait have given it there."""
    _at_the_right_host(
        manager, peer, table_id, True, partial(_ask_rules_here, manager, peer, table_id)
    )


def _ask_rules_here(manager: TableManager, peer: Peer, table_id: str | None) -> None:
    """The bytes count as frames of the peer that asks, so it pays in time for what it is sent."""
    table = manager.lobby.find(table_id)
    peer.connection.charge(len(table.rule_text) // BYTES_A_FRAME)
    peer.send(messages.encode("rules", table.table_id, table.rule_text))


def _give_rules(manager: TableManager, peer: Peer, text: bytes) -> None:
    """The match may have begun meanwhile: its log has the text."""
    peer.connection.charge(len(text) // BYTES_A_FRAME)
    table = manager.lobby.reserved.get(peer)
    if table is not None:
        table.give_rules(text)


def _resume(
    manager: TableManager,
    peer: Peer,
    match_id: bytes,
    held: list[Any] | None,
    claimed: list[bytes] | None,
) -> None:
    """A head or a claim that this table has not signed says nothing, and its sender is told so."""
    holds = None if held is None else HeldHead(*held)
    met = None if claimed is None else SignedClaim(*claimed)
    try:
        if holds is not None:
            check_held_head(holds, match_id, manager.matches.identity.public)
        if met is not None:
            check_claim(met, match_id, manager.matches.identity.public)
    except RemoteError as error:
        raise Declined(error.code) from None
    shown = None if met is None else met.id
    (manager.asking or manager.matches).resume(peer, match_id, holds, shown)


def _tail(manager: TableManager, peer: Peer, match_id: bytes, *values: Any) -> None:
    if not _feed(peer, match_id).take_back(peer, parse_tail(*values)):
        raise Declined(Code.NOT_NOW)


def _leave(manager: TableManager, peer: Peer) -> None:
    if peer.feed is not None:
        peer.leave()
    else:
        manager.release(peer)
    peer.phase, peer.forgiven = ConnectionPhase.LOBBY, None
    peer.send(messages.encode("left"))


def _replay(manager: TableManager, peer: Peer, match_id: bytes, number: int) -> None:
    if not _feed(peer, match_id).replay(peer, number):
        raise Declined(Code.WRONG_HEAD)


def _post(manager: TableManager, peer: Peer, match_id: bytes, raw: bytes) -> None:
    """A long entry counts as more frames, whatever comes of it: what makes it long are proofs,
    which are checked.
    """
    if (more := len(raw) - ENTRY_FREE) > 0:
        peer.connection.charge(more // (CHUNK_BYTES_A_FRAME if _is_chunk(raw) else BYTES_A_FRAME))
    _feed(peer, match_id).post(peer, raw)


def _is_chunk(raw: bytes) -> bool:
    """Whether it says that it is a part of something larger, each of which is cheap to check; else
    it is refused.
    """
    try:
        return decode_entry(raw).kind == CHUNK_KIND
    except Refused:
        return False


def _pong(manager: TableManager, peer: Peer, match_id: bytes, token: bytes) -> None:
    """The match that was asked about may be over, and its place may be another's: that is nobody's
    mistake.
    """
    if peer.feed is None or peer.feed.match_id != match_id:
        return
    if token == messages.SIGN_OF_LIFE:
        peer.alive(manager.time())
    else:
        peer.feed.answered(peer, token)


def _kept(manager: TableManager, peer: Peer, match_id: bytes, ticket: bytes) -> None:
    """The match may be over, as for `pong`."""
    if peer.feed is not None and peer.feed.match_id == match_id and peer.seat is not None:
        manager.matches.tickets.kept(TicketSeat(match_id, peer.seat), ticket)


def _relay(manager: TableManager, peer: Peer, match_id: bytes, to: int, envelope: bytes) -> None:
    """Pass talk on to a seat.

    It is dropped if the host lets its sender say nothing, or if there is too much of it, which is
    said once; and if nobody is there, or reads: that is no error, for the sender can do nothing
    about it. It never waits: talk must not hold up what else its sender has to say.
    """
    feed = _feed(peer, match_id)
    if to >= len(feed.people):
        raise Declined(Code.BAD_MESSAGE)
    if not manager.relays.take((peer.identity, to), manager.time()):
        _say_why_dropped(peer, Code.TOO_MANY)
        return
    # after the rate: whether somebody is muted is a look at a file
    if peer.banned or manager.meeting.mutes(peer.identity):
        _say_why_dropped(peer, Code.MUTED)
        return
    peer.hushed = False
    target = manager.people.get(feed.people[to])
    if target is not None and target.feed is feed and target.takes_talk:
        target.send(messages.encode("relayed", match_id, peer.seat, envelope))


def _meeting(handler: Callable[..., None]) -> Handler:
    """What people in the lobby have to do with each other."""
    return lambda manager, peer, *values: handler(manager.meeting, peer, *values)


def _witness(name: str) -> Handler:
    """What people ask of a witness, which not every table is."""

    def ask(manager: TableManager, peer: Peer, *values: Any) -> None:
        if manager.certifier is None:
            raise Declined(Code.NOT_A_WITNESS)
        manager.certifier.ask(name, peer, *values)

    return ask


def _say_why_dropped(peer: Peer, why: Code) -> None:
    """Say why talk is dropped, but not again before some of it has been passed on. Raises:
    Declined.
    """
    if not peer.hushed:
        peer.hushed = True
        raise Declined(why)


def _feed(peer: Peer, match_id: bytes) -> LogBroadcaster:
    if peer.feed is None or peer.feed.match_id != match_id:
        raise Declined(Code.WRONG_MATCH)
    return peer.feed


# What asks the lobby for something: it costs more to answer than to ask, and others are told of
# some of it.
REQUESTS = frozenset({"list", "find", "create", "join", "spectate", "resume", "ask_rules"}).union(
    chat.REQUESTS,
    witness.REQUEST_SHAPES.keys() - {"which", "records"},  # which cost frames by themselves
)
HANDLERS: dict[str, Handler] = {
    "invite": _invite,
    "hello": _hello,
    "list": _list,
    "find": _find,
    "create": _create,
    "join": _join,
    "spectate": _spectate,
    "ask_rules": _ask_rules,
    "give_rules": _give_rules,
    "resume": _resume,
    "leave": _leave,
    "tail": _tail,
    "replay": _replay,
    "post": _post,
    "pong": _pong,
    "kept": _kept,
    "relay": _relay,
    **{name: _meeting(handler) for name, handler in chat.HANDLERS.items()},
    **{name: _witness(name) for name in witness.REQUEST_SHAPES},
}
