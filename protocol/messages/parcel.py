"""What two people send each other when they play without a table: the same bytes in a letter and over a connection.

A parcel is a canonical MessagePack list, its name first. In a file or a mail it stands behind `MAGIC`.

    invitation   version, [name, identity] of who invites, game, options, dealing, options, nonce, Unix time, signature
    entries      match id, number of the first, [[entry, signature of the head after it], ...]

Who invites has seat 0. Who accepts has seat 1 and writes entry 0, whose setup is exactly what the invitation says.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from protocol import wire
from protocol.codes import Code
from protocol.dealing.operations import can_deal
from protocol.dealing.registry import create_dealing
from protocol.errors import RemoteError
from protocol.games.registry import create_game
from protocol.identity.keys import Identity, verify
from protocol.identity.names import check_name, name_skeleton
from protocol.limits import MAX_ENTRY, MAX_NAME, MAX_PARCEL, MAX_PARCEL_ENTRIES
from protocol.match.log import Logged
from protocol.match.setup import NO_TABLE, NOWHERE, OPTIONS, OptionList, Person, Setup, Terms
from protocol.schema import between, exactly, fields, many, text, uint

VERSION = 1
MAGIC = b"fairdeal parcel 1\n"
SUFFIX = ".fairdeal-mail"
SEATS = 2

_INVITATION = fields(
    uint(),
    fields(text(MAX_NAME), exactly(32)),
    text(MAX_NAME),
    OPTIONS,
    text(MAX_NAME),
    OPTIONS,
    exactly(32),
    uint(),
    exactly(64),
)
_ENTRIES = fields(exactly(32), uint(), many(fields(between(1, MAX_ENTRY), exactly(64)), 1, MAX_PARCEL_ENTRIES))


@dataclass(frozen=True)
class Invitation:
    """An offer to play, signed by who makes it. Whoever has it may accept it; the first to do so plays."""

    inviter: Person
    terms: Terms  # without a clock, for two seats
    nonce: bytes
    created: int  # seconds since 1970, by the inviter's clock; for people only
    signature: bytes

    def setup(self, guest: Person) -> Setup:
        """The match that this person begins by accepting."""
        game, options, dealing, dealing_options, clock, _ = self.terms
        return Setup(
            NO_TABLE,
            NOWHERE,
            NOWHERE,
            self.nonce,
            self.created,
            game,
            options,
            dealing,
            dealing_options,
            clock,
            (self.inviter, guest),
        )

    def check_guest(self, guest: Person) -> None:
        """Raise `RemoteError` unless this person may accept: another name and key than the inviter's."""
        check_name(guest.name)
        if name_skeleton(guest.name) == name_skeleton(self.inviter.name):
            raise RemoteError(Code.NAME_TAKEN)
        if guest.identity == self.inviter.identity:
            raise RemoteError(Code.BAD_IDENTITY)

    def body(self) -> list[Any]:
        """What is signed."""
        game, options, dealing, dealing_options, _, _ = self.terms
        return [
            VERSION,
            list(self.inviter),
            game,
            [list(option) for option in options],
            dealing,
            [list(option) for option in dealing_options],
            self.nonce,
            self.created,
        ]


@dataclass(frozen=True)
class Entries:
    """Entries of one match, in order, from number `first` on."""

    match_id: bytes
    first: int
    records: tuple[Logged, ...]


Parcel = Invitation | Entries


def invite(identity: Identity, name: str, terms: Terms, nonce: bytes, created: int) -> Invitation:
    """A signed invitation; raises `RemoteError` for terms that two people cannot play without a table."""
    unsigned = Invitation(Person(name, identity.public), terms, nonce, created, b"")
    _check(unsigned)
    signature = identity.sign("invitation", wire.encode(unsigned.body()))
    return Invitation(unsigned.inviter, terms, nonce, created, signature)


def encode_parcel(parcel: Parcel) -> bytes:
    """A parcel's bytes."""
    if isinstance(parcel, Invitation):
        return wire.encode(["invitation", *parcel.body(), parcel.signature])
    return wire.encode(["entries", parcel.match_id, parcel.first, [list(record) for record in parcel.records]])


def decode_parcel(raw: bytes) -> Parcel:
    """The parcel in some bytes. An invitation's signature is checked; entries are not.

    Raises: RemoteError, and nothing else.
    """
    if len(raw) > MAX_PARCEL:
        raise RemoteError(Code.FRAME_SIZE)
    value = wire.decode(raw)
    if type(value) is list and value and value[0] == "entries" and _ENTRIES(value[1:]):
        _, match_id, first, records = value
        return Entries(match_id, first, tuple((entry, head) for entry, head in records))
    if type(value) is list and value and value[0] == "invitation" and _INVITATION(value[1:]):
        return _invitation(value[1:])
    raise RemoteError(Code.BAD_MESSAGE)


def _invitation(values: list[Any]) -> Invitation:
    version, inviter, game, options, dealing, dealing_options, nonce, created, signature = values
    if version != VERSION:
        raise RemoteError(Code.WRONG_VERSION)
    terms = Terms(game, _pairs(options), dealing, _pairs(dealing_options), (), SEATS)
    invitation = Invitation(Person(*inviter), terms, nonce, created, signature)
    verify(invitation.inviter.identity, signature, "invitation", wire.encode(invitation.body()))
    _check(invitation)
    return invitation


def _check(invitation: Invitation) -> None:
    """Raise `RemoteError` for a name that cannot be shown, and for terms that cannot be played like this."""
    terms = invitation.terms
    check_name(invitation.inviter.name)
    for options in (terms.options, terms.dealing_options):
        names = [name for name, _ in options]
        if names != sorted(set(names)):
            raise RemoteError(Code.BAD_OPTIONS)
    game = create_game(terms.game, SEATS, dict(terms.options))
    dealing = create_dealing(terms.dealing, dict(terms.dealing_options))
    if terms.seats != SEATS or terms.clock or dealing.needs_table or not can_deal(dealing, game):
        raise RemoteError(Code.BAD_OPTIONS)


def _pairs(options: list[list[Any]]) -> OptionList:
    return tuple((name, value) for name, value in options)


def split(entries: Entries, limit: int) -> Iterator[Entries]:
    """The same entries in parcels of at most `limit` bytes each, which has room for the largest entry."""
    first, size, batch = entries.first, 0, list[Logged]()
    for record in entries.records:
        more = len(record[0]) + len(record[1]) + RECORD_OVERHEAD
        if batch and (size + more > limit - PARCEL_OVERHEAD or len(batch) == MAX_PARCEL_ENTRIES):
            yield Entries(entries.match_id, first, tuple(batch))
            first, size, batch = first + len(batch), 0, []
        batch.append(record)
        size += more
    yield Entries(entries.match_id, first, tuple(batch))


RECORD_OVERHEAD = 8  # bytes at most that the lengths of one record take
PARCEL_OVERHEAD = 64  # bytes at most of all that stands before the records
