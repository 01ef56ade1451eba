"""Refusal: a table's signed statement that an entry is not in the log. A false refusal is evidence
against the table that anybody can check.

    signature = of the table over ("refused", match id, SHA-256 of the entry, number, hash, code)

`number` and `hash` are the head of the log at which the table judged the entry. The codes in
`UNDECIDABLE_CODES` do not follow from the log: nobody else can judge a refusal with these codes.
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
# reasons outside the log: the sender, rates, disk, processor time, errors of the table
UNDECIDABLE_CODES = frozenset(
    {Code.WRONG_AUTHOR, Code.TOO_MANY, Code.CLOSING, Code.INTERNAL, Code.TOO_COSTLY}
)
_SAVED_REFUSAL = fields(between(1, MAX_ENTRY), uint(), exactly(32), text(MAX_NAME), exactly(64))


class Refusal(NamedTuple):
    """The fields of the message `refused` after the match id, in the same order."""

    entry_hash: bytes
    number: int
    hash: bytes
    code: str
    signature: bytes


class SavedRefusal(NamedTuple):
    """A refusal with the refused entry, as a player saves it beside the log."""

    entry: bytes
    refusal: Refusal


def unsigned_refusal(raw: bytes, seen: tuple[int, bytes], code: Code) -> Refusal:
    """Return the refusal of `raw` at the head `seen` (number, hash), with an empty signature."""
    return Refusal(sha256(raw).digest(), *seen, str(code), b"")


def sign_refusal(
    identity: Identity, match_id: bytes, raw: bytes, seen: tuple[int, bytes], code: Code
) -> Refusal:
    """Return the table's refusal of `raw` at the head `seen` (number, hash)."""
    said = unsigned_refusal(raw, seen, code)
    return said._replace(signature=identity.sign("refused", match_id, *said[:4]))


def check_refusal(refusal: Refusal, match_id: bytes, table_key: bytes) -> None:
    """Check that this table signed the refusal for this match. Raises:
    RemoteError(BAD_SIGNATURE).
    """
    entry_hash, number, hashed, code, signature = refusal
    verify(table_key, signature, "refused", match_id, entry_hash, number, hashed, code)


def is_acceptable(log: Log, match: Match, raw: bytes) -> bool:
    """Check that an honest table accepts `raw` as the next entry of this log, possibly as a late
    action.
    """
    try:
        apply(match, log.check(raw))
    except Refused:
        return False
    return True


def encode_saved_refusal(kept: SavedRefusal) -> bytes:
    """Return the bytes of a `*.refusal` file."""
    return wire.encode([kept.entry, *kept.refusal[1:]])


def decode_saved_refusal(data: bytes) -> SavedRefusal:
    """Read a `*.refusal` file. Raises: RemoteError(BAD_ENCODING)."""
    value = wire.decode(data)
    if not _SAVED_REFUSAL(value):
        raise RemoteError(Code.BAD_ENCODING)
    raw, *rest = value
    return SavedRefusal(raw, Refusal(sha256(raw).digest(), *rest))
