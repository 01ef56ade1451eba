"""What a table has signed, as values: for what, for which match and number. Never bytes of which
only the asker knows what they are.

The purpose is the label under which the protocol signs (`protocol.crypto.hashing.encode_fields`),
the fields are those that it signs, so whoever judges a request judges exactly what the signature
will say.
"""

from typing import NamedTuple

from protocol.crypto.hashing import Field
from protocol.directory import report as report_format
from protocol.identity.keys import KEY_SIZE
from protocol.limits import (
    DIRECTORY_NONCE,
    MAX_ADDRESS,
    MAX_ENTRY,
    MAX_NAME,
    MAX_TABLE_REPORT,
)
from protocol.match.log import NO_HASH
from protocol.match.refusal import Refusal
from protocol.messages import claim as claim_format
from protocol.messages import directory as directory_format
from protocol.messages import relay as relay_format
from protocol.schema import Shape, between, exactly, fields, text, uint
from protocol.session.session import Role

HEAD, ENTRY, REFUSED, SESSION = "head", "entry", "refused", Role.TABLE.value
CLAIM = claim_format.LABEL
RELAY = relay_format.LABEL
REPORT = report_format.LABEL
DIRECTORY = directory_format.LABEL
SEALING = (
    "sealed seed"  # no signature: the key that seals what a store keeps (`table.match.seed_seal`)
)
OUTCOMES = "stored outcomes"  # likewise: the key of `table.match.stored_outcomes`
TICKETS = "ticket key"  # likewise: the key of the tickets that seats get (`table.net.tickets`)
SECRETS = (SEALING, OUTCOMES, TICKETS)

SHAPES: dict[str, Shape] = {
    HEAD: fields(exactly(32), uint(), exactly(32)),  # match id, number, hash
    # match id (NO_HASH of a first entry), content
    ENTRY: fields(exactly(32), between(1, MAX_ENTRY)),
    # match, entry, number, hash, code
    REFUSED: fields(exactly(32), exactly(32), uint(), exactly(32), text(MAX_NAME)),
    CLAIM: fields(exactly(32), exactly(claim_format.CLAIM_ID)),  # match id, the claim's id
    SESSION: fields(exactly(32), exactly(64)),  # static key, handshake hash
    # a relay's challenge, and its URL
    RELAY: fields(exactly(relay_format.CHALLENGE), text(MAX_ADDRESS)),
    # a report for directories without key and signature
    REPORT: fields(between(1, MAX_TABLE_REPORT)),
    # a directory's nonce and key, and the whole report
    DIRECTORY: fields(exactly(DIRECTORY_NONCE), exactly(KEY_SIZE), between(1, MAX_TABLE_REPORT)),
    SEALING: fields(),
    TICKETS: fields(),
    OUTCOMES: fields(),
}


class Request(NamedTuple):
    """One thing that is asked of a key; the fields have the shape `SHAPES[purpose]`."""

    purpose: str
    fields: tuple[Field, ...]


def head(match_id: bytes, number: int, hashed: bytes) -> Request:
    """The head of this match with this number; the answer is its signature."""
    return Request(HEAD, (match_id, number, hashed))


def entry(match_id: bytes, content: bytes) -> Request:
    """An entry of the table's own behind the head that its content has seen; the answer is the
    whole entry.
    """
    return Request(ENTRY, (match_id, content))


def first_entry(content: bytes) -> Request:
    """The entry that begins a match; the answer is the whole entry."""
    return entry(NO_HASH, content)


def claim(match_id: bytes, claim_id: bytes) -> Request:
    """A claim of this match; the answer is its signature."""
    return Request(CLAIM, (match_id, claim_id))


def refusal(match_id: bytes, said: Refusal) -> Request:
    """That an entry is not in the log; the answer is the signature."""
    return Request(REFUSED, (match_id, *said[:4]))
