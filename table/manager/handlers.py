"""Handlers for the messages of players: one function for each message."""

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
    """Process a message, or answer with the reason why not. Raises: RemoteError if the message breaks
    the protocol.
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
    """Count a request by identity, across its connections, and by address. Raises:
    Declined(TOO_MANY).
    """
    now = manager.time()
    if peer.has_free_request:  # its address has nothing to do with its way back to its seat
        peer.has_free_request = False
    elif not peer.requests.take(now) or not manager.requests.take(peer.identity, now):
        raise Declined(Code.TOO_MANY)


def _decode(peer: Peer, payload: bytes) -> Message | None:
    """Return the message if it is allowed now; None if it is to be dropped. Raises: RemoteError,
    Declined.

    The table may have moved the peer to another phase while a message of the old phase was on its way.
    Such a message is declined and no error, until the peer sends one that shows that it knows the
    new phase. Messages to people in the lobby are then dropped without an answer: there may be many.
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
    """Check the invitation. A connection has one guess. A table without invitation accepts any."""
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


def _at_responsible_host(
    manager: TableManager,
    peer: Peer,
    table_id: str | None,
    sits: bool,
    here: Callable[[], None],
) -> None:
    """Call `here` if this host is responsible for the table of a request, or else name the other host.

    `sits`: the request is for a seat, or for something that the people who wait for seats have.
    """
    if manager.redirects is not None:
        manager.redirects.table(peer, table_id, sits, here)
    else:
        here()


def _join(manager: TableManager, peer: Peer, place: Any) -> None:
    """Return to one's own seat in a running match, which nil also means, or else take a free seat.

    A peer that names the terms that it has seen gets a free seat for those terms only.
    """
    table_id, seen = place if isinstance(place, list) else (place, None)
    _at_responsible_host(
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
    _at_responsible_host(
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
    """Answer at the host where `join` would seat the peer: waiting players have given the rules there."""
    _at_responsible_host(
        manager, peer, table_id, True, partial(_ask_rules_here, manager, peer, table_id)
    )


def _ask_rules_here(manager: TableManager, peer: Peer, table_id: str | None) -> None:
    """Send the rules. Their bytes count as frames of the peer, which so pays for them in time."""
    table = manager.lobby.find(table_id)
    peer.connection.charge(len(table.rule_text) // BYTES_A_FRAME)
    peer.send(messages.encode("rules", table.table_id, table.rule_text))


def _give_rules(manager: TableManager, peer: Peer, text: bytes) -> None:
    """Take the rules of a table. If its match has begun meanwhile, its log has them already."""
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
    """Go on with a match. A head or a claim that this table has not signed is declined."""
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
    (manager.redirects or manager.matches).resume(peer, match_id, holds, shown)


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
    """Post an entry. A long entry counts as more frames, also if it is refused: it is long because of
    proofs, which are expensive to check.
    """
    if (more := len(raw) - ENTRY_FREE) > 0:
        peer.connection.charge(more // (CHUNK_BYTES_A_FRAME if _is_chunk(raw) else BYTES_A_FRAME))
    _feed(peer, match_id).post(peer, raw)


def _is_chunk(raw: bytes) -> bool:
    """Tell if an entry claims to be a chunk, which is cheap to check. A false claim is refused later."""
    try:
        return decode_entry(raw).kind == CHUNK_KIND
    except Refused:
        return False


def _pong(manager: TableManager, peer: Peer, match_id: bytes, token: bytes) -> None:
    """Note an answer to a `ping`. One about a match that is over meanwhile is no error."""
    if peer.feed is None or peer.feed.match_id != match_id:
        return
    if token == messages.SIGN_OF_LIFE:
        peer.alive(manager.time())
    else:
        peer.feed.answered(peer, token)


def _kept(manager: TableManager, peer: Peer, match_id: bytes, ticket: bytes) -> None:
    """Note a stored ticket. One for a match that is over meanwhile is no error."""
    if peer.feed is not None and peer.feed.match_id == match_id and peer.seat is not None:
        manager.matches.tickets.kept(TicketSeat(match_id, peer.seat), ticket)


def _relay(manager: TableManager, peer: Peer, match_id: bytes, to: int, envelope: bytes) -> None:
    """Pass talk on to a seat.

    It is dropped if its sender is muted or says too much, and the sender is told so once. It is also
    dropped if nobody is at the seat, or reads, which is no error: the sender can do nothing about it.
    It never waits, since talk must not delay other messages of its sender.
    """
    feed = _feed(peer, match_id)
    if to >= len(feed.people):
        raise Declined(Code.BAD_MESSAGE)
    if not manager.relays.take((peer.identity, to), manager.time()):
        _say_why_dropped(peer, Code.TOO_MANY)
        return
    # after the rate: whether somebody is muted is a look at a file
    if peer.banned or manager.chat.mutes(peer.identity):
        _say_why_dropped(peer, Code.MUTED)
        return
    peer.hushed = False
    target = manager.people.get(feed.people[to])
    if target is not None and target.feed is feed and target.takes_talk:
        target.send(messages.encode("relayed", match_id, peer.seat, envelope))


def _chat(handler: Callable[..., None]) -> Handler:
    """Return the handler of a message between people in the lobby."""
    return lambda manager, peer, *values: handler(manager.chat, peer, *values)


def _witness(name: str) -> Handler:
    """Return the handler of a request to a witness. Not every table is a witness."""

    def ask(manager: TableManager, peer: Peer, *values: Any) -> None:
        if manager.certifier is None:
            raise Declined(Code.NOT_A_WITNESS)
        manager.certifier.ask(name, peer, *values)

    return ask


def _say_why_dropped(peer: Peer, why: Code) -> None:
    """Decline dropped talk, but not again before some talk has been passed on. Raises: Declined."""
    if not peer.hushed:
        peer.hushed = True
        raise Declined(why)


def _feed(peer: Peer, match_id: bytes) -> LogBroadcaster:
    if peer.feed is None or peer.feed.match_id != match_id:
        raise Declined(Code.WRONG_MATCH)
    return peer.feed


# requests to the lobby: an answer costs more than the request, and some go to other people, too
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
    **{name: _chat(handler) for name, handler in chat.HANDLERS.items()},
    **{name: _witness(name) for name in witness.REQUEST_SHAPES},
}
