"""What hosts of one table tell each other, once a second and whenever something happens. Nothing is
proven by it. Canonical MessagePack.

    beat = [name, address, rules, run, takes, rows, creators, given, watched, heads, bans, strays]
    strays = [[match id, seat], ...]                                    see `table.cluster.strays`
    bans = [digest, decisions]                                          see `table.lobby.bans`
    row  = [table id or empty, terms or nil, who waits, match id (empty: none runs), seats]

Identities stand as their first bytes where they only have to be found again. What a later program
says behind that is passed over: hosts of two programs stand side by side while they are exchanged,
and must not take each other for gone.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.identity.address import is_address
from protocol.limits import (
    MAX_BANS,
    MAX_BEAT,
    MAX_BEAT_ITEMS,
    MAX_CHANGE_ENTRIES,
    MAX_NAME,
    MAX_SEATS,
    MAX_STRAYS,
)
from protocol.match.terms import TERMS
from protocol.schema import between, either, exactly, fields, flag, many, nothing, text, uint
from table.lobby.bans import BAN_SHAPE, DIGEST, Ban, parse_rows, rows
from table.storage.shared.match_notes import MAX_HOST_NAME, RUN

PREFIX = 8  # bytes of an identity; who is taken for another by them is sent to a wrong host once
_HEADERS = 24  # bytes of it for how many there are of what can be many


_DRAIN, _RELEASE = b"drain ", b"release "  # no beat begins like this


def encode_drain(name: str, run: bytes) -> bytes:
    """What an operator says to a host: hand over what you have, and stop.

    `run`: as it says it; who is started again under the name does not hear what was said to the one
    before.
    """
    return _DRAIN + run + name.encode()


def is_drain(data: bytes) -> bool:
    """Whether this is said to some host by an operator."""
    return data.startswith(_DRAIN)


def encode_release(match_id: bytes) -> bytes:
    """An operator's word to all hosts: claim this match, although hosts went silent with it."""
    return _RELEASE + match_id


def decode_release(data: bytes) -> bytes | None:
    """Return the match that an operator lets go on; None: these bytes say something else."""
    match_id = data.removeprefix(_RELEASE)
    return match_id if match_id != data and len(match_id) == 32 else None


def prefix(identity: bytes) -> bytes:
    """What stands for somebody in a beat."""
    return identity[:PREFIX]


class Host(NamedTuple):
    """One host of a table, as the others know it."""

    name: str
    address: str  # where players find it, as `moved` says it; empty: it does not listen yet
    rules: str  # see `Begin.rules`


class MatchLoad(NamedTuple):
    """A table at which somebody waits, or a match runs."""

    # empty: a match at a table whose number is another's by now, or at which another runs
    table_id: str
    terms: list[Any] | None  # encoded; None: those with which it was created
    waiting: list[Any]  # as `tables` has it
    match_id: bytes  # empty: none runs
    seats: tuple[bytes, ...]  # who plays, by `prefix`


class NewestHeartbeats(NamedTuple):
    """Heads of a match that come to the store with its next entry; who watches elsewhere has the
    entries from there.
    """

    match_id: bytes
    first: int  # the number of the first of them
    heads: tuple[bytes, ...]


class Heartbeat(NamedTuple):
    """What a host says of itself."""

    host: Host
    run: bytes
    takes: bool  # new matches, tables and what others leave; not while it starts, or stops
    rows: tuple[MatchLoad, ...] = ()
    creators: tuple[bytes, ...] = ()  # of those who have created tables who is here, by `prefix`
    # matches that it has released, and the names of whom to
    given: tuple[tuple[bytes, str], ...] = ()
    watched: tuple[bytes, ...] = ()  # matches of others that are watched at it
    heads: tuple[NewestHeartbeats, ...] = ()  # of its matches that are watched at others
    bans_digest: bytes = b""  # of all decisions that it knows; empty: a program without bans
    bans: tuple[Ban, ...] = ()  # of these, for hosts that know others
    # seats that cannot reach the hosts of their matches: the match, and the seat by `prefix`
    strays: tuple[tuple[bytes, bytes], ...] = ()


def _named(value: object) -> bool:
    return type(value) is str and len(value) <= MAX_HOST_NAME


def _table(value: object) -> bool:
    return type(value) is str and len(value) <= MAX_NAME


def _address(value: object) -> bool:
    return value == "" or is_address(value)


_BANS_FIELD = fields(exactly(DIGEST), many(BAN_SHAPE, 0, MAX_BANS))
_PREFIX = exactly(PREFIX)
_MATCH = exactly(32)
_ROW = fields(
    _table,
    either(TERMS, nothing),
    many(fields(text(MAX_NAME), exactly(32)), 0, MAX_SEATS),
    either(_MATCH, exactly(0)),
    many(_PREFIX, 0, MAX_SEATS),
)
_BEAT = fields(
    text(MAX_HOST_NAME),
    _address,
    _named,
    exactly(RUN),
    flag,
    many(_ROW, 0, MAX_BEAT_ITEMS),
    many(_PREFIX, 0, MAX_BEAT_ITEMS),
    many(fields(_MATCH, _named), 0, MAX_BEAT_ITEMS),
    many(_MATCH, 0, MAX_BEAT_ITEMS),
    many(fields(_MATCH, uint(), many(exactly(64), 1, MAX_CHANGE_ENTRIES)), 0, MAX_BEAT_ITEMS),
    either(_BANS_FIELD, nothing),
    many(fields(_MATCH, _PREFIX), 0, MAX_STRAYS),
)
_FIELDS, _FEWER = 12, 10  # of it, that this program knows, and that one without bans says
_bytes = between(1, MAX_BEAT)


def encode_heartbeat(beat: Heartbeat, most: int = MAX_BEAT) -> bytes:
    """Its bytes, with as much as fits: what is left out is found in the store."""
    head = [*beat.host, beat.run, beat.takes]
    room = min(most, MAX_BEAT) - _HEADERS - len(wire.encode([*head, [], [], [], [], [], None]))
    rest = [
        list(_fitting(values, room // share))
        for values, share in (
            (beat.creators, 4),
            (list(map(list, beat.given)), 4),
            (beat.watched, 8),
            ([[match_id, first, list(heads)] for match_id, first, heads in beat.heads], 4),
        )
    ]
    strays = [list(stray) for stray in _fitting(list(map(list, beat.strays)), room // 8)]
    room -= len(wire.encode(strays))
    room -= sum(len(wire.encode(each)) for values in rest for each in values)
    bans = None
    if beat.bans_digest:
        bans = [beat.bans_digest, list(_fitting(rows(beat.bans), room // 4))]
        room -= len(wire.encode(bans))
    told = list(_fitting([[*row[:4], list(row.seats)] for row in beat.rows], room))
    return wire.encode([*head, told, *rest, bans, strays])


def _fitting(values: Sequence[Any], room: int) -> Iterator[Any]:
    """The first of them, in so many bytes."""
    for value in values[:MAX_BEAT_ITEMS]:
        room -= len(wire.encode(value))
        if room < 0:
            return
        yield value


def decode_heartbeat(data: bytes) -> Heartbeat:
    """A beat from its bytes. Raises: RemoteError(BAD_ENCODING)."""
    if not _bytes(data):
        raise RemoteError(Code.BAD_ENCODING)
    value = wire.decode(data)
    value = value[:_FIELDS] if type(value) is list else value
    if type(value) is list and _FEWER <= len(value) < _FIELDS:
        value = [*value, *([None] if len(value) == _FEWER else []), []]
    if not _BEAT(value):
        raise RemoteError(Code.BAD_ENCODING)
    name, address, rules, run, takes, loads, creators, given, watched, heads, bans, strays = value
    bans_digest, decisions = bans or (b"", [])
    return Heartbeat(
        Host(name, address, rules),
        run,
        takes,
        tuple(
            MatchLoad(table, terms, people, match_id, tuple(seats))
            for table, terms, people, match_id, seats in loads
        ),
        tuple(creators),
        tuple((match_id, successor) for match_id, successor in given),
        tuple(watched),
        tuple(
            NewestHeartbeats(match_id, first, tuple(signed)) for match_id, first, signed in heads
        ),
        bans_digest,
        tuple(parse_rows(decisions)),
        tuple((match_id, seat) for match_id, seat in strays),
    )
