"""A table's word that an entry is not in the log, signed: so that a false one is evidence that
anybody can check.

    signature = of the table over ("refused", match id, SHA-256 of the entry, number, hash, code)

`number` and `hash` are the head of the log that the entry was judged at. The reasons of
`UNDECIDABLE_CODES` are not of the log: what the table says by them nobody else can judge.
"""

from hashlib import sha256
from typing import NamedTuple

from protocol import wire
from protocol.codes import Code
from protocol.errors import Refused, RemoteError
from protocol.identity.keys import Identity, verify
from protocol.limits import MAX_ENTRY, MAX_NAME
from protocol.match.fold import apply
from protocol.match.log import Log
from protocol.match.state import Match
from protocol.schema import between, exactly, fields, text, uint

SUFFIX = ".refusal"
# who sent it, rates, disk, us
UNDECIDABLE_CODES = frozenset({Code.WRONG_AUTHOR, Code.TOO_MANY, Code.CLOSING, Code.INTERNAL})
_KEPT = fields(between(1, MAX_ENTRY), uint(), exactly(32), text(MAX_NAME), exactly(64))


class Refusal(NamedTuple):
    """What the message `refused` says after the match id, in its order."""

    entry_hash: bytes
    number: int
    hash: bytes
    code: str
    signature: bytes


class SavedRefusal(NamedTuple):
    """A refusal with the entry that it is about, as a player keeps it beside the log."""

    entry: bytes
    refusal: Refusal


def unsigned_refusal(raw: bytes, seen: tuple[int, bytes], code: Code) -> Refusal:
    """The refusal of these bytes at the head (number, hash), its signature empty."""
    return Refusal(sha256(raw).digest(), *seen, str(code), b"")


def sign_refusal(
    identity: Identity, match_id: bytes, raw: bytes, seen: tuple[int, bytes], code: Code
) -> Refusal:
    """The table's refusal of these bytes at the head (number, hash)."""
    said = unsigned_refusal(raw, seen, code)
    return said._replace(signature=identity.sign("refused", match_id, *said[:4]))


def check_refusal(refusal: Refusal, match_id: bytes, table_key: bytes) -> None:
    """Raises: RemoteError(BAD_SIGNATURE) unless this table signed it for this match."""
    entry_hash, number, hashed, code, signature = refusal
    verify(table_key, signature, "refused", match_id, entry_hash, number, hashed, code)


def is_acceptable(log: Log, match: Match, raw: bytes) -> bool:
    """Whether an honest table puts these bytes into this log next, late and overtaken actions
    included.
    """
    try:
        apply(match, log.check(raw))
    except Refused:
        return False
    return True


def encode_saved_refusal(kept: SavedRefusal) -> bytes:
    """The bytes of a `*.refusal` file."""
    return wire.encode([kept.entry, *kept.refusal[1:]])


def decode_saved_refusal(data: bytes) -> SavedRefusal:
    """Raises: RemoteError(BAD_ENCODING) unless it is what `encode_saved_refusal` makes."""
    value = wire.decode(data)
    if not _KEPT(value):
        raise RemoteError(Code.BAD_ENCODING)
    raw, *rest = value
    return SavedRefusal(raw, Refusal(sha256(raw).digest(), *rest))
