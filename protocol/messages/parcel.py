"""Parcels: messages of two people who play without a table, the same bytes by mail and over a
connection.

A parcel is a canonical MessagePack list that starts with its name. In a file or a mail, `MAGIC`
precedes it.

    invitation   version, [name, identity] of the inviter, terms, nonce, Unix time, signature
    entries      match id, number of the first, [[entry, signature of the head after it], ...]

The inviter has seat 0. The person who accepts has seat 1 and writes entry 0. The setup in this
entry is exactly that of the invitation.
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
    """An offer to play, signed by the inviter. Anybody with the invitation may accept it; the first
    to accept plays.
    """

    inviter: Person
    terms: Terms  # without a clock, for two seats
    nonce: bytes
    created: int  # seconds since 1970, by the inviter's clock; only shown to people
    signature: bytes
    # collection that contains the game
    games: Games = field(default=BUILT_IN, compare=False, repr=False)

    def setup(self, guest: Person) -> Setup:
        """Return the setup of the match that this guest begins by accepting."""
        return Setup(
            NO_TABLE, self.nonce, self.created, self.terms, (self.inviter, guest), self.games
        )

    def check_guest(self, guest: Person) -> None:
        """Check that this guest may accept: with another name and another key than the inviter.

        Raises: RemoteError.
        """
        check_name(guest.name)
        if name_skeleton(guest.name) == name_skeleton(self.inviter.name):
            raise RemoteError(Code.NAME_TAKEN)
        if guest.identity == self.inviter.identity:
            raise RemoteError(Code.BAD_IDENTITY)

    def body(self) -> list[Any]:
        """Return the values that the inviter signs."""
        return [
            wire.VERSION,
            list(self.inviter),
            encode_terms(self.terms),
            self.nonce,
            self.created,
        ]


@dataclass(frozen=True)
class EntriesParcel:
    """Consecutive entries of one match, from number `first` on."""

    match_id: bytes
    first: int
    records: tuple[Record, ...]


Parcel = Invitation | EntriesParcel


def invite(
    identity: Identity, name: str, terms: Terms, nonce: bytes, created: int, games: Games = BUILT_IN
) -> Invitation:
    """Create a signed invitation. Raises: RemoteError for terms that two people cannot play without
    a table.
    """
    unsigned = Invitation(Person(name, identity.public), terms, nonce, created, b"", games)
    _check_invitation(unsigned)
    return replace(unsigned, signature=identity.sign("invitation", wire.encode(unsigned.body())))


def encode_parcel(parcel: Parcel) -> bytes:
    """Return the bytes of a parcel."""
    if isinstance(parcel, Invitation):
        return wire.encode(["invitation", *parcel.body(), parcel.signature])
    return wire.encode(
        ["entries", parcel.match_id, parcel.first, [list(record) for record in parcel.records]]
    )


def decode_parcel(raw: bytes, games: Games = BUILT_IN) -> Parcel:
    """Read a parcel. The signature of an invitation is checked; entries are not checked.

    Raises only RemoteError, with its subclass UnknownRules for an invitation to a game that is not
    in `games`.
    """
    if len(raw) > MAX_PARCEL:
        raise RemoteError(Code.FRAME_SIZE)
    value = wire.decode(raw)
    if type(value) is list and value and value[0] == "entries" and _ENTRIES(value[1:]):
        _, match_id, first, records = value
        return EntriesParcel(match_id, first, tuple(Record(*record) for record in records))
    if type(value) is list and value and value[0] == "invitation" and _INVITATION(value[1:]):
        return _parse_invitation(value[1:], games)
    raise RemoteError(Code.BAD_MESSAGE)


def _parse_invitation(values: list[Any], games: Games) -> Invitation:
    version, inviter, terms, nonce, created, signature = values
    if version != wire.VERSION:
        raise RemoteError(Code.WRONG_VERSION)
    invitation = Invitation(Person(*inviter), decode_terms(terms), nonce, created, signature, games)
    verify(invitation.inviter.identity, signature, "invitation", wire.encode(invitation.body()))
    _check_invitation(invitation)
    return invitation


def _check_invitation(invitation: Invitation) -> None:
    """Check the inviter's name and the terms. Raises: RemoteError."""
    check_name(invitation.inviter.name)
    if invitation.terms.seats != PARCEL_SEATS:
        raise RemoteError(Code.BAD_OPTIONS)
    check_terms(invitation.terms, invitation.games, has_table=False)


def split_entries(entries: EntriesParcel, limit: int) -> Iterator[EntriesParcel]:
    """Split entries into parcels of at most `limit` bytes. `limit` must have room for the largest
    entry.
    """
    first = entries.first
    size = 0
    batch = list[Record]()
    for record in entries.records:
        more = len(record[0]) + len(record[1]) + RECORD_OVERHEAD
        if batch and (size + more > limit - PARCEL_OVERHEAD or len(batch) == MAX_PARCEL_ENTRIES):
            yield EntriesParcel(entries.match_id, first, tuple(batch))
            first = first + len(batch)
            size = 0
            batch = []
        batch.append(record)
        size += more
    yield EntriesParcel(entries.match_id, first, tuple(batch))


RECORD_OVERHEAD = 8  # maximum bytes for the lengths in one record
PARCEL_OVERHEAD = 64  # maximum bytes before the records
