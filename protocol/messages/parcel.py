"""What two people send each other when they play without a table: the same bytes in a letter and
over a connection.

A parcel is a canonical MessagePack list, its name first. In a file or a mail it stands behind
`MAGIC`.

    invitation   version, [name, identity] of who invites, terms, nonce, Unix time, signature
    entries      match id, number of the first, [[entry, signature of the head after it], ...]

Who invites has seat 0. Who accepts has seat 1 and writes entry 0, whose setup is exactly what the
invitation says.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from protocol import wire
from protocol.codes import Code
from protocol.errors import RemoteError
from protocol.games.registry import BUILT_IN, Games
from protocol.identity.keys import Identity, verify
from protocol.identity.names import check_name, name_skeleton
from protocol.limits import MAX_ENTRY, MAX_NAME, MAX_PARCEL, MAX_PARCEL_ENTRIES
from protocol.match.log import Record
from protocol.match.setup import NO_TABLE, Person, Setup
from protocol.match.terms import TERMS, Terms, check_terms, decode_terms, encode_terms
from protocol.schema import between, exactly, fields, many, text, uint

MAGIC = b"fairdeal parcel 1\n"
SUFFIX = ".fairdeal-mail"
PARCEL_SEATS = 2

_INVITATION = fields(
    uint(),
    fields(text(MAX_NAME), exactly(32)),
    TERMS,
    exactly(32),
    uint(),
    exactly(64),
)
_ENTRIES = fields(
    exactly(32), uint(), many(fields(between(1, MAX_ENTRY), exactly(64)), 1, MAX_PARCEL_ENTRIES)
)


@dataclass(frozen=True)
class Invitation:
    """An offer to play, signed by who makes it. Whoever has it may accept it; the first to do so
    plays.
    """

    inviter: Person
    terms: Terms  # without a clock, for two seats
    nonce: bytes
    created: int  # seconds since 1970, by the inviter's clock; for people only
    signature: bytes
    games: Games = field(default=BUILT_IN, compare=False, repr=False)  # where its rules are

    def setup(self, guest: Person) -> Setup:
        """The match that this person begins by accepting."""
        return Setup(
            NO_TABLE, self.nonce, self.created, self.terms, (self.inviter, guest), self.games
        )

    def check_guest(self, guest: Person) -> None:
        """Raise `RemoteError` unless this person may accept: another name and key than the
        inviter's.
        """
        check_name(guest.name)
        if name_skeleton(guest.name) == name_skeleton(self.inviter.name):
            raise RemoteError(Code.NAME_TAKEN)
        if guest.identity == self.inviter.identity:
            raise RemoteError(Code.BAD_IDENTITY)

    def body(self) -> list[Any]:
        """What is signed."""
        return [
            wire.VERSION,
            list(self.inviter),
            encode_terms(self.terms),
            self.nonce,
            self.created,
        ]


@dataclass(frozen=True)
class EntriesParcel:
    """Entries of one match, in order, from number `first` on."""

    match_id: bytes
    first: int
    records: tuple[Record, ...]


Parcel = Invitation | EntriesParcel


def invite(
    identity: Identity, name: str, terms: Terms, nonce: bytes, created: int, games: Games = BUILT_IN
) -> Invitation:
    """A signed invitation; raises `RemoteError` for terms that two people cannot play without a
    table.
    """
    unsigned = Invitation(Person(name, identity.public), terms, nonce, created, b"", games)
    _check(unsigned)
    return replace(unsigned, signature=identity.sign("invitation", wire.encode(unsigned.body())))


def encode_parcel(parcel: Parcel) -> bytes:
    """A parcel's bytes."""
    if isinstance(parcel, Invitation):
        return wire.encode(["invitation", *parcel.body(), parcel.signature])
    return wire.encode(
        ["entries", parcel.match_id, parcel.first, [list(record) for record in parcel.records]]
    )


def decode_parcel(raw: bytes, games: Games = BUILT_IN) -> Parcel:
    """The parcel in some bytes. An invitation's signature is checked; entries are not.

    Raises: RemoteError, and nothing else: UnknownRules for an invitation to what cannot be played
    by these games.
    """
    if len(raw) > MAX_PARCEL:
        raise RemoteError(Code.FRAME_SIZE)
    value = wire.decode(raw)
    if type(value) is list and value and value[0] == "entries" and _ENTRIES(value[1:]):
        _, match_id, first, records = value
        return EntriesParcel(match_id, first, tuple(Record(*record) for record in records))
    if type(value) is list and value and value[0] == "invitation" and _INVITATION(value[1:]):
        return _invitation(value[1:], games)
    raise RemoteError(Code.BAD_MESSAGE)


def _invitation(values: list[Any], games: Games) -> Invitation:
    version, inviter, terms, nonce, created, signature = values
    if version != wire.VERSION:
        raise RemoteError(Code.WRONG_VERSION)
    invitation = Invitation(Person(*inviter), decode_terms(terms), nonce, created, signature, games)
    verify(invitation.inviter.identity, signature, "invitation", wire.encode(invitation.body()))
    _check(invitation)
    return invitation


def _check(invitation: Invitation) -> None:
    """Raise `RemoteError` for a name that cannot be shown, and for terms that cannot be played like
    this.
    """
    check_name(invitation.inviter.name)
    if invitation.terms.seats != PARCEL_SEATS:
        raise RemoteError(Code.BAD_OPTIONS)
    check_terms(invitation.terms, invitation.games, has_table=False)


def split_entries(entries: EntriesParcel, limit: int) -> Iterator[EntriesParcel]:
    """The same entries in parcels of at most `limit` bytes each, which has room for the largest
    entry.
    """
    first, size, batch = entries.first, 0, list[Record]()
    for record in entries.records:
        more = len(record[0]) + len(record[1]) + RECORD_OVERHEAD
        if batch and (size + more > limit - PARCEL_OVERHEAD or len(batch) == MAX_PARCEL_ENTRIES):
            yield EntriesParcel(entries.match_id, first, tuple(batch))
            first, size, batch = first + len(batch), 0, []
        batch.append(record)
        size += more
    yield EntriesParcel(entries.match_id, first, tuple(batch))


RECORD_OVERHEAD = 8  # bytes at most that the lengths of one record take
PARCEL_OVERHEAD = 64  # bytes at most of all that stands before the records
